import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import fc from 'fast-check';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { leaseSends, putOffSends, type LeasedSend } from '../../../domain/channels/ledger/lease-sends.ts';
import { settleSends } from '../../../domain/channels/ledger/settle-sends.ts';
import { startSends } from '../../../domain/channels/ledger/start-sends.ts';
import { queueMessages } from '../../../domain/channels/queue/queue-messages.ts';
import { leaseEmails, releaseLeases, type LeasedEmail } from '../../../domain/emails/ledger/lease-emails.ts';
import { queueEmails } from '../../../domain/emails/ledger/queue-emails.ts';
import { channelsOf } from '../../support/channels.ts';
import { GateModel, type Arrival, type Part, type Rules, type Window } from '../../support/channels/gate-model.ts';
import {
  answeredRound,
  capsOnly,
  round,
  rules,
  zone,
  type Answer,
  type Move,
  type Start,
} from '../../support/channels/gate-moves.ts';
import { makeTemplate, startAs } from '../../support/mail/emails.ts';
import { startService, type Service } from '../../support/service.ts';
import { rowOf } from '../../../worker/channels/prepare.ts';
import { held } from '../../../worker/senders/prepare.ts';

let service: Service;
let channels: ReturnType<typeof channelsOf>;
let templates: Record<Arrival['category'], number>;
beforeAll(async () => {
  service = await startService();
  channels = channelsOf(service);
  templates = {
    marketing: await makeTemplate(service),
    transactional: await makeTemplate(service, { category: 'transactional' }),
  };
});
afterAll(() => service.stop());

const SECOND = 1000;
const MINUTE = 60 * SECOND;
let made = 0;

/** Emails or messages that one sender has leased: what it starts by one call, or several. */
interface Leased {
  key: string;
  part: number;
  email?: LeasedEmail;
  send?: LeasedSend;
}

/** An email, or one send of a text or push. */
interface Row {
  table: 'emails' | 'message_sends';
  id: number;
  /** Null for emails. */
  messageId: number | null;
  attempt: number;
  key: string;
  status: Part['status'];
  reason: string | null;
  at: Date;
}

/** One person's messages in the real ledgers, and the model of them. Time passes by moving all times of rows back. */
class Gate {
  readonly #model: GateModel;
  readonly #contactId: number;
  /** How much later it is here than on the wall. */
  #offset: number;

  private constructor(model: GateModel, contactId: number) {
    this.#model = model;
    this.#contactId = contactId;
    this.#offset = model.now - Date.now();
  }

  static async open(rules: Rules, person: { timezone: string | null; devices: number }, now: number): Promise<Gate> {
    for (const table of ['emails', 'messages', 'message_sends'])
      await channels.engine(sql`update ${sql.table(table)} set status = 'SUPPRESSED' where status = 'QUEUED'`);
    const phone = `+346${String(12_000_000 + (made += 1))}`;
    const { id } = await channels.makePerson({ phone, ...(person.timezone ? { timezone: person.timezone } : {}) });
    await channels.consent(phone);
    for (let n = 0; n < person.devices; n += 1) await channels.device(id);
    const gate = new Gate(new GateModel(rules, person, now), id);
    await gate.#set(rules);
    return gate;
  }

