import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { sql } from '../../../db/orm.ts';
import { collide, holding, problemsOf, waiting } from '../../support/accounts.ts';
import { channelsOf } from '../../support/channels.ts';
import { texting } from '../../support/channels/texting.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
let channels: ReturnType<typeof channelsOf>;
beforeAll(async () => {
  service = await startService();
  channels = channelsOf(service);
});
afterAll(() => service.stop());

const path = '/channels/preferences';
const read = async (contactId: number) => {
  const { status, body } = await service.api('GET', `${path}?contactId=${contactId}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};
const put = (body: object) => service.api('PUT', path, body);
const makeTopic = async (name: string) => (await service.api('POST', '/emails/topics', { name })).body.id as number;
const events = async (type: string) =>
  (
    await channels.engine<{ data: unknown }>(
      sql`select e -> 'data' as data from outbox_events o, jsonb_array_elements(o.events) e where o.type = ${type} order by o.id`,
    )
  ).map(({ data }) => data);
const queue = async (contactId: number, channel: string, category = 'marketing') => {
  const [row] = await channels.engine<{ id: number }>(sql`
    with m as (insert into messages (tenant_id, send_key, channel, category, contact_id) values ('default', gen_random_uuid()::text, ${channel}, ${category}, ${contactId}) returning id)
    insert into message_sends (tenant_id, message_id, type, lane) select 'default', id, ${channel === 'sms' ? 'sms' : 'fcm'}, 'journey' from m returning message_id as id`);
  return row!.id;
};
const statusOf = async (messageId: number) =>
  (
    await channels.engine<{ status: string; reason: string | null }>(
      sql`select status, reason from messages where id = ${messageId}`,
    )
  )[0];

test('choices of topics, quiet hours and channels are kept, and put back as they were read', async () => {
  const { id, email, number } = await channels.makePerson();
  const [news, offers] = [await makeTopic('A news'), await makeTopic('B offers')];
  const initial = await read(id);
  assert.deepEqual(initial, {
    contactId: id,
    channels: {
      email: { wanted: true, reason: null },
      sms: { consent: 'none', at: null, source: null, evidence: null },
      push: { devices: 0 },
    },
    topics: [
      { topicId: news, name: 'A news', email: true, sms: true, push: true },
      { topicId: offers, name: 'B offers', email: true, sms: true, push: true },
    ],
    quietHours: null,
    preferredChannel: null,
  });
  assert.deepEqual((await put(initial)).body, initial);
  const quietHours = { from: '22:00', to: '07:00', timezone: 'Europe/Berlin' };
  const changed = await put({
    contactId: id,
    topics: [
      { topicId: news, sms: false, push: false },
      { topicId: offers, email: false },
    ],
    quietHours,
    preferredChannel: 'push',
  });
  assert.deepEqual([changed.status, changed.body], [200, await read(id)]);
  assert.deepEqual(
    [
      changed.body.topics.map(({ email: e, sms, push }: Record<string, boolean>) => [e, sms, push]),
      changed.body.quietHours,
    ],
    [
      [
        [true, false, false],
        [false, true, true],
      ],
      quietHours,
    ],
  );
  assert.deepEqual((await put(changed.body)).body, changed.body);
  await put({ contactId: id, topics: [{ topicId: news, sms: true }], quietHours: null });
  const after = await read(id);
  assert.deepEqual(
    [after.topics[0].sms, after.topics[0].push, after.quietHours, after.preferredChannel],
    [true, false, null, 'push'],
  );

  // They hang on the addresses.
  await service.api('DELETE', `/contacts/${id}`);
  const again = await channels.makePerson({ email, phone: number });
  const { topics, preferredChannel } = await read(again.id);
  assert.deepEqual([topics[0].push, topics[1].email, preferredChannel], [false, false, 'push']);
});

test('a number decides with evidence; every decision is kept, and an opt-out stops what is queued', async () => {
  const { id, number } = await channels.makePerson();
  const twin = await channels.makePerson({ phone: number });
  const at = '2026-01-02T03:04:05.000Z';
  const evidence = { source: 'checkout', text: 'Yes, text me', ip: '192.0.2.1', at };
  const set = await put({ contactId: id, channels: { sms: { consent: 'subscribed', evidence } } });
  assert.deepEqual(set.body.channels.sms, { consent: 'subscribed', at, source: 'checkout', evidence });
  assert.deepEqual((await read(twin.id)).channels.sms.consent, 'subscribed', 'it is the number that agreed');
  assert.deepEqual((await put(set.body)).body, set.body);

  const [text, transactional, push] = [
    await queue(id, 'sms'),
    await queue(id, 'sms', 'transactional'),
    await queue(id, 'push'),
  ];
  const off = await put({ contactId: id, channels: { sms: { consent: 'unsubscribed' } } });
  assert.deepEqual([off.body.channels.sms.consent, off.body.channels.sms.source], ['unsubscribed', 'api']);
  assert.deepEqual(
    [await statusOf(text), (await statusOf(transactional))!.status, (await statusOf(push))!.status],
    [{ status: 'SUPPRESSED', reason: 'no_consent' }, 'QUEUED', 'QUEUED'],
  );
  assert.deepEqual(
    await channels.engine(sql`select status, source, by_text from text_consents where address = ${number} order by id`),
    [
      { status: 'subscribed', source: 'checkout', by_text: false },
      { status: 'unsubscribed', source: 'api', by_text: false },
    ],
  );
  const told = (reason: string) => [id, twin.id].map((contactId) => ({ contactId, channel: 'sms', reason }));
  assert.deepEqual(
    [await events('CHANNEL_SUBSCRIBED'), await events('CHANNEL_UNSUBSCRIBED')],
    [told('checkout'), told('api')],
  );
});

test('evidence from before an opt-out does not undo it', async () => {
  const tools = texting(service);
  const http = await tools.makeHttp();
  const { id, number } = await channels.makePerson();
  const stop = async (key: string) => {
    const said = { type: 'inbound', providerMessageId: key, from: number, text: 'STOP' };
    assert.equal((await tools.asHttp(http, said)).status, 204);
  };
  const agree = (at: Date | string) =>
    put({ contactId: id, channels: { sms: { consent: 'subscribed', evidence: { source: 'crm', at } } } });
  const answers = async () =>
    (
      await channels.engine(
        sql`select id from messages where to_address = ${number} and send_key like 'inbound/%/reply'`,
      )
    ).length;
  const long = '2020-01-01T00:00:00.000Z';
  assert.equal((await agree(long)).status, 200);
  await stop('gg-1');
  const out = await read(id);
  const refused = await agree(long);
  assert.deepEqual([refused.status, problemsOf(refused)], [400, ['/channels/sms/evidence/at out_of_range']]);
  assert.match(JSON.stringify(refused.body), new RegExp(out.channels.sms.at));
  assert.deepEqual(await read(id), out);
  // A further STOP is an opt-out too, although it changes nothing.
  await stop('gg-2');
  assert.equal(await answers(), 1);
  assert.equal((await agree(out.channels.sms.at)).status, 400);
  const since = await agree(new Date());
  assert.deepEqual([since.status, since.body.channels.sms.consent], [200, 'subscribed']);
  assert.deepEqual((await put(since.body)).body, since.body, 'put back as it was read');
  // Nor does old evidence replace a new one.
  assert.equal((await agree(long)).status, 400);
  await stop('gg-3');
  assert.equal(await answers(), 2);
});

test('an opt-out is answered once after each consent, whenever that was given, and after an opt-out otherwise', async () => {
  const tools = texting(service);
  const http = await tools.makeHttp();
  const { number } = await channels.makePerson();
  const stop = async (key: string) => {
    await tools.asHttp(http, { type: 'inbound', providerMessageId: key, from: number, text: 'STOP' });
    const found = await channels.engine(
      sql`select id from messages where to_address = ${number} and send_key like 'inbound/%/reply'`,
    );
    return found.length;
  };
  assert.deepEqual([await stop('hh-1'), await stop('hh-2')], [1, 1]);
  // Told now, with evidence of long ago.
  await channels.engine(sql`
    insert into text_consents (tenant_id, address, status, source, at) values ('default', ${number}, 'subscribed', 'crm', '2020-01-01')`);
  assert.deepEqual([await stop('hh-3'), await stop('hh-4')], [2, 2]);
  for (const status of ['subscribed', 'unsubscribed']) await channels.consent(number, status);
  assert.deepEqual([await stop('hh-5'), await stop('hh-6')], [3, 3]);
  await channels.consent(number, 'unsubscribed');
  assert.equal(await stop('hh-7'), 3);
});

test('email is switched off as by an unsubscribe, and not on again', async () => {
  const { id, email } = await channels.makePerson();
  const off = await put({ contactId: id, channels: { email: { wanted: false } } });
  assert.deepEqual(off.body.channels.email, { wanted: false, reason: 'unsubscribed' });
  assert.equal((await service.api('GET', `/contacts/${id}`)).body.status, 'unsubscribed');
  assert.deepEqual(await channels.engine(sql`select reason, source from suppressions where email_key = ${email}`), [
    { reason: 'unsubscribed', source: 'api' },
  ]);
  const on = await put({ contactId: id, channels: { email: { wanted: true } } });
  assert.deepEqual([on.status, problemsOf(on)], [400, ['/channels/email/wanted invalid_status']]);
});

/** Opts out of everything on the page that a text leads to. */
async function refuseAll(contactId: number): Promise<void> {
  const token = service.deps.links.unsubscribeToken({ tenantId: 'default', emailId: null, contactId, address: null });
  const answer = await service.api(
    'POST',
    `/emails/preferences/${token}`,
    new URLSearchParams('unsubscribe=anywhere'),
    {
      token: null,
    },
  );
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
}

test('who opts out twice at once by the page of a text is told to have done so once', async () => {
  const { id, email } = await channels.makePerson();
  await channels.suppress('push', email, 'unsubscribed');
  const before = (await events('CHANNEL_UNSUBSCRIBED')).length;
  // Decisions can be read, but none can be added: both would see that there is none.
  await collide(service, 'lock table text_consents in share mode', [() => refuseAll(id), () => refuseAll(id)]);
  const told = (await events('CHANNEL_UNSUBSCRIBED')).slice(before) as { channel: string }[];
  assert.deepEqual(
    told.map(({ channel }) => channel),
    ['sms'],
  );
});

test('who opts out by the page of a text while being merged does so as whom the merge leaves', async () => {
  const [source, target] = [await channels.makePerson(), await channels.makePerson()];
  await holding(service, `select 1 from contacts where id = ${source.id} for update`, async (client) => {
    const merge = service.api('POST', `/contacts/${target.id}/merge`, { sourceId: source.id });
    await until('the merge waits', async () => (await waiting(client)) === 1);
    const refusal = refuseAll(source.id);
    await until('so does the page', async () => (await waiting(client)) === 2);
    await client.query('rollback');
    assert.equal((await merge).status, 200);
    await refusal;
  });
  assert.equal((await service.api('GET', `/contacts/${target.id}`)).body.status, 'unsubscribed');
  const { channels: left } = await read(target.id);
  assert.deepEqual([left.email.wanted, left.sms.consent], [false, 'unsubscribed']);
  const suppressed = await channels.engine(
    sql`select 1 from channel_suppressions where channel = 'push' and address = ${target.email}`,
  );
  assert.equal(suppressed.length, 1);
});

test('all that is wrong is told at once', async () => {
  const { id } = await channels.makePerson({ phone: null });
  const topicId = await makeTopic('C');
  const wrong = await put({
    contactId: id,
    channels: { sms: { consent: 'subscribed' }, push: { devices: 3 }, email: { reason: 'x' } },
    topics: [{ topicId: 999_999_999 }, { topicId, sms: false }, { topicId, name: 'D' }],
    quietHours: { from: '10:00', to: '10:00', timezone: 'Nowhere' },
    preferredChannel: 'fax',
  });
  assert.equal(wrong.status, 400);
  assert.deepEqual(problemsOf(wrong).toSorted(), [
    '/channels/email/reason read_only',
    '/channels/push/devices read_only',
    '/channels/sms/consent no_address',
    '/preferredChannel enum',
    '/quietHours/timezone timezone',
    '/quietHours/to range',
    '/topics/0/topicId not_found',
    '/topics/1/sms no_address',
    '/topics/2/topicId duplicate',
  ]);
  const person = await channels.makePerson();
  const asked = await put({ contactId: person.id, channels: { sms: { consent: 'subscribed' } } });
  assert.deepEqual(problemsOf(asked), ['/channels/sms/evidence required']);
  const later = { source: 'x', at: '2100-01-01T00:00:00.000Z' };
  const future = await put({ contactId: person.id, channels: { sms: { consent: 'subscribed', evidence: later } } });
  assert.deepEqual(problemsOf(future), ['/channels/sms/evidence/at out_of_range']);
  assert.equal((await put({ contactId: 999_999_999, preferredChannel: null })).status, 404);
  assert.equal((await service.api('GET', `${path}?contactId=999999999`)).status, 404);
});
