/** Webhooks as they are made, read, changed and deleted. What they are told is tested in `test/e2e/webhooks`. */
import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { eventTypes } from '../../../events/contracts.ts';
import { holding, newTenant } from '../../support/accounts.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const WEBHOOK = { name: 'CRM', url: 'https://example.com/hook', types: ['CONTACT_CREATED'] };
const post = (body: object): Promise<Answer> => service.api('POST', '/webhooks', body);
const make = async (more: object = {}): Promise<Answer['body']> => {
  const answer = await post({ ...WEBHOOK, ...more });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
};
const told = ({ body }: Answer): string[] =>
  body.errors.map((error: { path: string; code: string }) => `${error.path} ${error.code}`).sort();

test('a webhook is made with its defaults; its secret is shown when it is made, and never again', async () => {
  const made = await post({ ...WEBHOOK, headers: { Authorization: 'Bearer of the CRM' } });
  assert.equal(made.status, 201);
  const { id, secret, ...rest } = made.body;
  assert.equal(made.headers.get('location'), `/api/v1/webhooks/${id}`);
  assert.equal(Buffer.from(secret.replace(/^whsec_/, ''), 'base64').length, 32);
  assert.deepEqual(
    { ...rest, createdAt: null, updatedAt: null },
    {
      ...WEBHOOK,
      ...{ filter: null, format: 'standard', signature: 'v1', ordering: 'none', include: [] },
      ...{ headers: { authorization: true }, maxInFlight: 5, timeoutMs: 15_000, active: true },
      ...{ disabledReason: null, disabledAt: null, lastSuccessAt: null, publicKey: null },
      ...{ tenantId: 'default', version: 1, createdAt: null, updatedAt: null },
    },
  );
  const read = await service.api('GET', `/webhooks/${id}`);
  assert.deepEqual(read.body, { ...made.body, secret: true });
  const { body: listed } = await service.api('GET', '/webhooks?sort=id');
  assert.deepEqual(listed.data.at(-1), read.body);
  const { body: audit } = await service.api('GET', '/auth/audit-log?limit=5');
  for (const hidden of [secret, 'Bearer of the CRM']) assert.ok(!JSON.stringify(audit).includes(hidden));

  const signing = await make({ signature: 'v1a' });
  assert.equal(signing.secret, null);
  assert.equal(Buffer.from(signing.publicKey.replace(/^whpk_/, ''), 'base64').length, 32);
});

test('all that is wrong is told at once, at its place', async () => {
  const wrong = await post({
    name: '',
    url: 'http://169.254.169.254/',
    types: ['*', 'CONTACT_CREATED'],
    filter: [{ field: 'nothing', operator: 'eq', value: 1 }],
    headers: { Host: 'a', 'Webhook-Id': 'a', 'Content-Type': 'a', 'X-A': 'a\r\nb', 'x y': 'a', 'X-B': true },
    maxInFlight: 21,
    timeoutMs: 999,
    format: 'xml',
  });
  assert.equal(wrong.status, 400);
  assert.deepEqual(told(wrong), [
    '/filter/0/field unknown_field',
    '/format enum',
    '/headers/Content-Type invalid',
    '/headers/Host invalid',
    '/headers/Webhook-Id invalid',
    '/headers/X-A invalid_character',
    '/headers/X-B type',
    '/headers/x y format',
    '/maxInFlight out_of_range',
    '/name too_short',
    '/timeoutMs out_of_range',
    '/types conflict',
    '/url outbound_refused',
  ]);
});

test.each([
  [{ types: [] }, '/types'],
  [{ types: ['CONTACT_LOST'] }, '/types/0'],
  [{ types: ['CONTACT_CREATED', 'CONTACT_CREATED'] }, '/types'],
  [{ url: 'ftp://example.com/' }, '/url'],
  [{ url: 'https://user:secret@example.com/' }, '/url'],
  [{ include: ['company'] }, '/include/0'],
  [{ ordering: 'strict' }, '/ordering'],
  [{ headers: Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`x-${n}`, 'a'])) }, '/headers'],
  [{ secret: 'whsec_mine' }, '/secret'],
])('%j is refused at %s', async (more, path) => {
  const answer = await post({ ...WEBHOOK, ...more });
  assert.equal(answer.status, 400, JSON.stringify(answer.body));
  assert.deepEqual(
    answer.body.errors.map((error: { path: string }) => error.path),
    [path],
  );
});

