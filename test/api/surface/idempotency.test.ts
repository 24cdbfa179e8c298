import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import pg from 'pg';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { OUTBOX_PING } from '../../../transport/streams.ts';
import { deleteExpiredAnswers } from '../../../domain/idempotency/answers.ts';
import { startWorker } from '../../../worker/roles.ts';
import { waiting } from '../../support/accounts.ts';
import { makeContact, makeTemplate } from '../../support/mail/emails.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { newMember } from '../../support/users.ts';
import { startVariant } from '../../support/variant.ts';

let service: Service;
let owner: pg.Client;
beforeAll(async () => {
  // Few connections: whoever waits for a twin must hold none.
  service = await startService({ env: { DATABASE_POOL_MAX: '2', ENABLE_RATE_LIMITING: 'false' } });
  owner = new pg.Client({ connectionString: service.slot.env['DATABASE_MIGRATION_URL']! });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await service.stop();
});

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
/** Posts as the Admin under a key. */
const post = (path: string, body: unknown, key: string, options: { token?: string; api?: Service['api'] } = {}) =>
  (options.api ?? service.api)('POST', path, body, {
    headers: { 'idempotency-key': key },
    ...(options.token ? { token: options.token } : {}),
  });
const replayed = (answer: Answer): boolean => answer.headers.get('idempotency-replayed') === 'true';
const companies = async (name: string): Promise<number> =>
  (await engine(sql`select 1 from companies where name = ${name}`)).length;
const seen = ({ status, body, headers }: Answer) => [
  status,
  body,
  headers.get('location'),
  headers.get('etag'),
  headers.get('content-type'),
];

test('a repeated request gets the first answer, and nothing is done again', async () => {
  const first = await post('/contacts/companies', { name: 'Mills', domain: 'mills.example' }, 'first');
  assert.equal(first.status, 201);
  assert.equal(replayed(first), false);
  assert.equal(first.headers.get('location'), `/api/v1/contacts/companies/${first.body.id}`);
  assert.equal(first.headers.get('etag'), '"1"');
  // The same request however it is written.
  const again = await service.api(
    'POST',
    '/contacts/companies',
    '{ "domain": "mills.example",\n "name": "\\u004dills" }',
    { headers: { 'content-type': 'application/json', 'idempotency-key': 'first' } },
  );
  assert.deepEqual(seen(again), seen(first));
  assert.equal(replayed(again), true);
  assert.notEqual(again.headers.get('x-request-id'), first.headers.get('x-request-id'));
  assert.equal(await companies('Mills'), 1);
  const without = await service.api('POST', '/contacts/companies', { name: 'Mills', domain: 'mills.example' });
  assert.deepEqual([without.status, await companies('Mills')], [201, 2]);
});

test('the first answer comes again after the thing has changed or gone', async () => {
  const first = await post('/contacts/companies', { name: 'Short Lived' }, 'gone');
  assert.equal((await service.api('DELETE', `/contacts/companies/${first.body.id}`)).status, 204);
  const again = await post('/contacts/companies', { name: 'Short Lived' }, 'gone');
  assert.deepEqual([seen(again), replayed(again), await companies('Short Lived')], [seen(first), true, 0]);
});

test('a key with another body or query is a 422', async () => {
  await post('/contacts/companies', { name: 'Reused', employeeCount: 1 }, 'reused');
  for (const [path, body] of [
    ['/contacts/companies', { name: 'Reused', employeeCount: 2 }],
    ['/contacts/companies', { name: 'Reused' }],
    ['/contacts/companies', {}],
    ['/contacts/companies?dryRun=true', { name: 'Reused', employeeCount: 1 }],
  ] as const) {
    const answer = await post(path, body, 'reused');
    assert.deepEqual([answer.status, answer.body.code, replayed(answer)], [422, 'idempotency_key_reused', false]);
  }
  assert.equal(await companies('Reused'), 1);
});

