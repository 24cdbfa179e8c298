import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { sql } from '../../../db/orm.ts';
import { newTenant } from '../../support/accounts.ts';
import { texting } from '../../support/channels/texting.ts';
import { startService, type Service } from '../../support/service.ts';

let service: Service;
let tools: ReturnType<typeof texting>;
let [twilio, http] = [0, 0];
beforeAll(async () => {
  service = await startService();
  tools = texting(service);
  [twilio, http] = [await tools.makeTwilio(), await tools.makeHttp()];
});
afterAll(() => service.stop());

let numbers = 0;
const number = () => `+43664${String(10_000_000 + (numbers += 1))}`;

/** A text that a provider has got, as its ledger shows it. */
async function sent(
  providerId: number,
  status: 'SENT' | 'UNKNOWN' | 'SENDING',
  providerMessageId: string | null = null,
): Promise<{ messageId: number; sendId: number; to: string }> {
  const to = number();
  const at = status === 'SENT' ? sql`now()` : sql`null`;
  const [made] = await tools.inTenant<{ message_id: number; id: number }>(sql`
    with message as (
      insert into messages (tenant_id, send_key, channel, category, to_address, status, started_at, sent_at)
      values ('default', ${`test/${to}`}, 'sms', 'marketing', ${to}, ${status}, now(), ${at}) returning id)
    insert into message_sends (tenant_id, message_id, type, lane, status, attempt, provider_id, provider_message_id, sent_at)
    select 'default', id, 'sms', 'bulk', ${status}, 1, ${providerId}, ${providerMessageId}, ${at} from message returning message_id, id`);
  return { messageId: made!.message_id, sendId: made!.id, to };
}
const stateOf = async (messageId: number) => {
  const { status, reason } = await tools.call('GET', `/channels/messages/${messageId}`, 200);
  return [status, reason];
};
const ref = ({ sendId }: { sendId: number }) => ({ query: `?send=${sendId}` });
const taken = async (answer: Promise<{ status: number; body: unknown }>) => {
  const { status, body } = await answer;
  assert.equal(status, 204, JSON.stringify(body));
};
const events = async (type: string, messageId: number) =>
  (
    await tools.inTenant<{ n: number }>(sql`
    select count(*)::int as n from outbox_events o, jsonb_array_elements(o.events) e
    where o.type = ${type} and (e -> 'data' ->> 'messageId')::bigint = ${messageId}`)
  )[0]!.n;

test('statuses of Twilio move forward, count once, and no later one goes back', async () => {
  const text = await sent(twilio, 'SENT', 'SM1');
  const tell = (status: string, more: Record<string, string> = {}) =>
    taken(tools.asTwilio(twilio, { MessageSid: 'SM1', MessageStatus: status, ...more }, ref(text)));
  for (const status of ['queued', 'sending', 'sent']) await tell(status);
  assert.deepEqual(await stateOf(text.messageId), ['SENT', null]);
  for (const status of ['delivered', 'delivered', 'sent', 'undelivered', 'failed', 'read']) await tell(status);
  assert.deepEqual(await stateOf(text.messageId), ['DELIVERED', null]);
  assert.equal(await events('MESSAGE_DELIVERED', text.messageId), 1);
});

test('a text that was accepted is UNDELIVERED, and DELIVERED if that comes later', async () => {
  const text = await sent(twilio, 'SENT', 'SM2');
  // Without our reference it is found by the id.
  const tell = (status: string, more: Record<string, string> = {}) =>
    taken(tools.asTwilio(twilio, { MessageSid: 'SM2', MessageStatus: status, ...more }));
  await tell('undelivered', { ErrorCode: '30008' });
  assert.deepEqual(await stateOf(text.messageId), ['UNDELIVERED', 'code_30008']);
  await tell('failed', { ErrorCode: '30008' });
  assert.equal((await stateOf(text.messageId))[0], 'UNDELIVERED');
  await tell('delivered');
  assert.deepEqual(await stateOf(text.messageId), ['DELIVERED', null]);
  const other = await sent(twilio, 'SENT', 'SM2b');
  await taken(tools.asTwilio(twilio, { MessageSid: 'SM2b', MessageStatus: 'failed', ErrorCode: '30007' }, ref(other)));
  assert.equal((await stateOf(other.messageId))[0], 'UNDELIVERED');
});

