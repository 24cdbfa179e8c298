import assert from 'node:assert/strict';
import { get } from 'node:http';
import { afterAll, beforeAll, test } from '@jest/globals';
import { mock } from 'node:test';
import { parse } from 'csv-parse/sync';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { unzip } from '../../support/unzip.ts';
import { until } from '../../support/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: ['temporal', 'relay'] });
});
afterAll(() => service.stop());

const api = (...call: Parameters<Service['api']>): Promise<Answer> => service.api(...call);
const query = <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  tenantEm(service.deps.orm, 'default').transactional((tx) => rows<T>(tx, statement));
const exported = async (search: string): Promise<Answer> => {
  const answer = await api('GET', `/contacts/export?${search}`);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer;
};
const bytes = async (search: string): Promise<Buffer> =>
  Buffer.from(
    await (
      await fetch(`${service.url}/api/v1/contacts/export?${search}`, {
        headers: { authorization: `Bearer ${service.admin.token}` },
      })
    ).arrayBuffer(),
  );

const EVIL = {
  firstName: '=1+1',
  lastName: '@sum',
  jobTitle: '-2+3',
  phone: '+44 20 7946 0958',
  tags: ['=a', 'b'],
  customFields: { formula: "'=HYPERLINK(0)", amount: -5, vip: false, note: 'a "b"\nc,d;é' },
};

test('csv has a column for each field, the filters of the list, and no formulas', async () => {
  for (const [name, type] of [
    ['formula', 'string'],
    ['amount', 'number'],
    ['vip', 'boolean'],
    ['note', 'string'],
    ['never', 'date'],
  ]) {
    await api('POST', '/contacts/custom-fields', { entity: 'contact', name, type });
  }
  const { body: evil } = await api('POST', '/contacts', { ...EVIL, email: 'evil@example.com', company: '=cmd' });
  await api('POST', '/contacts', {
    firstName: 'Ada',
    lastName: 'Byron',
    email: 'ada@example.com',
    tags: ['b'],
    status: 'unsubscribed',
    customFields: { note: 'one\ntwo' },
  });
  const answer = await exported('');
  assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8');
  assert.match(answer.headers.get('content-disposition')!, /^attachment; filename="contacts-\d{4}-\d\d-\d\d\.csv"$/);
  // Whatever a reader takes for the end of a row.
  const table = parse<Record<string, string>>(answer.body, { columns: true, record_delimiter: ['\r\n', '\n', '\r'] });
  assert.deepEqual(Object.keys(table[0]!), [
    'id',
    'firstName',
    'lastName',
    'email',
    'phone',
    'phoneE164',
    'jobTitle',
    'companyId',
    'company',
    'status',
    'tags',
    'customFields.formula',
    'customFields.amount',
    'customFields.vip',
    'customFields.note',
    'customFields.never',
    'timezone',
    'locale',
    'source',
    'createdAt',
    'updatedAt',
    'version',
    'erasing',
  ]);
  assert.deepEqual(table[0], {
    id: String(evil.id),
    firstName: "'=1+1",
    lastName: "'@sum",
    email: 'evil@example.com',
    phone: "'+44 20 7946 0958",
    phoneE164: '+442079460958',
    jobTitle: "'-2+3",
    companyId: String(evil.companyId),
    company: "'=cmd",
    status: 'active',
    tags: "'=a;b",
    'customFields.formula': "''=HYPERLINK(0)",
    'customFields.amount': '-5',
    'customFields.vip': 'false',
    'customFields.note': 'a "b"\nc,d;é',
    'customFields.never': '',
    timezone: '',
    locale: '',
    source: '',
    createdAt: evil.createdAt,
    updatedAt: evil.updatedAt,
    version: '1',
    erasing: 'false',
  });
  assert.equal(table.length, 2);
  assert.equal(table[1]!['customFields.note'], 'one\ntwo');
  const emails = async (search: string) =>
    parse<{ email: string }>((await exported(search)).body, { columns: true }).map(({ email }) => email);
  assert.deepEqual(await emails('status=unsubscribed'), ['ada@example.com']);
  assert.deepEqual(await emails('format=csv&tag=b&email=ADA@example.com'), ['ada@example.com']);
  assert.deepEqual(await emails('createdBefore=2000-01-01T00:00:00Z'), []);
  assert.equal((await api('GET', '/contacts/export?format=pdf')).status, 400);
  assert.equal((await api('GET', '/contacts/export?limit=5')).status, 400);
  assert.equal(
    (await api('GET', '/contacts/export?createdAfter=0001-01-01T00:00:00Z')).body.errors[0].path,
    '/createdAfter',
  );
  assert.ok((await query(sql`select 1 from audit_log where action = 'contact.exported'`)).length > 0);
});

test('a csv has a byte order mark if asked for; other formats never', async () => {
  const mark = Buffer.from([0xef, 0xbb, 0xbf]);
  const plain = await bytes('format=csv');
  assert.notDeepEqual(plain.subarray(0, 3), mark);
  assert.deepEqual(await bytes('format=csv&bom=true'), Buffer.concat([mark, plain]));
  assert.deepEqual(await bytes('bom=false'), plain);
  assert.notDeepEqual((await bytes('format=ndjson&bom=true')).subarray(0, 3), mark);
  const wrong = await api('GET', '/contacts/export?bom=maybe');
  assert.deepEqual([wrong.status, wrong.body.errors[0].path], [400, '/bom']);
});

