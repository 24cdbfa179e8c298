import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { newTenant } from '../../support/accounts.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { unzip } from '../../support/unzip.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const query = <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  tenantEm(service.deps.orm, service.admin.tenantId).transactional((tx) => rows<T>(tx, statement));
const exported = (id: number, search = ''): Promise<Answer> =>
  service.api('GET', `/forms/${id}/submissions/export${search}`);
const bytes = async (id: number, format: string): Promise<Buffer> => {
  const answer = await fetch(`${service.url}/api/v1/forms/${id}/submissions/export?format=${format}`, {
    headers: { authorization: `Bearer ${service.admin.token}` },
  });
  assert.equal(answer.status, 200);
  return Buffer.from(await answer.arrayBuffer());
};

const email = { name: 'email', label: 'Email', type: 'email' };
const old = { name: 'former', label: 'Former', type: 'text' };
const fields = [
  { name: 'note', label: 'Note', type: 'textarea' },
  email,
  { name: 'id', label: 'Customer id', type: 'text' },
  {
    name: 'topics',
    label: 'Topics',
    type: 'multiselect',
    options: [
      { value: '=a', label: 'A' },
      { value: 'b', label: 'B' },
    ],
  },
  { name: 'amount', label: 'Amount', type: 'number' },
  { name: 'agree', label: 'Agree', type: 'checkbox' },
];

/** A form with a submission from before its fields were changed, and one with everything that could do harm. */
async function makeForm(): Promise<{ id: number; submissionIds: number[]; contactIds: number[] }> {
  const { id } = (await service.api('POST', '/forms', { name: 'Leads', fields: [email, old] })).body;
  const submit = (body: object, agent: string) =>
    service.api('POST', `/forms/${id}/submit`, body, { token: null, headers: { 'user-agent': agent } });
  const one = await submit({ email: `before-${id}@example.com`, former: '+1' }, 'curl/8');
  assert.equal((await service.api('PUT', `/forms/${id}`, { fields })).status, 200);
  const two = await submit(
    {
      email: `evil-${id}@example.com`,
      note: '=1+1',
      id: 'a "b"\nc,d;é',
      topics: ['=a', 'b', '=a'],
      amount: -5,
      agree: true,
    },
    '=cmd()',
  );
  assert.deepEqual([one.status, two.status], [200, 200], JSON.stringify([one.body, two.body]));
  return {
    id,
    submissionIds: [one.body.submissionId, two.body.submissionId],
    contactIds: [one.body.contactId, two.body.contactId],
  };
}

test('csv has a column for each field, in order, then those of older submissions, and no formulas', async () => {
  const { id, submissionIds, contactIds } = await makeForm();
  const answer = await exported(id);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8');
  assert.match(
    answer.headers.get('content-disposition')!,
    new RegExp(`^attachment; filename="form-${id}-submissions-\\d{4}-\\d\\d-\\d\\d\\.csv"$`),
  );
  const table = parse<Record<string, string>>(answer.body, { columns: true, record_delimiter: ['\r\n', '\n', '\r'] });
  const shown = ['id', 'contactId', 'submittedAt', 'ipAddress', 'userAgent'];
  const names = ['note', 'email', 'submissionData.id', 'topics', 'amount', 'agree', 'former'];
  assert.deepEqual(Object.keys(table[0]!), [...shown, ...names]);
  assert.deepEqual(
    table.map(({ id: own, contactId }) => [Number(own), Number(contactId)]),
    submissionIds.map((submissionId, n) => [submissionId, contactIds[n]]),
  );
  assert.deepEqual(
    table.map((row) => [...names, 'userAgent'].map((name) => row[name])),
    [
      ['', `before-${id}@example.com`, '', '', '', '', "'+1", 'curl/8'],
      ["'=1+1", `evil-${id}@example.com`, 'a "b"\nc,d;é', "'=a;b", '-5', 'true', '', "'=cmd()"],
    ],
  );
  assert.match(table[0]!['ipAddress']!, /127\.0\.0\.1/);
  assert.ok(Math.abs(Date.parse(table[0]!['submittedAt']!) - Date.now()) < 60_000);
  const audit = await query<{ after: object; actor_type: string }>(
    sql`select after, actor_type from audit_log where action = 'form.submissions_exported' and resource_id = ${String(id)}`,
  );
  assert.deepEqual(audit, [{ after: { format: 'csv' }, actor_type: 'user' }]);
});

test('ndjson has the submissions as the list shows them', async () => {
  const { id } = await makeForm();
  const { data } = (await service.api('GET', `/forms/${id}/submissions?sort=id`)).body;
  const lines = (await bytes(id, 'ndjson')).toString().split('\n');
  assert.deepEqual(
    lines.slice(0, -1).map((line) => JSON.parse(line)),
    data,
  );
  assert.equal(data.length, 2);
  assert.equal(lines.at(-1), '');
});

test('xlsx is a workbook of typed cells, up to its number of rows', async () => {
  const { id } = await makeForm();
  const sheet = unzip(await bytes(id, 'xlsx')).get('xl/worksheets/sheet1.xml')!;
  const found = sheet.match(/<row>.*?<\/row>/gs)!;
  assert.equal(found.length, 3);
  assert.ok(found[2]!.includes('<c><v>-5</v></c>') && found[2]!.includes('<c t="b"><v>1</v></c>'));
  assert.ok(found[2]!.includes('>=1+1<') && found[2]!.includes('>=cmd()<') && !sheet.includes('<f>'));
  await query(sql`
    insert into form_submissions (tenant_id, form_id, submission_data, submitted_at)
    select tenant_id, id, '{}', now() from forms, generate_series(1, 200000 - 2) where id = ${id}`);
  assert.equal((await bytes(id, 'xlsx')).subarray(0, 2).toString(), 'PK');
  await query(sql`
    insert into form_submissions (tenant_id, form_id, submission_data, submitted_at) select tenant_id, id, '{}', now() from forms where id = ${id}`);
  const refused = await exported(id, '?format=xlsx');
  assert.equal(refused.status, 400);
  assert.deepEqual(
    refused.body.errors.map(({ path, code }: Record<string, string>) => [path, code]),
    [['/format', 'too_many']],
  );
  assert.match(refused.body.errors[0].message, /200000 submissions: use csv/);
  const lines = (await bytes(id, 'ndjson')).toString().trimEnd().split('\n');
  assert.equal(lines.length, 200_001);
  assert.equal(new Set(lines.map((line) => (JSON.parse(line) as { id: number }).id)).size, 200_001);
});

test('what is not there, or not of the tenant, is not found', async () => {
  const { id } = await makeForm();
  assert.equal((await exported(999_999)).status, 404);
  const other = await newTenant(service);
  assert.equal(
    (await service.api('GET', `/forms/${id}/submissions/export`, undefined, { token: other.token })).status,
    404,
  );
  assert.equal((await exported(id, '?format=json')).status, 400);
  assert.equal((await service.api('GET', `/forms/${id}/submissions/export`, undefined, { token: null })).status, 401);
  const empty = (await service.api('POST', '/forms', { name: 'Empty', fields: [email] })).body.id as number;
  assert.equal((await exported(empty)).body, 'id,contactId,submittedAt,ipAddress,userAgent,email\r\n');
});
