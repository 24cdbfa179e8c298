import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { engineEm, sql } from '../../../db/orm.ts';
import { expireAnswers } from '../../../domain/channels/inbound/record-inbound.ts';
import { twilioSignature } from '../../../domain/channels/transport/twilio.ts';
import { memberWith, newRole, newTenant, problemsOf } from '../../support/accounts.ts';
import { channelsOf, type Person } from '../../support/channels.ts';
import { texting } from '../../support/channels/texting.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';

let service: Service;
let tools: ReturnType<typeof texting>;
let channels: ReturnType<typeof channelsOf>;
let [twilio, http] = [0, 0];
beforeAll(async () => {
  service = await startService();
  tools = texting(service);
  channels = channelsOf(service);
  [twilio, http] = [await tools.makeTwilio(), await tools.makeHttp()];
});
afterAll(() => service.stop());

const path = '/channels/inbound';
const OURS = '+15005550006';
let received = 0;
const newSid = () => `SM-in-${(received += 1)}`;
const formOf = (from: string, text: string, more: Record<string, string> = {}) => ({
  ...{ From: from, To: OURS, Body: text, MessageSid: newSid(), SmsStatus: 'received', NumMedia: '0' },
  ...more,
});
/** Hands over a text as Twilio does. */
async function receive(from: string, text: string, more: Record<string, string> = {}): Promise<void> {
  const answer = await tools.asTwilio(twilio, formOf(from, text, more));
  assert.equal(answer.status, 204, JSON.stringify(answer.body));
}
/** Hands over a text as a provider with an HTTP API does. */
async function receiveHttp(said: object, more: Parameters<typeof tools.asHttp>[2] = {}): Promise<void> {
  const answer = await tools.asHttp(http, { type: 'inbound', ...said }, more);
  assert.equal(answer.status, 204, JSON.stringify(answer.body));
}

interface Inbound {
  id: number;
  from: string;
  text: string;
  optOut: string;
  contactIds: number[];
}
const listed = async (query: string): Promise<Inbound[]> => (await tools.call('GET', `${path}?${query}`, 200)).data;
/** What a contact has sent, oldest first. */
const textsOf = async (contactId: number) =>
  (await listed(`contactId=${contactId}&sort=id`)).map(({ text, optOut }) => `${text} ${optOut}`);
const textsFrom = async (number: string) => (await listed('limit=200')).filter(({ from }) => from === number);
const consentOf = async (contactId: number) => {
  const { channels: its } = await tools.call('GET', `/channels/preferences?contactId=${contactId}`, 200);
  return its.sms.consent as string;
};
/** The answers to a number that are queued, oldest first. */
const answersTo = (number: string) =>
  tools.inTenant<{ text: string; contactId: number | null; providerId: number; category: string }>(sql`
    select data ->> 'text' as text, contact_id as "contactId", provider_id as "providerId", category from messages
    where to_address = ${number} and send_key like 'inbound/%/reply' order by id`);
/** The events about a contact of these types, in order, without MESSAGE_RECEIVED's id. */
const eventsOf = async (contactId: number, tenantId = 'default') =>
  (
    await channels.engine<{ type: string; said: string }>(sql`
      select o.type, coalesce(e -> 'data' ->> 'optOut', e -> 'data' ->> 'reason') as said
      from outbox_events o, jsonb_array_elements(o.events) e
      where o.tenant_id = ${tenantId} and (e -> 'data' ->> 'contactId')::bigint = ${contactId}
        and o.type in ('MESSAGE_RECEIVED', 'CHANNEL_SUBSCRIBED', 'CHANNEL_UNSUBSCRIBED')
      order by o.id`)
  ).map(({ type, said }) => `${type} ${said}`);
const subscriber = async (fields: object = {}): Promise<Person> => {
  const person = await channels.makePerson(fields);
  await channels.consent((fields as { phone?: string }).phone ?? person.number);
  return person;
};