  /** These are queued in the same moment, in this order. */
  async arrive(arrivals: readonly Arrival[]): Promise<void> {
    await this.#align();
    await engineEm(service.deps.orm).transactional(async (tx) => {
      for (const arrival of arrivals) {
        const { channel, priority, category } = arrival;
        const sendKey = `gate/${(made += 1)}`;
        const common = { sendKey, contactId: this.#contactId, priority, lane: 'journey', requestId: null } as const;
        if (channel === 'email')
          await queueEmails(tx, 'default', [{ ...common, templateId: templates[category], accepted: true }]);
        else await queueMessages(tx, 'default', [{ ...common, channel, category, content: { body: 'x', title: 'x' } }]);
        this.#model.arrive(sendKey, arrival);
      }
    });
    // Until they are gathered.
    this.#finish();
  }

  /** A sender leases all that is due, and starts some of it in some order, so many at a time. */
  async start({ order, most, size, emailsFirst }: Start): Promise<void> {
    await this.#align();
    const leased = await this.#lease();
    const shuffled = leased
      .map((one, index) => ({ one, rank: order[index % order.length]! }))
      .toSorted((one, other) => one.rank - other.rank)
      .map(({ one }) => one);
    await this.#giveBack(shuffled.splice(most));
    for (let from = 0; from < shuffled.length; from += size) {
      const group = shuffled.slice(from, from + size);
      const emails = group.filter(({ email }) => email);
      const sends = group.filter(({ send }) => send);
      for (const some of emailsFirst ? [emails, sends] : [sends, emails]) {
        if (some.length === 0) continue;
        await this.#align();
        await (some === emails ? this.#startEmails(some) : this.#startSends(some));
        this.#model.start(some);
      }
    }
    this.#finish();
  }

  /** Providers answer for texts and pushes that were started, one after the other as in `answers`. */
  async settle(answers: readonly Answer[]): Promise<void> {
    await this.#align();
    const started = (await this.#parts()).filter(
      ({ table, status }) => table === 'message_sends' && status === 'SENDING',
    );
    const answered = started.flatMap((one, index) => {
      const answer = answers[index % answers.length]!;
      return answer === 'none' ? [] : [{ ...one, ...answer }];
    });
    const settlements = answered.map(({ id, messageId, attempt, result, delayMinutes }) => ({
      ...{ id, tenantId: 'default', messageId: messageId!, attempt, providerId: null, wasTried: true, result },
      reason: result === 'FAILED' ? 'rejected' : null,
      ...{ providerMessageId: null, reply: null, delaySeconds: delayMinutes * 60 },
    }));
    assert.equal(await settleSends(engineEm(service.deps.orm), settlements), settlements.length);
    const after = await this.#parts();
    for (const one of answered) {
      const { due } = after.find(({ table, id }) => table === one.table && id === one.id)!;
      this.#model.settle(one, one.result === 'QUEUED' ? { result: 'QUEUED', due } : { result: one.result });
    }
    this.#finish();
  }

  async change(rules: Rules): Promise<void> {
    await this.#align();
    await this.#set(rules);
    this.#model.change(rules);
    this.#finish();
  }

  pass(ms: number): void {
    this.#model.now += ms;
  }

  /** A few seconds pass, and as many as the last move took: then all that it did is surely past. */
  #finish(): void {
    const took = Date.now() + this.#offset - this.#model.now;
    this.pass(3 * SECOND + Math.floor(took / SECOND) * SECOND);
  }

  /** Both must agree about everything. */
  async check(): Promise<void> {
    await this.#align();
    const found = await this.#parts();
    for (const { key, parts } of this.#model.items) {
      const real = found.filter((one) => one.key === key);
      assert.deepEqual(
        real.map(({ status, reason, due }) => ({ status, reason, due: this.#waits(status, due) })),
        parts.map(({ status, reason, due }) => ({ status, reason, due: this.#waits(status, due) })),
        key,
      );
    }
  }

  /** Until when it waits, in whole seconds; null if it does not. */
  #waits(status: Part['status'], due: number): number | null {
    return status === 'QUEUED' && due > this.#model.now + SECOND ? Math.round(due / SECOND) : null;
  }

  async #lease(): Promise<Leased[]> {
    const em = engineEm(service.deps.orm);
    const lease = { holder: 'gate', lane: 'journey', limit: 1000, seconds: 600 } as const;
    const [emails, sends] = [await leaseEmails(em, lease), await leaseSends(em, lease)];
    const parts = await this.#parts();
    const of = (table: string, id: number) => parts.find((one) => one.table === table && one.id === id)!;
    const leased: Leased[] = [
      ...emails.map((email) => ({ ...of('emails', email.id), email })),
      ...sends.map((send) => ({ ...of('message_sends', send.id), send })),
    ];
    const due = this.#model.items.flatMap(({ key, parts: its }) =>
      its.flatMap((one, part) => (one.status === 'QUEUED' && one.due <= this.#model.now ? [{ key, part }] : [])),
    );
    const names = (list: readonly { key: string; part: number }[]) =>
      list.map(({ key, part }) => `${key}/${part}`).toSorted();
    assert.deepEqual(names(leased), names(due), 'what is due');
    for (const { email, send } of leased) {
      if (email) email.heldSince = this.#here(email.heldSince);
      if (send) send.createdAt = this.#here(send.createdAt);
    }
    return leased;
  }

  async #giveBack(leased: readonly Leased[]): Promise<void> {
    const em = engineEm(service.deps.orm);
    await releaseLeases(
      em,
      'gate',
      leased.flatMap(({ email }) => email?.id ?? []),
    );
    const sends = leased.flatMap(({ send }) => (send ? [{ id: send.id, delayMs: 0 }] : []));
    await putOffSends(em, 'gate', sends);
  }

  async #startEmails(leased: readonly Leased[]): Promise<void> {
    await startAs(
      service,
      'gate',
      leased.map(({ email }) => {
        const { id, tenantId, contactVersion, contentVersion, address, attempt, isCapped, contactId } = email!;
        const until = held(email!, new Date(this.#model.now));
        return {
          ...{ id, tenantId, batchId: null, contactVersion, contentVersion, linkCount: 0, fromKey: null, address },
          ...{ isBareAddress: false, attempt, cappedContactId: isCapped ? contactId : null },
          ...(until === 'expired' ? { expired: true } : until ? { notBefore: this.#onTheWall(until) } : {}),
        };
      }),
      { name: `gate/${(made += 1)}`, leaseSeconds: 600 },
    );
  }

  async #startSends(leased: readonly Leased[]): Promise<void> {
    const sends = leased.map(({ send }) => {
      const row = rowOf(send!, new Date(this.#model.now));
      const { notBefore } = row;
      return { ...row, isSendable: true, ...(notBefore ? { notBefore: this.#onTheWall(notBefore) } : {}) };
    });
    await startSends((statements) => service.deps.pipelined.once('engine', statements), {
      ...{ holder: 'gate', name: `gate/${(made += 1)}`, leaseSeconds: 600, sends, settlements: [] },
    });
  }

  async #parts() {
    const found = await channels.engine<Row>(sql`
      select 'emails' as table, id, null::bigint as "messageId", attempt, send_key as key, status, reason, next_attempt_at as at
      from emails where contact_id = ${this.#contactId}
      union all select 'message_sends', s.id, m.id, s.attempt, m.send_key, s.status, s.reason, s.next_attempt_at
      from messages m join message_sends s on s.tenant_id = m.tenant_id and s.message_id = m.id where m.contact_id = ${this.#contactId}
      order by 1, 2`);
    const seen = new Map<string, number>();
    return found.map((one) => {
      const part = seen.get(one.key) ?? 0;
      seen.set(one.key, part + 1);
      return { ...one, part, due: this.#here(one.at).getTime() };
    });
  }

  async #set({ quietHours, ...settings }: Rules): Promise<void> {
    const saved = await service.api('PUT', '/channels/settings', settings);
    assert.equal(saved.status, 200, JSON.stringify(saved.body));
    const chosen = await service.api('PUT', '/channels/preferences', { contactId: this.#contactId, quietHours });
    assert.equal(chosen.status, 200, JSON.stringify(chosen.body));
  }

  /** Makes it as late in the rows as in the model. */
  async #align(): Promise<void> {
    const by = this.#model.now - (Date.now() + this.#offset);
    this.#offset += by;
    const moved = sql`make_interval(secs => ${by / SECOND})`;
    const contact = sql`contact_id = ${this.#contactId}`;
    await engineEm(service.deps.orm).transactional(async (tx) => {
      await rows(
        tx,
        sql`update emails set created_at = created_at - ${moved}, accepted_at = accepted_at - ${moved},
          next_attempt_at = next_attempt_at - ${moved}, held_until = held_until - ${moved}, updated_at = updated_at - ${moved} where ${contact}`,
      );
      await rows(
        tx,
        sql`update messages set created_at = created_at - ${moved}, started_at = started_at - ${moved}, sent_at = sent_at - ${moved} where ${contact}`,
      );
      await rows(
        tx,
        sql`update message_sends set next_attempt_at = next_attempt_at - ${moved}, held_until = held_until - ${moved}, sent_at = sent_at - ${moved} where message_id in (select id from messages where ${contact})`,
      );
    });
  }

  #here = (at: Date): Date => new Date(at.getTime() + this.#offset);
  #onTheWall = (at: Date): Date => new Date(at.getTime() - this.#offset);
}

async function perform(gate: Gate, made: Move): Promise<void> {
  if ('arrive' in made) await gate.arrive(made.arrive);
  else if ('start' in made) await gate.start(made.start);
  else if ('settle' in made) await gate.settle(made.settle);
  else if ('pass' in made) gate.pass(made.pass * MINUTE);
  else await gate.change(made.change);
  await gate.check();
}

/** Moves of somebody under rules, on days with clock changes among them. */
const follow = (first: fc.Arbitrary<Rules>, rounds: fc.Arbitrary<Move[][]>) =>
  fc.asyncProperty(
    first,
    fc.record({ timezone: fc.option(zone, { freq: 2 }), devices: fc.integer({ min: 1, max: 2 }) }),
    fc.constantFrom('2026-07-01', '2026-03-08', '2026-03-29', '2026-04-05', '2026-10-25', '2026-11-01'),
    fc.integer({ min: 0, max: 1439 }),
    rounds,
    async (set, person, day, minute, moves) => {
      // Nothing opens or ends within the seconds that moves take.
      const now = Date.parse(`${day}T00:00:05Z`) + minute * MINUTE;
      const gate = await Gate.open(set, person, now);
      for (const each of moves.flat()) await perform(gate, each);
    },
  );

/** A text was tried at night, and is held until the next night when the window of another channel changes. */
function triedThenHeld(): [Rules, { timezone: null; devices: number }, '2026-11-01', number, Move[][]] {
  const window = (from: string, to: string): Window => ({ from, to, timezone: 'contact' });
  const rulesWith = (sendWindows: Rules['sendWindows']): Rules => ({
    ...{ caps: [], sendWindows, timezone: 'Europe/Berlin', maxHoldHours: 24, quietHours: null },
  });
  const [early, night] = [window('04:00', '04:15'), window('00:00', '04:00')];
  const arrive = (['sms', 'email'] as const).map((channel): Arrival => ({
    ...{ channel, priority: 5, category: 'marketing' },
  }));
  const start: Move = { start: { order: [0], most: 2, size: 1, emailsFirst: false } };
  return [
    rulesWith({ email: early, sms: early, push: null }),
    { timezone: null, devices: 1 },
    '2026-11-01',
    30,
    [
      [{ arrive }, { change: rulesWith({ email: null, sms: night, push: null }) }, start],
      [{ pass: 673 }, start],
      [{ pass: 673 }, { settle: [{ result: 'QUEUED', delayMinutes: 0 }] }, start],
      [{ pass: 31 }, { change: rulesWith({ email: null, sms: night, push: night }) }, start],
    ],
  ];
}

test('whatever arrives and starts, and when, the gate decides as its rules are told', async () => {
  await fc.assert(follow(rules, fc.array(round, { minLength: 2, maxLength: 4, size: 'max' })), {
    numRuns: 60,
    examples: [triedThenHeld()],
  });
});

test('whatever providers answer, and when, what they accept keeps its slot and what they refuse gives it back', async () => {
  const rounds = fc.array(answeredRound, { minLength: 3, maxLength: 5, size: 'max' });
  await fc.assert(follow(capsOnly, rounds), { numRuns: 25 });
});
