import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { Form } from '../../db/entities/forms.ts';
import { Batcher } from '../../lib/async/batcher.ts';
import { AppError } from '../../lib/checks/errors.ts';
import { networkOf } from '../../domain/rate-limits/network-of.ts';
import { readTokens, takeTokensQuery, type RateLimit, type TokenTaken } from '../../domain/rate-limits/take-tokens.ts';
import type { Deps } from '../../runtime/deps.ts';

const LARGEST_BATCH = 200;
/** A form takes this many times as much from all addresses as from one. */
const ADDRESSES = 10;

interface Waiting {
  bucket: string;
  tenantId: string;
  resolve: (taken: TokenTaken) => void;
  reject: (error: unknown) => void;
}

/** A limit of submissions: takes one from a bucket, those of many at once by one statement. Throws 429. */
function limiter(times: number) {
  const batchers = new WeakMap<Deps, Batcher<Waiting>>();
  return async (deps: Deps, tenantId: string, bucket: string): Promise<void> => {
    if (!deps.env.ENABLE_RATE_LIMITING) return;
    const batcher = batchers.get(deps) ?? createBatcher(deps, deps.env.FORM_SUBMISSIONS_PER_MINUTE * times);
    batchers.set(deps, batcher);
    const taken = await new Promise<TokenTaken>((resolve, reject) =>
      batcher.add({ bucket, tenantId, resolve, reject }),
    );
    if (!taken.allowed)
      throw new AppError('too_many_requests', 'The form gets too many submissions; try again later', {
        headers: { 'Retry-After': String(taken.retrySeconds) },
      });
  };
}

function createBatcher({ pipelined }: Deps, perMinute: number): Batcher<Waiting> {
  const limit: RateLimit = { perMinute, burst: perMinute * 2 };
  const handle = async (batch: Waiting[]): Promise<void> => {
    try {
      const wanted = batch.map(({ bucket, tenantId }) => ({ bucket, tenantId, keyHash: null }));
      const [found] = await pipelined.run('engine', [takeTokensQuery(wanted, limit)]);
      for (const [index, taken] of readTokens(found!, limit).entries()) batch[index]!.resolve(taken);
    } catch (error) {
      for (const one of batch) one.reject(error);
    }
  };
  return new Batcher<Waiting>({ gather: () => endOfTurn(), maxItems: LARGEST_BATCH, maxConcurrent: 1, handle });
}

const ofAddress = limiter(1);
const ofForm = limiter(ADDRESSES);

/** Limits what one address sends to a form. Throws 429. */
export const takeOfAddress = (deps: Deps, { id, tenantId }: Form, address: string): Promise<void> =>
  ofAddress(deps, tenantId, `form/${id}/${networkOf(address)}`);

/**
 * Limits the submissions of a form from all addresses. To be called after `takeOfAddress`, so that an address that is
 * refused takes nothing from the others. Throws 429.
 */
export const takeOfForm = (deps: Deps, { id, tenantId }: Form): Promise<void> => ofForm(deps, tenantId, `form/${id}`);
