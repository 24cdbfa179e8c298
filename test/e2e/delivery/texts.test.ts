import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { receiveText, startGateway, type Gateway } from '../../../dev/fakes/gateway.ts';
import { sql } from '../../../db/orm.ts';
import { readContactToken } from '../../../domain/addresses/contact-token.ts';
import { channelsOf, type Person } from '../../support/channels.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
let gateway: Gateway;
let providerId: number;
let providerUrl: string;
let channels: ReturnType<typeof channelsOf>;
beforeAll(async () => {
  gateway = await startGateway();
  service = await startService({
    worker: ['senders', 'relay', 'consumers'],
    env: { OUTBOUND_ALLOW: '127.0.0.1/32' },
  });
  channels = channelsOf(service);
  providerId = (await call('POST', '/channels/providers', 201, gateway.provider())).id;
  // The service knows itself by this URL, and the signature covers it.
  providerUrl = `${service.deps.env.PUBLIC_URL}/api/v1/channels/webhooks/${providerId}`;
  const sendWindows = { email: null, sms: null, push: null };
  await call('PUT', '/channels/settings', 200, {
    sendWindows,
    stopText: 'No more texts to you',
    helpText: 'Write to us.',
  });
});
afterAll(async () => {
  await service.stop();
  await gateway.close();
});

