import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { erasedKey } from '../../../domain/addresses/digest.ts';
import { makeContact, makeTemplate, published } from '../../support/mail/emails.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: ['relay'] });
});
afterAll(() => service.stop());

const api = (...call: Parameters<Service['api']>) => service.api(...call);
const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
const suppress = (body: object) => api('POST', '/emails/suppressions', body);
const statusOf = async (id: number): Promise<string> => (await api('GET', `/contacts/${id}`)).body.status;
const listed = async (query: string): Promise<Record<string, unknown>[]> =>
  (await api('GET', `/emails/suppressions?${query}`)).body.data;

test('an address is suppressed in whatever spelling, once, and the stricter reason stays', async () => {
  const contact = await makeContact(service, { email: 'Mixed.Case@Example.org' });
  const first = await suppress({ email: ' MIXED.case@example.ORG ' });
  assert.equal(first.status, 201);
  const { id, createdAt, ...shown } = first.body;
  assert.deepEqual(shown, { email: 'mixed.case@example.org', reason: 'manual', source: 'api', tenantId: 'default' });
  assert.ok(Number.isInteger(id) && !Number.isNaN(Date.parse(createdAt)));
  assert.equal(first.headers.get('location'), `/api/v1/emails/suppressions/${id}`);
  const read = await api('GET', `/emails/suppressions/${id}`);
  assert.deepEqual([read.status, read.body], [200, first.body]);
  assert.equal((await api('GET', '/emails/suppressions/999999')).status, 404);
  assert.equal(await statusOf(contact.id), 'unsubscribed');

  const again = await suppress({ email: 'mixed.case@example.org' });
  assert.deepEqual([again.status, again.body], [200, first.body]);
  const stricter = await suppress({ email: 'mixed.case@example.org', reason: 'complained' });
  assert.deepEqual([stricter.status, stricter.body], [200, { ...first.body, reason: 'complained' }]);
  assert.equal(await statusOf(contact.id), 'complained');
  assert.equal((await suppress({ email: 'mixed.case@example.org', reason: 'bounced' })).body.reason, 'complained');
  assert.equal(await statusOf(contact.id), 'complained');

  const events = await until('both changes are told', async () => {
    const updated = (await published(service, 'CONTACT_UPDATED')).filter(({ data }) => data.contactId === contact.id);
    return updated.length === 2 && updated;
  });
  assert.ok(events.every(({ data }) => data.changed.join() === 'status'));
  const left = (await published(service, 'CONTACT_UNSUBSCRIBED')).filter(({ data }) => data.contactId === contact.id);
  assert.deepEqual(
    left.map(({ data }) => data.reason),
    ['api'],
  );
});

test('what is no single address is refused with the reason, and nothing that is accepted does nothing', async () => {
  for (const email of ['*@example.org', 'info*@example.org', '%@example.org', '??@example.org', '@example.org']) {
    const answer = await suppress({ email });
    assert.deepEqual([answer.status, answer.body.code], [400, 'validation_failed'], email);
    const [{ path, code, message }] = answer.body.errors;
    assert.deepEqual([path, code], ['/email', 'invalid_email'], email);
    assert.match(message, /patterns such as \*@example\.com and domains are not supported/, email);
    assert.equal((await api('GET', `/emails/suppressions?email=${encodeURIComponent(email)}`)).status, 400, email);
  }
  for (const email of [
    'example.org',
    '*',
    'Ada Byron <ada@example.org>',
    '<ada@example.org>',
    'ada@example.org, bea@example.org',
    '',
  ])
    assert.equal((await suppress({ email })).status, 400, email);
  // Nobody can have such an address, so nobody's opt-out is refused.
  assert.equal((await api('POST', '/contacts', { firstName: 'A', lastName: 'B', email: '*@example.org' })).status, 400);
  assert.equal((await suppress({ email: 'a%b@example.org' })).status, 201);
});

test('asked for several times at once it is made once', async () => {
  const answers = await Promise.all(
    [...Array(6)].map((_, n) => suppress({ email: 'at-once@example.org', reason: n % 2 ? 'bounced' : 'manual' })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 201]);
  const [{ id, reason }] = (await listed('email=at-once@example.org')) as [{ id: number; reason: string }];
  assert.equal(reason, 'bounced');
  const { data } = (await api('GET', `/auth/audit-log?resourceType=suppression&resourceId=${id}`)).body;
  // That it was made, and, where the milder reason came first, that it became stricter.
  const told = data
    .toReversed()
    .map(({ before, after }: { before: { reason: string } | null; after: { reason: string } }) => [
      before?.reason ?? null,
      after.reason,
    ]);
  assert.deepEqual(
    told,
    told.length === 1
      ? [[null, 'bounced']]
      : [
          [null, 'manual'],
          ['manual', 'bounced'],
        ],
  );
});