test('a received text is listed with all that is known of it', async () => {
  const { id, number } = await channels.makePerson();
  await receive(number, 'When do you open?', { MessageSid: 'SM-shape' });
  const [text, ...more] = (await tools.call('GET', `${path}?contactId=${id}`, 200)).data;
  assert.deepEqual(more, []);
  const { id: inboundId, receivedAt, ...shown } = text;
  assert.ok(Number.isInteger(inboundId) && !Number.isNaN(Date.parse(receivedAt)));
  assert.deepEqual(shown, {
    ...{ providerId: twilio, providerMessageId: 'SM-shape', from: number, to: OURS, text: 'When do you open?' },
    ...{ optOut: 'no', contactIds: [id], tenantId: 'default' },
  });
  await receiveHttp({ from: number, text: 'And today?', providerMessageId: 'theirs' });
  const [second] = await listed(`contactId=${id}`);
  assert.partialDeepStrictEqual(second, { providerId: http, providerMessageId: 'theirs', to: null });
});

test('the list is filtered by contact and by what opts out, and is paged', async () => {
  const [one, two] = [await channels.makePerson(), await channels.makePerson()];
  for (const text of ['hello', 'stop', 'please stop', 'Stop.']) await receive(one.number, text);
  await receive(two.number, 'STOP');
  await receive('+442079460890', 'stop');
  assert.deepEqual(await textsOf(one.id), ['hello no', 'stop yes', 'please stop maybe', 'Stop. yes']);
  const texts = async (query: string) => (await listed(query)).map(({ text }) => text);
  assert.deepEqual(await texts(`contactId=${one.id}&optOut=yes&sort=id`), ['stop', 'Stop.']);
  assert.deepEqual(await texts(`contactId=${one.id}&optOut=maybe`), ['please stop']);
  assert.deepEqual(await texts(`contactId=${two.id}&optOut=no`), []);
  assert.deepEqual(await texts('contactId=999999999'), []);
  // The last ones first.
  assert.deepEqual(await texts('optOut=yes&limit=3'), ['stop', 'STOP', 'Stop.']);
  for (const sort of ['id', '-id', 'receivedAt', '-receivedAt']) {
    const all: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const at = cursor ? `&cursor=${cursor}` : '';
      const query = `contactId=${one.id}&limit=3&includeTotal=true&sort=${sort}${at}`;
      const { data, page }: Answer['body'] = await tools.call('GET', `${path}?${query}`, 200);
      assert.equal(page.total, 4);
      all.push(...data.map(({ text }: Inbound) => text));
      cursor = page.nextCursor;
    }
    const oldestFirst = ['hello', 'stop', 'please stop', 'Stop.'];
    assert.deepEqual(all, sort.startsWith('-') ? oldestFirst.toReversed() : oldestFirst, sort);
  }
  const wrong = await service.api('GET', `${path}?contactId=me&optOut=perhaps&sort=text&from=1&limit=201`);
  assert.equal(wrong.status, 400);
  assert.deepEqual(problemsOf(wrong), [
    ...['/contactId type', '/from unknown_field', '/limit out_of_range', '/optOut enum', '/sort enum'],
  ]);
});

test('who may not read channels reads no texts of people', async () => {
  await newRole(service, 'Contacts only', ['contacts:read', 'channels:send', 'channels:write']);
  const { token } = await memberWith(service, 'Contacts only');
  assert.equal((await service.api('GET', path, undefined, { token })).status, 403);
  assert.equal((await service.api('GET', path, undefined, { token: null })).status, 401);
  await newRole(service, 'Channels only', ['channels:read']);
  const reader = await memberWith(service, 'Channels only');
  assert.equal((await service.api('GET', path, undefined, { token: reader.token })).status, 200);
});

test('a text that is not proved is not there, and opts nobody out', async () => {
  const { id, number } = await subscriber();
  const form = formOf(number, 'STOP');
  const at = `/channels/webhooks/${twilio}`;
  const signed = twilioSignature(
    'a-token-of-twilio',
    `${service.deps.env.PUBLIC_URL}/api/v1${at}`,
    Object.entries(formOf(number, 'hello', { MessageSid: form.MessageSid })),
  );
  const post = (headers: Record<string, string>, body: unknown = new URLSearchParams(form), to = at) =>
    service.api('POST', to, body, { token: null, headers });
  const said = JSON.stringify({ type: 'inbound', from: number, text: 'STOP' });
  const now = new Date();
  const headers = {
    'webhook-id': 'msg_forged',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(`whsec_${Buffer.from('a secret of 24 bytes or so').toString('base64')}`).sign(
      'msg_forged',
      now,
      said.replace('STOP', 'Stay'),
    ),
  };
  const tries = {
    'no signature': post({}),
    'a signature of another text': post({ 'x-twilio-signature': signed }),
    'a signature of another URL': post({ 'x-twilio-signature': signed }, undefined, `${at}?send=1`),
    'the token of another': tools.asTwilio(twilio, form, { token: 'another-token' }),
    'another secret': tools.asHttp(http, said, { secret: `whsec_${Buffer.alloc(24, 1).toString('base64')}` }),
    'a text changed on its way': post(headers, said, `/channels/webhooks/${http}`),
    'an old signature': tools.asHttp(http, said, { at: new Date(Date.now() - 600_000) }),
    'the way of another provider': tools.asTwilio(http, form),
  };
  for (const [what, answer] of Object.entries(tries)) {
    const { status, body } = await answer;
    assert.deepEqual([status, body.code], [401, 'unauthorized'], what);
  }
  assert.deepEqual([await textsOf(id), await consentOf(id), await eventsOf(id)], [[], 'subscribed', []]);
  assert.deepEqual(await answersTo(number), []);
});

