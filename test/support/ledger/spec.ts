import type { EmailStatus } from '../../../db/entities/emails.ts';
import type { Resolution } from '../../../domain/emails/ledger/resolve-email.ts';
import type { Settlement } from '../../../domain/emails/ledger/settle-emails.ts';

/** Time is simulated, in ticks. Leases, pauses and elapsed times are whole ticks, so that no real second matters. */
export const LEASE = 2;
export const SENDING_LEASE = 6;
export const REQUEST_AGAIN_AFTER = 6;
/** Three days, after which nothing is retried. */
export const EXPIRES_AFTER = 260;

/** A row, as seen by every holder. */
export interface LedgerEmail {
  id: number;
  status: EmailStatus;
  attempt: number;
  accepted: boolean;
  holder: string | null;
  /** Whether it has a lease that has not expired. */
  leased: boolean;
  /** Whether its next attempt may start. */
  due: boolean;
}

/** What a holder knows about an email that it leased. */
export interface Copy {
  id: number;
  /** The batch with which the real ledger leased it. */
  batchId: number | null;
  attempt: number;
  /** The version of the contact when it was rendered. */
  version: number;
}

export interface Started {
  id: number;
  status: EmailStatus;
  attempt: number;
}

export interface Attempted extends Pick<Settlement, 'id' | 'attempt' | 'start' | 'result'> {
  /** Whether the email was sent to a provider. */
  tried: boolean;
  /** In ticks. */
  delay: number;
}

/** The commands of the send ledger. Each is one transaction. */
export interface Ledger {
  /** Allows the emails to be leased. Emails of a campaign: releases a batch of as many, in their order. */
  accept: (ids: readonly number[]) => Promise<void>;
  /** Returns the emails whose request was published again; of a campaign, those that are not released. */
  requestAgain: () => Promise<number[]>;
  lease: (holder: string, limit: number) => Promise<Copy[]>;
  release: (holder: string, ids: readonly number[]) => Promise<void>;
  start: (holder: string, start: string, copies: readonly Copy[]) => Promise<Started[]>;
  renew: (holder: string, ids: readonly number[]) => Promise<number[]>;
  settle: (attempts: readonly Attempted[]) => Promise<void>;
  sweep: () => Promise<void>;
  /** Returns whether the email was UNKNOWN. */
  resolve: (id: number, outcome: Resolution) => Promise<boolean>;
  /**
   * With `atOnce`, queued emails are suppressed too, as by the unsubscribe page; without it, only the gates take
   * effect.
   */
  unsubscribe: (id: number, atOnce: boolean) => Promise<void>;
  changeContact: (id: number) => Promise<void>;
  pass: (ticks: number) => Promise<void>;
  emails: () => Promise<LedgerEmail[]>;
  /** Runs `work` in a transaction that is lost. */
  undone: (work: () => Promise<unknown>) => Promise<void>;
}

/** Rules that can be broken deliberately, to show that this is detected. */
export type Fault =
  | 'sweeper queues'
  | 'any attempt settles'
  | 'any status settles'
  | 'attempts are not counted'
  | 'anything is resolved'
  | 'started again from SENDING'
  | 'settling forgets the sweeper'
  | 'lost starts are taken back by number'
  | 'gates are not asked again'
  | 'dots without a lease'
  | 'silence is a failure'
  | 'silence is an end'
  | 'twins are both sent'
  | 'lost starts are not in doubt'
  | 'any dot is a success';

interface Batch {
  releasedAt: number;
  holder: string | null;
  leaseUntil: number | null;
}

interface Row {
  id: number;
  /** The batch with which it was released. */
  batch: Batch | null;
  status: EmailStatus;
  attempt: number;
  acceptedAt: number | null;
  holder: string | null;
  leaseUntil: number | null;
  /** Null: it belongs to a batch, or will. */
  nextAttemptAt: number | null;
  version: number;
  refused: boolean;
}

const byNumber = (a: number, b: number): number => a - b;

/** The rules of the ledger without a database: the reference for the real one, and explored in depth. */
export class SpecLedger implements Ledger {
  #rows: Map<number, Row>;
  #now = 0;
  readonly #ofCampaign: boolean;
  readonly #broken: Fault | undefined;

