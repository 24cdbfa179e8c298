import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { startGateway, type Gateway } from '../../../dev/fakes/gateway.ts';
import { sql } from '../../../db/orm.ts';
import { erasedKey } from '../../../domain/addresses/digest.ts';
import { memberWith, newRole, newTenant, problemsOf } from '../../support/accounts.ts';
import { channelsOf } from '../../support/channels.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
let channels: ReturnType<typeof channelsOf>;
let gateway: Gateway;
let providerId: number;
beforeAll(async () => {
  gateway = await startGateway();
  service = await startService({ worker: ['senders'], env: { OUTBOUND_ALLOW: '127.0.0.1/32' } });
  channels = channelsOf(service);
  providerId = (await call('POST', '/channels/providers', 201, gateway.provider())).id;
  await call('PUT', '/channels/settings', 200, { sendWindows: { email: null, sms: null, push: null } });
});
afterAll(async () => {
  await service.stop();
  await gateway.close();
});

const path = '/channels/suppressions';
const listOf = (query: Record<string, string>): string => `${path}?${new URLSearchParams(query).toString()}`;
async function call(method: string, at: string, status: number, body?: object): Promise<Answer['body']> {
  const answer = await service.api(method, at, body);
  assert.equal(answer.status, status, `${method} ${at}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}
const suppress = (body: object, token?: string) => service.api('POST', path, body, token ? { token } : undefined);
const listed = async (query: Record<string, string>): Promise<Record<string, unknown>[]> =>
  (await call('GET', listOf(query), 200)).data;
const count = async () =>
  (await channels.engine<{ n: number }>(sql`select count(*)::int as n from channel_suppressions`))[0]!.n;
const message = (id: number) => call('GET', `/channels/messages/${id}`, 200);
const ends = (id: number, status: string) =>
  until(`text ${id} is ${status}`, async () => (await message(id)).status === status);
const send = (body: object): Promise<{ messageId: number; status: string; reason: string | null }> =>
  call('POST', '/channels/sms/send', 202, { body: 'Sale', ...body });
const textsTo = (number: string): string[] =>
  gateway.accepted.filter(({ to }) => to === number).map(({ text }) => text);
/** What the gates say about texts to a contact: marketing, and transactional. */
const checked = async (contactId: number, token?: string) => {
  const said = [];
  for (const category of ['marketing', 'transactional']) {
    const body = { contactId, channel: 'sms', category };
    const answer = await service.api('POST', '/channels/check', body, token ? { token } : undefined);
    said.push(answer.body.allowed ? null : answer.body.gates.at(-1).reason);
  }
  return said;
};
const subscriber = async (fields: object = {}) => {
  const person = await channels.makePerson(fields);
  await channels.consent(person.number);
  return person;
};

const NUMBER = '+442079460958';
const SPELLINGS = [
  NUMBER,
  '+44 20 7946 0958',
  ' +44-20-7946-0958 ',
  '+44 (0)20 7946 0958',
  '+44.20.7946.0958',
  '+44 (20) 79460958',
  'tel:+44-20-7946-0958',
];
/** Which country they are of is not said. */
const NUMBERS_OF_NO_COUNTRY = ['020 7946 0958', '0044 20 7946 0958', '442079460958', '(020) 7946-0958'];

test('a number is one number in every spelling, and the stricter reason stays', async () => {
  const first = await suppress({ channel: 'sms', address: SPELLINGS[1] });
  assert.equal(first.status, 201, JSON.stringify(first.body));
  const { id, createdAt, ...shown } = first.body;
  assert.deepEqual(shown, {
    ...{ channel: 'sms', address: NUMBER, reason: 'manual', source: 'api', tenantId: 'default' },
  });
  assert.ok(Number.isInteger(id) && !Number.isNaN(Date.parse(createdAt)));
  assert.equal(first.headers.get('location'), `/api/v1${path}/${id}`);
  assert.deepEqual(await call('GET', `${path}/${id}`, 200), first.body);
  for (const address of SPELLINGS) {
    const again = await suppress({ channel: 'sms', address });
    assert.deepEqual([again.status, again.body], [200, first.body], address);
    assert.deepEqual(await listed({ address }), [first.body], address);
    assert.deepEqual(await listed({ address, channel: 'sms' }), [first.body], address);
  }
  for (const [reason, kept] of [
    ['unsubscribed', 'unsubscribed'],
    ['manual', 'unsubscribed'],
    ['complained', 'complained'],
    ['unsubscribed', 'complained'],
    ['invalid', 'invalid'],
    ['complained', 'invalid'],
  ]) {
    const again = await suppress({ channel: 'sms', address: SPELLINGS[3], reason });
    assert.deepEqual([again.status, again.body], [200, { ...first.body, reason: kept }], reason);
  }
  await call('DELETE', `${path}/${id}`, 204);
});

test('what is no number in E.164, or no address at all, is refused and suppresses nothing', async () => {
  const before = await count();
  const refused = async (body: object) => {
    const answer = await suppress(body);
    assert.equal(answer.status, 400, JSON.stringify(body));
    return problemsOf(answer);
  };
  for (const address of [...NUMBERS_OF_NO_COUNTRY, '+44', '+4420794609581234', 'someone', '+1 555'])
    assert.deepEqual(await refused({ channel: 'sms', address }), ['/address format'], address);
  assert.deepEqual(await refused({ channel: 'sms', address: 'someone@example.com' }), ['/address format']);
  assert.deepEqual(await refused({ channel: 'push', address: NUMBER }), ['/address invalid_email']);
  assert.deepEqual(await refused({}), ['/address required', '/channel required']);
  assert.deepEqual(await refused({ channel: 'email', address: 'a@example.com' }), ['/channel enum']);
  assert.deepEqual(await refused({ channel: 'sms', address: '12', reason: 'bounced' }), [
    '/address format',
    '/reason enum',
  ]);
  assert.deepEqual(await refused({ channel: 'sms', address: NUMBER, source: 'me', id: 1, note: 'x' }), [
    '/id read_only',
    '/note unknown_field',
    '/source read_only',
  ]);
  for (const address of NUMBERS_OF_NO_COUNTRY) {
    const answer = await service.api('GET', listOf({ channel: 'sms', address }));
    assert.deepEqual([answer.status, problemsOf(answer)], [400, ['/address format']], address);
    // Without a channel it could be an email address as well.
    const either = await service.api('GET', listOf({ address }));
    assert.deepEqual([either.status, problemsOf(either)], [400, ['/address format']], address);
    assert.match(either.body.errors[0].message, /email address, or .* phone number/);
  }
  for (const method of ['GET', 'DELETE']) {
    assert.equal((await service.api(method, `${path}/999999999`)).body.code, 'not_found');
    assert.equal((await service.api(method, `${path}/0`)).status, 400);
  }
  const put = await service.api('PUT', `${path}/1`, { reason: 'manual' });
  assert.deepEqual([put.status, put.headers.get('allow')?.includes('DELETE')], [405, true]);
  assert.equal(await count(), before);
});

test('asked for several times at once it is made once, with the strictest reason', async () => {
  const address = '+442079460901';
  const answers = await Promise.all(
    SPELLINGS.slice(0, 6).map((_, n) => suppress({ channel: 'sms', address, reason: n % 2 ? 'complained' : 'manual' })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 201]);
  assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
  assert.deepEqual(
    (await listed({ address })).map(({ reason }) => reason),
    ['complained'],
  );
});

test('pushes to a person go by the email address; it is another channel than the number', async () => {
  const person = await subscriber();
  await channels.device(person.id);
  const made = await suppress({ channel: 'push', address: ` ${person.email.toUpperCase()} `, reason: 'unsubscribed' });
  assert.deepEqual([made.status, made.body.address], [201, person.email]);
  assert.deepEqual(await checked(person.id), [null, null]);
  const push = await call('POST', '/channels/check', 200, { contactId: person.id, channel: 'push' });
  assert.deepEqual([push.allowed, push.gates.at(-1).reason], [false, 'address_unsubscribed']);
  assert.equal((await call('GET', `/contacts/${person.id}`, 200)).status, 'active');
  assert.deepEqual(await listed({ address: person.email }), [made.body]);
  assert.deepEqual(await listed({ address: person.email, channel: 'push', reason: 'manual' }), []);
});

test('they are listed by channel, address and reason, in pages; an erased number is found by who knows it', async () => {
  const numbers = ['+442079460910', '+442079460911', '+442079460912'];
  const made = [];
  for (const address of numbers) made.push((await suppress({ channel: 'sms', address, reason: 'complained' })).body.id);
  const erased = '+442079460913';
  await channels.suppress('sms', erasedKey('default', erased), 'complained');
  const [hidden] = await listed({ address: '+44 20 7946 0913' });
  assert.deepEqual([hidden!['address'], hidden!['reason']], [null, 'complained']);
  assert.deepEqual(await listed({ address: '+442079460914' }), []);

  const complained = await listed({ channel: 'sms', reason: 'complained', sort: 'id', limit: '200' });
  assert.ok(complained.every(({ channel, reason }) => channel === 'sms' && reason === 'complained'));
  assert.deepEqual(
    complained.slice(-4).map(({ id }) => id),
    [...made, hidden!['id']],
  );
  const ids: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const at = cursor ? `&cursor=${cursor}` : '';
    const { data, page }: Answer['body'] = await call('GET', `${path}?limit=2&includeTotal=true${at}`, 200);
    assert.equal(page.total, await count());
    ids.push(...data.map(({ id }: { id: number }) => id));
    cursor = page.nextCursor;
  }
  assert.equal(ids.length, await count());
  assert.deepEqual(
    ids,
    (ids as number[]).toSorted((a, b) => b - a),
  );
  const wrong = await service.api('GET', `${path}?channel=email&reason=erased&sort=address&number=1&limit=0`);
  assert.deepEqual(
    [wrong.status, problemsOf(wrong)],
    [400, ['/channel enum', '/limit out_of_range', '/number unknown_field', '/reason enum', '/sort enum']],
  );
});

test('who may read them may not change them', async () => {
  const address = '+442079460920';
  await newRole(service, 'Reader', ['channels:read']);
  await newRole(service, 'Sender', ['channels:send']);
  const [reader, sender] = [await memberWith(service, 'Reader'), await memberWith(service, 'Sender')];
  const { body: made } = await suppress({ channel: 'sms', address });
  const asked = async (method: string, at: string, token: string | null, body?: object) =>
    (await service.api(method, at, body, { token })).status;
  for (const [token, read, write] of [
    [reader.token, 200, 403],
    [sender.token, 403, 403],
    [null, 401, 401],
  ] as const) {
    assert.equal(await asked('GET', path, token), read);
    assert.equal(await asked('GET', `${path}/${made.id}`, token), read);
    assert.equal(await asked('POST', path, token, { channel: 'sms', address: '+442079460921' }), write);
    assert.equal(await asked('DELETE', `${path}/${made.id}`, token), write);
  }
  assert.deepEqual(await listed({ address }), [made]);
  assert.deepEqual(await listed({ address: '+442079460921' }), []);
});

test('the audit log tells of every change, and of no address', async () => {
  const address = '+442079460930';
  const { body: made } = await suppress({ channel: 'sms', address });
  await suppress({ channel: 'sms', address });
  await suppress({ channel: 'sms', address, reason: 'complained' });
  await suppress({ channel: 'sms', address, reason: 'unsubscribed' });
  const gone = await Promise.all([1, 2].map(() => service.api('DELETE', `${path}/${made.id}`)));
  assert.deepEqual(gone.map(({ status }) => status).sort(), [204, 404]);
  const log = await call('GET', `/auth/audit-log?resourceType=channel_suppression&resourceId=${made.id}`, 200);
  assert.deepEqual(
    log.data.toReversed().map(({ action, before, after }: Record<string, unknown>) => [action, before, after]),
    [
      ['channel_suppression.created', null, { channel: 'sms', reason: 'manual' }],
      ['channel_suppression.created', { reason: 'manual' }, { channel: 'sms', reason: 'complained' }],
      ['channel_suppression.deleted', { channel: 'sms', reason: 'complained', source: 'api' }, null],
    ],
  );
  assert.doesNotMatch(JSON.stringify(log), /7946/);
});

/** Texts stay QUEUED after this, until the provider is changed. */
async function restProvider(): Promise<void> {
  gateway.inject({ kind: 'answer', status: 503, retryAfter: 300 });
  const { messageId } = await send({ to: '+442079460940', category: 'transactional' });
  await until('the provider rests', async () => {
    const { attempts } = await call('GET', `/channels/messages/${messageId}/explain`, 200);
    return attempts.length === 1;
  });
}
const wakeProvider = () => call('PUT', `/channels/providers/${providerId}`, 200, { name: 'Awake' });

test('what is QUEUED to the number is not sent: marketing, and if it is invalid also the rest', async () => {
  const [manual, invalid, free] = [await subscriber(), await subscriber(), await subscriber()];
  const bare = '+442079460941';
  await channels.consent(bare);
  await restProvider();
  const queued = async (to: object, category: string) => {
    const { messageId, status } = await send({ ...to, category, body: category });
    assert.equal(status, 'QUEUED');
    return messageId;
  };
  const people = [{ recipientId: manual.id }, { recipientId: invalid.id }, { recipientId: free.id }, { to: bare }];
  const waiting = [];
  for (const to of people) waiting.push([await queued(to, 'marketing'), await queued(to, 'transactional')] as const);
  await suppress({ channel: 'sms', address: manual.number.replace('+1202', '+1 (202) ') });
  await suppress({ channel: 'sms', address: invalid.number, reason: 'invalid' });
  await suppress({ channel: 'sms', address: '+44 20 7946-0941', reason: 'unsubscribed' });
  assert.deepEqual(await checked(manual.id), ['address_manual', null]);
  assert.deepEqual(await checked(invalid.id), ['address_invalid', 'address_invalid']);
  await wakeProvider();
  const expected = [
    ['SUPPRESSED address_manual', 'SENT null'],
    ['SUPPRESSED address_invalid', 'SUPPRESSED address_invalid'],
    ['SENT null', 'SENT null'],
    ['SUPPRESSED address_unsubscribed', 'SENT null'],
  ];
  for (const [at, pair] of waiting.entries())
    for (const [n, id] of pair.entries()) {
      const [status, reason] = expected[at]![n]!.split(' ');
      await ends(id, status!);
      assert.equal(String((await message(id)).reason), reason, `${at} ${n}`);
    }
  for (const [at, number] of [manual.number, invalid.number, free.number, bare].entries())
    assert.deepEqual(
      textsTo(number).sort(),
      [['transactional'], [], ['marketing', 'transactional'], ['transactional']][at],
    );
});

test('deleted, marketing goes again as far as there is a consent; what was suppressed stays so', async () => {
  const [agreed, silent] = [await subscriber(), await channels.makePerson()];
  for (const { id, number } of [agreed, silent]) {
    const { body: made } = await suppress({ channel: 'sms', address: number, reason: 'unsubscribed' });
    const before = await send({ recipientId: id });
    assert.deepEqual(
      [before.status, before.reason],
      ['SUPPRESSED', id === agreed.id ? 'address_unsubscribed' : 'no_consent'],
    );
    await call('DELETE', `/contacts/${id}`, 204);
    // It is the number's, not the contact's.
    const back = await channels.makePerson({ phone: number });
    assert.equal((await send({ recipientId: back.id })).reason, before.reason);
    await call('DELETE', `${path}/${made.id}`, 204);
    await call('GET', `${path}/${made.id}`, 404);
    assert.equal((await message(before.messageId)).status, 'SUPPRESSED');
    const after = await send({ recipientId: back.id, body: 'Again' });
    if (id === agreed.id) await ends(after.messageId, 'SENT');
    else assert.deepEqual([after.status, after.reason], ['SUPPRESSED', 'no_consent']);
    assert.deepEqual(textsTo(number), id === agreed.id ? ['Again'] : []);
    // It is as if it had never been there: made again, it is a new one.
    const again = await suppress({ channel: 'sms', address: number });
    assert.deepEqual([again.status, again.body.reason], [201, 'manual']);
    assert.notEqual(again.body.id, made.id);
  }
});

test('what a provider said is deleted as well, and said again by the provider', async () => {
  const to = '+442079460950';
  gateway.refuse(to, 21211);
  for (let time = 1; time <= 2; time += 1) {
    const { messageId } = await send({ to, category: 'transactional' });
    await ends(messageId, 'FAILED');
    const [told, ...more] = await listed({ address: to });
    assert.deepEqual([told!['reason'], told!['source'], more], ['invalid', 'provider', []]);
    assert.equal((await send({ to, category: 'transactional' })).reason, 'address_invalid');
    // A milder reason changes nothing, nor where it came from.
    assert.deepEqual((await suppress({ channel: 'sms', address: to })).body, told);
    await call('DELETE', `${path}/${String(told!['id'])}`, 204);
  }
});

test('what one tenant suppresses is nothing to another', async () => {
  const { number, id } = await subscriber();
  const { token, user } = await newTenant(service);
  const contact = await service.api(
    'POST',
    '/contacts',
    { firstName: 'A', lastName: 'B', email: 'same-number@example.com', phone: number },
    { token },
  );
  const ours = (await suppress({ channel: 'sms', address: number, reason: 'invalid' })).body;
  assert.deepEqual(await checked(id), ['address_invalid', 'address_invalid']);
  assert.deepEqual(await checked(contact.body.id, token), ['no_consent', null]);
  const theirs = await suppress({ channel: 'sms', address: number, reason: 'manual' }, token);
  assert.deepEqual([theirs.status, theirs.body.reason, theirs.body.tenantId], [201, 'manual', user.tenantId]);
  for (const method of ['GET', 'DELETE'])
    assert.equal((await service.api(method, `${path}/${ours.id}`, undefined, { token })).status, 404);
  const list = await service.api('GET', listOf({ address: number }), undefined, { token });
  assert.deepEqual(list.body.data, [theirs.body]);
  assert.deepEqual(await listed({ address: number }), [ours]);
  await call('DELETE', `${path}/${theirs.body.id}`, 404);
  assert.equal((await service.api('DELETE', `${path}/${theirs.body.id}`, undefined, { token })).status, 204);
  assert.deepEqual(await listed({ address: number }), [ours]);
});
