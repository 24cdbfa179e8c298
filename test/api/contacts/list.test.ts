import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';

let service: Service;
let made: { id: number; companyId: number | null; email: string }[];

const people = [
  { firstName: 'Ada', lastName: 'Byron', email: 'ada@example.com', company: 'Analytical Engines', tags: ['vip'] },
  { firstName: 'Bob', lastName: 'Zimmer', email: 'bob_b@example.com', tags: ['vip', 'new'], status: 'archived' },
  { firstName: 'Chloé', lastName: 'Ännerl', email: 'CHLOE@example.org', company: '100% Wool' },
  { firstName: 'Dan', lastName: 'Byron', email: 'dan@example.org', tags: ['Vip'] },
  { firstName: 'Eve', lastName: 'Adams', email: 'eve@example.net', company: 'Analytical Engines' },
];

beforeAll(async () => {
  service = await startService();
  made = [];
  for (const person of people) {
    const answer = await service.api('POST', '/contacts', { ...person });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    made.push(answer.body);
  }
  // Another tenant's namesake, which nobody here may see.
  await tenantEm(service.deps.orm, 'other').transactional((tx) =>
    rows(
      tx,
      sql`
    insert into contacts (tenant_id, first_name, last_name, email, email_key) values ('other', 'Ada', 'Byron', 'ada@example.com', 'ada@example.com')`,
    ),
  );
});
afterAll(() => service.stop());

const get = (path: string): Promise<Answer> => service.api('GET', path);
const names = (answer: Answer): string => {
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.data.map((contact: { firstName: string }) => contact.firstName[0]).join('');
};

test('contacts are listed by every filter', async () => {
  assert.equal(names(await get('/contacts')), 'EDCBA');
  assert.equal(names(await get('/contacts?status=archived')), 'B');
  assert.equal(names(await get(`/contacts?companyId=${made[0]!.companyId}`)), 'EA');
  assert.equal(names(await get('/contacts?tag=vip')), 'BA');
  assert.equal(names(await get('/contacts?email=chloe%40EXAMPLE.org')), 'C');
  assert.equal(names(await get('/contacts?email=nobody')), '');
  const list = (await service.api('POST', '/contacts/lists', { name: 'Two', contactIds: [made[1]!.id, made[3]!.id] }))
    .body;
  assert.equal(names(await get(`/contacts?listId=${list.id}`)), 'DB');
  assert.equal(names(await get(`/contacts?segmentId=${list.id}&tag=vip`)), 'B');
  assert.equal(names(await get('/contacts?listId=999999')), '');
});

test('the bounds of times are exclusive', async () => {
  const { createdAt, updatedAt } = (await get(`/contacts/${made[2]!.id}`)).body;
  const exact = encodeURIComponent(createdAt);
  assert.ok(!names(await get(`/contacts?createdAfter=${exact}`)).includes('C'));
  assert.ok(!names(await get(`/contacts?createdBefore=${exact}`)).includes('C'));
  const earlier = encodeURIComponent(new Date(Date.parse(createdAt) - 1).toISOString().replace('Z', '+00:00'));
  assert.ok(names(await get(`/contacts?createdAfter=${earlier}`)).includes('C'));
  assert.ok(!names(await get(`/contacts?updatedAfter=${encodeURIComponent(updatedAt)}`)).includes('C'));
  for (const bad of ['yesterday', '2030-01-31', '0000-01-01T00:00:00Z']) {
    const answer = await get(`/contacts?createdAfter=${bad}`);
    assert.deepEqual([answer.status, answer.body.errors[0].path], [400, '/createdAfter'], bad);
  }
});

test('pages of every order join to the whole list', async () => {
  const orders = { id: 'ABCDE', createdAt: 'ABCDE', updatedAt: 'ABCDE', email: 'ABCDE', lastName: 'EADBC' };
  for (const [field, expected] of Object.entries(orders)) {
    for (const sort of [field, `-${field}`]) {
      let [seen, cursor] = ['', ''];
      do {
        const answer = await get(`/contacts?sort=${sort}&limit=2&includeTotal=true${cursor && `&cursor=${cursor}`}`);
        seen += names(answer);
        assert.deepEqual([answer.body.page.limit, answer.body.page.total], [2, 5]);
        assert.equal(answer.body.page.hasMore, answer.body.page.nextCursor !== null);
        cursor = answer.body.page.nextCursor ?? '';
      } while (cursor);
      const wanted = sort.startsWith('-') ? [...expected].reverse().join('') : expected;
      // Contacts of one last name are in the order of their ids.
      assert.equal(seen, wanted, sort);
    }
  }
  const first = await get('/contacts?sort=email&limit=2');
  assert.equal(
    (await get(`/contacts?sort=-email&limit=2&cursor=${first.body.page.nextCursor}`)).status,
    400,
    'a cursor of another order',
  );
  assert.equal((await get('/contacts?sort=phone')).status, 400);
  assert.equal((await get('/contacts?limit=201')).status, 400);
  assert.equal((await get('/contacts?colour=red')).status, 400);
});

