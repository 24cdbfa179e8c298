import type { Accounts } from './accounts.ts';
import type { Job } from './job.ts';
import { ThreadPool, type Finished, type JobOptions } from './pool.ts';

/**
 * With two, one is left for the others while slow templates have a thread. More would take processors from the event
 * loops; a template that costs little is filled there anyway.
 */
const THREADS = 2;

const pool = new ThreadPool(new URL('../thread-jobs/thread-main.ts', import.meta.url), THREADS);

/**
 * Parses or renders what users wrote, in a thread with limited time and memory: the only way to do it, except for
 * templates that a sender may fill itself (`LoopPermit`). Throws the job's AppErrors, `template_limit`, `unavailable`
 * if too many jobs of the tenant wait, TooLate.
 */
export const inThreadTimed = <T>(tenantId: string, job: Job, options?: JobOptions): Promise<Finished<T>> =>
  pool.do(tenantId, job, options) as Promise<Finished<T>>;

/** The same without how long it took. */
export const inThread = async <T>(tenantId: string, job: Job, options?: JobOptions): Promise<T> =>
  (await inThreadTimed<T>(tenantId, job, options)).value;

/** How long the jobs of each tenant took. */
export const accounts: Accounts = pool.accounts;
