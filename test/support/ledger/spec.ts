import type { Resolution } from '../../../domain/emails/ledger/resolve-email.ts';
import {
  EXPIRES_AFTER,
  LEASE,
  REPEATABLE_FOR,
  REQUEST_AGAIN_AFTER,
  SENDING_LEASE,
  TOO_OLD_AFTER,
  isText,
  together,
  type Attempted,
  type Copy,
  type Evidence,
  type Fault,
  type Kind,
  type Ledger,
  type LedgerSend,
  type MessageFault,
  type Started,
  type Status,
} from './ledger.ts';

interface Batch {
  releasedAt: number;
  holder: string | null;
  leaseUntil: number | null;
}

/** What the sends of one message have in common. */
interface Message {
  version: number;
  refused: boolean;
  startedAt: number | null;
}

interface Row {
  id: number;
  message: Message;
  /** The batch with which it was released. */
  batch: Batch | null;
  status: Status;
  attempt: number;
  acceptedAt: number | null;
  holder: string | null;
  leaseUntil: number | null;
  /** Null: it belongs to a batch, or will. */
  nextAttemptAt: number | null;
  provider: number | null;
  bound: number | null;
  told: Set<Evidence>;
  /** The providers of the attempts that are recorded. */
  tried: Set<number>;
}

const byNumber = (a: number, b: number): number => a - b;

/** The rules of the ledgers without a database: the reference for the real ones, and explored in depth. */
export class SpecLedger implements Ledger {
  readonly kind: Kind;
  readonly #ids: readonly number[];
  #rows: Map<number, Row>;
  #now = 0;
  readonly #broken: Fault | MessageFault | undefined;

