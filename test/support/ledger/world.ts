import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Resolution } from '../../../domain/emails/ledger/resolve-email.ts';
import { LEASE, SENDING_LEASE, type Attempted, type Copy, type Fault, type Ledger } from './spec.ts';

const PROCESSES = 3;
const CONNECTIONS = 1;
/** The most emails of a process that may be SENDING. */
const IN_DOUBT = 2;
const STARTS_AT_ONCE = 2;
/** A holder considers a lease expired this much earlier than the ledger does; less than a tick. */
const MARGIN = 0.5;

/**
 * The fate of a transaction: committed and answered; committed, but the reply is lost (with the connection, or in a
 * restart of Postgres); or lost itself.
 */
type Fate = 'answered' | 'unanswered' | 'undone';

const ACTS = {
  accept: 5,
  'lose a request': 1,
  'request again': 2,
  lease: 8,
  release: 1,
  start: 9,
  'start in Postgres': 10,
  connect: 12,
  'put back': 2,
  renew: 2,
  'end before the dot': 2,
  dot: 10,
  'dot arrives': 10,
  reply: 10,
  settle: 10,
  freeze: 1,
  suspend: 1,
  wake: 4,
  kill: 2,
  'restart Postgres': 1,
  pass: 7,
  sweep: 5,
  resolve: 2,
  unsubscribe: 1,
  'change a contact': 1,
} as const;

/** One step of the schedule. `who` is a process; `n` chooses among the available objects. */
export interface Step {
  act: keyof typeof ACTS;
  who: number;
  n: number;
  fate: Fate;
}

const step: fc.Arbitrary<Step> = fc.record({
  act: fc.oneof(
    ...Object.entries(ACTS).map(([act, weight]) => ({ weight, arbitrary: fc.constant(act as Step['act']) })),
  ),
  who: fc.nat(PROCESSES - 1),
  n: fc.nat(7),
  fate: fc.oneof(
    { weight: 5, arbitrary: fc.constant('answered' as const) },
    fc.constantFrom('unanswered' as const, 'undone' as const),
  ),
});

export const schedules = (longest: number): fc.Arbitrary<Step[]> =>
  fc.array(step, { minLength: 1, maxLength: longest, size: 'max' });

/** A message with its final dot, from the moment it is sent; it may reach the server after its sender's death. */
interface Dot {
  id: number;
  /** The name of the start that it belongs to. */
  start: string;
  /** How often an operator had chosen `resend` at that start. */
  resends: number;
  /** The server's reply; `lost` if the message never arrived. */
  verdict: null | 'accepted' | 'later' | 'never' | 'lost';
}

/** An email that was started: it waits for a connection, or is on one. */
interface Sending {
  id: number;
  attempt: number;
  start: string;
  resends: number;
  dot: Dot | null;
}

/** A process with senders, modelled on worker/senders: its memory, and what it believes. */
class Process {
  readonly holder: string;
  /** Its monotonic clock. */
  clock = 0;
  state: 'awake' | 'frozen' | 'suspended' = 'awake';
  /** Whether it was ever suspended, so that its clock may be behind all others. */
  late = false;
  calls = 0;
  ready: (Copy & { until: number })[] = [];
  /** Sent to Postgres and not answered yet. */
  starts: { name: string; on: Copy[]; until: number }[] = [];
  /** Started; waits for a connection. */
  waiting: Sending[] = [];
  wire: Sending[] = [];
  /** Outcomes that are not in Postgres yet: these emails are still in doubt. */
  known: Attempted[] = [];
  readonly leases = new Map<number, number>();
  readonly #broken: Fault | undefined;

  constructor(holder: string, broken: Fault | undefined) {
    this.holder = holder;
    this.#broken = broken;
  }

  /** How many more emails may be started. */
  get room(): number {
    const known =
      this.#broken === 'lost starts are not in doubt' ? this.known.filter(({ tried }) => tried) : this.known;
    const asked = this.starts.reduce((sum, { on }) => sum + on.length, 0);
    return IN_DOUBT - asked - this.waiting.length - this.wire.length - known.length;
  }
}

/** What operators and the recipient have decided about an email. */
interface Said {
  resends: number;
  sent: boolean;
  failed: boolean;
  unsubscribed: boolean;
}

const at = <T>(list: readonly T[], n: number): T | undefined => list[n % Math.max(1, list.length)];
const isOpen = (status: string): boolean => status === 'QUEUED' || status === 'SENDING';

/**
 * Processes with senders, a mail server, the topic, a recovery and operators, all on one ledger, driven step by step by
 * a schedule. After each step, the guarantees of the ledger are checked against what the server really received.
 */
