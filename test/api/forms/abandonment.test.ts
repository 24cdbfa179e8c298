import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { newTenant } from '../../support/accounts.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const SITE = 'https://www.example.com';
const make = async (more: object = {}): Promise<number> =>
  (
    await service.api('POST', '/forms', {
      name: 'Long',
      fields: [
        { name: 'email', label: 'Email', type: 'email' },
        { name: 'phone', label: 'Phone', type: 'phone' },
        { name: 'vat', label: 'VAT', type: 'text' },
      ],
      ...more,
    })
  ).body.id;
/** What a page sends when it is left: text, without asking first. */
const leave = (id: number, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  service.api('POST', `/forms/${id}/abandon`, typeof body === 'string' ? body : JSON.stringify(body), {
    token: null,
    headers: { 'content-type': 'text/plain;charset=UTF-8', ...headers },
  });
const abandonmentOf = async (id: number): Promise<Answer['body']> =>
  (await service.api('GET', `/forms/${id}/stats`)).body.abandonment;
const query = <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  tenantEm(service.deps.orm, 'default').transactional((tx) => rows<T>(tx, statement));

test('each time a form is left counts for the field that was touched last', async () => {
  const id = await make();
  const answers = await Promise.all(
    ['vat', 'phone', 'vat', 'vat', 'email', 'vat'].map((field) => leave(id, { field })),
  );
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body]),
    answers.map(() => [204, '']),
  );
  const json = await service.api('POST', `/forms/${id}/abandon`, { field: 'phone' }, { token: null });
  assert.equal(json.status, 204);
  const figures = [
    { field: 'vat', count: 4 },
    { field: 'phone', count: 2 },
    { field: 'email', count: 1 },
  ];
  assert.deepEqual(await abandonmentOf(id), figures);
  // The days of a field are added up.
  await query(sql`
    insert into form_abandonments (tenant_id, form_id, field, day, count) values ('default', ${id}, 'email', current_date - 1, 10)`);
  assert.deepEqual((await abandonmentOf(id))[0], { field: 'email', count: 11 });
  const columns = await query<{ name: string }>(
    sql`select column_name as name from information_schema.columns where table_name = 'form_abandonments' order by 1`,
  );
  assert.deepEqual(
    columns.map(({ name }) => name),
    ['count', 'day', 'field', 'form_id', 'tenant_id'],
    'nothing about the visitor',
  );
});

test('who comes back has not left', async () => {
  const id = await make();
  for (const field of ['vat', 'vat', 'phone']) await leave(id, { field });
  await leave(id, { field: 'vat', returned: true });
  await leave(id, { field: 'phone', returned: true });
  // More often than anybody left.
  await leave(id, { field: 'phone', returned: true });
  await leave(id, { field: 'email', returned: true });
  assert.deepEqual(await abandonmentOf(id), [{ field: 'vat', count: 1 }]);
  // Left before midnight.
  await query(sql`update form_abandonments set day = day - 1 where form_id = ${id}`);
  await leave(id, { field: 'vat', returned: true });
  assert.deepEqual(await abandonmentOf(id), []);
  await leave(id, { field: 'phone', returned: false });
  assert.deepEqual(await abandonmentOf(id), [{ field: 'phone', count: 1 }]);
});

test('what was counted before yesterday lasts, whoever says to be back', async () => {
  const id = await make();
  await query(sql`
    insert into form_abandonments (tenant_id, form_id, field, day, count)
    select 'default', ${id}, 'vat', current_date - ago, 1 from generate_series(0, 3) ago`);
  for (const left of [3, 2, 2, 2]) {
    await leave(id, { field: 'vat', returned: true });
    assert.deepEqual(await abandonmentOf(id), [{ field: 'vat', count: left }]);
  }
});

test('unknown names are not counted, and nothing else is taken', async () => {
  const id = await make();
  for (const field of ['nobody', '__proto__', '', 'EMAIL', 'x'.repeat(900)])
    assert.equal((await leave(id, { field })).status, 204, field);
  for (const body of [
    {},
    { field: 1 },
    { field: null },
    { field: 'email', who: 'me' },
    { field: 'email', returned: 1 },
    '',
    'email',
    '[]',
    'null',
  ])
    assert.equal((await leave(id, body)).status, 400, JSON.stringify(body));
  assert.equal((await leave(id, { field: 'x'.repeat(1024) })).status, 413);
  assert.equal((await leave(id, 'field=email', { 'content-type': 'application/x-www-form-urlencoded' })).status, 415);
  assert.deepEqual(await abandonmentOf(id), []);
});

test('any page may tell it, or those of the form alone; a form that is not there counts nothing', async () => {
  const open = await make();
  const answer = await leave(open, { field: 'email' }, { origin: SITE });
  assert.deepEqual([answer.status, answer.headers.get('access-control-allow-origin')], [204, '*']);
  const closed = await make({ allowedOrigins: [SITE] });
  assert.equal((await leave(closed, { field: 'email' }, { origin: SITE })).status, 204);
  const refused = await leave(closed, { field: 'email' }, { origin: 'https://evil.example.org' });
  assert.deepEqual([refused.status, refused.body.code], [403, 'origin_not_allowed']);
  assert.deepEqual(await abandonmentOf(closed), [{ field: 'email', count: 1 }]);
  const asked = await fetch(`${service.url}/api/v1/forms/${open}/abandon`, {
    method: 'OPTIONS',
    headers: { origin: SITE, 'access-control-request-method': 'POST' },
  });
  assert.deepEqual([asked.status, asked.headers.get('access-control-allow-origin')], [204, '*']);
  const draft = await make({ status: 'DRAFT' });
  for (const id of [draft, 999_999]) assert.equal((await leave(id, { field: 'email' })).status, 404);
});

test('the figures are of the tenant, and go with the form', async () => {
  const id = await make();
  await leave(id, { field: 'email' });
  const other = await newTenant(service);
  assert.equal((await service.api('GET', `/forms/${id}/stats`, undefined, { token: other.token })).status, 404);
  const theirs = await tenantEm(service.deps.orm, other.user.tenantId).transactional((tx) =>
    rows(tx, sql`select 1 from form_abandonments`),
  );
  assert.deepEqual(theirs, []);
  assert.equal((await service.api('DELETE', `/forms/${id}`)).status, 204);
  assert.deepEqual(await query(sql`select 1 from form_abandonments where form_id = ${id}`), []);
});
