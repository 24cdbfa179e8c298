import { EMAIL_LANES, type EmailLane } from '../../db/entities/emails.ts';
import type { MailSettings } from '../../domain/emails/rendering/show-email.ts';
import type { writeInThread, Written } from '../../domain/emails/message/write-email.ts';
import type { PreparedTemplate } from '../../domain/emails/message/template-cache.ts';
import type { Mailbox } from '../../lib/addresses/mailbox.ts';
import { accounts, inThreadTimed } from '../../domain/threads/in-thread.ts';
import { TooLate } from '../../domain/threads/pool.ts';
import type { ToWrite } from './prepare.ts';

/** What waits of a tenant and lane takes no longer to write than this: far less than a lease. */
const WAITING_MS = 3_000;
/** Emails of a tenant that are given to the threads at once: the next one need not wait for this process. */
const GIVEN = 2;
/** A lease that ends sooner is not enough to write an email. */
const MARGIN_MS = 2_000;

/** An email that must be written in a thread. */
export interface Threaded {
  toWrite: ToWrite;
  lane: EmailLane;
  /** When its lease ends, by performance.now(). */
  until: number;
}

type ByLane = Record<EmailLane, Threaded[]>;

interface TenantWrites {
  /** Emails that a thread must write. */
  waiting: ByLane;
  /** How many of them the threads have. */
  running: number;
}

export interface ThreadedWritesOptions {
  settings: () => MailSettings & { from: Mailbox };
  /** The most that may wait of a tenant and lane. */
  most: number;
  onWritten: (threaded: Threaded, written: Written) => void;
  /** Called with emails that were not written, and why. TooLate: their leases end too soon. */
  onNotWritten: (emails: readonly Threaded[], error: unknown) => void;
  /** More of a lane may be leased. */
  onRoom: (lane: EmailLane) => void;
}

/** Emails that are written in threads. Of a tenant, only as many wait as are written in some seconds. */
export class ThreadedWrites {
  readonly #options: ThreadedWritesOptions;
  readonly #tenants = new Map<string, TenantWrites>();
  #stopping = false;

  constructor(options: ThreadedWritesOptions) {
    this.#options = options;
  }

  add(threaded: Threaded): void {
    if (this.#stopping) return;
    const { tenantId } = threaded.toWrite.row;
    const its = this.#writesOf(tenantId);
    its.waiting[threaded.lane].push(threaded);
    if (its.running < GIVEN) void this.#run(tenantId, its);
    else this.#giveBack(tenantId, its);
  }

  /** How many more emails of a lane may be leased of these tenants; of others, any number. */
  mostToLease(lane: EmailLane): Record<string, number> {
    const tenants = new Set([...accounts.slow, ...this.#tenants.keys()]);
    return Object.fromEntries(
      [...tenants].map((tenantId) => {
        const waiting = this.#tenants.get(tenantId)?.waiting[lane].length ?? 0;
        return [tenantId, Math.max(0, this.#mostWaiting(tenantId) - waiting)];
      }),
    );
  }

  /** Begins nothing more, and tells nothing more of what it has. */
  stop(): void {
    this.#stopping = true;
  }

  #writesOf(tenantId: string): TenantWrites {
    const known = this.#tenants.get(tenantId) ?? { waiting: noEmails(), running: 0 };
    this.#tenants.set(tenantId, known);
    return known;
  }

  #mostWaiting(tenantId: string): number {
    return accounts.jobsIn(tenantId, WAITING_MS, this.#options.most);
  }

  /** More than twice as many as may wait: each that is given back costs an update. */
  #giveBack(tenantId: string, { waiting }: TenantWrites): void {
    const most = this.#mostWaiting(tenantId);
    for (const lane of EMAIL_LANES)
      if (waiting[lane].length > most * 2) this.#options.onNotWritten(waiting[lane].splice(most), tooLate());
  }

  async #run(tenantId: string, its: TenantWrites): Promise<void> {
    its.running += 1;
    while (!this.#stopping) {
      const lane = EMAIL_LANES.find((some) => its.waiting[some].length > 0);
      if (!lane) break;
      const now = performance.now();
      const { late = [], inTime = [] } = Object.groupBy(its.waiting[lane], ({ until }) =>
        now >= until - MARGIN_MS ? 'late' : 'inTime',
      );
      const next = inTime.shift();
      its.waiting[lane] = inTime;
      if (late.length > 0) this.#options.onNotWritten(late, tooLate());
      if (next) await this.#write(tenantId, next);
      this.#giveBack(tenantId, its);
      if (its.waiting[lane].length <= this.#mostWaiting(tenantId) / 2) this.#options.onRoom(lane);
    }
    its.running -= 1;
    if (its.running === 0) this.#tenants.delete(tenantId);
  }

  async #write(tenantId: string, threaded: Threaded): Promise<void> {
    const { template, email } = threaded.toWrite;
    const { permit } = template;
    const job = { name: 'writeInThread', args: [this.#forThread(template), email, !permit.isJudged] };
    const options = { isPatient: true, until: threaded.until - MARGIN_MS };
    try {
      const { value, ms } = await inThreadTimed<ReturnType<typeof writeInThread>>(tenantId, job, options);
      if (value.judged) permit.judge(value.judged);
      else permit.tookInThread(ms);
      if (!this.#stopping) this.#options.onWritten(threaded, withBuffer(value.written));
    } catch (error) {
      if (!this.#stopping) this.#options.onNotWritten([threaded], error);
    }
  }

  #forThread({ row }: PreparedTemplate) {
    return { row, settings: this.#options.settings() };
  }
}

const noEmails = (): ByLane => ({ transactional: [], journey: [], bulk: [] });

const tooLate = (): TooLate => new TooLate('it cannot be written before its lease ends');

/** A buffer arrives from a thread as a plain array of bytes. */
const withBuffer = (written: Written): Written =>
  'failure' in written
    ? written
    : {
        ...written,
        message: Buffer.from(written.message.buffer, written.message.byteOffset, written.message.byteLength),
      };
