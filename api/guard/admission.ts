import { createHash } from 'node:crypto';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Deps } from '../../runtime/deps.ts';
import { findApiKey } from '../../domain/auth/access/api-keys.ts';
import { unauthorized, type AccessClaims } from '../../domain/auth/access/access-token.ts';
import { sessionsQuery, readCredentials, readSessions } from '../../domain/auth/access/authenticate.ts';
import type { Principal } from '../../domain/audit/principal.ts';
import { Batcher } from '../../lib/async/batcher.ts';
import { AppError } from '../../lib/checks/errors.ts';
import { networkOf } from '../../domain/rate-limits/network-of.ts';
import {
  takeTokensQuery,
  readTokens,
  type RateLimit,
  type TokenTaken,
  type TokenWanted,
} from '../../domain/rate-limits/take-tokens.ts';
import { DEFAULT_TENANT } from '../../domain/auth/access/built-in-roles.ts';

/** The credentials and the address of a request. */
export interface RequestCredentials {
  /** The Authorization header; null on routes that need no authentication. */
  authorization: string | null;
  address: string;
}

export interface Admission {
  /** The caller, or the error to refuse it with; null on routes that need no authentication. */
  caller: Principal | AppError | null;
  /** Null if rate limiting is disabled. */
  rate: (TokenTaken & { limit: number }) | null;
}

interface Waiting {
  claims: AccessClaims | null;
  token: TokenWanted | null;
  resolve: (outcome: { caller: Principal | AppError | null; taken: TokenTaken | null }) => void;
  reject: (error: unknown) => void;
}

/**
 * Concurrent batches. The next batch collects while these are in flight, so a request waits for one round trip, two at
 * most.
 */
const BATCHES_AT_ONCE = 2;
const LARGEST_BATCH = 200;

/**
 * Authenticates callers and takes a token from their rate-limit buckets, with one round trip for all requests that
 * arrive at the same time. Nothing is cached, so what other processes have revoked or taken is seen.
 */
export function createAdmission(deps: Deps): (arrival: RequestCredentials) => Promise<Admission> {
  const { env } = deps;
  const limit: RateLimit = { perMinute: env.RATE_LIMIT_PER_MINUTE, burst: env.RATE_LIMIT_BURST };
  const takeIn = async (batch: readonly Waiting[]): Promise<void> => {
    const claims = batch.flatMap((one) => one.claims ?? []);
    const tokens = batch.flatMap((one) => one.token ?? []);
    const distinct = [...new Map(claims.map((one) => [one.sessionId, one])).values()];
    const [found = [], taken = []] = await deps.pipelined.run('engine', [
      sessionsQuery(distinct),
      ...(tokens.length > 0 ? [takeTokensQuery(tokens, limit)] : []),
    ]);
    const callers = new Map(readSessions(distinct, found).map((caller, index) => [distinct[index]!.sessionId, caller]));
    const given = readTokens(taken, limit);
    let next = 0;
    for (const one of batch) {
      one.resolve({
        caller: one.claims && callers.get(one.claims.sessionId)!,
        taken: one.token ? given[next++]! : null,
      });
    }
  };
  const batches = new Batcher<Waiting>({
    gather: () => endOfTurn(),
    maxItems: LARGEST_BATCH,
    maxConcurrent: BATCHES_AT_ONCE,
    handle: (batch) => takeIn(batch).catch((error: unknown) => batch.forEach((one) => one.reject(error))),
  });
  const ask = (claims: AccessClaims | null, token: TokenWanted | null) =>
    new Promise<{ caller: Principal | AppError | null; taken: TokenTaken | null }>((resolve, reject) =>
      batches.add({ claims, token, resolve, reject }),
    );

  return async ({ authorization, address }) => {
    const shown = authorization === null ? null : judged(() => readCredentials(env, authorization));
    const claims = shown && 'claims' in shown ? shown.claims : null;
    const key = shown && 'apiKey' in shown ? shown.apiKey : null;
    const token = env.ENABLE_RATE_LIMITING ? tokenOf(claims, key, address) : null;
    const [outcome, keyHolder] = await Promise.all([
      claims || token ? ask(claims, token) : null,
      key === null ? null : judged(async () => (await findApiKey(deps, key)) ?? unauthorized('The API key is unknown')),
    ]);
    const caller = shown instanceof AppError ? shown : (keyHolder ?? outcome?.caller ?? null);
    return { caller, rate: outcome?.taken ? { ...outcome.taken, limit: limit.burst } : null };
  };
}

/**
 * Returns the result of a check, or its AppError. Errors are returned because a refusal counts against the rate limit
 * too, which slows down token guessing.
 */
function judged<T>(check: () => T): T | AppError;
function judged<T>(check: () => Promise<T>): Promise<T | AppError>;
function judged(check: () => unknown): unknown {
  const refusal = (error: unknown): AppError => {
    if (error instanceof AppError) return error;
    throw error;
  };
  try {
    const answer = check();
    return answer instanceof Promise ? answer.catch(refusal) : answer;
  } catch (error) {
    return refusal(error);
  }
}

function tokenOf(claims: AccessClaims | null, key: string | null, address: string): TokenWanted {
  if (claims) return { bucket: `user/${claims.userId}`, tenantId: claims.tenantId, keyHash: null };
  const keyHash = key === null ? null : createHash('sha256').update(key).digest('base64url');
  return { bucket: `address/${networkOf(address)}`, tenantId: DEFAULT_TENANT, keyHash };
}

/**
 * A much larger rate limit for the calls of recipients, visitors and monitors: per address (for IPv6 per /64) and
 * process.
 */
export function createWideLimit(perMinute: number): (address: string) => boolean {
  const buckets = new LRUCache<string, { tokens: number; at: number }>({ max: 50_000 });
  const burst = perMinute / 6;
  return (address) => {
    const network = networkOf(address);
    const now = performance.now();
    const bucket = buckets.get(network) ?? { tokens: burst, at: now };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) * perMinute) / 60_000);
    bucket.at = now;
    buckets.set(network, bucket);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  };
}