test("a key is its caller's, its tenant's and its path's own", async () => {
  const body = { name: 'Own' };
  const other = await newMember(service.api);
  const variant = await startVariant(service, { ENABLE_MULTI_TENANT: true });
  const stranger = await newMember(variant.api);
  await variant.stop();
  const lists = await Promise.all(
    ['One', 'Two'].map(async (name) => (await service.api('POST', '/contacts/lists', { name })).body.id as number),
  );
  const answers = [
    await post('/contacts/companies', body, 'own'),
    await post('/contacts/companies', body, 'own', { token: other.token }),
    await post('/contacts/companies', body, 'own', { token: stranger.token }),
    await post('/contacts/companies', body, 'OWN'),
    await post('/contacts/lists', body, 'own'),
    await post('/contacts/segments', { ...body, type: 'static' }, 'own'),
    await post(`/contacts/lists/${lists[0]}/rebuild`, {}, 'own'),
    await post(`/contacts/lists/${lists[1]}/rebuild`, {}, 'own'),
  ];
  assert.deepEqual(
    answers.map(replayed),
    answers.map(() => false),
  );
  assert.equal(new Set(answers.slice(0, 4).map((answer) => answer.body.id)).size, 4);
  for (const [index, token] of [service.admin.token, other.token, stranger.token].entries()) {
    const again = await post('/contacts/companies', body, 'own', { token });
    assert.deepEqual([again.body, replayed(again)], [answers[index]!.body, true]);
  }
  // However the path is written, it is the same one.
  const upper = await post('/Contacts/companies/', body, 'own');
  assert.deepEqual([upper.body, replayed(upper)], [answers[0]!.body, true]);
});

test('refusals are answers too: 400, 404 and 409 come again', async () => {
  const name = 'Was Absent';
  const invalid = await post('/contacts/companies', { name: 7 }, 'invalid');
  const missing = await post('/contacts/lists/999999/rebuild', {}, 'missing');
  const contact = await makeContact(service);
  const person = { firstName: 'A', lastName: 'B', email: contact.email };
  const taken = await post('/contacts', person, 'taken');
  assert.deepEqual([invalid.status, missing.status, taken.status], [400, 404, 409]);
  await service.api('DELETE', `/contacts/${contact.id}`);
  for (const [answer, again] of [
    [invalid, await post('/contacts/companies', { name: 7 }, 'invalid')],
    [missing, await post('/contacts/lists/999999/rebuild', {}, 'missing')],
    [taken, await post('/contacts', person, 'taken')],
  ] as const) {
    assert.deepEqual([seen(again), replayed(again)], [seen(answer), true]);
    assert.match(again.headers.get('content-type')!, /^application\/problem\+json/);
  }
  assert.equal((await post('/contacts/companies', { name }, 'invalid')).status, 422);
  assert.equal((await post('/contacts', person, 'taken 2')).status, 201);
});

test('what can not be read at all leaves the key free', async () => {
  const send = (body: string, type = 'application/json') =>
    service.api('POST', '/contacts/companies', body, {
      headers: { 'content-type': type, 'idempotency-key': 'unread' },
    });
  assert.equal((await send('{"name":')).body.code, 'malformed_json');
  assert.equal((await send('x', 'text/plain')).status, 415);
  assert.equal((await send(JSON.stringify({ name: 'x'.repeat(6_000_000) }))).status, 413);
  assert.equal((await send('{"name":"Read"}')).status, 201);
});

test('a body nested without end is a 400 under a key as well', async () => {
  const deep = (depth: number) =>
    service.api('POST', '/contacts/companies', `{"name":${'['.repeat(depth)}${']'.repeat(depth)}}`, {
      headers: { 'content-type': 'application/json', 'idempotency-key': 'deep' },
    });
  assert.equal((await deep(500_000)).status, 400);
  assert.equal((await deep(500)).status, 400, 'what is not read has not used the key');
  assert.equal(replayed(await deep(500)), true);
});

test('malformed keys are a 400, and are not looked at where keys do not count', async () => {
  for (const key of ['', 'k'.repeat(256), 'caf\u00e9', 'a\tb']) {
    const answer = await post('/contacts/companies', { name: 'Malformed' }, key);
    assert.deepEqual([answer.status, answer.body.errors?.[0]?.path], [400, '/Idempotency-Key'], JSON.stringify(key));
  }
  assert.equal(await companies('Malformed'), 0);
  for (const key of ['~'.repeat(255), 'a b', '"quoted"', "\\';--%00"]) {
    assert.equal((await post('/contacts/companies', { name: 'Sound' }, key)).status, 201, key);
    assert.equal(replayed(await post('/contacts/companies', { name: 'Sound' }, key)), true, key);
  }
  const headers = { 'idempotency-key': '' };
  const { body } = await service.api('POST', '/contacts/companies', { name: 'Other Methods' });
  assert.equal((await service.api('GET', `/contacts/companies/${body.id}`, undefined, { headers })).status, 200);
  assert.equal(
    (await service.api('PUT', `/contacts/companies/${body.id}`, { name: 'Other' }, { headers })).status,
    200,
  );
  assert.equal((await service.api('DELETE', `/contacts/companies/${body.id}`, undefined, { headers })).status, 204);
  const member = await newMember(service.api);
  assert.equal((await service.api('POST', '/auth/logout', undefined, { token: member.token, headers })).status, 204);
});

