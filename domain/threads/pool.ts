import { AppError } from '../../lib/checks/errors.ts';
import { FairQueue, type Queued } from '../../lib/async/fair-queue.ts';
import { Accounts } from './accounts.ts';
import type { Done, Job } from './job.ts';
import { Thread, ThreadEnded } from './thread.ts';

/**
 * Jobs that may wait, of callers that do not bound them and may hold a connection to Postgres meanwhile: those of one
 * tenant, of one that is slow, and of all slow ones.
 */
const MOST_WAITING = { tenant: 100, slow: 3, allSlow: 6 };
/** Whoever has a thread for longer, in CPU time, is slow. */
const LONG_MS = 100;
const IDLE_MS = 60_000;
/** What a job counts for that had to be ended (ms). */
const OVERRUN_MS = 3_000;

/** A job whose caller does not need its value any more: its turn came too late. */
export class TooLate extends Error {}

export interface JobOptions {
  /** The caller bounds how many of its jobs wait. */
  isPatient?: boolean;
  /** The job is not begun after this time of performance.now(): it fails with TooLate. */
  until?: number;
}

/** The value of a job, and how long it took (ms). */
export interface Finished<T> {
  value: T;
  ms: number;
}

interface Waiting extends Queued, Required<JobOptions> {
  key: { tenantId: string };
  job: Job;
  wasLost: boolean;
  resolve: (finished: Finished<unknown>) => void;
  reject: (error: unknown) => void;
}

interface Seat {
  thread: Thread | null;
  /** Of the tenant that has it. */
  tenantId: string | null;
  /** It has it for long. */
  isLong: boolean;
  idle: NodeJS.Timeout | undefined;
}

/**
 * A few threads. Tenants take turns; each has one thread at most, and slow ones together leave one free for the others.
 * A thread is started for its first job, or while another job takes long; ended with a job that overruns its limits, and
 * ended when idle.
 */
export class ThreadPool {
  readonly accounts = new Accounts();
  readonly #entry: URL;
  readonly #seats: Seat[];
  readonly #queue = new FairQueue<Waiting>();