test('json is an array of what the list shows, ndjson a line each', async () => {
  const { data } = (await api('GET', '/contacts?sort=id')).body;
  assert.deepEqual((await exported('format=json')).body, data);
  const lines = (await bytes('format=ndjson')).toString().split('\n');
  assert.deepEqual(
    lines.slice(0, -1).map((line) => JSON.parse(line)),
    data,
  );
  assert.equal(lines.at(-1), '');
  assert.deepEqual((await exported('format=json&tag=nobody')).body, []);
});

test('a stream has no ETag, so a condition changes nothing', async () => {
  const { status, headers } = await api('GET', '/contacts/export', undefined, { headers: { 'if-none-match': '"1"' } });
  assert.deepEqual([status, headers.get('etag')], [200, null]);
});

test('xlsx is a workbook of typed cells', async () => {
  const files = unzip(await bytes('format=xlsx'));
  assert.deepEqual(
    [...files.keys()],
    [
      '[Content_Types].xml',
      '_rels/.rels',
      'xl/workbook.xml',
      'xl/_rels/workbook.xml.rels',
      'xl/styles.xml',
      'xl/worksheets/sheet1.xml',
    ],
  );
  const found = files.get('xl/worksheets/sheet1.xml')!.match(/<row>.*?<\/row>/gs)!;
  assert.equal(found.length, 3);
  assert.ok(found[1]!.includes('<c><v>-5</v></c>') && found[1]!.includes('<c t="b"><v>0</v></c>'));
  assert.ok(found[1]!.includes('<t xml:space="preserve">a &quot;b&quot;\nc,d;é</t>') && found[1]!.includes('>=1+1<'));
  // An inline string is no formula, whatever it begins with.
  for (const text of ['+44 20 7946 0958', '+442079460958', "'=HYPERLINK(0)"])
    assert.ok(found[1]!.includes(`>${text}<`), text);
  assert.ok(!files.get('xl/worksheets/sheet1.xml')!.includes('<f>'));
});

test('an import takes an exported file back: it changes nothing, and makes the same contacts where there are none', async () => {
  // With the mark, and with phone numbers as a spreadsheet that read `phoneE164` as a number stores them.
  const csv = (await bytes('bom=true')).toString().replace(',+442079460958,', ',442079460958,');
  assert.ok(csv.startsWith('\ufeff') && csv.includes(",'+44 20 7946 0958,442079460958,"));
  const { data: before } = (await api('GET', '/contacts?sort=id')).body;
  const bring = async () => {
    const form = new FormData();
    form.set('file', new Blob([csv]), 'contacts.csv');
    const { body: job } = await api('POST', '/contacts/import', form);
    return until('the import is over', async () => {
      const { body } = await api('GET', `/contacts/imports/${job.id}`);
      return ['COMPLETED', 'FAILED'].includes(body.status) && body;
    });
  };
  const again = await bring();
  assert.deepEqual([again.status, again.unchanged, again.rejected], ['COMPLETED', 2, 0]);
  assert.deepEqual((await api('GET', '/contacts?sort=id')).body.data, before);
  for (const { id } of before) await api('DELETE', `/contacts/${id}`);
  assert.equal((await bring()).created, 2);
  const { data: after } = (await api('GET', '/contacts?sort=id')).body;
  const values = (list: Record<string, unknown>[]) =>
    list
      .map(({ id: _i, createdAt: _c, updatedAt: _u, ...rest }) => rest)
      .sort((a, b) => String(a['email']).localeCompare(String(b['email'])));
  assert.deepEqual(values(after), values(before));
});

test('a large export comes whole; a client that goes away, or reads nothing, keeps nothing busy', async () => {
  const many = 30_000;
  await query(sql`
    insert into contacts (tenant_id, first_name, last_name, email, email_key, job_title, source)
    select 'default', 'Many', n::text, 'many' || n || '@example.com', 'many' || n || '@example.com', repeat('j', 250), 'many' from generate_series(1, ${many}::int) n`);
  const pages = mock.method(Object.getPrototypeOf(service.deps.orm.em) as typeof service.deps.orm.em, 'transactional');
  const left = Promise.withResolvers<void>();
  const request = get(
    `${service.url}/api/v1/contacts/export?format=json&createdAfter=2000-01-01T00:00:00Z`,
    { headers: { authorization: `Bearer ${service.admin.token}` } },
    (response) => {
      response.once('data', () => {
        response.pause();
        request.destroy();
        left.resolve();
      });
    },
  );
  request.on('error', () => undefined);
  await left.promise;
  const lines = (await bytes('format=ndjson')).toString().trimEnd().split('\n');
  assert.equal(lines.length, many + 2);
  // Of 31 pages the first client got few: had its export gone on, it would be through as well.
  assert.ok(pages.mock.callCount() >= 31 && pages.mock.callCount() < 55, `${pages.mock.callCount()} transactions`);
  pages.mock.restore();
});
