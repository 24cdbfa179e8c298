import { hash, verify } from '@node-rs/argon2';
import { AppError } from '../../../lib/checks/errors.ts';

/** argon2id (RFC 9106) with the parameters that OWASP recommends: 19 MiB, 2 passes, 1 lane. */
export const HASH_OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** The thread pool has four threads by default, and file access and DNS lookups need some of them. */
const MAX_AT_ONCE = 2;
const MAX_WAITING = 200;

/** The hash of an unknown password with the same parameters, for verifying the password of an unknown user. */
const NOBODYS_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$C+CVOzcs/qHBFf6AoZkDBA$BjwDxh0WtHgXcV+K4rtngkL5ToOF1pS9zxd9nLzhgqs';

/** Per process, like the thread pool. */
let running = 0;
const waiting: (() => void)[] = [];

/**
 * Limits concurrent hashing, so that many logins at once do not take every thread. Throws 503 if the queue is full.
 */
export async function withHashingSlot<T>(work: () => Promise<T>): Promise<T> {
  if (running < MAX_AT_ONCE) running += 1;
  else if (waiting.length < MAX_WAITING) await new Promise<void>((resolve) => waiting.push(resolve));
  else throw new AppError('unavailable', 'Too many concurrent logins; try again', { headers: { 'Retry-After': '2' } });
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    // Pass the slot on directly, so that no new caller can take it first.
    if (next) next();
    else running -= 1;
  }
}

/**
 * The same password however the keyboard composed it. RFC 8265 requires a normalisation; NIST SP 800-63B names NFKC.
 */
const normalise = (password: string): string => password.normalize('NFKC');

/** Hashes off the event loop. Throws 503 if too many calls are waiting. */
export const hashPassword = (password: string): Promise<string> =>
  withHashingSlot(() => hash(normalise(password), HASH_OPTIONS));

/** Compares a password with the hash. Without a hash it takes as long and returns false. Call it within `withHashingSlot`. */
export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  const matches = await verify(passwordHash ?? NOBODYS_HASH, normalise(password));
  return matches && passwordHash !== null;
}
