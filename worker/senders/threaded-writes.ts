import { EMAIL_LANES, type EmailLane } from '../../db/entities/emails.ts';
import type { MailSettings } from '../../domain/emails/rendering/show-email.ts';
import type { Written } from '../../domain/emails/message/write-email.ts';
import type { PreparedTemplate } from '../../domain/emails/message/template-cache.ts';
import type { Judged } from '../../domain/emails/rendering/loop-permit.ts';
import type { Mailbox } from '../../domain/common/mailbox.ts';
import { accounts, inThread, inThreadTimed } from '../../domain/threads/in-thread.ts';
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

interface TenantWrites {
  waiting: Record<EmailLane, Threaded[]>;
  running: number;
}

export interface ThreadedWritesOptions {
  settings: () => MailSettings & { from: Mailbox };
  /** The most that may wait of a tenant and lane. */
  most: number;
  /** Called with what became of an email. */
  onWritten: (threaded: Threaded, written: Written | Error) => void;
  /** Called with emails that cannot be written in time. */
  onGivenBack: (given: readonly Threaded[]) => void;
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

  /** Finds out in a thread whether the emails of a template may be written on an event loop. */
  async judge(template: PreparedTemplate, until: number): Promise<void> {
    const { tenantId } = template.row;
    const job = { name: 'judgeTemplate', args: [this.#forThread(template)] };
    template.permit.judge(await inThread<Judged>(tenantId, job, { isPatient: true, until: until - MARGIN_MS }));
  }

  add(threaded: Threaded): void {
    const { tenantId } = threaded.toWrite.row;
    let its = this.#tenants.get(tenantId);
    if (!its)
      this.#tenants.set(tenantId, (its = { waiting: { transactional: [], journey: [], bulk: [] }, running: 0 }));
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

  /** Begins nothing more. Returns what waits. */
  stop(): Threaded[] {
    this.#stopping = true;
    return [...this.#tenants.values()].flatMap(({ waiting }) => EMAIL_LANES.flatMap((lane) => waiting[lane].splice(0)));
  }

  #mostWaiting(tenantId: string): number {
    return accounts.jobsIn(tenantId, WAITING_MS, this.#options.most);
  }

  /** More than twice as many as may wait: each that is given back costs an update. */
  #giveBack(tenantId: string, { waiting }: TenantWrites): void {
    const most = this.#mostWaiting(tenantId);
    for (const lane of EMAIL_LANES)
      if (waiting[lane].length > most * 2) this.#options.onGivenBack(waiting[lane].splice(most));
  }

  async #run(tenantId: string, its: TenantWrites): Promise<void> {
    its.running += 1;
    while (!this.#stopping) {
      const lane = EMAIL_LANES.find((some) => its.waiting[some].length > 0);
      if (!lane) break;
      const next = its.waiting[lane].shift()!;
      await this.#write(tenantId, next);
      this.#giveBack(tenantId, its);
      if (its.waiting[lane].length <= this.#mostWaiting(tenantId) / 2) this.#options.onRoom(lane);
    }
    its.running -= 1;
    if (its.running === 0) this.#tenants.delete(tenantId);
  }

  async #write(tenantId: string, threaded: Threaded): Promise<void> {
    const { template, email } = threaded.toWrite;
    const job = { name: 'writeInThread', args: [this.#forThread(template), email] };
    const options = { isPatient: true, until: threaded.until - MARGIN_MS };
    try {
      const { value, ms } = await inThreadTimed<Written>(tenantId, job, options);
      template.permit.tookInThread(ms);
      this.#options.onWritten(threaded, withBuffer(value));
    } catch (error) {
      if (error instanceof TooLate) this.#options.onGivenBack([threaded]);
      else this.#options.onWritten(threaded, error as Error);
    }
  }

  #forThread({ row }: PreparedTemplate) {
    return { row, settings: this.#options.settings() };
  }
}

/** A buffer arrives from a thread as a plain array of bytes. */
const withBuffer = (written: Written): Written =>
  'failure' in written
    ? written
    : {
        ...written,
        message: Buffer.from(written.message.buffer, written.message.byteOffset, written.message.byteLength),
      };
