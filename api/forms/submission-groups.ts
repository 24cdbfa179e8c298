import { setImmediate as endOfTurn } from 'node:timers/promises';
import { isConnectionLost } from '../../db/errors.ts';
import { tenantEm } from '../../db/orm.ts';
import { Batcher } from '../../lib/async/batcher.ts';
import { AppError } from '../../lib/checks/errors.ts';
import { Places } from '../../lib/async/places.ts';
import { storeSubmissions, type CheckedSubmission, type SubmitResult } from '../../domain/forms/store-submissions.ts';
import type { Deps } from '../../runtime/deps.ts';

/** Groups of a tenant that are stored at the same time; what arrives meanwhile is in the next. */
const GROUPS_AT_ONCE = 2;
const LARGEST_GROUP = 50;
const MOST_WAITING = 2000;
/** For how long a group waits for its turn. */
const WAIT_MS = 25_000;

type Store = (submission: CheckedSubmission) => Promise<SubmitResult>;
interface Waiting {
  submission: CheckedSubmission;
  resolve: (result: SubmitResult) => void;
  reject: (error: unknown) => void;
}
interface Groups {
  /** A rush of submissions takes only a part of the connections to the database. */
  places: Places;
  ofTenant: Map<string, Store>;
}

const groups = new WeakMap<Deps, Groups>();

const tooMany = (): AppError =>
  new AppError('unavailable', 'Too many forms are being submitted; try again', { headers: { 'Retry-After': '5' } });

/**
 * Stores submissions that a tenant gets at the same time in groups, a transaction each: in a rush, each costs a
 * fraction of a transaction, and nobody waits long. If a group fails, each of its submissions is stored alone.
 */
export function groupsOf(deps: Deps, tenantId: string): Store {
  const most = Math.max(1, Math.floor(deps.env.DATABASE_POOL_MAX * 0.6));
  const all = groups.get(deps) ?? {
    places: new Places({ most, mostWaiting: Infinity, waitMs: WAIT_MS }),
    ofTenant: new Map<string, Store>(),
  };
  groups.set(deps, all);
  const store = all.ofTenant.get(tenantId) ?? createStore(deps, tenantId, all.places);
  all.ofTenant.set(tenantId, store);
  return store;
}

function createStore(deps: Deps, tenantId: string, places: Places): Store {
  const handle = async (group: readonly Waiting[]): Promise<void> => {
    const refusal = tooMany();
    try {
      const results = await places.hold(
        'submissions',
        () => refusal,
        () =>
          storeSubmissions(
            tenantEm(deps.orm, tenantId),
            tenantId,
            group.map(({ submission }) => submission),
          ),
      );
      for (const [index, { resolve }] of group.entries()) resolve(results[index]!);
    } catch (error) {
      const isOver = group.length === 1 || error === refusal || isConnectionLost(error);
      if (isOver) for (const { reject } of group) reject(error);
      else for (const one of group) await handle([one]);
    }
  };
  const batches = new Batcher<Waiting>({
    gather: () => endOfTurn(),
    maxItems: LARGEST_GROUP,
    maxConcurrent: GROUPS_AT_ONCE,
    handle,
  });
  return (submission) =>
    new Promise((resolve, reject) => {
      if (batches.size >= MOST_WAITING) throw tooMany();
      batches.add({ submission, resolve, reject });
    });
}