test('a suppression outlives its contact and holds for bare addresses; taken away, mail goes again', async () => {
  const contact = await makeContact(service, { email: 'gone@example.org' });
  const {
    body: { id },
  } = await suppress({ email: 'gone@example.org', reason: 'bounced' });
  assert.equal((await api('DELETE', `/contacts/${contact.id}`)).status, 204);
  const back = await makeContact(service, { email: 'gone@example.org' });
  assert.equal(await statusOf(back.id), 'bounced');
  const send = async () =>
    (await api('POST', '/emails/send', { templateId: await makeTemplate(service), to: 'gone@example.org' })).body
      .status;
  assert.equal(await send(), 'SUPPRESSED');

  const [one, two] = await Promise.all([
    api('DELETE', `/emails/suppressions/${id}`),
    api('DELETE', `/emails/suppressions/${id}`),
  ]);
  assert.deepEqual([one.status, two.status].sort(), [204, 404]);
  assert.equal(await statusOf(back.id), 'active');
  assert.equal(await send(), 'QUEUED');
  assert.deepEqual(await listed('email=gone@example.org'), []);
});

test('who is archived or has not confirmed stays so', async () => {
  const [archived, pending] = [await makeContact(service, { status: 'archived' }), await makeContact(service)];
  await engine(sql`update contacts set status = 'pending' where id = ${pending.id}`);
  const ids = [];
  for (const { email } of [archived, pending]) ids.push((await suppress({ email })).body.id);
  assert.deepEqual([await statusOf(archived.id), await statusOf(pending.id)], ['archived', 'unsubscribed']);
  await engine(sql`update contacts set status = 'pending' where id = ${pending.id}`);
  for (const id of ids) assert.equal((await api('DELETE', `/emails/suppressions/${id}`)).status, 204);
  assert.deepEqual([await statusOf(archived.id), await statusOf(pending.id)], ['archived', 'pending']);
});

test('a segment follows, and the audit log tells of it without the address', async () => {
  const contact = await makeContact(service, { email: 'audited@example.org' });
  const filter = {
    op: 'and',
    conditions: [
      { field: 'email', operator: 'eq', value: 'audited@example.org' },
      { field: 'status', operator: 'eq', value: 'active' },
    ],
  };
  const { body: segment } = await api('POST', '/contacts/segments', { name: 'Reachable', type: 'dynamic', filter });
  const count = async () => (await api('GET', `/contacts/segments/${segment.id}`)).body.count;
  assert.equal(await count(), 1);
  const {
    body: { id },
  } = await suppress({ email: contact.email, reason: 'unsubscribed' });
  assert.equal(await count(), 0);
  await api('DELETE', `/emails/suppressions/${id}`);
  assert.equal(await count(), 1);
  const { body: log } = await api('GET', `/auth/audit-log?resourceType=suppression&resourceId=${id}`);
  assert.deepEqual(
    log.data
      .map(({ action, before, after }: Record<string, unknown>) => ({ action, before, after }))
      .sort((a: { action: string }, b: { action: string }) => (a.action < b.action ? -1 : 1)),
    [
      { action: 'suppression.created', before: null, after: { reason: 'unsubscribed' } },
      { action: 'suppression.deleted', before: { reason: 'unsubscribed', source: 'api' }, after: null },
    ],
  );
  assert.doesNotMatch(JSON.stringify(log), /audited@/);
});

test('they are listed by address and reason; an erased address is found by who knows it, and shown to none', async () => {
  await suppress({ email: 'listed@bücher.example', reason: 'complained' });
  const erased = 'erased@example.org';
  await engine(
    sql`insert into suppressions (tenant_id, email_key, reason) values ('default', ${erasedKey('default', erased)}, 'unsubscribed')`,
  );
  await engine(
    sql`insert into suppressions (tenant_id, email_key, reason) values ('other', 'listed@xn--bcher-kva.example', 'manual')`,
  );
  assert.deepEqual(
    (await listed('email=LISTED@BÜCHER.example')).map(({ email, reason, tenantId }) => [email, reason, tenantId]),
    [['listed@xn--bcher-kva.example', 'complained', 'default']],
  );
  assert.deepEqual(
    (await listed(`email=${erased}`)).map(({ email, reason }) => [email, reason]),
    [[null, 'unsubscribed']],
  );
  const complained = await listed('reason=complained&limit=100');
  assert.ok(complained.length >= 1 && complained.every(({ reason }) => reason === 'complained'));
  const all = await api('GET', '/emails/suppressions?limit=2&sort=id&includeTotal=true');
  assert.ok(all.body.data.length === 2 && all.body.data[0].id < all.body.data[1].id);
});

test('what is no address or reason is refused and suppresses nothing', async () => {
  const count = async () => (await engine<{ n: number }>(sql`select count(*)::int as n from suppressions`))[0]!.n;
  const before = await count();
  for (const [body, path] of [
    [{ email: 'nobody' }, '/email'],
    [{}, '/email'],
    [{ email: 'a@example.org', reason: 'erased' }, '/reason'],
    [{ email: 'a@example.org', source: 'me' }, '/source'],
  ] as const) {
    const answer = await suppress(body);
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.deepEqual(
      answer.body.errors.map((error: { path: string }) => error.path),
      [path],
    );
  }
  assert.equal((await api('GET', '/emails/suppressions?email=nobody')).status, 400);
  assert.equal((await api('DELETE', '/emails/suppressions/999999999')).status, 404);
  assert.equal(await count(), before);
});

test('two at once make one', async () => {
  const answers = await Promise.all(Array.from({ length: 6 }, () => suppress({ email: 'twins@example.org' })));
  assert.ok(
    answers.every(({ status }) => status === 200 || status === 201),
    JSON.stringify(answers.map(({ body }) => body)),
  );
  assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
  assert.equal((await listed('email=twins@example.org')).length, 1);
});
