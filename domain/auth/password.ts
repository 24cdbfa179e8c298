import { hash, verify } from '@node-rs/argon2';
import type { Violation } from '../errors.ts';

const RULES: { code: string; message: string; holds: (password: string) => boolean }[] = [
  { code: 'too_short', message: 'must have at least 8 characters', holds: (password) => [...password].length >= 8 },
  { code: 'too_long', message: 'must have at most 200 characters', holds: (password) => [...password].length <= 200 },
  { code: 'no_upper_case', message: 'must have an upper-case letter', holds: (password) => /\p{Lu}/u.test(password) },
  { code: 'no_lower_case', message: 'must have a lower-case letter', holds: (password) => /\p{Ll}/u.test(password) },
  { code: 'no_digit', message: 'must have a digit', holds: (password) => /\p{Nd}/u.test(password) },
  { code: 'no_special_character', message: 'must have a special character', holds: (password) => /[^\p{L}\p{N}\s]/u.test(password) },
];

/** Every rule that the password does not meet. */
export function checkPassword(password: string, path = '/password'): Violation[] {
  return RULES.filter((rule) => !rule.holds(password)).map(({ code, message }) => ({ path, code, message }));
}

/** OWASP's argon2id parameters: 19 MiB, 2 passes. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const MAX_AT_ONCE = 4;

let running = 0;
const waiting: (() => void)[] = [];

/** Hashing runs on the thread pool; a flood of logins waits here instead of taking every thread and 19 MiB each. */
async function limited<T>(work: () => Promise<T>): Promise<T> {
  if (running >= MAX_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  running += 1;
  try {
    return await work();
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

export const hashPassword = (password: string): Promise<string> => limited(() => hash(password, OPTIONS));

let decoy: Promise<string> | undefined;

/** Compares with the hash, or with a hash of nobody's password, so that an unknown user takes as long as a known one. */
export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  decoy ??= hashPassword('the password of nobody');
  const against = passwordHash ?? (await decoy);
  const matches = await limited(() => verify(against, password));
  return matches && passwordHash !== null;
}
