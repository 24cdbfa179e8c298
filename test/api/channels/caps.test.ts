import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import fc from 'fast-check';
import { sql } from '../../../db/orm.ts';
import { CHANNELS, type Channel, type ChannelCap } from '../../../db/entities/channels.ts';
import { channelsOf, type Person } from '../../support/channels.ts';
import { texting } from '../../support/channels/texting.ts';
import { makeTemplate } from '../../support/mail/emails.ts';
import { outcomes, queueAll, startAll, type Unit } from '../../support/start-all.ts';
import { startService, type Service } from '../../support/service.ts';

let service: Service;
let channels: ReturnType<typeof channelsOf>;
let templateId: number;
beforeAll(async () => {
  service = await startService();
  channels = channelsOf(service);
  templateId = await makeTemplate(service);
  await service.api('PUT', '/channels/settings', { sendWindows: { sms: null } });
});
afterAll(() => service.stop());

async function makeReachable(): Promise<Person> {
  const person = await channels.makePerson();
  await channels.consent(person.number);
  // Two devices: a message for both counts once.
  await channels.device(person.id);
  await channels.device(person.id);
  return person;
}
const setCaps = async (caps: ChannelCap[]) =>
  assert.equal((await service.api('PUT', '/channels/settings', { caps })).status, 200);

let keys = 0;
const unitsOf = (contactId: number, list: readonly (readonly [Channel, number])[]): Unit[] =>
  list.map(([channel, priority]) => ({ key: `cap-${(keys += 1)}`, channel, contactId, priority }));

test('of 50 at once on three channels under a cap of two, two go: those of the highest priority', async () => {
  await setCaps([{ channels: [...CHANNELS], max: 2, perDays: 7 }]);
  const { id } = await makeReachable();
  const list = Array.from({ length: 50 }, (_, n) => [CHANNELS[n % 3]!, [3, 5, 7][n % 3]!] as const);
  // The best come last, in the same moment.
  const units = unitsOf(id, [...list, ['email', 9], ['push', 8]]);
  await queueAll(service, units, templateId, '0 s');
  await startAll(service, 4);
  const after = await outcomes(service, units);
  assert.deepEqual(
    after.filter(({ status }) => status === 'SENDING').map(({ key }) => key),
    units.slice(-2).map(({ key }) => key),
  );
  const refused = after.filter(({ status }) => status === 'SUPPRESSED');
  assert.equal(refused.length, 50);
  assert.ok(refused.every(({ reason }) => reason === 'outranked' || reason === 'frequency_cap'));
});

test('a message that would have its slot but for a higher priority is outranked; one that comes too late is capped', async () => {
  await setCaps([{ channels: ['sms', 'push'], max: 1, perDays: 1 }]);
  const { id } = await makeReachable();
  const units = unitsOf(id, [
    ['sms', 5],
    ['push', 6],
  ]);
  await queueAll(service, units, templateId, '10 s');
  await startAll(service, 2);
  const late = unitsOf(id, [
    ['sms', 9],
    ['email', 1],
  ]);
  await queueAll(service, late, templateId, '-1 s');
  await channels.engine(
    sql`update messages set created_at = now() - interval '1 s' where send_key = any(${late.map(({ key }) => key)}::text[])`,
  );
  await channels.engine(
    sql`update messages set started_at = now() - interval '1 minute' where contact_id = ${id} and status = 'SENDING'`,
  );
  await startAll(service, 2);
  assert.deepEqual(
    (await outcomes(service, [...units, ...late])).map(({ status, reason }) => [status, reason]),
    [
      ['SUPPRESSED', 'outranked'],
      ['SENDING', null],
      ['SUPPRESSED', 'frequency_cap'],
      ['SENDING', null],
    ],
  );
});

test('what waits for its hours takes no slot, what was started keeps it', async () => {
  await setCaps([{ channels: ['sms'], max: 1, perDays: 1 }]);
  const { id } = await makeReachable();
  const [held, sent] = unitsOf(id, [
    ['sms', 9],
    ['sms', 1],
  ]);
  await queueAll(service, [held!, sent!], templateId, '10 s');
  const delay = (key: string, by: string) =>
    channels.engine(
      sql`update message_sends set next_attempt_at = now() + ${by}::interval where message_id = (select id from messages where send_key = ${key})`,
    );
  await delay(held!.key, '1 hour');
  await startAll(service, 1);
  // Refused by its provider for now, it is sent later all the same.
  await channels.engine(
    sql`update message_sends set status = 'QUEUED', holder = null, lease_until = null where message_id = (select id from messages where send_key = ${sent!.key})`,
  );
  await channels.engine(sql`update messages set status = 'QUEUED' where send_key = ${sent!.key}`);
  await delay(held!.key, '0 s');
  await startAll(service, 1);
  assert.deepEqual(
    (await outcomes(service, [held!, sent!])).map(({ status, reason }) => [status, reason]),
    [
      ['SUPPRESSED', 'frequency_cap'],
      ['SENDING', null],
    ],
  );
});