test('our reference in the URL settles UNKNOWN, and so does our id in the body', async () => {
  for (const [status, expected] of [
    ['sent', 'SENT'],
    ['delivered', 'DELIVERED'],
    ['failed', 'FAILED'],
  ] as const) {
    const text = await sent(twilio, 'UNKNOWN');
    await taken(tools.asTwilio(twilio, { MessageSid: `SM-${status}`, MessageStatus: status }, ref(text)));
    assert.equal((await stateOf(text.messageId))[0], expected, status);
    const asked = await sent(http, 'UNKNOWN');
    await taken(tools.asHttp(http, { type: 'status', messageId: asked.messageId, status }));
    assert.equal((await stateOf(asked.messageId))[0], expected, status);
  }
});

test('a proof of delivery counts whatever was said before, by the provider, an operator or a gate', async () => {
  const told = await sent(twilio, 'UNKNOWN');
  for (const status of ['failed', 'delivered'])
    await taken(tools.asTwilio(twilio, { MessageSid: 'SM-told', MessageStatus: status }, ref(told)));
  assert.deepEqual(await stateOf(told.messageId), ['DELIVERED', 'confirmed_by_report']);
  assert.equal(await events('MESSAGE_SENT', told.messageId), 1);
  assert.equal(await events('MESSAGE_DELIVERED', told.messageId), 1);
  const tell = async (messageId: number, status: string) => {
    await taken(tools.asHttp(http, { type: 'status', messageId, status }));
    return stateOf(messageId);
  };
  for (const outcome of ['failed', 'resend']) {
    const { messageId } = await sent(http, 'UNKNOWN');
    await tools.call('POST', `/channels/messages/${messageId}/resolve`, 200, { outcome });
    const decided = await stateOf(messageId);
    // Only that proves something: the rest may be about an earlier attempt.
    for (const status of ['sent', 'failed', 'undelivered']) assert.deepEqual(await tell(messageId, status), decided);
    assert.deepEqual(await tell(messageId, 'delivered'), ['DELIVERED', 'confirmed_by_report'], outcome);
  }
  const refused = await sent(http, 'UNKNOWN');
  const asSuppressed = sql`status = 'SUPPRESSED', reason = 'no_consent'`;
  await tools.inTenant(sql`update messages set ${asSuppressed} where id = ${refused.messageId}`);
  await tools.inTenant(sql`update message_sends set ${asSuppressed} where id = ${refused.sendId}`);
  assert.deepEqual(await tell(refused.messageId, 'delivered'), ['DELIVERED', 'confirmed_by_report']);
});

test('a report about an erased text brings back nothing of it', async () => {
  const text = await sent(twilio, 'SENT', 'SMerased');
  const erase = (table: string, id: string, key: number) => sql`
    update ${sql.ref(table)} set reason = 'erased' where ${sql.ref(id)} = ${key}`;
  await tools.inTenant(erase('messages', 'id', text.messageId));
  await tools.inTenant(erase('message_sends', 'id', text.sendId));
  await tools.inTenant(sql`update message_sends set provider_message_id = null where id = ${text.sendId}`);
  await taken(tools.asTwilio(twilio, { MessageSid: 'SMerased', MessageStatus: 'delivered' }, ref(text)));
  const [found] = await tools.inTenant<{ reason: string; kept: string | null; reports: number }>(sql`
    select reason, provider_message_id as kept, (select count(*)::int from message_reports where send_id = s.id) as reports
    from message_sends s where id = ${text.sendId}`);
  assert.deepEqual(found, { reason: 'erased', kept: null, reports: 0 });
  assert.deepEqual(await stateOf(text.messageId), ['SENT', 'erased']);
});

test('what comes before the answer is kept until the send is settled', async () => {
  const text = await sent(twilio, 'SENDING');
  await taken(tools.asTwilio(twilio, { MessageSid: 'SM3', MessageStatus: 'delivered' }, ref(text)));
  assert.equal((await stateOf(text.messageId))[0], 'SENDING');
  const kept = await tools.inTenant(sql`select status from message_reports where send_id = ${text.sendId}`);
  assert.deepEqual(kept, [{ status: 'DELIVERED' }]);
});

