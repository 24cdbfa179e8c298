import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { erasedKey } from '../../../domain/addresses/digest.ts';
import pg from 'pg';
import { rows, sql, tenantEm, type EntityManager } from '../../../db/orm.ts';
import { eraseChannels } from '../../../domain/channels/people/erase-channels.ts';
import { detachChannels, moveChannels } from '../../../domain/channels/people/move-channels.ts';
import { inboundTextsOf, inboundTextsTo } from '../../../domain/channels/people/reached.ts';
import { rowsWith } from '../../support/database/rows-with.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
let number = 0;
beforeAll(async () => {
  service = await startService({ worker: true });
});
afterAll(() => service.stop());

async function ok(...call: Parameters<Service['api']>) {
  const answer = await service.api(...call);
  assert.ok(answer.status < 300, `${call[0]} ${call[1]}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}
const query = <T = Record<string, unknown>>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  tenantEm(service.deps.orm, 'default').transactional((tx) => rows<T>(tx, statement));
const one = async <T>(statement: ReturnType<typeof sql>): Promise<T> => (await query<T>(statement))[0]!;

interface Person {
  id: number;
  email: string;
  phoneE164: string;
}
interface HeldMessage {
  id: number;
  channel: string;
  to: string | null;
  status: string;
  devices: { subscriptionId: number; status: string }[];
  clicks: { ip: string; userAgent: string }[];
}
const make = async (fields: object = {}): Promise<Person> => {
  number += 1;
  return ok('POST', '/contacts', {
    firstName: 'Ada',
    lastName: 'Byron',
    email: `channels${number}@example.com`,
    phone: `+4420794601${String(10 + number)}`,
    ...fields,
  });
};
const idOf = async (statement: ReturnType<typeof sql>): Promise<number> => (await one<{ id: number }>(statement)).id;

/** A text message and its send, which no sender takes yet. */
async function text(contactId: number | null, status: string, to: string | null = null): Promise<number> {
  const id = await idOf(sql`
    insert into messages (tenant_id, send_key, channel, category, contact_id, to_address, status, started_at, content, data)
    values ('default', ${randomUUID()}, 'sms', 'marketing', ${contactId}, ${to}, ${status}, case when ${status !== 'QUEUED'}::boolean then now() end,
      '{"body": "Dear Ada"}', '{"about": "Ada"}') returning id`);
  await query(sql`
    insert into message_sends (tenant_id, message_id, type, lane, status, provider_message_id, next_attempt_at)
    values ('default', ${id}, 'sms', 'transactional', ${status}, ${status === 'SENT' ? `SM${id}` : null}, now() + interval '1 hour')`);
  return id;
}
const received = (from: string, contactIds: number[], said = 'stop it, Ada'): Promise<number> =>
  idOf(sql`
    insert into inbound_texts (tenant_id, provider_id, provider_message_id, from_address, text, opt_out, contact_ids)
    values ('default', 1, ${randomUUID()}, ${from}, ${said}, 'no', ${contactIds}::bigint[]) returning id`);
const device = (contactId: number): Promise<number> =>
  idOf(sql`
    insert into push_subscriptions (tenant_id, type, contact_id, endpoint, digest, p256dh, auth)
    values ('default', 'webpush', ${contactId}, 'https://push.example.com/of-ada', ${randomUUID()}, 'a-secret-key', 'another-key') returning id`);
const decide = (address: string, status: string, byText = false): Promise<number> =>
  idOf(sql`
    insert into text_consents (tenant_id, address, status, source, by_text, text, ip)
    values ('default', ${address}, ${status}, 'form', ${byText}, 'Ada said so', '192.0.2.7') returning id`);
const click = (messageId: number) =>
  query(sql`
    insert into message_clicks (tenant_id, message_id, send_id, event_id, at, url, ip, user_agent, automated)
    values ('default', ${messageId}, 1, gen_random_uuid(), now(), 'https://example.com/a?of=ada', '192.0.2.7', 'of-ada', false)`);
const refuse = async (address: string, channel: string): Promise<number> => {
  const topic = await ok('POST', '/emails/topics', { name: randomUUID() });
  await query(
    sql`insert into topic_opt_outs (tenant_id, address, topic_id, channel) values ('default', ${address}, ${topic.id}, ${channel})`,
  );
  return topic.id as number;
};
const suppress = (channel: string, address: string, reason = 'unsubscribed') =>
  query(
    sql`insert into channel_suppressions (tenant_id, channel, address, reason, source) values ('default', ${channel}, ${address}, ${reason}, 'page')`,
  );
const suppressionOf = (address: string) =>
  one<object>(sql`select reason, source from channel_suppressions where address = ${address}`);
const prefer = (address: string, channel: string) =>
  query(
    sql`insert into channel_preferences (tenant_id, address, preferred_channel, quiet_hours) values ('default', ${address}, ${channel}, '{"from": "22:00", "to": "08:00", "timezone": "UTC"}')`,
  );
const erase = async ({ id }: Person) => {
  const job = await ok('POST', `/contacts/${id}/erase`);
  return until('the erasure is over', async () => {
    const erasure = await ok('GET', `/contacts/erasures/${job.id}`);
    return ['COMPLETED', 'FAILED'].includes(erasure.status) && erasure;
  });
};
const lastConsent = (address: string) =>
  one<object>(
    sql`select status, source, by_text as "byText" from text_consents where address = ${address} order by id desc limit 1`,
  );

test('a merge moves messages, received texts and devices; what the source refused is refused by the target', async () => {
  const [target, source, third] = [await make(), await make(), await make()];
  const sent = await text(source.id, 'SENT', source.phoneE164);
  const inbound = await received(source.phoneE164, [third.id, source.id]);
  const both = await received(source.phoneE164, [source.id, target.id]);
  const subscription = await device(source.id);
  const topic = await refuse(source.phoneE164, 'sms');
  const pushTopic = await refuse(source.email, 'push');
  await suppress('push', source.email);
  await prefer(source.email, 'sms');
  await decide(target.phoneE164, 'subscribed');
  await decide(source.phoneE164, 'unsubscribed', true);
  await ok('POST', `/contacts/${target.id}/merge`, { sourceId: source.id });

  assert.deepEqual(await one(sql`select contact_id, to_address from messages where id = ${sent}`), {
    contact_id: target.id,
    to_address: source.phoneE164,
  });
  assert.deepEqual(
    await query(
      sql`select to_jsonb(contact_ids) as contact_ids from inbound_texts where id in (${inbound}, ${both}) order by id`,
    ),
    [{ contact_ids: [third.id, target.id] }, { contact_ids: [target.id] }],
  );
  assert.deepEqual(await one(sql`select contact_id from push_subscriptions where id = ${subscription}`), {
    contact_id: target.id,
  });
  assert.deepEqual(
    await query(
      sql`select address, topic_id, channel from topic_opt_outs where address in (${target.email}, ${target.phoneE164}) order by topic_id`,
    ),
    [
      { address: target.phoneE164, topic_id: topic, channel: 'sms' },
      { address: target.email, topic_id: pushTopic, channel: 'push' },
    ],
  );
  assert.deepEqual(
    await query(
      sql`select reason, source from channel_suppressions where channel = 'push' and address = ${target.email}`,
    ),
    [{ reason: 'unsubscribed', source: 'merge' }],
  );
  assert.deepEqual(await one(sql`select preferred_channel from channel_preferences where address = ${target.email}`), {
    preferred_channel: 'sms',
  });
  assert.deepEqual(await lastConsent(target.phoneE164), { status: 'unsubscribed', source: 'merge', byText: true });
});

test('a merge gives no consent, repeats no opt-out, and leaves what the target chose', async () => {
  const [target, source, other] = [await make(), await make(), await make()];
  await decide(source.phoneE164, 'subscribed');
  await prefer(target.email, 'email');
  await prefer(source.email, 'push');
  await ok('POST', `/contacts/${target.id}/merge`, { sourceId: source.id });
  assert.equal(await lastConsent(target.phoneE164), undefined, 'a consent is for a number');
  assert.deepEqual(await one(sql`select preferred_channel from channel_preferences where address = ${target.email}`), {
    preferred_channel: 'email',
  });
  await decide(target.phoneE164, 'unsubscribed');
  await decide(other.phoneE164, 'unsubscribed');
  await ok('POST', `/contacts/${target.id}/merge`, { sourceId: other.id });
  assert.deepEqual(await lastConsent(target.phoneE164), { status: 'unsubscribed', source: 'form', byText: false });
});

test('a merge that opts a number out tells so, of each contact that has it, and once', async () => {
  const [target, source, second] = [await make(), await make(), await make()];
  const twin = await make({ phone: target.phoneE164 });
  for (const { phoneE164 } of [source, second]) await decide(phoneE164, 'unsubscribed');
  for (const { id: sourceId } of [source, second]) await ok('POST', `/contacts/${target.id}/merge`, { sourceId });
  const toldOf = async ({ id }: Person) =>
    (await ok('GET', `/contacts/${id}/activities`)).data
      .filter(({ type }: { type: string }) => type === 'CHANNEL_UNSUBSCRIBED')
      .map(({ data }: { data: { channel: string; reason: string } }) => `${data.channel} ${data.reason}`);
  // By the time of the later one, the second merge has told all that it tells.
  const later = await make();
  await ok('PUT', '/channels/preferences', { contactId: later.id, channels: { sms: { consent: 'unsubscribed' } } });
  await until('the later one is told', async () => (await toldOf(later)).length === 1);
  for (const each of [target, twin]) assert.deepEqual(await toldOf(each), ['sms merge']);
});

test('of preferences, a merge gives the target each that it does not have', async () => {
  const span = (from: string) => ({ from, to: '08:00', timezone: 'UTC' });
  const preferences = async ({ id }: Person) => {
    const { quietHours, preferredChannel } = await ok('GET', `/channels/preferences?contactId=${id}`);
    return { quietHours, preferredChannel };
  };
  for (const [own, given, merged] of [
    [
      { preferredChannel: 'email' },
      { quietHours: span('22:00') },
      { quietHours: span('22:00'), preferredChannel: 'email' },
    ],
    [
      { quietHours: span('21:00') },
      { preferredChannel: 'sms' },
      { quietHours: span('21:00'), preferredChannel: 'sms' },
    ],
    [
      { quietHours: span('20:00') },
      { quietHours: span('23:00'), preferredChannel: 'push' },
      { quietHours: span('20:00'), preferredChannel: 'push' },
    ],
  ]) {
    const [target, source] = [await make(), await make()];
    await ok('PUT', '/channels/preferences', { contactId: target.id, ...own });
    await ok('PUT', '/channels/preferences', { contactId: source.id, ...given });
    await ok('POST', `/contacts/${target.id}/merge`, { sourceId: source.id });
    assert.deepEqual(await preferences(target), merged);
  }
  // What an earlier erasure has left of the target's address is the target's too.
  const [target, source] = [await make(), await make()];
  await prefer(erasedKey('default', target.email), 'email');
  await prefer(source.email, 'sms');
  await ok('POST', `/contacts/${target.id}/merge`, { sourceId: source.id });
  assert.equal((await preferences(target)).preferredChannel, 'email');
});

test('of two suppressions, a merge leaves the stricter one', async () => {
  for (const [own, given, left] of [
    ['manual', 'complained', { reason: 'complained', source: 'merge' }],
    ['invalid', 'unsubscribed', { reason: 'invalid', source: 'page' }],
  ] as const) {
    const [target, source] = [await make(), await make()];
    await suppress('push', target.email, own);
    await suppress('push', source.email, given);
    await suppress('push', erasedKey('default', source.email), 'manual');
    await ok('POST', `/contacts/${target.id}/merge`, { sourceId: source.id });
    assert.deepEqual(await suppressionOf(target.email), left);
  }
  const [target, source] = [await make(), await make()];
  await suppress('push', source.email, 'manual');
  await suppress('push', erasedKey('default', source.email), 'invalid');
  await ok('POST', `/contacts/${target.id}/merge`, { sourceId: source.id });
  assert.deepEqual(await suppressionOf(target.email), { reason: 'invalid', source: 'merge' });
});

test('of two suppressions of one address, a second erasure leaves the stricter one', async () => {
  for (const [kept, later, left] of [
    ['invalid', 'unsubscribed', 'invalid'],
    ['manual', 'complained', 'complained'],
  ]) {
    const person = await make();
    for (const [channel, address] of [
      ['sms', person.phoneE164],
      ['push', person.email],
    ] as const) {
      await suppress(channel, erasedKey('default', address), kept);
      await suppress(channel, address, later);
    }
    const { certificate } = await erase(person);
    assert.equal(certificate.erased.channelSuppressions, 2);
    for (const address of [person.phoneE164, person.email])
      assert.deepEqual(await suppressionOf(erasedKey('default', address)), { reason: left, source: 'page' });
  }
});

test('a second erasure of an address leaves the stricter of its suppressions for email, too', async () => {
  for (const [kept, later, left] of [
    ['manual', 'complained', 'complained'],
    ['bounced', 'unsubscribed', 'bounced'],
  ]) {
    const person = await make();
    const key = erasedKey('default', person.email);
    await query(sql`
      insert into suppressions (tenant_id, email_key, reason, source)
      values ('default', ${key}, ${kept}, null), ('default', ${person.email}, ${later}, 'page')`);
    await erase(person);
    assert.deepEqual(
      await query(sql`select reason, source from suppressions where email_key in (${key}, ${person.email})`),
      [{ reason: left, source: null }],
    );
  }
});

test('choices go along when an email address changes', async () => {
  const person = await make();
  const topic = await refuse(person.email, 'push');
  await suppress('push', person.email);
  await prefer(person.email, 'push');
  await ok('PUT', `/contacts/${person.id}`, { firstName: 'Ada', lastName: 'B', email: 'moved-along@example.com' });
  for (const table of ['topic_opt_outs', 'channel_suppressions', 'channel_preferences'])
    assert.equal(
      (await query(sql`select 1 from ${sql.table(table)} where address = 'moved-along@example.com'`)).length,
      1,
      table,
    );
  assert.ok(topic > 0);
});

test('a deleted contact gets nothing more, its devices are nobody’s, and it is taken from received texts', async () => {
  const [person, other] = [await make(), await make()];
  const inbound = [
    await received(person.phoneE164, [person.id]),
    await received(person.phoneE164, [other.id, person.id]),
  ];
  const [queued, sending, sent] = [
    await text(person.id, 'QUEUED'),
    await text(person.id, 'SENDING'),
    await text(person.id, 'SENT'),
  ];
  const subscription = await device(person.id);
  await ok('DELETE', `/contacts/${person.id}`);
  assert.deepEqual(
    await query(sql`
      select m.id, m.status, s.status as send, m.reason from messages m join message_sends s on s.message_id = m.id
      where m.id in (${queued}, ${sending}, ${sent}) order by m.id`),
    [
      { id: queued, status: 'SUPPRESSED', send: 'SUPPRESSED', reason: 'contact_deleted' },
      { id: sending, status: 'SENDING', send: 'SENDING', reason: null },
      { id: sent, status: 'SENT', send: 'SENT', reason: null },
    ],
  );
  assert.deepEqual(await one(sql`select contact_id, status from push_subscriptions where id = ${subscription}`), {
    contact_id: null,
    status: 'active',
  });
  assert.deepEqual((await ok('GET', `/channels/inbound?contactId=${person.id}`)).data, []);
  const { data } = await ok('GET', '/channels/inbound?limit=100');
  assert.deepEqual(
    inbound.map((id) => data.find((each: { id: number }) => each.id === id).contactIds),
    [[], [other.id]],
  );
});

test('the export of a person has what channels keep, without keys', async () => {
  const person = await make();
  const sent = await text(person.id, 'SENT', person.phoneE164);
  await click(sent);
  const push = await idOf(sql`
    insert into messages (tenant_id, send_key, channel, category, contact_id, status)
    values ('default', ${randomUUID()}, 'push', 'marketing', ${person.id}, 'DELIVERED') returning id`);
  const subscription = await device(person.id);
  await query(sql`
    insert into message_sends (tenant_id, message_id, type, lane, status, subscription_id)
    values ('default', ${push}, 'webpush', 'bulk', 'DELIVERED', ${subscription})`);
  await received(person.phoneE164, [person.id]);
  await decide(person.phoneE164, 'unsubscribed', true);
  await suppress('sms', person.phoneE164);
  await suppress('push', erasedKey('default', person.email));
  await prefer(person.email, 'sms');
  const topic = await refuse(person.phoneE164, 'sms');
  const held = await ok('GET', `/contacts/${person.id}/data-export`);
  assert.deepEqual(
    held.messages.map(({ id, channel, to, status, devices, clicks }: HeldMessage) => ({
      id,
      channel,
      to,
      status,
      devices: devices.map((d) => [d.subscriptionId, d.status]),
      clicks: clicks.map((c) => [c.ip, c.userAgent]),
    })),
    [
      {
        id: sent,
        channel: 'sms',
        to: person.phoneE164,
        status: 'SENT',
        devices: [],
        clicks: [['192.0.2.7', 'of-ada']],
      },
      { id: push, channel: 'push', to: null, status: 'DELIVERED', devices: [[subscription, 'DELIVERED']], clicks: [] },
    ],
  );
  assert.equal(held.inboundTexts[0].text, 'stop it, Ada');
  assert.equal(held.pushSubscriptions[0].endpoint, 'https://push.example.com/…of-ada');
  assert.doesNotMatch(JSON.stringify(held), /a-secret-key|another-key/);
  assert.deepEqual([held.textConsents[0].status, held.textConsents[0].text], ['unsubscribed', 'Ada said so']);
  assert.deepEqual(
    held.channelSuppressions.map(({ channel }: { channel: string }) => channel),
    ['sms', 'push'],
  );
  assert.equal(held.channelPreferences[0].preferredChannel, 'sms');
  assert.deepEqual([held.topicOptOuts[0].topicId, held.topicOptOuts[0].channel], [topic, 'sms']);
});

test('the export has what an erasure finds by the number, and nothing of others', async () => {
  const [person, other] = [await make(), await make()];
  const bare = await text(null, 'SENT', person.phoneE164);
  const early = await received(person.phoneE164, [], 'Hello, it is me');
  const shared = await received(person.phoneE164, [person.id, other.id]);
  // The other contact had the number before.
  await text(other.id, 'SENT', person.phoneE164);
  await received(person.phoneE164, [other.id]);
  const deleted = await make();
  const former = await text(deleted.id, 'SENT', person.phoneE164);
  await ok('DELETE', `/contacts/${deleted.id}`);
  const idsOf = (list: { id: number }[]) => list.map(({ id }) => id);
  const held = await ok('GET', `/contacts/${person.id}/data-export`);
  assert.deepEqual(idsOf(held.messages), [bare, former]);
  assert.deepEqual(idsOf(held.inboundTexts), [early, shared]);
  const { messages, inboundTexts } = await ok('GET', `/contacts/${other.id}/data-export`);
  assert.deepEqual([messages.length, inboundTexts.length], [1, 2]);
  assert.deepEqual((await erase(person)).status, 'COMPLETED');
});

test('an erasure leaves of a person only what it decided, as digests', async () => {
  const person = await make();
  const former = await make();
  await decide(former.phoneE164, 'unsubscribed');
  await ok('POST', `/contacts/${person.id}/merge`, { sourceId: former.id });
  const sent = await text(person.id, 'SENT', person.phoneE164);
  await click(sent);
  await query(
    sql`insert into message_links (code, tenant_id, message_id, send_id, position, url) values ('abcdefghij', 'default', ${sent}, 1, 1, 'https://example.com/a?of=ada')`,
  );
  const queued = await text(person.id, 'QUEUED');
  const inDoubt = await text(null, 'QUEUED', person.phoneE164);
  await query(sql`update message_sends set bound_provider_id = 1 where message_id = ${inDoubt}`);
  const bare = await text(null, 'SENT', person.phoneE164);
  await received(person.phoneE164, [person.id]);
  await received(person.phoneE164, []);
  await device(person.id);
  await suppress('sms', person.phoneE164);
  await suppress('push', person.email);
  await suppress('sms', erasedKey('default', person.phoneE164));
  await prefer(person.email, 'sms');
  const topic = await refuse(person.phoneE164, 'sms');
  const { status, certificate } = await erase(person);
  assert.equal(status, 'COMPLETED');
  const { erased } = certificate;
  assert.deepEqual(
    [erased.messages, erased.messageLinks, erased.messageClicks, erased.inboundTexts, erased.pushSubscriptions],
    [4, 1, 1, 2, 1],
  );
  // One of each number, and that of the merge.
  assert.deepEqual([erased.channelSuppressions, erased.textConsents, erased.channelPreferences], [2, 2, 1]);
  assert.deepEqual(
    await query(sql`
      select m.id, m.status, m.reason, m.to_address, m.content, m.data, s.status as send, s.provider_message_id
      from messages m join message_sends s on s.message_id = m.id where m.id in (${sent}, ${queued}, ${inDoubt}, ${bare}) order by m.id`),
    [
      [sent, 'SENT'],
      [queued, 'SUPPRESSED'],
      // A provider may have accepted it.
      [inDoubt, 'UNKNOWN'],
      [bare, 'SENT'],
    ].map(([id, state]) => ({
      id,
      status: state,
      reason: 'erased',
      to_address: null,
      content: null,
      data: null,
      send: state,
      provider_message_id: null,
    })),
  );
  for (const address of [person.phoneE164, former.phoneE164])
    assert.deepEqual(await lastConsent(erasedKey('default', address)), {
      status: 'unsubscribed',
      source: address === person.phoneE164 ? 'merge' : 'form',
      byText: false,
    });
  assert.deepEqual(await query(sql`select channel, address from topic_opt_outs where topic_id = ${topic}`), [
    { channel: 'sms', address: erasedKey('default', person.phoneE164) },
  ]);
  const trace = new RegExp(`${person.email}|${person.phoneE164.slice(1)}|${former.phoneE164.slice(1)}`);
  assert.deepEqual(await rowsWith(service.slot.env['DATABASE_MIGRATION_URL']!, trace), []);
});

const former = async ({ id }: Person) =>
  (await query<{ address: string }>(sql`select address from former_addresses where contact_id = ${id} order by 1`)).map(
    ({ address }) => address,
  );

test('what the addresses decided that a person had before is shown to it and erased', async () => {
  const [person, merged] = [await make(), await make()];
  const [email, number, mergedNumber] = [person.email, person.phoneE164, merged.phoneE164];
  for (const each of [number, mergedNumber]) {
    await decide(each, 'unsubscribed');
    await suppress('sms', each);
    await query(sql`insert into opt_out_notices (tenant_id, address, at) values ('default', ${each}, now())`);
  }
  const topics = [await refuse(number, 'sms'), await refuse(email, 'push'), await refuse(mergedNumber, 'sms')];
  await suppress('push', email);
  await prefer(email, 'push');
  await query(
    sql`insert into suppressions (tenant_id, email_key, reason, source) values ('default', ${email}, 'manual', 'said Ada')`,
  );
  await ok('PUT', `/contacts/${merged.id}`, { phone: '+442079460197' });
  await ok('PUT', `/contacts/${person.id}`, { email: 'not-that-one@example.com', phone: '+442079460198' });
  await ok('POST', `/contacts/${person.id}/merge`, { sourceId: merged.id });
  const had = [number, mergedNumber, '+442079460197', email, merged.email].sort();
  assert.deepEqual(await former(person), had);

  const held = await ok('GET', `/contacts/${person.id}/data-export`);
  assert.deepEqual(held.formerAddresses.map(({ address }: { address: string }) => address).sort(), had);
  assert.deepEqual(
    [held.textConsents, held.channelSuppressions, held.suppressions].map((list: object[]) => list.length),
    [2, 4, 1],
  );
  assert.deepEqual(held.topicOptOuts.map(({ topicId }: { topicId: number }) => topicId).sort(), topics.sort());
  assert.equal(held.textConsents[0].text, 'Ada said so');

  const { status, certificate } = await erase(person);
  assert.deepEqual([status, certificate.erased.formerAddresses], ['COMPLETED', 5]);
  const trace = new RegExp(`${email}|${merged.email}|${number.slice(1)}|${mergedNumber.slice(1)}|442079460197`);
  assert.deepEqual(await rowsWith(service.slot.env['DATABASE_MIGRATION_URL']!, trace), []);
  for (const each of [number, mergedNumber])
    assert.deepEqual(
      await query(sql`select status, text, ip from text_consents where address = ${erasedKey('default', each)}`),
      [{ status: 'unsubscribed', text: null, ip: null }],
    );
  assert.deepEqual(
    await query(sql`select reason, source from suppressions where email_key = ${erasedKey('default', email)}`),
    [{ reason: 'manual', source: null }],
  );
});

test('what is known of a former address stays if another contact has it now', async () => {
  const [person, other] = [await make(), await make()];
  await decide(person.phoneE164, 'unsubscribed');
  await suppress('push', person.email);
  await ok('PUT', `/contacts/${person.id}`, { email: 'moved-out@example.com', phone: null });
  await ok('PUT', `/contacts/${other.id}`, { email: person.email, phone: person.phoneE164 });
  const held = await ok('GET', `/contacts/${person.id}/data-export`);
  assert.deepEqual([held.textConsents, held.channelSuppressions.length], [[], 1]);
  await erase(person);
  assert.equal(
    (await one<{ text: string }>(sql`select text from text_consents where address = ${person.phoneE164}`)).text,
    'Ada said so',
  );
  assert.equal((await query(sql`select 1 from channel_suppressions where address = ${person.email}`)).length, 1);
  assert.equal((await ok('GET', `/contacts/${other.id}`)).email, person.email);
  assert.deepEqual(
    await query(
      sql`select 1 from erased_addresses where hash = ${erasedKey('default', person.email).slice('erased:'.length)}`,
    ),
    [],
    'an import may still update the other contact',
  );
});

test('the numbers that texts came from before their contacts changed were noted are found', async () => {
  const person = await make();
  await decide(person.phoneE164, 'unsubscribed');
  await received(person.phoneE164, [person.id]);
  await ok('PUT', `/contacts/${person.id}`, { phone: null });
  await query(sql`delete from former_addresses where contact_id = ${person.id}`);
  await erase(person);
  assert.equal(await lastConsent(person.phoneE164), undefined);
});

test('former addresses are kept whatever changes a contact, and nothing is kept of one that keeps its own', async () => {
  const [inBatch, imported] = [await make(), await make()];
  const upsert = (fields: object) => ok('POST', '/contacts/batch', { mode: 'upsert', contacts: [fields] });
  const importCsv = async (csv: string) => {
    const form = new FormData();
    form.set('file', new Blob([csv]), 'people.csv');
    const job = await ok('POST', '/contacts/import', form);
    await until(
      'the import is over',
      async () => (await ok('GET', `/contacts/imports/${job.id}`)).status === 'COMPLETED',
    );
  };
  await upsert({ email: inBatch.email, phone: inBatch.phoneE164, jobTitle: 'Miller' });
  await importCsv(`email,phone,jobTitle\n${imported.email},${imported.phoneE164},Miller\n`);
  assert.deepEqual([await former(inBatch), await former(imported)], [[], []]);
  await upsert({ email: inBatch.email, phone: '+442079460196' });
  await importCsv(`email,phone\n${imported.email},+442079460195\n`);
  assert.deepEqual([await former(inBatch), await former(imported)], [[inBatch.phoneE164], [imported.phoneE164]]);
});

test('nothing goes to a contact from the request of its erasure on', async () => {
  const person = await make();
  await decide(person.phoneE164, 'subscribed');
  await device(person.id);
  const { id: templateId } = await ok('POST', '/emails/templates', {
    ...{ name: 'Receipt', subject: 'Yours', content: '<p>Yours</p>', category: 'transactional' },
  });
  const waiting = await text(person.id, 'QUEUED');
  const refusals = async () => {
    const { gates: ofWaiting } = await ok('GET', `/channels/messages/${waiting}/explain`);
    const { emailId } = await ok('POST', '/emails/send', { templateId, recipientId: person.id });
    const { status, reason } = await ok('GET', `/emails/${emailId}`);
    const checked = [];
    for (const channel of ['email', 'sms', 'push']) {
      const { gates } = await ok('POST', '/channels/check', {
        ...{ contactId: person.id, channel, category: 'transactional' },
      });
      checked.push(gates);
    }
    return [
      ...[ofWaiting, ...checked].map((gates) => {
        const { gate, passed, reason: why } = gates.at(-1);
        return passed ? 'passed' : `${gate} ${why}`;
      }),
      status === 'SUPPRESSED' ? reason : 'passed',
    ];
  };
  const erasure = await idOf(
    sql`insert into erasures (tenant_id, contact_id, status, certificate) values ('default', ${person.id}, 'RUNNING', '{}') returning id`,
  );
  assert.deepEqual(await refusals(), [...Array<string>(4).fill('contact contact_erased'), 'contact_erased']);
  await query(sql`update erasures set status = 'FAILED' where id = ${erasure}`);
  const later = await refusals();
  assert.ok(!later.some((each) => each.includes('contact_erased')), later.join());
});

test('what is known of a number stays as long as another contact has it', async () => {
  const [person, other] = [await make(), await make()];
  await ok('PUT', `/contacts/${other.id}`, {
    firstName: 'Bob',
    lastName: 'B',
    email: other.email,
    phone: person.phoneE164,
  });
  await decide(person.phoneE164, 'unsubscribed');
  await suppress('sms', person.phoneE164);
  const inbound = await received(person.phoneE164, [person.id, other.id]);
  const sent = await text(person.id, 'SENT', person.phoneE164);
  const theirs = await text(other.id, 'SENT', person.phoneE164);
  await erase(person);
  assert.deepEqual(
    await one(sql`select to_jsonb(contact_ids) as contact_ids, text from inbound_texts where id = ${inbound}`),
    {
      contact_ids: [other.id],
      text: 'stop it, Ada',
    },
  );
  assert.deepEqual(await query(sql`select id, to_address from messages where id in (${sent}, ${theirs}) order by id`), [
    { id: sent, to_address: null },
    { id: theirs, to_address: person.phoneE164 },
  ]);
  assert.deepEqual(await lastConsent(person.phoneE164), { status: 'unsubscribed', source: 'form', byText: false });
  assert.equal(
    (await query(sql`select 1 from channel_suppressions where channel = 'sms' and address = ${person.phoneE164}`))
      .length,
    1,
  );
});

test('who is deleted, merged or listed has its received texts found, and not all of the tenant read', async () => {
  const [person, other] = [await make(), await make()];
  await query(sql`
    insert into inbound_texts (tenant_id, provider_id, provider_message_id, from_address, text, opt_out, contact_ids)
    select 'default', 1, gen_random_uuid(), '+442079460000', 'Hi', 'no', array[${other.id}::bigint] from generate_series(1, 5000)`);
  const owner = new pg.Client({ connectionString: service.slot.env['DATABASE_MIGRATION_URL']! });
  await owner.connect();
  await owner.query('analyze inbound_texts');
  await owner.end();
  const readBy = (work: (tx: EntityManager) => Promise<unknown>) =>
    tenantEm(service.deps.orm, 'default').transactional(async (tx) => {
      await work(tx);
      const [{ read } = { read: NaN }] = await rows<{ read: number }>(
        tx,
        sql`select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables where relname = 'inbound_texts'`,
      );
      return read;
    });
  const reached = { contactIds: [person.id], numbers: [person.phoneE164], numberDigests: [], digests: [] };
  for (const [what, work] of Object.entries({
    list: (tx) =>
      rows(tx, sql`select 1 from inbound_texts where tenant_id = 'default' and ${inboundTextsTo([person.id])}`),
    export: (tx) =>
      rows(tx, sql`select 1 from inbound_texts where tenant_id = 'default' and ${inboundTextsOf(reached)}`),
    merge: (tx) => moveChannels(tx, 'default', { from: person.id, to: other.id }),
    delete: (tx) => detachChannels(tx, 'default', [person.id]),
    erase: (tx) => eraseChannels(tx, 'default', reached),
  } satisfies Record<string, (tx: EntityManager) => Promise<unknown>>)) {
    await received(person.phoneE164, [person.id]);
    const read = await readBy(work);
    assert.ok(read > 0 && read < 100, `${what}: ${read}`);
  }
});