test('search finds names, addresses and companies by any part', async () => {
  const search = async (q: string) => names(await get(`/contacts/search?q=${encodeURIComponent(q)}`));
  assert.equal(await search('BYRON'), 'DA');
  assert.equal(await search('a byr'), 'A');
  assert.equal(await search('xample.ORG'), 'DC');
  assert.equal(await search('tical eng'), 'EA');
  assert.equal(await search('änn'), 'C');
  assert.equal(await search('%'), 'C', 'a wildcard is a character');
  assert.equal(await search('_'), 'B');
  assert.equal(await search('nobody'), '');
  assert.equal((await get('/contacts/search')).status, 400);
  const paged = await get('/contacts/search?q=analytical&limit=1&includeTotal=true');
  assert.deepEqual([paged.body.page.total, paged.body.page.hasMore], [2, true]);
});

test('search finds what a reader would find, by texts of any length', async () => {
  const all = (await get('/contacts?limit=100')).body.data as {
    id: number;
    firstName: string;
    lastName: string;
    email: string;
    company: { name: string } | null;
  }[];
  const texts = all.flatMap(({ firstName, lastName, email, company }) => [
    `${firstName} ${lastName}`,
    email,
    company?.name ?? '',
  ]);
  const parts = new Set(
    texts
      .flatMap((text) =>
        [1, 2, 3, 5].flatMap((length) => [0, 2, 4].map((from) => text.slice(from, from + length).trim())),
      )
      .filter(Boolean),
  );
  for (const part of parts) {
    const low = part.toLowerCase();
    const expected = all
      .filter(({ firstName, lastName, email, company }) =>
        [`${firstName} ${lastName}`, email, company?.name ?? ''].some((text) => text.toLowerCase().includes(low)),
      )
      .map(({ id }) => id);
    const found = (await get(`/contacts/search?limit=100&q=${encodeURIComponent(part)}`)).body.data as { id: number }[];
    assert.deepEqual(found.map(({ id }) => id).sort(), expected.sort(), part);
  }
});

test('what fits best comes first, page by page', async () => {
  const make = async (firstName: string, lastName: string, email: string, company?: string): Promise<number> =>
    (await service.api('POST', '/contacts', { firstName, lastName, email, ...(company ? { company } : {}) })).body.id;
  const exact = await make('Quill', 'Ink', 'plain1@example.com');
  const ofCompany = await make('Zoe', 'Zander', 'plain2@example.com', 'Quill Ink & Sons');
  const inside = await make('Zoe', 'McQuill Ink', 'plain3@example.com');
  const begins = await make('Zoe', 'Zander', 'quill.ink@example.com');
  const begun = await make('Zoe', 'Quill Inkwell', 'plain4@example.com');
  const ids = async (query: string): Promise<number[]> => {
    const found: number[] = [];
    for (let cursor = ''; ;) {
      const { status, body } = await get(`/contacts/search?limit=2&${query}${cursor && `&cursor=${cursor}`}`);
      assert.equal(status, 200, JSON.stringify(body));
      found.push(...body.data.map(({ id }: { id: number }) => id));
      if (!body.page.hasMore) return found;
      cursor = body.page.nextCursor;
    }
  };
  assert.deepEqual(await ids('q=quill%20ink'), [exact, begun, inside, ofCompany]);
  assert.deepEqual(
    await ids('q=QUILL'),
    [begun, begins, exact, inside, ofCompany],
    'of those that begin with it the newest',
  );
  assert.deepEqual(await ids('q=quill&sort=id'), [exact, ofCompany, inside, begins, begun]);
  assert.deepEqual(
    await ids('q=qu&sort=relevance'),
    await ids('q=qu&sort=id'),
    'a text without a trigram is not ranked',
  );
});

test('the search by trigrams sees the tenant of the session only, and no one else may run it', async () => {
  const find = (tenantId: string) =>
    tenantEm(service.deps.orm, tenantId).transactional((tx) =>
      rows<{ id: number }>(tx, sql`select id from search_contacts('%example%', 1000) as id`),
    );
  const own = (
    await tenantEm(service.deps.orm, 'default').transactional((tx) =>
      rows<{ id: number }>(tx, sql`select id from contacts`),
    )
  ).map(({ id }) => id);
  const found = await find('default');
  assert.ok(found.length > 0 && found.every(({ id }) => own.includes(id)));
  assert.deepEqual(await find('nobody'), []);
  const [access] = await tenantEm(service.deps.orm, 'default').transactional((tx) =>
    rows<{ everyone: boolean }>(
      tx,
      sql`
    select has_function_privilege('public', 'search_contacts(text, int)', 'execute') as everyone`,
    ),
  );
  assert.equal(access!.everyone, false);
});

test('ids are integers, and a stranger sees nothing', async () => {
  for (const bad of ['0', '-1', 'abc', '1.5', '9007199254740992', '01'])
    assert.equal((await get(`/contacts/${bad}`)).status, 400, bad);
  assert.equal((await get('/contacts/9007199254740991')).status, 404);
  const [stranger] = await tenantEm(service.deps.orm, 'other').transactional((tx) =>
    rows<{ id: number }>(tx, sql`select id from contacts`),
  );
  assert.equal((await get(`/contacts/${stranger!.id}`)).status, 404);
  assert.equal((await service.api('PUT', `/contacts/${stranger!.id}`, { firstName: 'X' })).status, 404);
  assert.equal((await service.api('DELETE', `/contacts/${stranger!.id}`)).status, 404);
  assert.equal((await service.api('GET', '/contacts', undefined, { token: null })).status, 401);
});