test('what is handed over again changes nothing, also when much has happened since', async () => {
  const { id, number } = await subscriber();
  const stop = { MessageSid: newSid() };
  await receive(number, 'stop', stop);
  await receive(number, 'START');
  assert.equal(await consentOf(id), 'subscribed');
  await receive(number, 'stop', stop);
  assert.equal(await consentOf(id), 'subscribed');
  assert.deepEqual(await textsOf(id), ['stop yes', 'START no']);
  assert.deepEqual(await eventsOf(id), [
    ...['MESSAGE_RECEIVED yes', 'CHANNEL_UNSUBSCRIBED text', 'MESSAGE_RECEIVED no', 'CHANNEL_SUBSCRIBED text'],
  ]);
  // One that comes again is new: it counts, and is answered, since the number had agreed again.
  await receive(number, 'stop');
  assert.equal(await consentOf(id), 'unsubscribed');
  assert.equal((await answersTo(number)).length, 2);
});

test('a text over HTTP is known by the id that the provider gives it, or else by that of the call', async () => {
  const { id, number } = await channels.makePerson();
  await receiveHttp({ from: number, text: 'a', providerMessageId: 'x1' });
  await receiveHttp({ from: number, text: 'a', providerMessageId: 'x1' });
  await receiveHttp({ from: number, text: 'b', messageId: 'x2' });
  await receiveHttp({ from: number, text: 'b', messageId: 'x2' });
  await receiveHttp({ from: number, text: 'c' }, { id: 'msg_c' });
  await receiveHttp({ from: number, text: 'c' }, { id: 'msg_c' });
  await receiveHttp({ from: number, text: 'c' }, { id: 'msg_d' });
  // Ids are each provider's own.
  await receive(number, 'd', { MessageSid: 'x1' });
  assert.deepEqual(await textsOf(id), ['a no', 'b no', 'c no', 'c no', 'd no']);
});

test('what each text does to a number that agreed, and to one that did not', async () => {
  await tools.call('PUT', '/channels/settings', 200, { stopWords: ['basta'], stopText: 'Over.', helpText: 'Call us.' });
  const cases: [text: string, optOut: string, consents: [agreed: string, none: string], answer: string | null][] = [
    ['Stop.', 'yes', ['unsubscribed', 'unsubscribed'], 'Over.'],
    ['STOP!!', 'yes', ['unsubscribed', 'unsubscribed'], 'Over.'],
    ['¡Basta!', 'yes', ['unsubscribed', 'unsubscribed'], 'Over.'],
    ['basta ya', 'maybe', ['subscribed', 'none'], null],
    ['please stop', 'maybe', ['subscribed', 'none'], null],
    ["don't stop", 'maybe', ['subscribed', 'none'], null],
    ['START', 'no', ['subscribed', 'none'], null],
    ['yes', 'no', ['subscribed', 'none'], null],
    ['HELP', 'no', ['subscribed', 'none'], 'Call us.'],
    ['info?', 'no', ['subscribed', 'none'], 'Call us.'],
    ['', 'no', ['subscribed', 'none'], null],
  ];
  for (const [text, optOut, consents, answer] of cases)
    for (const [n, person] of [await subscriber(), await channels.makePerson()].entries()) {
      await receive(person.number, text);
      const what = `${text} ${n}`;
      assert.deepEqual(await textsOf(person.id), [`${text} ${optOut}`], what);
      assert.equal(await consentOf(person.id), consents[n], what);
      const answers = answer === null ? [] : [answer];
      assert.deepEqual(
        await answersTo(person.number),
        answers.map((body) => ({
          ...{ text: body, contactId: null, providerId: twilio, category: 'transactional' },
        })),
        what,
      );
      const told = optOut === 'yes' ? ['CHANNEL_UNSUBSCRIBED text'] : [];
      assert.deepEqual(await eventsOf(person.id), [`MESSAGE_RECEIVED ${optOut}`, ...told], what);
    }
  await tools.call('PUT', '/channels/settings', 200, { stopWords: [], stopText: null, helpText: null });
});