test('a key on a GET, a PUT or a public path does nothing', async () => {
  const key = { headers: { 'idempotency-key': 'ignored' } };
  const { body } = await service.api('POST', '/contacts/companies', { name: 'Read Twice' });
  const path = `/contacts/companies/${body.id}`;
  assert.deepEqual((await service.api('PUT', path, { name: 'Written Once' }, key)).body.version, 2);
  assert.deepEqual((await service.api('PUT', path, { name: 'Written Twice' }, key)).body.version, 3);
  const read = await service.api('GET', path, undefined, key);
  assert.deepEqual([read.body.name, replayed(read)], ['Written Twice', false]);
  const form = await service.api('POST', '/forms', {
    name: 'Public',
    fields: [{ name: 'email', label: 'Email', type: 'email' }],
  });
  await service.api('PUT', `/forms/${form.body.id}`, { status: 'active' });
  const submit = (email: string) =>
    service.api('POST', `/forms/${form.body.id}/submit`, { email }, { ...key, token: null });
  assert.deepEqual([(await submit('one@example.org')).status, (await submit('two@example.org')).status], [200, 200]);
  const registration = {
    username: 'keyed',
    email: 'keyed@example.org',
    password: 'Battery-Staple-9',
    firstName: 'K',
    lastName: 'D',
  };
  const register = () => service.api('POST', '/auth/register', registration, { ...key, token: null });
  assert.deepEqual([(await register()).status, (await register()).body.code], [201, 'username_taken']);
  assert.equal((await engine(sql`select 1 from idempotent_answers where key = 'ignored'`)).length, 0);
});

test('a refused token or permission leaves the key free', async () => {
  const member = await newMember(service.api);
  await engine(sql`update users set roles = '{}' where id = ${member.user.id}`);
  assert.equal((await post('/contacts/companies', { name: 'Late' }, 'late', { token: 'x.y.z' })).status, 401);
  assert.equal((await post('/contacts/companies', { name: 'Late' }, 'late', { token: member.token })).status, 403);
  await engine(sql`update users set roles = '{User}' where id = ${member.user.id}`);
  const first = await post('/contacts/companies', { name: 'Late' }, 'late', { token: member.token });
  assert.deepEqual([first.status, replayed(first)], [201, false]);
  // An answer is not for someone who may no longer ask.
  await engine(sql`update users set roles = '{}' where id = ${member.user.id}`);
  assert.equal((await post('/contacts/companies', { name: 'Late' }, 'late', { token: member.token })).status, 403);
});

test('a failure of ours frees the key', async () => {
  await owner.query('revoke insert on companies from perennial_app');
  const failed = await post('/contacts/companies', { name: 'Failed' }, 'failed');
  await owner.query('grant insert on companies to perennial_app');
  assert.deepEqual([failed.status, failed.body.code], [500, 'internal']);
  const answer = await post('/contacts/companies', { name: 'Not The Same' }, 'failed');
  assert.deepEqual([answer.status, replayed(answer)], [201, false]);
});

test('an upload is the same by its fields, its name and what is in it', async () => {
  const upload = (csv: string, { name = 'people.csv', mode = 'upsert' } = {}) => {
    const form = new FormData();
    form.set('mode', mode);
    form.set('file', new Blob([csv]), name);
    return post('/contacts/import', form, 'upload');
  };
  const first = await upload('email\na@example.org\n');
  assert.equal(first.status, 202, JSON.stringify(first.body));
  const again = await upload('email\na@example.org\n');
  assert.deepEqual([seen(again), replayed(again)], [seen(first), true]);
  for (const other of [
    upload('email\nb@example.org\n'),
    upload('email\na@example.org\n', { name: 'more.csv' }),
    upload('email\na@example.org\n', { mode: 'create' }),
  ]) {
    assert.equal((await other).status, 422);
  }
  assert.equal((await engine(sql`select 1 from contact_imports`)).length, 1);
});

test('twins wait without a connection, then get the answer of the one that ran', async () => {
  await owner.query('begin');
  await owner.query('lock table companies in share mode');
  const runner = post('/contacts/companies', { name: 'Twins' }, 'twins');
  await until('it runs', () => waiting(owner));
  const twins = Array.from({ length: 10 }, () => post('/contacts/companies', { name: 'Twins' }, 'twins'));
  const other = post('/contacts/companies', { name: 'Not Twins' }, 'twins');
  // One of the two connections is held by the runner: the other serves whoever else comes.
  for (let n = 0; n < 5; n += 1) assert.equal((await service.api('GET', '/contacts/companies?limit=1')).status, 200);
  await owner.query('commit');
  const first = await runner;
  assert.deepEqual([first.status, replayed(first)], [201, false]);
  for (const twin of await Promise.all(twins)) assert.deepEqual([seen(twin), replayed(twin)], [seen(first), true]);
  assert.equal((await other).status, 422);
  assert.deepEqual([await companies('Twins'), await companies('Not Twins')], [1, 0]);
});