  constructor(ids: readonly number[], kind: Kind, broken?: Fault | MessageFault) {
    this.kind = kind;
    this.#ids = ids;
    this.#broken = broken;
    this.#rows = new Map();
    for (const id of ids) {
      const mate = together(kind, ids, id).find((other) => this.#rows.has(other));
      this.#rows.set(id, {
        id,
        message: mate === undefined ? { version: 1, refused: false, startedAt: null } : this.#rows.get(mate)!.message,
        batch: null,
        status: 'QUEUED',
        attempt: 0,
        acceptedAt: kind === 'messages' ? 0 : null,
        holder: null,
        leaseUntil: null,
        nextAttemptAt: kind === 'campaign' ? null : 0,
        provider: null,
        bound: null,
        told: new Set(),
        tried: new Set(),
      });
    }
  }

  async accept(ids: readonly number[]): Promise<void> {
    if (this.kind === 'campaign') {
      const batch = { releasedAt: this.#now, holder: null, leaseUntil: null };
      for (const row of this.#unreleased().slice(0, ids.length)) row.batch = batch;
      return;
    }
    for (const row of this.#of(ids)) if (row.status === 'QUEUED') row.acceptedAt ??= this.#now;
  }

  async requestAgain(): Promise<number[]> {
    if (this.kind === 'campaign') return this.#unreleased().map((row) => row.id);
    const waiting = this.#all().filter(
      (row) =>
        row.status === 'QUEUED' && row.acceptedAt === null && row.nextAttemptAt! <= this.#now - REQUEST_AGAIN_AFTER,
    );
    for (const row of waiting) row.nextAttemptAt = this.#now;
    return waiting.map((row) => row.id);
  }

  /** `chosen`: what the real ledger has leased, because its order is up to it. */
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
    return [...single, ...batched].map(({ id, attempt, message, bound }) => ({
      id,
      batchId: null,
      attempt,
      version: message.version,
      provider: this.#broken === 'any provider is asked again' ? null : bound,
    }));
  }

  async release(holder: string, ids: readonly number[]): Promise<void> {
    for (const row of this.#of(ids)) {
      if (row.status !== 'QUEUED' || row.holder !== holder) continue;
      this.#free(row);
      // What a sender of messages gives back, it puts off.
      if (this.kind === 'messages') row.nextAttemptAt = this.#now + 1;
    }
    for (const { batch } of this.#all()) if (batch?.holder === holder) batch.leaseUntil = this.#now;
  }

  async start(
    holder: string,
    start: string,
    copies: readonly Copy[],
    ended: readonly Attempted[] = [],
  ): Promise<Started[]> {
    await this.settle(ended);
    const startable = (row: Row): boolean =>
      row.status === 'QUEUED' && this.#lease(row)?.holder === holder && this.#held(row);
    const again = (row: Row): boolean =>
      this.#broken === 'started again from SENDING' && row.status === 'SENDING' && row.holder!.startsWith(`${holder}/`);
    const held = this.#of(copies.map((copy) => copy.id)).filter((row) => startable(row) || again(row));
    return held.map((row) => {
      const { version, provider } = copies.find((copy) => copy.id === row.id)!;
      this.#free(row);
      row.acceptedAt ??= row.batch?.releasedAt ?? null;
      if (this.#isTooLate(row)) row.status = 'UNKNOWN';
      else if (row.message.refused && this.#broken !== 'gates are not asked again') row.status = this.#refused(row);
      else if (this.#isTooOld(row)) row.status = 'FAILED';
      else if (version === row.message.version) {
        Object.assign(row, { status: 'SENDING', holder: start, leaseUntil: this.#now + SENDING_LEASE });
        if (this.#broken !== 'attempts are not counted') row.attempt += 1;
        row.message.startedAt ??= this.#now;
        if (this.kind === 'messages') row.provider = provider;
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
    for (const attempted of attempts) {
      const { id, attempt, start, result, delay, provider, isBound, tried } = attempted;
      const row = this.#rows.get(id)!;
      const isForgotten =
        this.#broken === 'settling forgets the sweeper' ||
        (this.#broken === 'not sent is not believed' && result === 'QUEUED');
      const open = row.status === 'SENDING' || (row.status === 'UNKNOWN' && !isForgotten);
      const isUntaken =
        start !== undefined &&
        row.status === 'QUEUED' &&
        (row.holder === start.split('/')[0] || row.nextAttemptAt === null);
      if (!open && !isUntaken && this.#broken !== 'any status settles') continue;
      const isNamed = start !== undefined && this.#broken !== 'lost starts are taken back by number';
      if (isNamed && !isUntaken && row.holder !== start) continue;
      if (!isNamed && row.attempt !== attempt && this.#broken !== 'any attempt settles') continue;
      row.acceptedAt ??= this.#now;
      const wasUnknown = row.status === 'UNKNOWN';
      const wasBound = row.bound !== null;
      if (isBound) row.bound = provider;
      if (this.kind === 'messages') row.provider = provider ?? row.provider;
      if (result === 'QUEUED') row.status = this.#again(row);
      else if (result === 'FAILED' && wasBound && this.#broken !== 'a refusal ends a doubt') row.status = 'UNKNOWN';
      else row.status = result;
      if (row.status === 'QUEUED') row.nextAttemptAt = this.#now + delay;
      if (tried && row.provider !== null && (row.status !== 'SENT' || wasUnknown)) row.tried.add(row.provider);
      this.#free(row);
      this.#applyReports(row);
    }
  }

  async sweep(): Promise<void> {
    for (const row of this.#all()) {
      if (row.status !== 'SENDING' || (this.#held(row) && this.#broken !== 'sweeper does not wait')) continue;
      row.status = this.#broken === 'sweeper queues' ? 'QUEUED' : 'UNKNOWN';
      row.leaseUntil = null;
      if (row.provider !== null) row.tried.add(row.provider);
      this.#applyReports(row);
    }
  }

  async report(id: number, evidence: Evidence, provider: number): Promise<boolean> {
    const row = this.#rows.get(id)!;
    // A device knows which send it got, and so does a link.
    if (isText(this.kind, this.#ids, id) && evidence !== 'CLICK') {
      const isOfLast = row.provider === provider && (row.status !== 'QUEUED' || row.bound !== null);
      const isProof = evidence === 'DELIVERED' && (row.provider === provider || row.tried.has(provider));
      if (!isOfLast && !isProof) return false;
    }
    row.told.add(evidence);
    this.#applyReports(row, evidence);
    return true;
  }

  async resolve(id: number, outcome: Resolution): Promise<number[]> {
    const mates = this.#of(together(this.kind, this.#ids, id));
    const isOpen = ({ status }: Row): boolean =>
      status === 'UNKNOWN' || (this.#broken === 'anything is resolved' && status === 'SENDING');
    // What one device got, arrived.
    const isDone = mates.some(({ status }) => status === 'SENT' || status === 'DELIVERED');
    const open = isDone ? [] : mates.filter(isOpen);
    for (const row of open) {
      row.status = ({ sent: 'SENT', failed: 'FAILED', resend: 'QUEUED' } as const)[outcome];
      row.nextAttemptAt = this.#now;
      this.#free(row);
      if (outcome !== 'resend' || this.kind !== 'messages') continue;
      row.attempt += 1;
      row.bound = null;
      row.message.startedAt = this.#now;
    }
    return open.map((row) => row.id);
  }

  async unsubscribe(id: number, atOnce: boolean): Promise<void> {
    const { message } = this.#rows.get(id)!;
    message.refused = true;
    message.version += 1;
    if (!atOnce) return;
    for (const row of this.#all()) {
      if (row.message !== message || row.status !== 'QUEUED') continue;
      row.status = this.#refused(row);
      this.#free(row);
    }
  }

  async changeContact(id: number): Promise<void> {
    this.#rows.get(id)!.message.version += 1;
  }

  async pass(ticks: number): Promise<void> {
    this.#now += ticks;
  }

  async sends(): Promise<LedgerSend[]> {
    return this.#all().map((row) => ({
      id: row.id,
      status: row.status,
      attempt: row.attempt,
      accepted: this.#isAccepted(row),
      holder: row.holder,
      leased: this.#held(row),
      due: row.status === 'QUEUED' && this.#isDue(row),
      provider: row.provider,
      bound: row.bound,
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

  /** Its provider may have forgotten the key. */
  #isTooLate({ bound, message }: Row): boolean {
    if (bound === null || this.#broken === 'keys are kept for ever') return false;
    return message.startedAt! <= this.#now - REPEATABLE_FOR;
  }

  /** Nobody has accepted it for so long that it is not started. */
  #isTooOld({ message }: Row): boolean {
    if (this.kind !== 'messages' || this.#broken === 'old ones are started') return false;
    return (message.startedAt ?? 0) <= this.#now - TOO_OLD_AFTER;
  }

  /** What becomes of an attempt that may be repeated. */
  #again(row: Row): Status {
    if (this.#isTooLate(row) && this.#broken !== 'a doubt expires') return 'UNKNOWN';
    const since = this.kind === 'messages' ? (row.message.startedAt ?? 0) : row.acceptedAt!;
    return since <= this.#now - EXPIRES_AFTER ? 'FAILED' : 'QUEUED';
  }

  /** What a gate makes of it. */
  #refused({ bound }: Row): Status {
    return bound === null || this.#broken === 'a doubt is suppressed' ? 'SUPPRESSED' : 'UNKNOWN';
  }

  /** What was told about a message that was accepted, or may have been, moves it forward. */
  #applyReports(row: Row, last?: Evidence): void {
    const isDoubt = row.status === 'QUEUED' && row.bound !== null;
    if (isDoubt && this.#broken === 'reports of a doubt are forgotten') return;
    const isOpen = isDoubt || ['SENT', 'UNKNOWN', 'UNDELIVERED'].includes(row.status);
    const isProved = row.told.has('DELIVERED') && this.#broken !== 'a proof comes too late';
    if (row.status === 'DELIVERED') {
      if (this.#broken === 'reports go back' && last) row.status = 'SENT';
      return;
    }
    if (row.status === 'SENDING' || (!isOpen && !isProved)) return;
    const has = (evidence: Evidence): boolean => row.told.has(evidence);
    const wasAccepted = has('SENT') || row.status === 'SENT' || row.status === 'UNDELIVERED';
    const isUndelivered = has('UNDELIVERED') || (has('FAILED') && wasAccepted);
    let status: Status | null = null;
    if (has('DELIVERED')) status = 'DELIVERED';
    else if (isUndelivered) status = 'UNDELIVERED';
    else if (has('FAILED')) status = 'FAILED';
    else if ((has('SENT') || has('CLICK')) && row.status !== 'UNDELIVERED') status = 'SENT';
    if (status === null || status === row.status) return;
    row.status = status;
    this.#free(row);
  }
}