test('a number that asks for help again and again is answered once an hour, by each provider', async () => {
  await tools.call('PUT', '/channels/settings', 200, { helpText: 'Call us.' });
  const { number } = await channels.makePerson();
  const answers = async () => (await answersTo(number)).map(({ text }) => text.slice(0, 8));
  for (const text of ['stop', 'help', 'HELP', 'info']) await receive(number, text);
  assert.deepEqual(await answers(), ['You are ', 'Call us.']);
  await receiveHttp({ from: number, text: 'help' });
  assert.deepEqual(await answers(), ['You are ', 'Call us.', 'Call us.']);
  await tools.inTenant(
    sql`update inbound_texts set received_at = received_at - interval '1 hour' where from_address = ${number}`,
  );
  for (const text of ['help', 'help']) await receive(number, text);
  assert.equal((await answers()).length, 4);
  // What was not sent has helped nobody.
  await channels.engine(
    sql`update messages set status = 'SUPPRESSED', reason = 'expired' where to_address = ${number}`,
  );
  await receive(number, 'help');
  assert.equal((await answers()).length, 5);
  await tools.call('PUT', '/channels/settings', 200, { helpText: null });
});

test('without texts of its own a tenant answers an opt-out, and no call for help', async () => {
  const { number } = await channels.makePerson();
  await receive(number, 'help');
  assert.deepEqual(await answersTo(number), []);
  await receive(number, 'stop');
  const [answer, ...more] = await answersTo(number);
  assert.deepEqual(more, []);
  assert.match(answer!.text, /unsubscribed.*START/);
});

test('what the provider takes for an opt-out, and has answered itself, is one without another answer', async () => {
  const person = await subscriber();
  await receive(person.number, 'Lasst mich in Ruhe', { OptOutType: 'STOP' });
  assert.deepEqual(await textsOf(person.id), ['Lasst mich in Ruhe yes']);
  assert.equal(await consentOf(person.id), 'unsubscribed');
  await receive(person.number, 'Doch wieder', { OptOutType: 'START' });
  assert.equal(await consentOf(person.id), 'subscribed');
  await receive(person.number, 'Hilfe', { OptOutType: 'HELP' });
  // Whatever the provider says: only this word opts out.
  await receive(person.number, 'stop', { OptOutType: 'HELP' });
  assert.equal(await consentOf(person.id), 'unsubscribed');
  assert.deepEqual(await answersTo(person.number), []);
});

test('a number that three contacts have: each is told of it, and the number is answered once', async () => {
  const number = '+442079460870';
  const people = [];
  for (const fields of [{}, { status: 'archived' }, {}])
    people.push((await channels.makePerson({ phone: number, ...fields })).id);
  await channels.consent(number);
  await receive('+44 (0)20 7946 0870', 'stop');
  const [text, ...more] = await textsFrom(number);
  assert.deepEqual([text!.contactIds, text!.optOut, more], [people, 'yes', []]);
  for (const id of people) {
    assert.deepEqual(await listed(`contactId=${id}`), [text]);
    assert.equal(await consentOf(id), 'unsubscribed');
    assert.deepEqual(await eventsOf(id), ['MESSAGE_RECEIVED yes', 'CHANNEL_UNSUBSCRIBED text']);
  }
  assert.equal((await answersTo(number)).length, 1);
  // A fourth one has the number later: it is opted out, and did not send this.
  const { id: late } = await channels.makePerson({ phone: number });
  assert.equal(await consentOf(late), 'unsubscribed');
  assert.deepEqual(await listed(`contactId=${late}`), []);
  // Who has it no more, has sent it still.
  await tools.call('PUT', `/contacts/${people[0]}`, 200, { phone: '+442079460871' });
  assert.deepEqual(await listed(`contactId=${people[0]}`), [text]);
});

