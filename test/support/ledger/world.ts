import assert from 'node:assert/strict';
import type { Resolution } from '../../../domain/emails/ledger/resolve-email.ts';
import {
  LEASE,
  REPEATABLE_FOR,
  SENDING_LEASE,
  TOO_OLD_AFTER,
  evidenceOf,
  isText,
  together,
  type Attempted,
  type Evidence,
  type Fault,
  type Ledger,
  type LedgerSend,
  type MessageFault,
  type Status,
} from './ledger.ts';
import { IN_DOUBT, Process, type Dot, type Sending } from './process.ts';
import { PASSES, PROCESSES, PROVIDERS, type Fate, type Step } from './schedule.ts';

const CONNECTIONS = 1;
const STARTS_AT_ONCE = 2;
/** A holder considers a lease expired this much earlier than the ledger does; less than a tick. */
const MARGIN = 0.5;

/** What operators and the recipient have decided about a send, and what was told about it. */
interface Said {
  resends: number;
  sent: boolean;
  failed: boolean;
  unsubscribed: boolean;
  told: Set<Evidence>;
}

const at = <T>(list: readonly T[], n: number): T | undefined => list[n % Math.max(1, list.length)];
const isAccepted = (status: Status): boolean => status === 'SENT' || status === 'DELIVERED' || status === 'UNDELIVERED';
/** Whether it may have been accepted. */
const isPerhaps = ({ verdict }: Dot): boolean => verdict !== 'later' && verdict !== 'never';
const isOpen = (status: string): boolean => status === 'QUEUED' || status === 'SENDING';

/** What a status may become; what ended stays as it is, or is known better: a proof of delivery counts for ever. */
const NEXT: Record<Status, readonly Status[]> = {
  QUEUED: ['SENDING', 'SUPPRESSED', 'FAILED', 'DELIVERED'],
  SENDING: ['QUEUED', 'SENT', 'DELIVERED', 'UNDELIVERED', 'FAILED', 'UNKNOWN'],
  UNKNOWN: ['QUEUED', 'SENT', 'DELIVERED', 'UNDELIVERED', 'FAILED'],
  SENT: ['DELIVERED', 'UNDELIVERED'],
  UNDELIVERED: ['DELIVERED'],
  DELIVERED: [],
  FAILED: ['DELIVERED'],
  SUPPRESSED: ['DELIVERED'],
  // There are none here.
  BOUNCED: [],
  COMPLAINED: [],
};
/** What is QUEUED though it may have been accepted: whoever may have accepted it is asked again, or tells. */
const NEXT_IN_DOUBT: readonly Status[] = ['SENDING', 'SENT', 'DELIVERED', 'UNDELIVERED', 'FAILED', 'UNKNOWN'];

/**
 * Processes with senders, a mail server or providers, the topic, a recovery and operators, all on one ledger, driven
 * step by step by a schedule. After each step, the guarantees of the ledger are checked against what the server really
 * received.
 */
export class World {
  readonly #ledger: Ledger;
  readonly #ids: readonly number[];
  readonly #broken: Fault | MessageFault | undefined;
  #now = 0;
  /** As they were after the last step. */
  #before = new Map<number, LedgerSend>();
  /** The send requests on the topic. */
  #topic: number[];
  #made = 0;
  readonly #dead: Process[] = [];
  readonly #processes: Process[];
  readonly #dots: Dot[] = [];
  readonly #said: Map<number, Said>;

