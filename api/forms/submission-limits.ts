import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { Form } from '../../db/entities/forms.ts';
import { Batcher } from '../../domain/common/batcher.ts';
import { AppError } from '../../domain/common/errors.ts';
import { networkOf } from '../../domain/rate-limits/network-of.ts';
import { readTokens, takeTokensQuery, type RateLimit, type TokenTaken } from '../../domain/rate-limits/take-tokens.ts';
import type { Deps } from '../../runtime/deps.ts';

const LARGEST_BATCH = 200;
/** A form takes this many times as much from all addresses as from one. */
const ADDRESSES = 10;

interface Waiting {
  form: Form;
  address: string;
  resolve: (taken: TokenTaken) => void;
  reject: (error: unknown) => void;
}

const limiters = new WeakMap<Deps, Batcher<Waiting>>();

/** Limits the submissions of a form, from one address and from all. Throws 429. */
export async function takeSubmission(deps: Deps, form: Form, address: string): Promise<void> {
  if (!deps.env.ENABLE_RATE_LIMITING) return;
  const limiter = limiters.get(deps) ?? createLimiter(deps);
  limiters.set(deps, limiter);
  const taken = await new Promise<TokenTaken>((resolve, reject) => limiter.add({ form, address, resolve, reject }));
  if (!taken.allowed)
    throw new AppError('too_many_requests', 'The form gets too many submissions; try again later', {
      headers: { 'Retry-After': String(taken.retrySeconds) },
    });
}

function createLimiter({ env, pipelined }: Deps): Batcher<Waiting> {
  const perMinute = env.FORM_SUBMISSIONS_PER_MINUTE;
  const ofAddress: RateLimit = { perMinute, burst: perMinute * 2 };
  const ofForm: RateLimit = { perMinute: perMinute * ADDRESSES, burst: perMinute * 2 * ADDRESSES };
  const take = async (batch: readonly Waiting[], limit: RateLimit, bucketOf: (one: Waiting) => string) => {
    const wanted = batch.map((one) => ({ bucket: bucketOf(one), tenantId: one.form.tenantId, keyHash: null }));
    const [found] = await pipelined.run('engine', [takeTokensQuery(wanted, limit)]);
    const tokens = readTokens(found!, limit);
    return batch.map((one, index) => [one, tokens[index]!] as const);
  };
  const handle = async (batch: Waiting[]): Promise<void> => {
    try {
      const byAddress = await take(batch, ofAddress, (one) => `form/${one.form.id}/${networkOf(one.address)}`);
      for (const [one, taken] of byAddress) if (!taken.allowed) one.resolve(taken);
      // An address that is refused takes nothing from the others.
      const allowed = byAddress.flatMap(([one, { allowed: isAllowed }]) => (isAllowed ? one : []));
      if (allowed.length === 0) return;
      for (const [one, taken] of await take(allowed, ofForm, (one) => `form/${one.form.id}`)) one.resolve(taken);
    } catch (error) {
      for (const one of batch) one.reject(error);
    }
  };
  return new Batcher<Waiting>({ gather: () => endOfTurn(), maxItems: LARGEST_BATCH, maxConcurrent: 1, handle });
}