test('a late report about an earlier attempt says nothing about a later one, unless it was delivered', async () => {
  const text = await sent(twilio, 'SENT', 'SM-second');
  const tell = async (sid: string, status: string, code?: string) => {
    const said = { MessageSid: sid, MessageStatus: status, ...(code ? { ErrorCode: code } : {}) };
    await taken(tools.asTwilio(twilio, said, ref(text)));
    const {
      status: is,
      reason,
      providerMessageId,
    } = await tools.call('GET', `/channels/messages/${text.messageId}`, 200);
    return [is, reason, providerMessageId];
  };
  assert.deepEqual(await tell('SM-first', 'failed', '30005'), ['SENT', null, 'SM-second']);
  assert.deepEqual(await tell('SM-first', 'undelivered', '30005'), ['SENT', null, 'SM-second']);
  const { data } = await tools.call('GET', `/channels/suppressions?address=${encodeURIComponent(text.to)}`, 200);
  assert.deepEqual(data, []);
  // The same report of the last attempt counts nevertheless, and stays.
  assert.deepEqual(await tell('SM-second', 'failed', '30007'), ['UNDELIVERED', 'code_30007', 'SM-second']);
  assert.deepEqual(await tell('SM-first', 'failed', '30005'), ['UNDELIVERED', 'code_30007', 'SM-second']);
  // The person has got it.
  assert.deepEqual(await tell('SM-first', 'delivered'), ['DELIVERED', null, 'SM-second']);
});

test('what comes while no attempt is under way is about an earlier one', async () => {
  const { messageId, sendId } = await sent(twilio, 'UNKNOWN');
  await tools.inTenant(sql`
    insert into message_attempts (tenant_id, send_id, attempt, provider_id, outcome) values ('default', ${sendId}, 1, ${twilio}, 'unknown')`);
  await tools.call('POST', `/channels/messages/${messageId}/resolve`, 200, { outcome: 'resend' });
  const tell = async (status: string) => {
    await taken(tools.asTwilio(twilio, { MessageSid: 'SM-old', MessageStatus: status }, ref({ sendId })));
    return (await stateOf(messageId))[0];
  };
  const kept = async () =>
    (await tools.inTenant<{ status: string }>(sql`select status from message_reports where send_id = ${sendId}`)).map(
      ({ status }) => status,
    );
  for (const status of ['sent', 'failed']) assert.equal(await tell(status), 'QUEUED');
  // Another provider has it now.
  await tools.inTenant(sql`update messages set status = 'SENT' where id = ${messageId}`);
  await tools.inTenant(sql`update message_sends set status = 'SENT', provider_id = ${http} where id = ${sendId}`);
  assert.equal(await tell('failed'), 'SENT');
  assert.deepEqual(await kept(), []);
  assert.equal(await tell('delivered'), 'DELIVERED');
  assert.deepEqual(await kept(), ['DELIVERED']);
});

test('a provider says nothing about what another one has sent', async () => {
  const text = await sent(http, 'SENT', 'abc');
  await taken(tools.asTwilio(twilio, { MessageSid: 'abc', MessageStatus: 'failed' }, ref(text)));
  await taken(tools.asHttp(http, { type: 'status', providerMessageId: 'other', status: 'failed' }));
  assert.deepEqual(await stateOf(text.messageId), ['SENT', null]);
  await taken(tools.asHttp(http, { type: 'status', providerMessageId: 'abc', status: 'DELIVERED' }));
  assert.deepEqual(await stateOf(text.messageId), ['DELIVERED', null]);
});

test('codes of unknown numbers and of opt-outs suppress the number; others do not', async () => {
  const suppressed = async (code: string) => {
    const text = await sent(twilio, 'SENT', `SM-${code}`);
    const said = { MessageSid: `SM-${code}`, MessageStatus: 'undelivered', ErrorCode: code };
    await taken(tools.asTwilio(twilio, said, ref(text)));
    const { data } = await tools.call('GET', `/channels/suppressions?address=${encodeURIComponent(text.to)}`, 200);
    return data.map(({ channel, reason, source }: Record<string, string>) => [channel, reason, source]);
  };
  for (const code of ['30005', '30006', '21211', '21614'])
    assert.deepEqual(await suppressed(code), [['sms', 'invalid', 'provider']], code);
  assert.deepEqual(await suppressed('21610'), [['sms', 'unsubscribed', 'provider']]);
  for (const code of ['30003', '30007', '30008', '']) assert.deepEqual(await suppressed(code), [], code);
});

const told = (contactId: number) =>
  tools.inTenant<{ type: string; reason: string }>(sql`
    select o.type, e -> 'data' ->> 'reason' as reason from outbox_events o, jsonb_array_elements(o.events) e
    where o.type like 'CHANNEL_%' and (e -> 'data' ->> 'contactId')::bigint = ${contactId} order by o.id`);

