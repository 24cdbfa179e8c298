import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { sql } from '../../../db/orm.ts';
import { channelsOf } from '../../support/channels.ts';
import { makeTemplate } from '../../support/mail/emails.ts';
import { problemsOf } from '../../support/accounts.ts';
import { outcomes, queueAll, startAll, type Unit } from '../../support/start-all.ts';
import { startService, type Service } from '../../support/service.ts';

let service: Service;
let channels: ReturnType<typeof channelsOf>;
beforeAll(async () => {
  service = await startService();
  channels = channelsOf(service);
});
afterAll(() => service.stop());

interface Gate {
  gate: string;
  passed: boolean;
  reason: string | null;
}
async function check(body: object) {
  const answer = await service.api('POST', '/channels/check', body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const { allowed, gates, opensAt } = answer.body as { allowed: boolean; gates: Gate[]; opensAt: string | null };
  const last = gates.at(-1)!;
  assert.ok(gates.slice(0, -1).every(({ passed }) => passed));
  assert.equal(last.passed, allowed);
  return [allowed, last.gate, last.reason, opensAt] as const;
}
const NOON = '2030-06-03T12:00:00.000Z';

test('the check tells the gate that stops a message, by channel', async () => {
  const { id, number } = await channels.makePerson({ timezone: 'UTC' });
  const text = { contactId: id, channel: 'sms', at: NOON };
  assert.deepEqual(await check(text), [false, 'status', 'no_consent', null]);
  assert.deepEqual(await check({ ...text, category: 'transactional' }), [true, 'send_window', null, null]);
  await channels.consent(number);
  assert.deepEqual(await check(text), [true, 'send_window', null, null]);
  const night = { ...text, at: '2030-06-03T22:00:00.000Z' };
  const eight = '2030-06-04T08:00:00.000Z';
  assert.deepEqual(await check(night), [false, 'send_window', `opens_${eight}`, eight]);
  await service.api('PUT', '/channels/settings', { maxHoldHours: 9 });
  assert.deepEqual(await check(night), [false, 'send_window', 'expired', null]);
  await service.api('PUT', '/channels/settings', { maxHoldHours: 24 });
  assert.deepEqual(await check({ contactId: id, channel: 'push' }), [false, 'address', 'no_subscription', null]);
  assert.deepEqual(await check({ contactId: id, channel: 'email' }), [true, 'send_window', null, null]);

  const topicId = (await service.api('POST', '/emails/topics', { name: 'News' })).body.id as number;
  await channels.engine(
    sql`insert into topic_opt_outs (tenant_id, address, topic_id, channel) values ('default', ${number}, ${topicId}, 'sms')`,
  );
  assert.deepEqual(await check({ ...text, topicId }), [false, 'topic', 'topic_off', null]);
  assert.deepEqual(await check({ contactId: id, channel: 'email', topicId }), [true, 'send_window', null, null]);
  const template = await service.api('POST', '/channels/templates', { name: 'T', channel: 'sms', body: 'Hi', topicId });
  assert.deepEqual(await check({ ...text, templateId: template.body.id }), [false, 'topic', 'topic_off', null]);
  await channels.suppress('sms', number, 'manual');
  assert.deepEqual(await check(text), [false, 'suppression', 'address_manual', null]);
});

test('an email has the category of its template, and a text template with the same id says nothing about it', async () => {
  const { id } = await channels.makePerson();
  await channels.engine(sql`
    insert into channel_preferences (tenant_id, address, quiet_hours)
    select tenant_id, email_key, '{"from":"11:00","to":"13:00","timezone":"UTC"}' from contacts where id = ${id}`);
  const asked = { contactId: id, channel: 'email', at: NOON };
  const opens = '2030-06-03T13:00:00.000Z';
  assert.deepEqual(await check(asked), [false, 'send_window', `opens_${opens}`, opens]);
  const make = async (category: string): Promise<number> => {
    const template = { name: category, subject: 'Hi', content: '<p>Hi</p>', category };
    const templateId = (await service.api('POST', '/emails/templates', template)).body.id as number;
    await channels.engine(sql`
      insert into channel_templates (id, tenant_id, name, channel, category, body) values (${templateId}, 'default', 'Same id', 'sms', 'marketing', 'Hi')
      on conflict (id) do update set category = 'marketing'`);
    return templateId;
  };
  const [transactional, marketing] = [await make('transactional'), await make('marketing')];
  assert.deepEqual(await check({ ...asked, templateId: transactional }), [true, 'send_window', null, null]);
  const named = { ...asked, templateId: transactional, category: 'marketing' };
  assert.deepEqual(await check(named), [true, 'send_window', null, null]);
  await channels.engine(sql`update contacts set status = 'unsubscribed' where id = ${id}`);
  assert.deepEqual(await check({ ...asked, templateId: marketing, category: 'transactional' }), [
    ...[false, 'status', 'contact_unsubscribed', null],
  ]);
  // Their ids are not those of the sequence.
  await channels.engine(sql`delete from channel_templates where name = 'Same id'`);
});

test('caps count what other channels have sent, and nothing is changed by asking', async () => {
  const { id, number } = await channels.makePerson({ timezone: 'UTC' });
  await channels.consent(number);
  await service.api('PUT', '/channels/settings', { caps: [{ channels: ['email', 'sms'], max: 1, perDays: 7 }] });
  const text = { contactId: id, channel: 'sms', at: NOON };
  assert.deepEqual(await check(text), [true, 'send_window', null, null]);
  const templateId = await makeTemplate(service);
  assert.equal((await service.api('POST', '/emails/send', { templateId, recipientId: id })).status, 202);
  assert.deepEqual(await check(text), [false, 'frequency_cap', 'frequency_cap', null]);
  assert.deepEqual(await check({ ...text, category: 'transactional' }), [true, 'send_window', null, null]);
  await channels.engine(
    sql`update emails set status = 'SENT', sent_at = now() - interval '8 days' where contact_id = ${id}`,
  );
  assert.deepEqual(await check(text), [true, 'send_window', null, null]);
  assert.deepEqual(await channels.engine(sql`select 1 from messages where contact_id = ${id}`), []);
  await service.api('PUT', '/channels/settings', { caps: [] });
});

test('what does not exist is named', async () => {
  const { id } = await channels.makePerson();
  const gone = 999_999_999;
  const answer = await service.api('POST', '/channels/check', { contactId: gone, channel: 'sms', templateId: gone });
  assert.deepEqual([answer.status, problemsOf(answer)], [404, ['/contactId not_found', '/templateId not_found']]);
  const topic = await service.api('POST', '/channels/check', { contactId: id, channel: 'sms', topicId: gone });
  assert.deepEqual([topic.status, problemsOf(topic)], [400, ['/topicId not_found']]);
  // A template of another channel is none of this one.
  const template = await service.api('POST', '/channels/templates', {
    name: 'T',
    channel: 'push',
    body: 'Hi',
    title: 'T',
  });
  const other = await service.api('POST', '/channels/check', {
    contactId: id,
    channel: 'sms',
    templateId: template.body.id,
  });
  assert.equal(other.status, 404);
  assert.equal((await service.api('GET', `/channels/messages/${gone}/explain`)).status, 404);
});

test('explain tells of a message which gates it passed, and where it stopped', async () => {
  const { id, number } = await channels.makePerson({ timezone: 'UTC' });
  const [message] = await channels.engine<{ id: number }>(
    sql`insert into messages (tenant_id, send_key, channel, category, contact_id, content) values ('default', 'explained', 'sms', 'marketing', ${id}, '{"body": "x"}') returning id`,
  );
  const explained = async () => {
    const { status, body } = await service.api('GET', `/channels/messages/${message!.id}/explain`);
    assert.equal(status, 200, JSON.stringify(body));
    const { gate, passed, reason } = body.gates.at(-1);
    return [body.status, gate, passed, reason];
  };
  assert.deepEqual(await explained(), ['QUEUED', 'status', false, 'no_consent']);
  await channels.consent(number);
  await service.api('PUT', '/channels/settings', { sendWindows: { sms: null } });
  assert.deepEqual(await explained(), ['QUEUED', 'send_window', true, null]);
  const set = (status: string, reason: string | null) =>
    channels.engine(sql`update messages set status = ${status}, reason = ${reason} where id = ${message!.id}`);
  await set('SUPPRESSED', 'outranked');
  assert.deepEqual(await explained(), ['SUPPRESSED', 'priority', false, 'outranked']);
  await set('FAILED', 'rejected');
  assert.deepEqual(await explained(), ['FAILED', 'provider', false, 'rejected']);
  await set('DELIVERED', null);
  assert.deepEqual(await explained(), ['DELIVERED', 'delivery', true, null]);
});

test('what the check says is what then happens, a thousand times', async () => {
  const PEOPLE = 1000;
  const templateId = await makeTemplate(service);
  // Windows open and close half an hour from now, or hours apart from that: not while this runs.
  const minute = String((new Date().getUTCMinutes() + 30) % 60).padStart(2, '0');
  const window = { from: `08:${minute}`, to: `20:${minute}`, timezone: 'contact' };
  const caps = [{ channels: ['email', 'sms', 'push'], max: 2, perDays: 7 }];
  const settings = { caps, sendWindows: { sms: window, push: { ...window, from: `11:${minute}` } }, maxHoldHours: 12 };
  assert.equal((await service.api('PUT', '/channels/settings', settings)).status, 200);
  // Every state of a contact that the gates ask for, in turns that differ by their length.
  const people = await channels.engine<{ id: number; n: number }>(sql`
    with people as (
      insert into contacts (tenant_id, first_name, last_name, email, email_key, phone_e164, status, timezone)
      select 'default', 'A', 'B', 'check' || n || '@example.net', 'check' || n || '@example.net', case when n % 11 > 0 then '+1303555' || lpad(n::text, 4, '0') end,
        case n % 7 when 0 then 'unsubscribed' when 1 then 'bounced' when 2 then 'archived' else 'active' end,
        case n % 5 when 0 then null when 1 then 'Asia/Tokyo' when 2 then 'Europe/Berlin' when 3 then 'America/New_York' else 'Pacific/Auckland' end
      from generate_series(1, ${PEOPLE}::int) n
      returning tenant_id, id, email_key, phone_e164, substring(email_key from '[0-9]+')::int as n
    ), consents as (
      insert into text_consents (tenant_id, address, status, source)
      select tenant_id, phone_e164, case when n % 13 = 0 then 'unsubscribed' else 'subscribed' end, 'test' from people where phone_e164 is not null and n % 17 > 0
    ), suppressed as (
      insert into channel_suppressions (tenant_id, channel, address, reason, source)
      select tenant_id, 'sms', phone_e164, case when n % 3 = 0 then 'invalid' else 'manual' end, 'test' from people where phone_e164 is not null and n % 19 = 0
      union all select tenant_id, 'push', email_key, 'unsubscribed', 'test' from people where n % 23 = 0
    ), devices as (
      insert into push_subscriptions (tenant_id, type, contact_id, endpoint, digest)
      select tenant_id, 'fcm', id, 'x', md5('check' || n) from people where n % 9 > 0
    ), had as (
      insert into messages (tenant_id, send_key, channel, category, contact_id, status, started_at)
      select tenant_id, 'had' || n || i, 'push', 'marketing', id, 'SENT', now() - make_interval(days => n % 9) from people, generate_series(1, 2) i where n % 4 = 0
    ), quiet as (
      insert into channel_preferences (tenant_id, address, quiet_hours)
      select tenant_id, email_key, jsonb_build_object('from', '22:' || ${minute}::text, 'to', '07:' || ${minute}::text, 'timezone', 'Asia/Tokyo') from people where n % 6 = 0
    )
    select id, n from people order by n`);
  const units = people.map(({ id, n }): Unit => {
    const channel = (['sms', 'push', 'sms', 'email'] as const)[n % 4]!;
    const category = channel !== 'email' && n % 8 === 1 ? 'transactional' : 'marketing';
    return { key: `checked-${n}`, channel, category, contactId: id, priority: 5 };
  });
  const said = new Map<string, [string, string | null]>();
  for (let from = 0; from < PEOPLE; from += 10)
    await Promise.all(
      units.slice(from, from + 10).map(async ({ key, contactId, channel, category }) => {
        const [allowed, gate, reason, opensAt] = await check({ contactId, channel, category });
        const state = allowed ? 'SENDING' : opensAt === null ? 'SUPPRESSED' : 'QUEUED';
        said.set(key, [state, opensAt ?? reason]);
        assert.ok(allowed || gate !== '', key);
      }),
    );
  await queueAll(service, units, templateId, '2 s');
  await startAll(service, 3);
  const opens = new Map(
    (
      await channels.engine<{ key: string; at: Date }>(sql`
        select m.send_key as key, min(s.next_attempt_at) as at from messages m join message_sends s on s.message_id = m.id where m.status = 'QUEUED' group by 1`)
    ).map(({ key, at }) => [key, at.toISOString()]),
  );
  const happened = new Map(
    (await outcomes(service, units)).map(({ key, status, reason }) => [key, [status, opens.get(key) ?? reason]]),
  );
  assert.deepEqual(Object.fromEntries(happened), Object.fromEntries(said));
  const reasons = new Set([...said.values()].map(([status, reason]) => (status === 'QUEUED' ? 'held' : reason)));
  for (const reason of [
    'no_consent',
    'no_address',
    'no_subscription',
    'frequency_cap',
    'contact_archived',
    'contact_unsubscribed',
    'address_invalid',
    'address_manual',
    'held',
    null,
  ])
    assert.ok(reasons.has(reason), `nobody is ${reason}`);
});