  constructor(ledger: Ledger, ids: readonly number[], broken?: Fault | MessageFault) {
    this.#ledger = ledger;
    this.#ids = ids;
    this.#broken = broken;
    this.#topic = [...ids];
    this.#said = new Map(
      ids.map((id) => [id, { resends: 0, sent: false, failed: false, unsubscribed: false, told: new Set() }]),
    );
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
      case 'unsubscribe':
        for (const each of together(ledger.kind, this.#ids, id)) this.#said.get(each)!.unsubscribed = true;
        return ledger.unsubscribe(id, fate === 'answered');
      case 'report':
        return this.#report(who, n);
      case 'change a contact':
        return ledger.changeContact(id);
      case 'pass':
        return this.#pass(PASSES[n]!);
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
        const most = process.starts.length < STARTS_AT_ONCE ? Math.min(process.room, 1 + (n % 3)) : 0;
        const on = process.take(most, n, PROVIDERS);
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
        const { provider } = next;
        process.known.push({ id: next.id, attempt: next.attempt, result: 'QUEUED', tried: false, provider, delay: 0 });
        return;
      }
      case 'renew': {
        // A request is too short for that.
        if (ledger.kind === 'messages') return;
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

  async #started(process: Process, n: number, fate: Fate): Promise<void> {
    const asked = at(process.starts, n);
    if (!asked) return;
    process.starts.splice(process.starts.indexOf(asked), 1);
    const { name, on, until } = asked;
    const ended = n % 2 === 0 ? [] : process.known.filter((one) => this.#goesWithStart(one));
    const started = await this.#transact(fate, () => this.#ledger.start(process.holder, name, on, ended));
    if (started) await this.#settled(process, ended);
    else {
      // None of them is sent; each is in doubt until it is returned.
      process.known.push(
        ...on.map(({ id, attempt }): Attempted => ({
          id,
          attempt: attempt + 1,
          start: name,
          result: 'QUEUED',
          tried: false,
          provider: null,
          delay: 0,
        })),
      );
      return;
    }
    const attempts = new Map(
      started.filter(({ status }) => status === 'SENDING').map(({ id, attempt }) => [id, attempt]),
    );
    for (const { id, provider } of on) {
      const attempt = attempts.get(id);
      if (attempt === undefined) continue;
      assert.ok(!this.#said.get(id)!.unsubscribed, `send ${id} is started though its recipient has unsubscribed`);
      this.#checkKey(id);
      this.#checkAge(id, attempt);
      if (this.#broken !== 'twins are both sent') attempts.delete(id);
      process.waiting.push({ id, attempt, start: name, provider, resends: this.#said.get(id)!.resends, dot: null });
      process.leases.set(id, until);
    }
  }

  /** A sender of messages settles all that has ended when it starts others; one of emails, what was accepted. */
  #goesWithStart({ result, start }: Attempted): boolean {
    return this.#ledger.kind === 'messages' || (result === 'SENT' && start === undefined);
  }

  async #letGo(process: Process, sending: Sending): Promise<void> {
    const { id, start, provider, resends } = sending;
    const holds = process.clock < (process.leases.get(id) ?? 0);
    if (!holds && this.#broken !== 'dots without a lease') return this.#conclude(process, sending, 'QUEUED', 0);
    if (!process.late) {
      const send = (await this.#ledger.sends()).find((each) => each.id === id)!;
      assert.ok(
        send.status === 'SENDING' && send.holder === start && send.leased,
        `send ${id}: a dot is let go whose lease has ended`,
      );
    }
    const key = this.#isKnownByKey(id) ? `message of ${provider}` : start;
    sending.dot = { id, start, provider, key, resends, at: this.#now, verdict: null, isSilent: false };
    this.#dots.push(sending.dot);
  }

  /** Whether its providers know it by a key, so that they may be asked again. */
  #isKnownByKey(id: number): boolean {
    return isText(this.#ledger.kind, this.#ids, id);
  }

  /** What waited for too long is not started. The first start of a text is that of its message. */
  #checkAge(id: number, attempt: number): void {
    if (!isText(this.#ledger.kind, this.#ids, id) || attempt > 1) return;
    assert.ok(this.#now < TOO_OLD_AFTER, `send ${id}: started after nobody took it for too long`);
  }

  /** A provider that may have forgotten a key is not asked again under it. */
  #checkKey(id: number): void {
    if (!this.#isKnownByKey(id)) return;
    const { resends } = this.#said.get(id)!;
    const first = this.#dots.find((dot) => dot.id === id && dot.resends === resends && isPerhaps(dot));
    assert.ok(!first || this.#now - first.at < REPEATABLE_FOR, `send ${id}: asked again when its key may be forgotten`);
  }

  #replied(process: Process, sending: Sending, fate: Fate): void {
    const { verdict } = sending.dot!;
    if (fate === 'answered') {
      // The server has not replied yet.
      if (verdict === null || verdict === 'lost') return;
      const result = ({ accepted: 'SENT', later: 'QUEUED', never: 'FAILED' } as const)[verdict];
      return this.#conclude(process, sending, this.#broken === 'any dot is a success' ? 'SENT' : result, 1);
    }
    sending.dot!.isSilent = true;
    const broken = { 'silence is a failure': 'FAILED', 'silence is an end': 'QUEUED' } as const;
    const wrong = broken[this.#broken as keyof typeof broken];
    if (!wrong && this.#isKnownByKey(sending.id)) this.#conclude(process, sending, 'QUEUED', 1, true);
    else this.#conclude(process, sending, wrong ?? 'UNKNOWN', 0);
  }

  #conclude(
    process: Process,
    sending: Sending,
    result: Attempted['result'],
    delay: number,
    isBound: boolean = false,
  ): void {
    process.wire.splice(process.wire.indexOf(sending), 1);
    const { id, attempt, provider } = sending;
    process.known.push({ id, attempt, result, tried: true, provider, isBound, delay });
  }

  async #settled(process: Process, batch: readonly Attempted[]): Promise<void> {
    process.known = process.known.filter((each) => !batch.includes(each));
    const sends = await this.#ledger.sends();
    for (const { id, attempt, start, result, isBound } of batch) {
      process.leases.delete(id);
      const { resends, sent, failed } = this.#said.get(id)!;
      const { status, bound, ...send } = sends.find((one) => one.id === id)!;
      if (result === 'QUEUED' && !isBound && start === undefined && bound === null && send.attempt === attempt)
        assert.notEqual(status, 'UNKNOWN', `send ${id}: settled as not sent, but UNKNOWN`);
      if (result === 'SENT' && resends === 0 && !sent && !failed)
        assert.ok(isAccepted(status), `send ${id}: accepted and settled, but not SENT`);
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
    for (const each of await this.#ledger.resolve(id, outcome)) {
      const said = this.#said.get(each)!;
      if (outcome === 'resend') said.resends += 1;
      else said[outcome] = true;
    }
  }

  /** Something is told about a message that was accepted. */
  async #report(which: number, n: number): Promise<void> {
    const dot = at(
      this.#dots.filter(({ verdict }) => verdict === 'accepted'),
      which,
    );
    const evidence = dot && at(evidenceOf(this.#ledger.kind, this.#ids, dot.id), n);
    if (!dot || !evidence) return;
    if (await this.#ledger.report(dot.id, evidence, dot.provider!)) this.#said.get(dot.id)!.told.add(evidence);
  }

  async #pass(ticks: number): Promise<void> {
    for (const process of this.#processes) if (process.state !== 'suspended') process.clock += ticks;
    this.#now += ticks;
    await this.#ledger.pass(ticks);
  }

  async #check(): Promise<void> {
    const sends = await this.#ledger.sends();
    for (const send of sends) {
      this.#checkDots(send);
      this.#checkChange(send);
    }
    this.#before = new Map(sends.map((send) => [send.id, send]));
    for (const { holder } of [...this.#dead, ...this.#processes]) {
      const doubtful = sends.filter(
        (send) => (send.status === 'SENDING' || send.status === 'UNKNOWN') && send.holder?.startsWith(`${holder}/`),
      );
      assert.ok(
        doubtful.length <= IN_DOUBT,
        `${doubtful.length} sends of ${holder} would be UNKNOWN after a kill, more than ${IN_DOUBT}`,
      );
    }
  }

  /** What is said about a send, by what its providers got. */
  #checkDots({ id, status, bound }: LedgerSend): void {
    const said = this.#said.get(id)!;
    const dots = this.#dots.filter((dot) => dot.id === id);
    const starts = dots.map((dot) => dot.start);
    assert.equal(new Set(starts).size, starts.length, `send ${id}: two dots of one start`);
    const accepted = dots.filter((dot) => dot.verdict === 'accepted');
    const times = new Set(accepted.map(({ key }) => key)).size;
    assert.ok(
      times <= 1 + said.resends,
      `send ${id}: accepted ${times} times, sent again by ${said.resends} operators`,
    );
    // The dots that may have been accepted, of the starts since an operator last chose `resend`.
    const perhaps = dots.filter((dot) => dot.resends === said.resends && isPerhaps(dot));
    const keys = new Set(perhaps.map(({ key }) => key));
    assert.ok(keys.size <= 1, `send ${id}: another dot after one that may have been accepted`);
    const isAskedAgain = status === 'QUEUED' && bound !== null && perhaps.every(({ provider }) => provider === bound);
    if ((status === 'QUEUED' && !isAskedAgain) || status === 'SUPPRESSED')
      assert.equal(perhaps.length, 0, `send ${id}: ${status} though it may have been accepted`);
    if (status === 'FAILED' && !said.failed && !said.told.has('FAILED'))
      assert.equal(perhaps.length, 0, `send ${id}: FAILED though it may have been accepted`);
    if (isAccepted(status) && !said.sent) {
      const last = said.told.size > 0 ? accepted : perhaps.filter((dot) => dot.verdict === 'accepted');
      assert.ok(last.length > 0, `send ${id}: SENT though it was not accepted`);
    }
    if (status === 'UNKNOWN') assert.equal(said.told.size, 0, `send ${id}: UNKNOWN though something was told about it`);
    if (status !== 'SENDING' && status !== 'DELIVERED')
      assert.ok(!said.told.has('DELIVERED'), `send ${id}: ${status} though it was delivered`);
    if (status === 'DELIVERED') assert.ok(said.told.has('DELIVERED'), `send ${id}: DELIVERED, as nobody said`);
    if (status === 'UNDELIVERED')
      assert.ok(said.told.has('UNDELIVERED') || said.told.has('FAILED'), `send ${id}: UNDELIVERED, as nobody said`);
  }

  /** How it changed in the last step. */
  #checkChange({ id, status }: LedgerSend): void {
    const was = this.#before.get(id);
    if (!was || was.status === status) return;
    const isInDoubt = was.status === 'QUEUED' && was.bound !== null;
    const next = isInDoubt ? NEXT_IN_DOUBT : NEXT[was.status];
    assert.ok(next.includes(status), `send ${id}: ${status} after ${was.status}`);
    if (status !== 'UNKNOWN' || isInDoubt) return;
    const isLost = !was.leased || this.#dots.some((dot) => dot.id === id && dot.isSilent);
    assert.ok(isLost, `send ${id}: UNKNOWN though its sender is neither lost nor without a reply`);
  }

  /** All processes continue without further failures: then everything must reach a final state. */
  async #end(): Promise<void> {
    const all = (act: Step['act'], n = 0): Promise<void> =>
      this.#each((who) => this.#perform({ act, who, n, fate: 'answered' }));
    await all('wake');
    for (let round = 0; round < 20; round += 1) {
      // Much happens between two checks here.
      this.#before.clear();
      for (let turn = 0; turn < IN_DOUBT; turn += 1) {
        for (const act of ['start in Postgres', 'connect', 'dot'] as const) await all(act);
        for (const dot of this.#dots) dot.verdict ??= 'accepted';
        for (const process of this.#processes)
          for (const sending of process.wire.filter(({ dot }) => dot?.verdict === 'lost'))
            this.#replied(process, sending, 'unanswered');
        for (const act of ['reply', 'settle'] as const) await all(act);
      }
      await this.#check();
      if (!(await this.#ledger.sends()).some(({ status }) => isOpen(status))) return;
      this.#before.clear();
      await this.#pass(SENDING_LEASE + 1);
      for (const act of ['sweep', 'request again'] as const)
        await this.#perform({ act, who: 0, n: 0, fate: 'answered' });
      while (this.#topic.length > 0) await this.#perform({ act: 'accept', who: 0, n: 0, fate: 'answered' });
      for (const act of ['lease', 'start'] as const) await all(act, 5);
      await this.#check();
    }
    const lost = (await this.#ledger.sends()).filter(({ status }) => isOpen(status));
    assert.deepEqual(lost, [], 'sends without an end');
  }

  async #each(work: (who: number) => Promise<void>): Promise<void> {
    for (let who = 0; who < PROCESSES; who += 1) await work(who);
  }
}