test('who is on the opt-out list of the provider has opted out, as by a text to us, and once', async () => {
  const first = await sent(twilio, 'SENT', 'SM-out-1');
  const people = [await tools.makeContact(first.to), await tools.makeContact(first.to)];
  const again = await sent(twilio, 'SENT', 'SM-out-2');
  await tools.inTenant(sql`update messages set to_address = ${first.to} where id = ${again.messageId}`);
  await tools.inTenant(
    sql`insert into text_consents (tenant_id, address, status, source) values ('default', ${first.to}, 'subscribed', 'test')`,
  );
  const [waiting] = await tools.inTenant<{ id: number }>(sql`
    with message as (
      insert into messages (tenant_id, send_key, channel, category, contact_id) values ('default', 'test/waits', 'sms', 'marketing', ${people[0]!}) returning id)
    insert into message_sends (tenant_id, message_id, type, lane) select 'default', id, 'sms', 'bulk' from message returning message_id as id`);
  const refuse = (text: { sendId: number }, sid: string) =>
    taken(tools.asTwilio(twilio, { MessageSid: sid, MessageStatus: 'undelivered', ErrorCode: '21610' }, ref(text)));
  await Promise.all([refuse(first, 'SM-out-1'), refuse(again, 'SM-out-2')]);
  await refuse(first, 'SM-out-1');
  for (const id of people) {
    const { channels } = await tools.call('GET', `/channels/preferences?contactId=${id}`, 200);
    const { consent, source, evidence } = channels.sms;
    assert.deepEqual([consent, source, evidence.source, evidence.text], ['unsubscribed', 'provider', 'provider', null]);
    assert.deepEqual(await told(id), [{ type: 'CHANNEL_UNSUBSCRIBED', reason: 'provider' }]);
  }
  assert.deepEqual(await stateOf(waiting!.id), ['SUPPRESSED', 'no_consent']);
  // START ends it at the provider, and so here.
  await taken(tools.asHttp(http, { type: 'inbound', providerMessageId: 'in-start', from: first.to, text: 'START' }));
  const { channels } = await tools.call('GET', `/channels/preferences?contactId=${people[0]}`, 200);
  const { data } = await tools.call('GET', `/channels/suppressions?address=${encodeURIComponent(first.to)}`, 200);
  assert.deepEqual([channels.sms.consent, data], ['subscribed', []]);
});

test('a text does not undo an opt-out by other means, although the number is on the list of the provider too', async () => {
  const text = await sent(twilio, 'SENT', 'SM-out-3');
  const contactId = await tools.makeContact(text.to);
  await tools.call('PUT', '/channels/preferences', 200, { contactId, channels: { sms: { consent: 'unsubscribed' } } });
  const said = { MessageSid: 'SM-out-3', MessageStatus: 'undelivered', ErrorCode: '21610' };
  await taken(tools.asTwilio(twilio, said, ref(text)));
  await taken(tools.asHttp(http, { type: 'inbound', providerMessageId: 'in-start-2', from: text.to, text: 'START' }));
  const { channels } = await tools.call('GET', `/channels/preferences?contactId=${contactId}`, 200);
  assert.deepEqual([channels.sms.consent, channels.sms.source], ['unsubscribed', 'api']);
  assert.deepEqual(await told(contactId), [{ type: 'CHANNEL_UNSUBSCRIBED', reason: 'api' }]);
});

test('an opt-out counts for the number, also without its plus; a short code is no number', async () => {
  const [plain, zeros] = [number(), number()];
  for (const [from, phone] of [
    [plain.slice(1), plain],
    [`00${zeros.slice(1)}`, zeros],
  ] as const) {
    const contactId = await tools.makeContact(phone);
    await taken(tools.asHttp(http, { type: 'inbound', providerMessageId: `in-${from}`, from, text: 'STOP' }));
    const { channels } = await tools.call('GET', `/channels/preferences?contactId=${contactId}`, 200);
    assert.equal(channels.sms.consent, 'unsubscribed', from);
  }
  await taken(tools.asHttp(http, { type: 'inbound', providerMessageId: 'in-short', from: '43664', text: 'Hi' }));
  const { data } = await tools.call('GET', '/channels/inbound?sort=-id&limit=3', 200);
  assert.deepEqual(
    data.map(({ from }: { from: string }) => from),
    ['43664', zeros, plain],
  );
});

test('what may have been accepted before an opt-out is in doubt, not suppressed', async () => {
  const text = await sent(http, 'UNKNOWN');
  await tools.inTenant(sql`update messages set status = 'QUEUED' where id = ${text.messageId}`);
  await tools.inTenant(
    sql`update message_sends set status = 'QUEUED', bound_provider_id = ${http} where id = ${text.sendId}`,
  );
  await taken(tools.asHttp(http, { type: 'inbound', providerMessageId: 'in-doubt', from: text.to, text: 'STOP' }));
  assert.deepEqual(await stateOf(text.messageId), ['UNKNOWN', 'no_reply']);
});