test('what was read can be put back; headers keep their values, and a stale version changes nothing', async () => {
  const { secret: _, ...made } = await make({ headers: { 'X-Key': 'first', 'X-Other': 'second' } });
  const path = `/webhooks/${made.id}`;
  const { body: read } = await service.api('GET', path);
  const same = await service.api('PUT', path, read);
  assert.deepEqual([same.status, same.body.version], [200, 1]);
  const changed = await service.api('PUT', path, {
    ...read,
    name: 'Other',
    headers: { 'x-key': true, 'x-new': 'third' },
  });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  assert.deepEqual([changed.body.name, changed.body.version], ['Other', 2]);
  assert.deepEqual(changed.body.headers, { 'x-key': true, 'x-new': true });
  const kept = await service.api('PUT', path, { headers: { 'x-other': true } });
  assert.deepEqual(told(kept), ['/headers/x-other type']);
  const stale = await service.api('PUT', path, { name: 'Third' }, { headers: { 'if-match': '"1"' } });
  assert.equal(stale.status, 412);
  assert.equal((await service.api('DELETE', path, undefined, { headers: { 'if-match': '"1"' } })).status, 412);
  const readOnly = await service.api('PUT', path, { disabledReason: 'gone', publicKey: 'whpk_mine' });
  assert.deepEqual(told(readOnly), ['/disabledReason read_only', '/publicKey read_only']);
  assert.equal((await service.api('GET', path)).body.name, 'Other');
});

/** The changes of a webhook in the audit log, oldest first. */
const changesOf = async (id: number): Promise<{ before: object; after: object }[]> => {
  const { body } = await service.api('GET', `/auth/audit-log?resourceType=webhook&resourceId=${id}&limit=200`);
  return body.data.filter(({ action }: { action: string }) => action === 'webhook.updated').reverse();
};

test('another value of a header is in the audit log, without the value; what changes nothing is not', async () => {
  const { id } = await make({ headers: { 'X-Key': 'first' } });
  for (const headers of [{ 'x-key': 'another' }, { 'x-key': true }])
    assert.equal((await service.api('PUT', `/webhooks/${id}`, { headers })).status, 200);
  assert.deepEqual(
    (await changesOf(id)).map(({ before, after }) => [before, after]),
    [[{ version: 1 }, { version: 2 }]],
  );
});

test('filters may name people, so the audit log has their changes, not what they say', async () => {
  const filter = (value: string) => ({ filter: [{ field: 'email', operator: 'eq', value }] });
  const { id } = await make(filter('ada@example.com'));
  assert.equal((await service.api('PUT', `/webhooks/${id}`, filter('augusta@example.com'))).status, 200);
  assert.deepEqual(
    (await changesOf(id)).map(({ before, after }) => [before, after]),
    [[{ version: 1 }, { version: 2 }]],
  );
  assert.equal((await service.api('DELETE', `/webhooks/${id}`)).status, 204);
  const { body } = await service.api('GET', `/auth/audit-log?resourceType=webhook&resourceId=${id}`);
  assert.equal(body.data.length, 3);
  assert.ok(!JSON.stringify(body).includes('@example.com'));
});

test('the values of headers are not sent to another origin: whoever changes it gives them again', async () => {
  const { id } = await make({ headers: { 'X-Key': 'secret' } });
  const path = `/webhooks/${id}`;
  assert.equal((await service.api('PUT', path, { url: 'https://example.com/other' })).status, 200);
  const elsewhere = { url: 'https://elsewhere.example.com/' };
  assert.deepEqual(told(await service.api('PUT', path, elsewhere)), ['/headers required']);
  assert.deepEqual(told(await service.api('PUT', path, { ...elsewhere, headers: { 'x-key': true } })), [
    '/headers required',
  ]);
  for (const headers of [{}, { 'x-key': 'another' }])
    assert.equal((await service.api('PUT', path, { ...elsewhere, headers })).status, 200);
});