async function call(method: string, path: string, status: number, body?: object): Promise<Answer['body']> {
  const answer = await service.api(method, path, body);
  assert.equal(answer.status, status, `${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}
const receive = async (from: string, text: string, sid?: string): Promise<void> => {
  const answer = await receiveText(gateway, providerUrl, { from, text, ...(sid ? { sid } : {}) });
  assert.ok(answer.ok, `${answer.status}`);
};
const send = (recipientId: number, more: object = {}): Promise<{ messageId: number; status: string; reason: string }> =>
  call('POST', '/channels/sms/send', 202, { recipientId, body: 'Sale', ...more });
const message = (id: number) => call('GET', `/channels/messages/${id}`, 200);
const ends = (id: number, status: string) =>
  until(`text ${id} is ${status}`, async () => (await message(id)).status === status);
const textsTo = (number: string): string[] =>
  gateway.accepted.filter(({ to }) => to === number).map(({ text }) => text);
const subscriber = async (fields: object = {}): Promise<Person> => {
  const person = await channels.makePerson(fields);
  await channels.consent(person.number);
  return person;
};

test('STOP ends all marketing texts at once, also those that wait, and is answered once', async () => {
  const person = await subscriber();
  await ends((await send(person.id)).messageId, 'SENT');
  // A provider that wants to rest keeps the next ones waiting.
  gateway.inject({ kind: 'answer', status: 503, retryAfter: 300 });
  const refused = (await send(person.id)).messageId;
  await until('it is refused', async () => {
    const { attempts } = await call('GET', `/channels/messages/${refused}/explain`, 200);
    return attempts.length === 1;
  });
  const waiting = [refused, (await send(person.id)).messageId];
  const code = (await send(person.id, { category: 'transactional', body: 'Your code is 1' })).messageId;
  await receive(person.number, 'Stop.');
  for (const id of waiting) {
    const { status, reason } = await message(id);
    assert.deepEqual([status, reason], ['SUPPRESSED', 'no_consent']);
  }
  assert.equal((await message(code)).status, 'QUEUED');
  const later = await send(person.id);
  assert.deepEqual([later.status, later.reason], ['SUPPRESSED', 'no_consent']);
  // Changed by a person: it is asked again.
  await call('PUT', `/channels/providers/${providerId}`, 200, { name: 'Rested' });
  await ends(code, 'SENT');
  await until('it is answered', () => textsTo(person.number).includes('No more texts to you'));
  await receive(person.number, 'STOP!!');
  await receive(person.number, 'unsubscribe');
  const { data } = await call('GET', `/channels/inbound?contactId=${person.id}&sort=id`, 200);
  assert.deepEqual(
    data.map(({ text, optOut }: { text: string; optOut: string }) => `${text} ${optOut}`),
    ['Stop. yes', 'STOP!! yes', 'unsubscribe yes'],
  );
  // Another person's text comes after whatever else would have been sent.
  const other = await subscriber();
  await ends((await send(other.id)).messageId, 'SENT');
  assert.deepEqual(textsTo(person.number).sort(), ['No more texts to you', 'Sale', 'Your code is 1']);
});

test('the first marketing text that goes out says how to opt out, also after a refusal; the next one does not', async () => {
  await call('PUT', '/channels/settings', 200, { optOutText: 'Reply STOP to opt out' });
  const person = await subscriber();
  gateway.inject({ kind: 'answer', status: 429, retryAfter: 1 });
  const first = (await send(person.id)).messageId;
  await ends(first, 'SENT');
  const { attempts } = await call('GET', `/channels/messages/${first}/explain`, 200);
  assert.equal(attempts.length, 2, 'it was refused once');
  await ends((await send(person.id, { category: 'transactional', body: 'Your code is 1' })).messageId, 'SENT');
  await ends((await send(person.id)).messageId, 'SENT');
  assert.deepEqual(textsTo(person.number), ['Sale\nReply STOP to opt out', 'Your code is 1', 'Sale']);
  await call('PUT', '/channels/settings', 200, { optOutText: null });
});

test('START undoes an opt-out by text, and no other; HELP is answered', async () => {
  const [texted, told] = [await subscriber(), await subscriber()];
  await receive(texted.number, 'stop');
  await channels.consent(told.number, 'unsubscribed');
  for (const { number } of [texted, told]) await receive(number, 'START');
  await ends((await send(texted.id)).messageId, 'SENT');
  assert.equal((await send(told.id)).reason, 'no_consent');
  await receive(texted.number, 'help!');
  await until('help is given', () => textsTo(texted.number).includes('Write to us.'));
});

test('a number that three contacts have is opted out for all of them; an unknown one is answered too', async () => {
  const number = '+442079460990';
  const people = await Promise.all([1, 2, 3].map(() => channels.makePerson({ phone: number })));
  await channels.consent(number);
  await receive('+44 (0)20 7946 0990', 'OPT-OUT');
  for (const { id } of people) assert.equal((await send(id)).reason, 'no_consent');
  const { data } = await call('GET', `/channels/inbound?contactId=${people[1]!.id}`, 200);
  assert.deepEqual(
    data[0].contactIds,
    people.map(({ id }) => id).sort((a, b) => a - b),
  );
  await receive('+442079460991', 'stop');
  await until('the unknown one is answered', () => textsTo('+442079460991').length === 1);
  const late = await channels.makePerson({ phone: '+44 20 7946-0991' });
  await call('PUT', '/channels/settings', 200, { smsConsent: 'implied' });
  assert.equal((await send(late.id)).reason, 'no_consent');
  await call('PUT', '/channels/settings', 200, { smsConsent: 'required' });
});

test('what only contains such a word is listed, and nothing is sent', async () => {
  const person = await subscriber();
  for (const text of ['please stop', "don't stop", 'STOP 12345']) await receive(person.number, text);
  const { data } = await call('GET', `/channels/inbound?contactId=${person.id}&optOut=maybe`, 200);
  assert.equal(data.length, 3);
  await ends((await send(person.id)).messageId, 'SENT');
  assert.deepEqual(textsTo(person.number), ['Sale']);
});

test('a text that is handed over twice, even at once, is taken once', async () => {
  const person = await subscriber();
  await Promise.all(Array.from({ length: 10 }, () => receive(person.number, 'stop', 'SM-the-same')));
  const { data } = await call('GET', `/channels/inbound?contactId=${person.id}`, 200);
  assert.equal(data.length, 1);
  await until('it is answered', () => textsTo(person.number).length > 0);
  assert.deepEqual(textsTo(person.number), ['No more texts to you']);
});

/** Where the short links of a text lead. */
const targetsIn = (text: string): Promise<URL[]> =>
  Promise.all(
    [...text.matchAll(/https?:\S+/g)].map(async ([link]) => {
      const answer = await fetch(link, { redirect: 'manual', headers: { 'User-Agent': 'Mozilla/5.0 (Android)' } });
      assert.equal(answer.status, 302);
      return new URL(answer.headers.get('location')!);
    }),
  );
const LINKS =
  'Choose {{preferencesUrl}} Fill {{formUrl: 7}} See https://www.example.com/?t={{contactToken}}{{unsubscribeUrl}}';

test('a text leads to the pages for its recipient by short links, the same ones when it is sent again', async () => {
  const person = await subscriber();
  gateway.inject({ kind: 'answer', status: 429, retryAfter: 1 });
  const { messageId } = await send(person.id, { body: LINKS });
  await ends(messageId, 'SENT');
  const [text] = textsTo(person.number);
  const [preferences, form, site, ...more] = await targetsIn(text!);
  assert.deepEqual(more, []);
  assert.match(form!.pathname, /\/api\/v1\/forms\/7\/page$/);
  for (const token of [form!.searchParams.get('contactToken'), site!.searchParams.get('t')])
    assert.equal(readContactToken(service.deps.links, token, 'default')?.contactId, person.id);
  const { attempts } = await call('GET', `/channels/messages/${messageId}/explain`, 200);
  assert.equal(attempts.length, 2);
  const stored = await channels.engine(sql`select code from message_links where message_id = ${messageId}`);
  assert.equal(stored.length, 3);
  assert.match(preferences!.pathname, /\/api\/v1\/emails\/preferences\/[\w-]+$/);
});

test('the preference page of a text is that of its contact, also of one that it was merged into', async () => {
  const [person, other] = [await subscriber(), await subscriber()];
  const { id: topicId } = await call('POST', '/emails/topics', 201, { name: 'Offers' });
  const { messageId } = await send(person.id, { body: '{{preferencesUrl}}' });
  await ends(messageId, 'SENT');
  const [page] = await targetsIn(textsTo(person.number)[0]!);
  const token = page!.pathname.split('/').at(-1)!;
  const { madeAt: _, ...subject } = service.deps.links.verifyUnsubscribe(token)!;
  assert.deepEqual(subject, { tenantId: 'default', emailId: null, contactId: person.id, address: null });
  const open = (method: string, body?: URLSearchParams) =>
    service.api(method, `/emails/preferences/${token}`, body, { token: null });
  const shown = await open('GET');
  assert.ok(String(shown.body).includes(`name="topicSms" value="${topicId}"`), String(shown.body));
  await open('POST', new URLSearchParams([['channel', 'sms']]));
  const smsOf = async ({ id }: Person) => {
    const { topics } = await call('GET', `/channels/preferences?contactId=${id}`, 200);
    return topics.map(({ sms }: { sms: boolean }) => sms);
  };
  assert.deepEqual(await smsOf(person), [false]);
  assert.deepEqual(await smsOf(other), [true]);
  await call('POST', `/contacts/${other.id}/merge`, 200, { sourceId: person.id });
  await open('POST', new URLSearchParams([['unsubscribe', 'anywhere']]));
  assert.equal((await call('GET', `/contacts/${other.id}`, 200)).status, 'unsubscribed');
  const refused = await send(other.id);
  assert.deepEqual([refused.status, refused.reason], ['SUPPRESSED', 'no_consent']);
});

test('a text to a number has no links of a contact', async () => {
  const to = '+12025559876';
  const answer = await service.api('POST', '/channels/sms/send', { to, body: LINKS, category: 'transactional' });
  assert.equal(answer.status, 202);
  await ends(answer.body.messageId, 'SENT');
  const targets = await targetsIn(textsTo(to)[0]!);
  assert.deepEqual(
    targets.map(({ pathname, search }) => pathname + search),
    ['/api/v1/forms/7/page', '/?t='],
  );
});
