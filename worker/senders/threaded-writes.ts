import { EMAIL_LANES, type EmailLane } from '../../db/entities/emails.ts';
import type { MailSettings } from '../../domain/emails/rendering/show-email.ts';
import type { Written } from '../../domain/emails/message/write-email.ts';
import type { PreparedTemplate } from '../../domain/emails/message/template-cache.ts';
import type { Judged } from '../../domain/emails/rendering/loop-permit.ts';
import type { Mailbox } from '../../lib/addresses/mailbox.ts';
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

type ByLane = Record<EmailLane, Threaded[]>;

interface TenantWrites {
  /** Emails of templates of which a thread finds out whether they may be written on an event loop. */
  unjudged: Map<PreparedTemplate, ByLane>;
  /** Emails that a thread must write. */
  waiting: ByLane;
  /** How many of them the threads have. */
  running: number;
}

export interface ThreadedWritesOptions {
  settings: () => MailSettings & { from: Mailbox };
  /** The most that may wait of a tenant and lane. */
  most: number;
  /** Called with emails whose template has been judged: they may not need a thread. They count as waiting until it resolves. */
  onJudged: (judged: readonly Threaded[]) => Promise<void>;
  onWritten: (threaded: Threaded, written: Written) => void;
  /** Called with emails that were not written, and why. TooLate: their leases end too soon. */
  onNotWritten: (emails: readonly Threaded[], error: unknown) => void;
  /** More of a lane may be leased. */
  onRoom: (lane: EmailLane) => void;
}

/**
 * Emails that are written in threads, or whose templates a thread has to judge first. Of a tenant, only as many wait as
 * are written in some seconds.
 */
export class ThreadedWrites {
  readonly #options: ThreadedWritesOptions;
  readonly #tenants = new Map<string, TenantWrites>();
  #stopping = false;

  constructor(options: ThreadedWritesOptions) {
    this.#options = options;
  }

  add(threaded: Threaded): void {
    if (this.#stopping) return;
    const { row, template } = threaded.toWrite;
    const its = this.#writesOf(row.tenantId);
    if (!template.permit.isJudged) {
      const others = its.unjudged.get(template);
      if (!others) its.unjudged.set(template, { ...noEmails(), [threaded.lane]: [threaded] });
      else others[threaded.lane].push(threaded);
      if (!others) void this.#judge(row.tenantId, template, threaded.until);
      return;
    }
    its.waiting[threaded.lane].push(threaded);
    if (its.running < GIVEN) void this.#run(row.tenantId, its);
    else this.#giveBack(row.tenantId, its);
  }

  /** How many more emails of a lane may be leased of these tenants; of others, any number. */
  mostToLease(lane: EmailLane): Record<string, number> {
    const tenants = new Set([...accounts.slow, ...this.#tenants.keys()]);
    return Object.fromEntries(
      [...tenants].map((tenantId) => {
        const its = this.#tenants.get(tenantId);
        const waiting = its ? its.waiting[lane].length + unjudgedOf(its, lane) : 0;
        return [tenantId, Math.max(0, this.#mostWaiting(tenantId) - waiting)];
      }),
    );
  }

  /** How many emails of a lane wait for the judgement of their templates; those of a tenant count up to `most`. */
  unjudged(lane: EmailLane, most: number): number {
    return [...this.#tenants.values()].reduce((sum, its) => sum + Math.min(most, unjudgedOf(its, lane)), 0);
  }

  /** Begins nothing more, and tells nothing more of what it has. */
  stop(): void {
    this.#stopping = true;
  }

  #writesOf(tenantId: string): TenantWrites {
    const known = this.#tenants.get(tenantId) ?? { unjudged: new Map(), waiting: noEmails(), running: 0 };
    this.#tenants.set(tenantId, known);
    return known;
  }

  #mostWaiting(tenantId: string): number {
    return accounts.jobsIn(tenantId, WAITING_MS, this.#options.most);
  }

  /** Finds out in a thread whether the emails of a template may be written on an event loop. */
  async #judge(tenantId: string, template: PreparedTemplate, until: number): Promise<void> {
    const job = { name: 'judgeTemplate', args: [this.#forThread(template)] };
    const error = await inThread<Judged>(tenantId, job, { isPatient: true, until: until - MARGIN_MS }).then(
      (judged) => template.permit.judge(judged),
      (reason: unknown) => reason ?? new Error('not judged'),
    );
    if (this.#stopping) return;
    const its = this.#writesOf(tenantId);
    const emails = EMAIL_LANES.flatMap((lane) => its.unjudged.get(template)![lane]);
    if (error) this.#options.onNotWritten(emails, error);
    else await this.#options.onJudged(emails);
    its.unjudged.delete(template);
    this.#forget(tenantId, its);
    for (const lane of new Set(emails.map((email) => email.lane))) this.#options.onRoom(lane);
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
    this.#forget(tenantId, its);
  }

  #forget(tenantId: string, { unjudged, running }: TenantWrites): void {
    if (running === 0 && unjudged.size === 0) this.#tenants.delete(tenantId);
  }

  async #write(tenantId: string, threaded: Threaded): Promise<void> {
    const { template, email } = threaded.toWrite;
    const job = { name: 'writeInThread', args: [this.#forThread(template), email] };
    const options = { isPatient: true, until: threaded.until - MARGIN_MS };
    try {
      const { value, ms } = await inThreadTimed<Written>(tenantId, job, options);
      template.permit.tookInThread(ms);
      if (!this.#stopping) this.#options.onWritten(threaded, withBuffer(value));
    } catch (error) {
      if (!this.#stopping) this.#options.onNotWritten([threaded], error);
    }
  }

  #forThread({ row }: PreparedTemplate) {
    return { row, settings: this.#options.settings() };
  }
}

const noEmails = (): ByLane => ({ transactional: [], journey: [], bulk: [] });

const unjudgedOf = ({ unjudged }: TenantWrites, lane: EmailLane): number =>
  [...unjudged.values()].reduce((sum, waiting) => sum + waiting[lane].length, 0);

const tooLate = (): TooLate => new TooLate('it cannot be written before its lease ends');

/** A buffer arrives from a thread as a plain array of bytes. */
const withBuffer = (written: Written): Written =>
  'failure' in written
    ? written
    : {
        ...written,
        message: Buffer.from(written.message.buffer, written.message.byteOffset, written.message.byteLength),
      };