test('switched off by hand, a webhook says so; the kind of its signature brings another key', async () => {
  const { id } = await make();
  const path = `/webhooks/${id}`;
  const off = await service.api('PUT', path, { active: false });
  assert.deepEqual([off.body.active, off.body.disabledReason], [false, 'manual']);
  assert.ok(Math.abs(Date.now() - Date.parse(off.body.disabledAt)) < 60_000);
  const on = await service.api('PUT', path, { active: true });
  assert.deepEqual([on.body.active, on.body.disabledReason, on.body.disabledAt], [true, null, null]);
  const signing = await service.api('PUT', path, { signature: 'v1a' });
  assert.match(signing.body.publicKey, /^whpk_/);
  const { body: rotated } = await service.api('POST', `${path}/rotate-secret`);
  assert.deepEqual(Object.keys(rotated).sort(), ['previousExpiresAt', 'publicKey']);
  assert.notEqual(rotated.publicKey, signing.body.publicKey);
  const hours = (Date.parse(rotated.previousExpiresAt) - Date.now()) / 3_600_000;
  assert.ok(hours > 23.9 && hours <= 24, String(hours));
  const again = await service.api('POST', `${path}/rotate-secret`, { overlapHours: 1 });
  assert.deepEqual([again.status, again.body.code], [409, 'conflict']);
  assert.deepEqual(told(await service.api('POST', `${path}/rotate-secret`, { overlapHours: 169 })), [
    '/overlapHours out_of_range',
  ]);
});

test('a key that cannot be decrypted any more is said to be so, and rotating mends that; headers are given again', async () => {
  const { id } = await make({ headers: { 'X-Key': 'first' } });
  const { id: other } = await make();
  const tryIt = () => service.api('POST', `/webhooks/${id}/test`, { type: 'CONTACT_CREATED' });
  const rotate = (overlapHours: number) => service.api('POST', `/webhooks/${id}/rotate-secret`, { overlapHours });
  /** Puts there what cannot be decrypted: it belongs to another one. */
  const spoil = (column: 'key' | 'previous_key') =>
    engineEm(service.deps.orm).transactional((tx) =>
      rows(
        tx,
        sql`update webhook_endpoints set ${sql.ref(column)} = (select key from webhook_endpoints where id = ${other}) where id = ${id}`,
      ),
    );
  assert.equal((await tryIt()).status, 200);
  assert.equal((await rotate(1)).status, 200);
  await spoil('key');
  const unreadable = await tryIt();
  assert.deepEqual([unreadable.status, unreadable.body.code], [409, 'conflict']);
  assert.match(unreadable.body.detail, /rotate/);
  const mended = await rotate(24);
  assert.equal(mended.status, 200, JSON.stringify(mended.body));
  assert.ok(Date.parse(mended.body.previousExpiresAt) <= Date.now());
  assert.equal((await tryIt()).status, 200);

  assert.equal((await rotate(1)).status, 200, 'the one before was none');
  assert.equal((await rotate(1)).status, 409);
  await spoil('previous_key');
  assert.equal((await tryIt()).status, 200);
  assert.equal((await rotate(0)).status, 200);
  await spoil('previous_key');
  assert.equal((await tryIt()).status, 200, 'it has expired');

  await engineEm(service.deps.orm).transactional((tx) =>
    rows(tx, sql`update webhook_endpoints set headers = jsonb_build_object('x-key', key) where id = ${id}`),
  );
  const headers = await tryIt();
  assert.equal(headers.status, 409);
  assert.match(headers.body.detail, /x-key.*again/);
  assert.equal((await service.api('PUT', `/webhooks/${id}`, { headers: { 'x-key': 'second' } })).status, 200);
  assert.equal((await tryIt()).status, 200);
});

test('lists are narrowed by state and by type', async () => {
  const { id: all } = await make({ name: 'All', types: ['*'] });
  const { id: off } = await make({ name: 'Off', types: ['EMAIL_SENT'], active: false });
  const idsOf = async (query: string): Promise<number[]> =>
    (await service.api('GET', `/webhooks?limit=200&${query}`)).body.data.map(({ id }: { id: number }) => id);
  assert.ok((await idsOf('active=false')).includes(off) && !(await idsOf('active=false')).includes(all));
  assert.deepEqual(await idsOf('type=EMAIL_SENT&sort=id'), [all, off]);
  assert.equal((await service.api('GET', '/webhooks?type=NOTHING')).status, 400);
});