test('an unknown number is listed without contacts, and opted out for whoever has it later', async () => {
  const number = '+442079460880';
  await receive(number, 'STOP');
  const [text] = await textsFrom(number);
  assert.deepEqual([text!.contactIds, text!.optOut], [[], 'yes']);
  assert.equal((await answersTo(number)).length, 1);
  const { id } = await channels.makePerson({ phone: number });
  assert.equal(await consentOf(id), 'unsubscribed');
});

test('a number is the same number however a provider writes it', async () => {
  const spellings = ['+442079460860', '+44 (0)20 7946-0860', '00442079460860', '0044 20 7946 0860', '442079460860'];
  const { id } = await channels.makePerson({ phone: spellings[0] });
  for (const from of spellings) {
    await channels.consent(spellings[0]!);
    await receiveHttp({ from, text: 'stop' });
    assert.equal(await consentOf(id), 'unsubscribed', from);
  }
  assert.equal((await textsFrom(spellings[0]!)).length, spellings.length);
});

test('what is no number is listed as it came, and nobody is meant', async () => {
  for (const from of ['72345', 'Vodafone', '020 7946 0860']) {
    await receiveHttp({ from, text: 'hello' });
    assert.deepEqual(
      (await textsFrom(from)).map(({ contactIds }) => contactIds),
      [[]],
      from,
    );
  }
});

test('a text of any content is taken', async () => {
  const { id, number } = await channels.makePerson();
  await receive(number, 'a\0b \ud800 👍');
  await receiveHttp({ from: number, text: 'x'.repeat(20_000) });
  await receiveHttp({ from: number });
  const [strange, long, empty] = await listed(`contactId=${id}&sort=id`);
  assert.match(strange!.text, /^ab .+ 👍$/u);
  assert.equal(long!.text, 'x'.repeat(10_000));
  assert.equal(empty!.text, '');
  const tooLong = await tools.asHttp(http, { type: 'inbound', from: number, text: 'x'.repeat(20_001) });
  assert.deepEqual([tooLong.status, problemsOf(tooLong)], [400, ['/text too_long']]);
  assert.equal((await listed(`contactId=${id}`)).length, 3);
});

/** A message with one send that waits. `bound`: a provider that is asked again under the same key may have accepted it. */
async function waiting(fields: {
  contactId?: number;
  to?: string;
  category?: string;
  channel?: string;
  bound?: boolean;
}) {
  const { contactId = null, to = null, category = 'marketing', channel = 'sms', bound = false } = fields;
  const [made] = await tools.inTenant<{ id: number }>(sql`
    with message as (
      insert into messages (tenant_id, send_key, channel, category, contact_id, to_address)
      values ('default', gen_random_uuid()::text, ${channel}, ${category}, ${contactId}, ${to}) returning id)
    insert into message_sends (tenant_id, message_id, type, lane, attempt, bound_provider_id)
    select 'default', id, ${channel === 'sms' ? 'sms' : 'fcm'}, 'journey', ${bound ? 1 : 0}, ${bound ? http : null} from message
    returning message_id as id`);
  return made!.id;
}
const stateOf = async (id: number) => {
  const { status, reason } = await tools.call('GET', `/channels/messages/${id}`, 200);
  return `${status} ${reason}`;
};

test('STOP ends the marketing texts that wait for the number, to all its contacts and to the bare number', async () => {
  const number = '+442079460850';
  const [one, two] = [await subscriber({ phone: number }), await channels.makePerson({ phone: number })];
  const other = await subscriber();
  const expected = new Map<number, string>();
  for (const [fields, state] of [
    [{ contactId: one.id }, 'SUPPRESSED no_consent'],
    [{ contactId: two.id }, 'SUPPRESSED no_consent'],
    [{ to: number }, 'SUPPRESSED no_consent'],
    // It may have been accepted.
    [{ contactId: one.id, bound: true }, 'UNKNOWN no_reply'],
    [{ to: number, bound: true }, 'UNKNOWN no_reply'],
    [{ contactId: one.id, category: 'transactional' }, 'QUEUED null'],
    [{ to: number, category: 'transactional', bound: true }, 'QUEUED null'],
    [{ contactId: one.id, channel: 'push' }, 'QUEUED null'],
    [{ contactId: other.id }, 'QUEUED null'],
    [{ to: other.number }, 'QUEUED null'],
  ] as const)
    expected.set(await waiting(fields), state);
  await receive(number, 'please stop');
  for (const id of expected.keys()) assert.equal(await stateOf(id), 'QUEUED null');
  await receive(number, 'stop');
  for (const [id, state] of expected) assert.equal(await stateOf(id), state);
});