export class World {
  readonly #ledger: Ledger;
  readonly #ids: readonly number[];
  readonly #broken: Fault | undefined;
  /** The send requests on the topic. */
  #topic: number[];
  #made = 0;
  readonly #dead: Process[] = [];
  readonly #processes: Process[];
  readonly #dots: Dot[] = [];
  readonly #said: Map<number, Said>;

  constructor(ledger: Ledger, ids: readonly number[], broken?: Fault) {
    this.#ledger = ledger;
    this.#ids = ids;
    this.#broken = broken;
    this.#topic = [...ids];
    this.#said = new Map(ids.map((id) => [id, { resends: 0, sent: false, failed: false, unsubscribed: false }]));
    this.#processes = Array.from({ length: PROCESSES }, () => this.#spawn());
  }

  /** Runs a schedule and then lets everything end without failures; throws if a guarantee is violated. */
  async run(schedule: readonly Step[]): Promise<void> {
    for (const step of schedule) {
      await this.#perform(step);
      await this.#check();
    }
    await this.#end();
  }

  #spawn(): Process {
    this.#made += 1;
    return new Process(`h${this.#made}`, this.#broken);
  }

  async #perform({ act, who, n, fate }: Step): Promise<void> {
    const ledger = this.#ledger;
    const id = at(this.#ids, n)!;
    switch (act) {
      case 'accept': {
        const taken = this.#topic.slice(0, 1 + (n % 3));
        await this.#transact(fate, () => ledger.accept(taken));
        if (fate === 'answered') this.#topic = this.#topic.slice(taken.length);
        return;
      }
      case 'lose a request':
        this.#topic.shift();
        return;
      case 'request again': {
        const requested = await ledger.requestAgain();
        this.#topic.push(...requested);
        return;
      }
      case 'sweep':
        return ledger.sweep();
      case 'resolve':
        return this.#resolve(id, (['resend', 'sent', 'failed'] as const)[who]!);
      case 'unsubscribe': {
        this.#said.get(id)!.unsubscribed = true;
        return ledger.unsubscribe(id, fate === 'answered');
      }
      case 'change a contact':
        return ledger.changeContact(id);
      case 'pass':
        return this.#pass([1, 1, 2, 2, 6, 7, 7, 270][n]!);
      case 'dot arrives': {
        const dot = at(
          this.#dots.filter(({ verdict }) => verdict === null),
          n,
        );
        if (dot)
          dot.verdict = fate === 'undone' ? 'lost' : (['accepted', 'accepted', 'later', 'never'] as const)[n % 4]!;
        return;
      }
      case 'restart Postgres': {
        for (const process of this.#processes)
          while (process.starts.length > 0)
            await this.#started(process, 0, fate === 'undone' ? 'undone' : 'unanswered');
        return;
      }
      default:
        return this.#act(this.#processes[who]!, act, n, fate);
    }
  }

  /** One action or fault of a process. A process that is not awake does nothing. */
  async #act(process: Process, act: Step['act'], n: number, fate: Fate): Promise<void> {
    if (act === 'kill') return this.#kill(process, fate);
    if (act === 'wake') process.state = 'awake';
    if (process.state !== 'awake') return;
    const ledger = this.#ledger;
    const { holder } = process;
    switch (act) {
      case 'freeze':
        process.state = 'frozen';
        return;
      case 'suspend':
        Object.assign(process, { state: 'suspended', late: true });
        return;
      case 'lease': {
        const until = process.clock + LEASE - MARGIN;
        const leased = await this.#transact(fate, () => ledger.lease(holder, 1 + (n % 3)));
        if (leased) process.ready.push(...leased.map((copy) => ({ ...copy, until })));
        return;
      }
      case 'release': {
        const given = process.ready.splice(0);
        await this.#transact(fate, () =>
          ledger.release(
            holder,
            given.map((copy) => copy.id),
          ),
        );
        return;
      }
      case 'start': {
        const on =
          process.starts.length < STARTS_AT_ONCE ? this.#take(process, Math.min(process.room, 1 + (n % 3))) : [];
        process.calls += 1;
        if (on.length > 0)
          process.starts.push({
            name: `${holder}/${process.calls}`,
            on,
            until: process.clock + SENDING_LEASE - MARGIN,
          });
        return;
      }
      case 'start in Postgres':
        return this.#started(process, n, fate);
      case 'connect': {
        const next = process.wire.length < CONNECTIONS ? process.waiting.shift() : undefined;
        if (next) process.wire.push(next);
        return;
      }
      case 'put back': {
        const next = at(process.waiting, n);
        if (!next) return;
        process.waiting.splice(process.waiting.indexOf(next), 1);
        process.known.push({ id: next.id, attempt: next.attempt, result: 'QUEUED', tried: false, delay: 0 });
        return;
      }
      case 'renew': {
        const ids = [...process.leases.keys()];
        const until = process.clock + SENDING_LEASE - MARGIN;
        const held = await this.#transact(fate, () => ledger.renew(holder, ids));
        if (held) for (const each of ids) process.leases.set(each, held.includes(each) ? until : 0);
        return;
      }
      case 'end before the dot': {
        const sending = at(
          process.wire.filter(({ dot }) => dot === null),
          n,
        );
        if (sending) this.#conclude(process, sending, n % 3 === 0 ? 'FAILED' : 'QUEUED', n % 2);
        return;
      }
      case 'dot': {
        const sending = at(
          process.wire.filter(({ dot }) => dot === null),
          n,
        );
        if (sending) await this.#letGo(process, sending);
        return;
      }
      case 'reply': {
        const sending = at(
          process.wire.filter(({ dot }) => dot !== null),
          n,
        );
        if (sending) this.#replied(process, sending, fate);
        return;
      }
      case 'settle': {
        const batch = [...process.known];
        await this.#transact(fate, () => ledger.settle(batch));
        if (fate === 'answered') await this.#settled(process, batch);
        return;
      }
      default:
    }
  }

  /** The result; null if the caller gets none. */
  async #transact<T>(fate: Fate, work: () => Promise<T>): Promise<T | null> {
    if (fate === 'undone') {
      await this.#ledger.undone(work);
      return null;
    }
    const answer = await work();
    return fate === 'answered' ? answer : null;
  }

  #take(process: Process, count: number): Copy[] {
    const taken: Copy[] = [];
    while (taken.length < count && process.ready.length > 0) {
      const next = process.ready.shift()!;
      if (process.clock < next.until) taken.push(next);
    }
    return taken;
  }

  async #started(process: Process, n: number, fate: Fate): Promise<void> {
    const asked = at(process.starts, n);
    if (!asked) return;
    process.starts.splice(process.starts.indexOf(asked), 1);
    const { name, on, until } = asked;
    const started = await this.#transact(fate, () => this.#ledger.start(process.holder, name, on));
    if (!started) {
      // None of them is sent; each is in doubt until it is returned.
      process.known.push(
        ...on.map(({ id, attempt }): Attempted => ({
          id,
          attempt: attempt + 1,
          start: name,
          result: 'QUEUED',
          tried: false,
          delay: 0,
        })),
      );
      return;
    }
    const attempts = new Map(
      started.filter(({ status }) => status === 'SENDING').map(({ id, attempt }) => [id, attempt]),
    );
    for (const { id } of on) {
      const attempt = attempts.get(id);
      if (attempt === undefined) continue;
      assert.ok(!this.#said.get(id)!.unsubscribed, `email ${id} is started though its recipient has unsubscribed`);
      if (this.#broken !== 'twins are both sent') attempts.delete(id);
      process.waiting.push({ id, attempt, start: name, resends: this.#said.get(id)!.resends, dot: null });
      process.leases.set(id, until);
    }
  }

  async #letGo(process: Process, sending: Sending): Promise<void> {
    const { id, start, resends } = sending;
    const holds = process.clock < (process.leases.get(id) ?? 0);
    if (!holds && this.#broken !== 'dots without a lease') return this.#conclude(process, sending, 'QUEUED', 0);
    if (!process.late) {
      const email = (await this.#ledger.emails()).find((each) => each.id === id)!;
      assert.ok(
        email.status === 'SENDING' && email.holder === start && email.leased,
        `email ${id}: a dot is let go whose lease has ended`,
      );
    }
    sending.dot = { id, start, resends, verdict: null };
    this.#dots.push(sending.dot);
  }

  #replied(process: Process, sending: Sending, fate: Fate): void {
    const { verdict } = sending.dot!;
    if (fate === 'answered') {
      // The server has not replied yet.
      if (verdict === null || verdict === 'lost') return;
      const result = ({ accepted: 'SENT', later: 'QUEUED', never: 'FAILED' } as const)[verdict];
      return this.#conclude(process, sending, this.#broken === 'any dot is a success' ? 'SENT' : result, 1);
    }
    const broken = { 'silence is a failure': 'FAILED', 'silence is an end': 'QUEUED' } as const;
    this.#conclude(process, sending, broken[this.#broken as keyof typeof broken] ?? 'UNKNOWN', 0);
  }

  #conclude(process: Process, sending: Sending, result: Attempted['result'], delay: number): void {
    process.wire.splice(process.wire.indexOf(sending), 1);
    process.known.push({ id: sending.id, attempt: sending.attempt, result, tried: true, delay });
  }

  async #settled(process: Process, batch: readonly Attempted[]): Promise<void> {
    process.known = process.known.filter((each) => !batch.includes(each));
    const emails = await this.#ledger.emails();
    for (const { id, result } of batch) {
      process.leases.delete(id);
      const { resends, sent, failed } = this.#said.get(id)!;
      const status = emails.find((email) => email.id === id)!.status;
      if (result === 'SENT' && resends === 0 && !sent && !failed)
        assert.equal(status, 'SENT', `email ${id}: accepted and settled, but not SENT`);
    }
  }

  /** Requests that it has sent to Postgres may still be executed, and its dots may still arrive. */
  async #kill(process: Process, fate: Fate): Promise<void> {
    for (const { name, on } of process.starts)
      await this.#transact(fate, () => this.#ledger.start(process.holder, name, on));
    this.#dead.push(process);
    this.#processes[this.#processes.indexOf(process)] = this.#spawn();
  }

  async #resolve(id: number, outcome: Resolution): Promise<void> {
    if (!(await this.#ledger.resolve(id, outcome))) return;
    const said = this.#said.get(id)!;
    if (outcome === 'resend') said.resends += 1;
    else said[outcome] = true;
  }

  async #pass(ticks: number): Promise<void> {
    for (const process of this.#processes) if (process.state !== 'suspended') process.clock += ticks;
    await this.#ledger.pass(ticks);
  }

  async #check(): Promise<void> {
    const emails = await this.#ledger.emails();
    for (const { id, status } of emails) {
      const said = this.#said.get(id)!;
      const dots = this.#dots.filter((dot) => dot.id === id);
      const starts = dots.map((dot) => dot.start);
      assert.equal(new Set(starts).size, starts.length, `email ${id}: two dots of one start`);
      const accepted = dots.filter((dot) => dot.verdict === 'accepted');
      assert.ok(
        accepted.length <= 1 + said.resends,
        `email ${id}: accepted ${accepted.length} times, sent again by ${said.resends} operators`,
      );
      // The dots that may have been accepted, of the starts since an operator last chose `resend`.
      const perhaps = dots.filter(
        (dot) => dot.resends === said.resends && dot.verdict !== 'later' && dot.verdict !== 'never',
      );
      assert.ok(perhaps.length <= 1, `email ${id}: another dot after one that may have been accepted`);
      if (status === 'QUEUED' || status === 'SUPPRESSED')
        assert.equal(perhaps.length, 0, `email ${id}: ${status} though it may have been accepted`);
      if (status === 'FAILED' && !said.failed)
        assert.equal(perhaps.length, 0, `email ${id}: FAILED though it may have been accepted`);
      if (status === 'SENT' && !said.sent)
        assert.equal(perhaps[0]?.verdict, 'accepted', `email ${id}: SENT though it was not accepted`);
    }
    for (const { holder } of [...this.#dead, ...this.#processes]) {
      const doubtful = emails.filter(
        (email) => (email.status === 'SENDING' || email.status === 'UNKNOWN') && email.holder?.startsWith(`${holder}/`),
      );
      assert.ok(
        doubtful.length <= IN_DOUBT,
        `${doubtful.length} emails of ${holder} would be UNKNOWN after a kill, more than ${IN_DOUBT}`,
      );
    }
  }

  /** All processes continue without further failures: then every email must reach a final state. */
  async #end(): Promise<void> {
    const all = (act: Step['act'], n = 0): Promise<void> =>
      this.#each((who) => this.#perform({ act, who, n, fate: 'answered' }));
    await all('wake');
    for (let round = 0; round < 20; round += 1) {
      for (let turn = 0; turn < IN_DOUBT; turn += 1) {
        for (const act of ['start in Postgres', 'connect', 'dot'] as const) await all(act);
        for (const dot of this.#dots) dot.verdict ??= 'accepted';
        for (const process of this.#processes)
          for (const sending of process.wire.filter(({ dot }) => dot?.verdict === 'lost'))
            this.#replied(process, sending, 'unanswered');
        for (const act of ['reply', 'settle'] as const) await all(act);
      }
      await this.#check();
      if (!(await this.#ledger.emails()).some(({ status }) => isOpen(status))) return;
      await this.#pass(SENDING_LEASE + 1);
      for (const act of ['sweep', 'request again'] as const)
        await this.#perform({ act, who: 0, n: 0, fate: 'answered' });
      while (this.#topic.length > 0) await this.#perform({ act: 'accept', who: 0, n: 0, fate: 'answered' });
      for (const act of ['lease', 'start'] as const) await all(act, 5);
      await this.#check();
    }
    const lost = (await this.#ledger.emails()).filter(({ status }) => isOpen(status));
    assert.deepEqual(lost, [], 'emails without an end');
  }

  async #each(work: (who: number) => Promise<void>): Promise<void> {
    for (let who = 0; who < PROCESSES; who += 1) await work(who);
  }
}