test('the relay hears of what was committed under a key', async () => {
  const told: string[] = [];
  const subscription = service.deps.nats.connection.subscribe(OUTBOX_PING, {
    callback: (_error, message) => {
      told.push(message.string());
    },
  });
  await service.deps.nats.connection.flush();
  await post('/contacts', { firstName: 'A', lastName: 'B', email: 'told@example.org' }, 'told');
  await until('it has heard', () => told.includes('outbox_events'));
  subscription.unsubscribe();
});

test('a send stays one email under its key, also when its answer is not kept any more', async () => {
  const { templateId, recipientId } = {
    templateId: await makeTemplate(service),
    recipientId: (await makeContact(service)).id,
  };
  const send = { templateId, recipientId, data: { order: 1, items: [{ name: 'a', price: 2 }] } };
  const first = await post('/emails/send', send, 'send');
  await engine(sql`delete from idempotent_answers where key = 'send'`);
  // In whatever order its names stand.
  const second = await post(
    '/emails/send',
    { data: { items: [{ price: 2, name: 'a' }], order: 1 }, recipientId, templateId },
    'send',
  );
  assert.deepEqual(
    [first.status, second.status, second.body.emailId, replayed(second)],
    [202, 202, first.body.emailId, false],
  );
  assert.equal(replayed(await post('/emails/send', send, 'send')), true);
});

test('an answer with a secret is kept encrypted', async () => {
  const webhook = { name: 'Secret', url: 'https://example.com/hook', types: ['CONTACT_CREATED'] };
  const first = await post('/webhooks', webhook, 'secret');
  assert.equal(first.status, 201, JSON.stringify(first.body));
  assert.match(first.body.secret, /^whsec_/);
  const again = await post('/webhooks', webhook, 'secret');
  assert.deepEqual([seen(again), replayed(again)], [seen(first), true]);
  for (const { headers } of [first, again]) assert.equal(headers.get('cache-control'), 'no-store');
  const [kept] = await engine<{ body: string }>(sql`select body from idempotent_answers where key = 'secret'`);
  assert.ok(kept!.body.length > 0 && !kept!.body.includes('whsec_') && !kept!.body.includes('example.com'));
});

test('an answer that is not kept is not said to have been too large', async () => {
  const first = await post('/contacts/companies', { name: 'Forgotten' }, 'forgotten');
  // As the erasure of a person whom the answer names does.
  await engine(sql`update idempotent_answers set body = null where key = 'forgotten'`);
  const again = await post('/contacts/companies', { name: 'Forgotten' }, 'forgotten');
  assert.deepEqual(
    [again.status, again.body.code, again.body.detail],
    [
      409,
      'idempotency_conflict',
      'The first request with this key returned 201; its response was not stored and cannot be replayed',
    ],
  );
  assert.equal(again.headers.get('location'), first.headers.get('location'));
});

test('after 24 hours a key is new; the worker drops its row', async () => {
  const age = (key: string, seconds: number) =>
    engine(
      sql`update idempotent_answers set created_at = now() - make_interval(hours => 24, secs => ${seconds}) where key = ${key}`,
    );
  const keys = async () =>
    (await engine<{ key: string }>(sql`select key from idempotent_answers where key like 'age-%' order by key`)).map(
      (row) => row.key,
    );
  for (const key of ['age-new', 'age-old']) await post('/contacts/companies', { name: key }, key);
  await age('age-new', -60);
  await age('age-old', 60);
  assert.equal(replayed(await post('/contacts/companies', { name: 'age-new' }, 'age-new')), true);
  const other = await post('/contacts/companies', { name: 'age-other' }, 'age-old');
  assert.deepEqual([other.status, replayed(other)], [201, false]);
  assert.equal(replayed(await post('/contacts/companies', { name: 'age-other' }, 'age-old')), true);

  await age('age-old', 60);
  assert.equal(await deleteExpiredAnswers(engineEm(service.deps.orm)), 1);
  assert.deepEqual(await keys(), ['age-new']);
  await age('age-new', 60);
  const worker = await startWorker(service.deps, ['consumers']);
  await until('the worker has swept', async () => !(await keys()).includes('age-new'));
  await worker.stop();
  assert.deepEqual(await keys(), []);
});