test('an answer that comes too late is not sent; one that may have been accepted stays in doubt', async () => {
  const states = async (number: string) =>
    (
      await tools.inTenant<{ id: number }>(
        sql`select id from messages where to_address = ${number} and send_key like 'inbound/%/reply' order by id`,
      )
    ).map(({ id }) => stateOf(id));
  const [late, bound, fresh] = [await channels.makePerson(), await channels.makePerson(), await channels.makePerson()];
  for (const { number } of [late, bound, fresh]) await receive(number, 'stop');
  const old = sql`(select id from messages where to_address in (${late.number}, ${bound.number}))`;
  await channels.engine(sql`update messages set created_at = created_at - interval '5 minutes' where id in ${old}`);
  await channels.engine(sql`
    update message_sends set bound_provider_id = ${twilio}, attempt = 1
    where message_id in (select id from messages where to_address = ${bound.number})`);
  await expireAnswers(engineEm(service.deps.orm));
  const found = await Promise.all([late, bound, fresh].map(async ({ number }) => Promise.all(await states(number))));
  assert.deepEqual(found, [['SUPPRESSED expired'], ['UNKNOWN no_reply'], ['QUEUED null']]);
});

test("a text to another tenant's number is that tenant's, although the sender is known to both", async () => {
  const { id, number } = await subscriber();
  const { token, user } = await newTenant(service);
  const make = async (at: string, body: object): Promise<number> => {
    const answer = await service.api('POST', at, body, { token });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.id;
  };
  const contact = { firstName: 'A', lastName: 'B', email: 'theirs@example.com', phone: number };
  const theirContact = await make('/contacts', contact);
  const theirProvider = await make('/channels/providers', {
    ...{ name: 'Theirs', channel: 'sms', type: 'twilio', credentials: { authToken: 'their-token' } },
    config: { accountSid: `AC${'2'.repeat(32)}`, from: OURS },
  });
  const form = formOf(number, 'STOP');
  assert.equal((await tools.asTwilio(theirProvider, form)).status, 401, 'our token is not theirs');
  assert.equal((await tools.asTwilio(theirProvider, form, { token: 'their-token' })).status, 204);
  assert.deepEqual([await textsOf(id), await consentOf(id), await eventsOf(id)], [[], 'subscribed', []]);
  assert.deepEqual(await textsFrom(number), []);
  assert.deepEqual(await listed(`contactId=${theirContact}`), []);
  const asThem = async (at: string) => (await service.api('GET', at, undefined, { token })).body;
  const { data } = await asThem(`${path}?contactId=${theirContact}`);
  assert.deepEqual(
    data.map(({ tenantId, contactIds, optOut }: Record<string, unknown>) => [tenantId, contactIds, optOut]),
    [[user.tenantId, [theirContact], 'yes']],
  );
  const preferences = await asThem(`/channels/preferences?contactId=${theirContact}`);
  assert.equal(preferences.channels.sms.consent, 'unsubscribed');
  assert.deepEqual(await eventsOf(theirContact, user.tenantId), ['MESSAGE_RECEIVED yes', 'CHANNEL_UNSUBSCRIBED text']);
  assert.deepEqual(await answersTo(number), []);
  assert.deepEqual((await asThem(`${path}?contactId=${id}`)).data, []);
});

test('texts stay when their provider or their contact is deleted', async () => {
  const { id, number } = await channels.makePerson();
  const provider = await tools.makeHttp();
  const said = { type: 'inbound', from: number, text: 'hello' };
  assert.equal((await tools.asHttp(provider, said)).status, 204);
  const [text] = await listed(`contactId=${id}`);
  await tools.call('DELETE', `/channels/providers/${provider}`, 204);
  assert.deepEqual(await listed(`contactId=${id}`), [text]);
  assert.equal((await tools.asHttp(provider, said)).status, 401);
  await tools.call('DELETE', `/contacts/${id}`, 204);
  assert.deepEqual(
    (await textsFrom(number)).map(({ id: inboundId }) => inboundId),
    [text!.id],
  );
});