test('without the proof of this provider a call is 401, whoever calls', async () => {
  const text = await sent(twilio, 'SENT', 'SM4');
  const form = { MessageSid: 'SM4', MessageStatus: 'delivered' };
  const status = { type: 'status', messageId: text.messageId, status: 'delivered' };
  const other = await tools.makeTwilio({ credentials: { authToken: 'another-token' } });
  const bare = await tools.makeHttp('https://gateway.example/', { credentials: undefined });
  const fcm = 999_999_999;
  const raw = (id: number, body: unknown, headers = {}) =>
    service.api('POST', `/channels/webhooks/${id}?send=${text.sendId}`, body, { token: null, headers });
  const tries = {
    'no signature': raw(twilio, new URLSearchParams(form)),
    'a wrong signature': raw(twilio, new URLSearchParams(form), { 'x-twilio-signature': 'bm8=' }),
    'the token of another': tools.asTwilio(twilio, form, { ...ref(text), token: 'another-token' }),
    'another provider': tools.asTwilio(other, form, ref(text)),
    'JSON to Twilio': tools.asHttp(twilio, status),
    'a form to http': tools.asTwilio(http, form, ref(text)),
    'no signature, JSON': raw(http, status),
    'another secret': tools.asHttp(http, status, { secret: `whsec_${Buffer.alloc(24, 1).toString('base64')}` }),
    'an old signature': tools.asHttp(http, status, { at: new Date(Date.now() - 600_000) }),
    'a provider without a secret': tools.asHttp(bare, status),
    'no such provider': tools.asTwilio(fcm, form, ref(text)),
    ...Object.fromEntries(
      ['abc', '0', '-1', '1.5', `${http}x`, '9'.repeat(400), '%00'].map((id) => [
        `the id ${id}`,
        service.api('POST', `/channels/webhooks/${id}`, status, { token: null }),
      ]),
    ),
    'the token of a person': service.api('POST', `/channels/webhooks/${http}`, status),
  };
  for (const [what, answer] of Object.entries(tries)) assert.equal((await answer).status, 401, what);
  // The reference is signed too.
  const stolen = await sent(twilio, 'SENT', 'SM5');
  const signed = await tools.asTwilio(twilio, form, ref(text));
  assert.equal(signed.status, 204);
  assert.deepEqual(await stateOf(stolen.messageId), ['SENT', null]);
});

test('another tenant proves nothing about the messages of this one', async () => {
  const text = await sent(http, 'UNKNOWN');
  const { token } = await newTenant(service);
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
  const theirs = await service.api(
    'POST',
    '/channels/providers',
    {
      ...{ name: 'Theirs', channel: 'sms', type: 'http', credentials: { callbackSecret: secret } },
      config: { url: 'https://gateway.example/', body: { to: '{{to}}' } },
    },
    { token },
  );
  assert.equal(theirs.status, 201);
  const said = { type: 'status', messageId: text.messageId, status: 'delivered' };
  await taken(tools.asHttp(theirs.body.id, said, { secret }));
  assert.equal((await tools.asHttp(http, said, { secret })).status, 401);
  assert.deepEqual((await stateOf(text.messageId))[0], 'UNKNOWN');
});

test('a call that is proved but makes no sense is told so', async () => {
  const wrong = async (said: unknown) => {
    const { status, body } = await tools.asHttp(http, said);
    assert.equal(status, 400, JSON.stringify(said));
    return body.errors?.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`) ?? body.code;
  };
  assert.equal((await tools.asHttp(http, '{')).status, 401);
  assert.deepEqual(await wrong({}), ['/type required']);
  assert.deepEqual(await wrong({ type: 'call' }), ['/type enum']);
  assert.deepEqual(await wrong({ type: 'status', messageId: 1 }), ['/status required']);
  assert.deepEqual(await wrong({ type: 'status', messageId: 1, status: 'lost' }), ['/status enum']);
  assert.deepEqual(await wrong({ type: 'status', status: 'sent' }), ['/messageId required']);
  assert.deepEqual(await wrong({ type: 'inbound', text: 'Hi' }), ['/from required']);
  await taken(tools.asHttp(http, { type: 'status', messageId: 1, status: 'queued', further: {} }));
});