test('a slot lasts for the days after it was sent, and does not end while it is tried', async () => {
  await setCaps([{ channels: ['sms'], max: 1, perDays: 1 }]);
  const isAllowed = async (status: string, more: ReturnType<typeof sql>) => {
    const { id } = await makeReachable();
    // Started 30 hours ago, when its provider was busy.
    await channels.engine(sql`
      insert into messages (tenant_id, send_key, channel, category, contact_id, status, started_at, sent_at, updated_at)
      values ('default', ${`cap-${(keys += 1)}`}, 'sms', 'marketing', ${id}, ${status}, now() - interval '30 hours', ${more})`);
    const { body } = await service.api('POST', '/channels/check', { contactId: id, channel: 'sms' });
    return body.allowed as boolean;
  };
  const [now, longAgo] = [sql`now()`, sql`now() - interval '25 hours'`];
  assert.equal(await isAllowed('SENT', sql`${now}, ${now}`), false);
  assert.equal(await isAllowed('DELIVERED', sql`${longAgo}, ${now}`), true);
  for (const status of ['QUEUED', 'SENDING'])
    assert.equal(await isAllowed(status, sql`null, ${longAgo}`), false, status);
  assert.equal(await isAllowed('UNKNOWN', sql`null, ${now}`), false);
  assert.equal(await isAllowed('UNKNOWN', sql`null, ${longAgo}`), true);
  assert.equal(await isAllowed('FAILED', sql`null, ${now}`), true);
});

test('a text to a number takes a slot of the contact who has it, and needs one', async () => {
  await setCaps([{ channels: ['sms'], max: 1, perDays: 1 }]);
  const { call, makeHttp } = texting(service);
  await makeHttp();
  const send = async (to: object): Promise<number> =>
    (await call('POST', '/channels/sms/send', 202, { body: 'x', ...to })).messageId;
  /** Starts what is due; the status of each, with the reason. */
  const start = async (...ids: number[]) => {
    await startAll(service, 1);
    const messages = await Promise.all(ids.map((id) => call('GET', `/channels/messages/${id}`, 200)));
    return messages.map(({ status, reason }) => [status, reason]);
  };
  const [went, capped] = [
    ['SENDING', null],
    ['SUPPRESSED', 'frequency_cap'],
  ];

  const one = await makeReachable();
  assert.deepEqual(await start(await send({ to: one.number })), [went]);
  assert.deepEqual(await start(await send({ recipientId: one.id }), await send({ to: one.number })), [capped, capped]);
  const { body } = await service.api('POST', '/channels/check', { contactId: one.id, channel: 'sms' });
  assert.equal(body.allowed, false);

  const other = await makeReachable();
  assert.deepEqual(await start(await send({ recipientId: other.id })), [went]);
  assert.deepEqual(await start(await send({ to: other.number })), [capped]);

  const third = await makeReachable();
  // Of two that wait, the first has its turn.
  assert.deepEqual(await start(await send({ to: third.number }), await send({ recipientId: third.id })), [
    went,
    capped,
  ]);

  // A number that no contact has is under no cap.
  const to = '+442079460123';
  await channels.consent(to);
  assert.deepEqual(await start(await send({ to }), await send({ to })), [went, went]);
});

const channel = fc.constantFrom(...CHANNELS);
const cap = fc.record({
  channels: fc.uniqueArray(channel, { minLength: 1 }),
  max: fc.integer({ min: 1, max: 3 }),
  perDays: fc.constantFrom(1, 7),
});
const byPriority = (units: readonly Unit[]) => units.toSorted((one, other) => other.priority - one.priority);

test('whatever arrives, a cap gives its slots by priority, then by order, and never more than it has', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(cap, { maxLength: 3, selector: ({ channels: of }) => of.toSorted().join() }),
      fc.array(fc.array(fc.tuple(channel, fc.integer({ min: 1, max: 9 })), { minLength: 1, maxLength: 5 }), {
        minLength: 1,
        maxLength: 3,
      }),
      fc.integer({ min: 1, max: 3 }),
      async (caps, arrivals, senders) => {
        await setCaps(caps);
        const { id } = await makeReachable();
        const went: Unit[] = [];
        for (const list of arrivals) {
          const units = unitsOf(id, list);
          await queueAll(service, units, templateId, '2 s');
          await startAll(service, senders);
          const after = new Map((await outcomes(service, units)).map((one) => [one.key, one]));
          const ranked = byPriority(units);
          const isSent = ({ key }: Unit) => after.get(key)!.status === 'SENDING';
          // The next ones are queued after these were sent.
          await channels.engine(
            sql`update emails set updated_at = updated_at - interval '1 hour' where contact_id = ${id}`,
          );
          await channels.engine(
            sql`update messages set started_at = started_at - interval '1 hour' where contact_id = ${id}`,
          );
          const sentBefore = [...went];
          went.push(...units.filter(isSent));
          for (const { channels: of, max } of caps)
            assert.ok(went.filter((unit) => of.includes(unit.channel)).length <= max, 'more than the cap');
          for (const [at, unit] of ranked.entries()) {
            const { status, reason } = after.get(unit.key)!;
            const concerned = caps.filter(({ channels: of }) => of.includes(unit.channel));
            const taken = (of: readonly Channel[], ahead: readonly Unit[]) =>
              [...sentBefore, ...ahead].filter((other) => of.includes(other.channel)).length;
            const ahead = ranked.slice(0, at);
            // With what is before it counted as sent it must have a slot, to be sure of it.
            if (concerned.every(({ channels: of, max }) => taken(of, ahead) < max)) assert.equal(status, 'SENDING');
            // And none if those that went before it have taken it.
            if (concerned.some(({ channels: of, max }) => taken(of, ahead.filter(isSent)) >= max)) {
              assert.equal(status, 'SUPPRESSED');
              if (reason === 'outranked')
                assert.ok(ahead.some((other) => isSent(other) && other.priority > unit.priority));
              else assert.equal(reason, 'frequency_cap');
            }
          }
        }
      },
    ),
    { numRuns: 30 },
  );
});