  constructor(entry: URL, threads: number) {
    this.#entry = entry;
    this.#seats = Array.from({ length: threads }, () => ({
      thread: null,
      tenantId: null,
      isLong: false,
      idle: undefined,
    }));
  }

  /**
   * Does a job of a tenant. Throws the job's AppErrors, `template_limit` if it overran, `unavailable` if too many of the
   * tenant's jobs wait, TooLate.
   */
  do(tenantId: string, job: Job, { isPatient = false, until = Infinity }: JobOptions = {}): Promise<Finished<unknown>> {
    if (!isPatient && this.#waitingOf(tenantId).length >= this.#mostWaiting(tenantId))
      throw tooMany(this.#isSlow(tenantId));
    return new Promise((resolve, reject) => {
      const key = { tenantId };
      this.#queue.push({ key, isQueued: false, isPatient, until, job, wasLost: false, resolve, reject });
      this.#fill();
    });
  }

  /** Gives free threads to those whose turn it is. */
  #fill(): void {
    for (;;) {
      const seat = this.#freeSeat();
      const next = seat && this.#queue.shift((tenantId) => this.#mayHaveThread(tenantId));
      if (!seat || !next) return;
      if (performance.now() >= next.until) next.reject(new TooLate('its turn came too late'));
      else void this.#work(seat, next);
    }
  }

  /** Rather one that has started already. */
  #freeSeat(): Seat | undefined {
    const free = this.#seats.filter(({ tenantId }) => tenantId === null);
    return free.find(({ thread }) => thread !== null) ?? free[0];
  }

  #isSlow(tenantId: string): boolean {
    return this.accounts.isSlow(tenantId) || this.#seats.some((seat) => seat.isLong && seat.tenantId === tenantId);
  }

  #mayHaveThread(tenantId: string): boolean {
    if (this.#seats.some((seat) => seat.tenantId === tenantId)) return false;
    if (!this.#isSlow(tenantId)) return true;
    const slow = this.#seats.filter((seat) => seat.tenantId !== null && this.#isSlow(seat.tenantId));
    return slow.length < Math.max(1, this.#seats.length - 1);
  }

  /** The jobs of a tenant whose callers do not bound them. */
  #waitingOf(tenantId: string): Waiting[] {
    return this.#queue.itemsOf(tenantId).filter(({ isPatient }) => !isPatient);
  }

  #mostWaiting(tenantId: string): number {
    if (!this.#isSlow(tenantId)) return MOST_WAITING.tenant;
    const others = [...this.#queue.tenants].filter((other) => other !== tenantId && this.#isSlow(other));
    const waiting = others.reduce((sum, other) => sum + this.#waitingOf(other).length, 0);
    return Math.max(0, Math.min(MOST_WAITING.slow, MOST_WAITING.allSlow - waiting));
  }

  /** Refuses what waits for a tenant that has turned out to be slow. */
  #trim(tenantId: string): void {
    for (const waiting of this.#waitingOf(tenantId).slice(this.#mostWaiting(tenantId))) {
      this.#queue.remove(waiting);
      waiting.reject(tooMany(this.#isSlow(tenantId)));
    }
  }

  async #work(seat: Seat, waiting: Waiting): Promise<void> {
    const { tenantId } = waiting.key;
    seat.tenantId = tenantId;
    clearTimeout(seat.idle);
    seat.thread ??= new Thread(this.#entry);
    let long: NodeJS.Timeout | undefined;
    let begun = performance.now();
    let isOver = false;
    const noticeLong = async (): Promise<void> => {
      const ms = await seat.thread?.jobMs().catch(() => 0);
      if (isOver) return;
      // On a busy machine, other work may have taken the time.
      if ((ms ?? 0) < LONG_MS) long = setTimeout(() => void noticeLong(), LONG_MS);
      else {
        seat.isLong = true;
        this.#startSpare();
        this.#trim(tenantId);
      }
    };
    try {
      const done = await seat.thread.do(waiting.job, () => {
        long = setTimeout(() => void noticeLong(), LONG_MS);
        begun = performance.now();
      });
      this.#settle(waiting, done, seat, performance.now() - begun);
    } catch (error) {
      this.#endThread(seat);
      // It may have ended for another reason than the job: that is tried once more.
      if (error instanceof ThreadEnded && !waiting.wasLost) this.#queue.push(Object.assign(waiting, { wasLost: true }));
      else waiting.reject(error);
    }
    isOver = true;
    clearTimeout(long);
    Object.assign(seat, { tenantId: null, isLong: false });
    this.#endWhenIdle(seat);
    this.#trim(tenantId);
    this.#fill();
  }

  #settle({ key, resolve, reject }: Waiting, done: Done, seat: Seat, wallMs: number): void {
    if (done === 'limit') {
      this.accounts.note(key.tenantId, OVERRUN_MS, wallMs);
      this.#endThread(seat);
      return reject(new AppError('template_limit'));
    }
    // A success that took long because its thread had just started says little about the tenant.
    if (!done.isCold || !('value' in done)) this.accounts.note(key.tenantId, done.ms, wallMs);
    if ('value' in done) return resolve(done);
    const { code, message, errors } = done.refusal;
    reject(new AppError(code, message, errors ? { errors } : {}));
  }

  /** While a job takes long, the next one does not wait until a thread has started, which takes seconds on a busy machine. */
  #startSpare(): void {
    const seat = this.#freeSeat();
    if (!seat || seat.thread) return;
    seat.thread = new Thread(this.#entry);
    this.#endWhenIdle(seat);
  }

  #endWhenIdle(seat: Seat): void {
    clearTimeout(seat.idle);
    seat.idle = setTimeout(() => this.#endThread(seat), IDLE_MS).unref();
  }

  #endThread(seat: Seat): void {
    seat.thread?.end();
    seat.thread = null;
  }
}

/** Those of a slow tenant wait with those of the other slow ones. */
const tooMany = (isSlow: boolean): AppError =>
  new AppError('unavailable', `Too many ${isSlow ? 'slow templates' : 'templates of this account'} wait; try again`, {
    headers: { 'Retry-After': '5' },
  });