test('every type of event is described, with an example that is one', async () => {
  const { body } = await service.api('GET', '/webhooks/event-types');
  assert.deepEqual(
    body.data.map(({ type }: { type: string }) => type),
    eventTypes,
  );
  for (const { type, description, schema, example } of body.data) {
    assert.ok(description.length > 10, type);
    assert.deepEqual(
      schema.required.filter((name: string) => !(name in example) && !['tenantId', 'timestamp'].includes(name)),
      [],
      type,
    );
  }
});

test('a replay needs a period, and a proof and a list take one', async () => {
  const { id } = await make({ active: false });
  const replay = (body: object) => service.api('POST', `/webhooks/${id}/replay`, body);
  assert.deepEqual(told(await replay({})), ['/from required']);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  assert.deepEqual(told(await replay({ from: tomorrow })), ['/from out_of_range']);
  assert.deepEqual(told(await replay({ from: '2026-01-01T00:00:00Z', types: ['NOTHING'], only: 'some' })), [
    '/only enum',
    '/types/0 enum',
  ]);
  const begun = await replay({ from: '2026-01-01T00:00:00Z' });
  assert.equal(begun.status, 202);
  assert.equal(begun.headers.get('location'), `/api/v1/webhooks/replays/${begun.body.id}`);
  const second = await replay({ from: '2026-01-01T00:00:00Z' });
  assert.deepEqual([second.status, second.body.code], [409, 'conflict']);
  const { body: proof } = await service.api('GET', `/webhooks/${id}/proof`);
  assert.deepEqual(
    [proof.matched, proof.delivered, proof.pending, proof.failed, proof.held, proof.firstSequence, proof.lastSequence],
    [0, 0, 0, 0, 0, null, null],
  );
  assert.equal((await service.api('GET', `/webhooks/${id}/deliveries?status=LOST`)).status, 400);
  assert.equal((await service.api('GET', `/webhooks/${id}/deliveries/1`)).status, 404);
  assert.equal((await service.api('POST', `/webhooks/${id}/deliveries/1/retry`)).status, 404);
});

test('another account sees, changes and deletes none of them, and has a key of its own', async () => {
  const { id } = await make();
  const { token } = await newTenant(service);
  const calls: [string, string, object?][] = [
    ['GET', `/webhooks/${id}`],
    ['PUT', `/webhooks/${id}`, { name: 'Mine' }],
    ['DELETE', `/webhooks/${id}`],
    ['POST', `/webhooks/${id}/test`, { type: 'CONTACT_CREATED' }],
    ['POST', `/webhooks/${id}/rotate-secret`, {}],
    ['POST', `/webhooks/${id}/replay`, { from: '2026-01-01T00:00:00Z' }],
    ['GET', `/webhooks/${id}/deliveries`],
    ['GET', `/webhooks/${id}/events`],
    ['GET', `/webhooks/${id}/proof`],
  ];
  for (const [method, path, body] of calls)
    assert.equal((await service.api(method, path, body, { token })).status, 404, `${method} ${path}`);
  assert.deepEqual((await service.api('GET', '/webhooks', undefined, { token })).body.data, []);
  const ours = await service.api('GET', '/webhooks/default');
  const theirs = (await service.api('GET', '/webhooks/default', undefined, { token })).body;
  assert.match(ours.body.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(ours.headers.get('cache-control'), 'no-store');
  assert.deepEqual((await service.api('GET', '/webhooks/default')).body, ours.body);
  assert.notEqual(ours.body.secret, theirs.secret);
  assert.equal((await service.api('GET', `/webhooks/${id}`)).body.name, 'CRM');
});

test('what takes too long of deliveries ends, and says what to ask for instead', async () => {
  const { id } = await make();
  const answers = await holding(service, 'lock table webhook_deliveries in access exclusive mode', () =>
    Promise.all(['deliveries?status=DELIVERED', 'proof'].map((path) => service.api('GET', `/webhooks/${id}/${path}`))),
  );
  for (const { status, body } of answers) {
    assert.deepEqual([status, body.code], [503, 'unavailable']);
    assert.match(body.detail, /shorter period/);
  }
  assert.equal((await service.api('GET', `/webhooks/${id}/deliveries`)).status, 200);
  assert.equal((await service.api('GET', `/webhooks/${id}/deliveries?from=never`)).status, 400);
});