  /** With `ofCampaign`, the emails are those of an email campaign, which are released and leased in batches. */
  constructor(ids: readonly number[], ofCampaign = false, broken?: Fault) {
    this.#ofCampaign = ofCampaign;
    this.#rows = new Map(
      ids.map((id) => [
        id,
        {
          id,
          batch: null,
          status: 'QUEUED',
          attempt: 0,
          acceptedAt: null,
          holder: null,
          leaseUntil: null,
          nextAttemptAt: ofCampaign ? null : 0,
          version: 1,
          refused: false,
        },
      ]),
    );
    this.#broken = broken;
  }

  async accept(ids: readonly number[]): Promise<void> {
    if (this.#ofCampaign) {
      const batch = { releasedAt: this.#now, holder: null, leaseUntil: null };
      for (const row of this.#unreleased().slice(0, ids.length)) row.batch = batch;
      return;
    }
    for (const row of this.#of(ids)) if (row.status === 'QUEUED') row.acceptedAt ??= this.#now;
  }

  async requestAgain(): Promise<number[]> {
    if (this.#ofCampaign) return this.#unreleased().map((row) => row.id);
    const waiting = this.#all().filter(
      (row) =>
        row.status === 'QUEUED' && row.acceptedAt === null && row.nextAttemptAt! <= this.#now - REQUEST_AGAIN_AFTER,
    );
    for (const row of waiting) row.nextAttemptAt = this.#now;
    return waiting.map((row) => row.id);
  }

  /** `chosen`: the emails that the real ledger has leased, because their order is up to it. */
  async lease(holder: string, limit: number, chosen?: readonly number[]): Promise<Copy[]> {
    const free = this.#all().filter(
      (row) => row.status === 'QUEUED' && this.#isAccepted(row) && this.#isDue(row) && !this.#held(row),
    );
    const isChosen = (row: Row): boolean => !chosen || chosen.includes(row.id);
    const single = free.filter((row) => row.nextAttemptAt !== null && isChosen(row)).slice(0, limit);
    for (const row of single) Object.assign(row, { holder, leaseUntil: this.#now + LEASE });
    // A batch is leased whole.
    const batches = new Set(free.filter((row) => row.nextAttemptAt === null && isChosen(row)).map((row) => row.batch!));
    const batched = free.filter((row) => row.nextAttemptAt === null && batches.has(row.batch!));
    for (const batch of batches) Object.assign(batch, { holder, leaseUntil: this.#now + LEASE });
    return [...single, ...batched].map(({ id, attempt, version }) => ({ id, batchId: null, attempt, version }));
  }

  async release(holder: string, ids: readonly number[]): Promise<void> {
    for (const row of this.#of(ids)) if (row.status === 'QUEUED' && row.holder === holder) this.#free(row);
    for (const { batch } of this.#all()) if (batch?.holder === holder) batch.leaseUntil = this.#now;
  }

  async start(holder: string, start: string, copies: readonly Copy[]): Promise<Started[]> {
    const startable = (row: Row): boolean =>
      row.status === 'QUEUED' && this.#lease(row)?.holder === holder && this.#held(row);
    const again = (row: Row): boolean =>
      this.#broken === 'started again from SENDING' && row.status === 'SENDING' && row.holder!.startsWith(`${holder}/`);
    const held = this.#of(copies.map((copy) => copy.id)).filter((row) => startable(row) || again(row));
    return held.map((row) => {
      const stale = copies.find((copy) => copy.id === row.id)!.version !== row.version;
      this.#free(row);
      row.acceptedAt ??= row.batch?.releasedAt ?? null;
      if (row.refused && this.#broken !== 'gates are not asked again') row.status = 'SUPPRESSED';
      else if (!stale) {
        Object.assign(row, { status: 'SENDING', holder: start, leaseUntil: this.#now + SENDING_LEASE });
        if (this.#broken !== 'attempts are not counted') row.attempt += 1;
      } else row.nextAttemptAt ??= this.#now;
      return { id: row.id, status: row.status, attempt: row.attempt };
    });
  }

  async renew(holder: string, ids: readonly number[]): Promise<number[]> {
    const held = this.#of(ids).filter(
      (row) => row.status === 'SENDING' && row.holder?.split('/')[0] === holder && this.#held(row),
    );
    for (const row of held) row.leaseUntil = this.#now + SENDING_LEASE;
    return held.map((row) => row.id);
  }

  async settle(attempts: readonly Attempted[]): Promise<void> {
    for (const { id, attempt, start, result, delay } of attempts) {
      const row = this.#rows.get(id)!;
      const open =
        row.status === 'SENDING' || (row.status === 'UNKNOWN' && this.#broken !== 'settling forgets the sweeper');
      const isUntaken =
        start !== undefined &&
        row.status === 'QUEUED' &&
        (row.holder === start.split('/')[0] || row.nextAttemptAt === null);
      if (!open && !isUntaken && this.#broken !== 'any status settles') continue;
      const isNamed = start !== undefined && this.#broken !== 'lost starts are taken back by number';
      if (isNamed && !isUntaken && row.holder !== start) continue;
      if (!isNamed && row.attempt !== attempt && this.#broken !== 'any attempt settles') continue;
      row.acceptedAt ??= this.#now;
      const expired = result === 'QUEUED' && row.acceptedAt <= this.#now - EXPIRES_AFTER;
      row.status = expired ? 'FAILED' : result;
      if (row.status === 'QUEUED') row.nextAttemptAt = this.#now + delay;
      this.#free(row);
    }
  }

  async sweep(): Promise<void> {
    for (const row of this.#all()) {
      if (row.status !== 'SENDING' || this.#held(row)) continue;
      row.status = this.#broken === 'sweeper queues' ? 'QUEUED' : 'UNKNOWN';
      row.leaseUntil = null;
    }
  }

  async resolve(id: number, outcome: Resolution): Promise<boolean> {
    const row = this.#rows.get(id)!;
    if (row.status !== 'UNKNOWN' && !(this.#broken === 'anything is resolved' && row.status === 'SENDING'))
      return false;
    row.status = ({ sent: 'SENT', failed: 'FAILED', resend: 'QUEUED' } as const)[outcome];
    row.nextAttemptAt = this.#now;
    this.#free(row);
    return true;
  }

  async unsubscribe(id: number, atOnce: boolean): Promise<void> {
    const row = this.#rows.get(id)!;
    row.refused = true;
    row.version += 1;
    if (!atOnce || row.status !== 'QUEUED') return;
    row.status = 'SUPPRESSED';
    this.#free(row);
  }

  async changeContact(id: number): Promise<void> {
    this.#rows.get(id)!.version += 1;
  }

  async pass(ticks: number): Promise<void> {
    this.#now += ticks;
  }

  async emails(): Promise<LedgerEmail[]> {
    return this.#all().map((row) => ({
      id: row.id,
      status: row.status,
      attempt: row.attempt,
      accepted: this.#isAccepted(row),
      holder: row.holder,
      leased: this.#held(row),
      due: this.#isDue(row),
    }));
  }

  async undone(work: () => Promise<unknown>): Promise<void> {
    const before = structuredClone(this.#rows);
    await work();
    this.#rows = before;
  }

  #all(): Row[] {
    return [...this.#rows.values()];
  }

  #of(ids: readonly number[]): Row[] {
    return [...new Set(ids)].sort(byNumber).map((id) => this.#rows.get(id)!);
  }

  #unreleased(): Row[] {
    return this.#all().filter((row) => row.status === 'QUEUED' && row.nextAttemptAt === null && row.batch === null);
  }

  #isAccepted(row: Row): boolean {
    return row.acceptedAt !== null || (row.status === 'QUEUED' && row.batch !== null);
  }

  #isDue(row: Row): boolean {
    return row.nextAttemptAt === null || row.nextAttemptAt <= this.#now;
  }

  /** Where the holder of a row is written. */
  #lease(row: Row): Row | Batch | null {
    return row.status === 'QUEUED' && row.nextAttemptAt === null ? row.batch : row;
  }

  #held(row: Row): boolean {
    return (this.#lease(row)?.leaseUntil ?? -1) > this.#now;
  }

  #free(row: Row): void {
    row.holder = null;
    row.leaseUntil = null;
  }
}
