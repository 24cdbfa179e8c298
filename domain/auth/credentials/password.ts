import { hash, verify } from '@node-rs/argon2';
import { AppError } from '../../common/errors.ts';

/** argon2id (RFC 9106) by the parameters that OWASP recommends: 19 MiB, 2 passes, 1 lane. */
export const HASH_OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** The thread pool has four threads by default, and files and name lookups need some of them. */
const MAX_AT_ONCE = 2;
const MAX_WAITING = 200;

/** Of a password that nobody knows, by the same parameters: what an unknown user's password is compared with. */
const NOBODYS_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$C+CVOzcs/qHBFf6AoZkDBA$BjwDxh0WtHgXcV+K4rtngkL5ToOF1pS9zxd9nLzhgqs';

/** The thread pool is the process's, so its limit is too. */
let running = 0;
const waiting: (() => void)[] = [];

/** A flood of logins waits here instead of taking every thread, and is turned away with 503 once waiting is no use. */
export async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running < MAX_AT_ONCE) running += 1;
  else if (waiting.length < MAX_WAITING) await new Promise<void>((resolve) => waiting.push(resolve));
  else throw new AppError('unavailable', 'Too many concurrent logins; try again', { headers: { 'Retry-After': '2' } });
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    // The place is handed over, so that nobody who comes meanwhile takes it too.
    if (next) next();
    else running -= 1;
  }
}

/** One password, however the keyboard composed it (RFC 8265 asks for a normalisation; NIST SP 800-63B for NFKC). */
const normalise = (password: string): string => password.normalize('NFKC');

/** Hashes off the event loop. Throws 503 when too many wait. */
export const hashPassword = (password: string): Promise<string> =>
  inTurn(() => hash(normalise(password), HASH_OPTIONS));

/** Compares with the hash; without one it takes as long and returns false. Runs as a part of what is `inTurn`. */
export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  const matches = await verify(passwordHash ?? NOBODYS_HASH, normalise(password));
  return matches && passwordHash !== null;
}
