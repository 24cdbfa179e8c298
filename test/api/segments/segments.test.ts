import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';

let service: Service;
let number = 0;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const api = (...call: Parameters<Service['api']>): Promise<Answer> => service.api(...call);
const query = <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  tenantEm(service.deps.orm, 'default').transactional((tx) => rows<T>(tx, statement));

async function make(path: string, body: object): Promise<{ id: number } & Record<string, unknown>> {
  const answer = await api('POST', path, body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}
const person = (fields: object = {}) =>
  make('/contacts', { firstName: 'P', lastName: 'Q', email: `person${(number += 1)}@example.com`, ...fields });
const segment = (filter: object, name = 'Some') => make('/contacts/segments', { name, type: 'dynamic', filter });
const members = async (id: number): Promise<number[]> =>
  (await api('GET', `/contacts/segments/${id}/contacts?sort=id&limit=200`)).body.data.map(
    (contact: { id: number }) => contact.id,
  );
const tagged = (tag: string) => ({ field: 'tags', operator: 'eq', value: tag });

/** SEGMENT_ENTERED (+) and SEGMENT_LEFT (-) in the outbox, as `+segment/contact`. */
async function moves(...ids: number[]): Promise<string[]> {
  const found = await query<{ move: string }>(sql`
    select (case o.type when 'SEGMENT_ENTERED' then '+' else '-' end) || (e.value -> 'data' ->> 'segmentId') || '/' || (e.value -> 'data' ->> 'contactId') as move
    from outbox_events o, jsonb_array_elements(o.events) e
    where o.type like 'SEGMENT%' and (e.value -> 'data' ->> 'segmentId')::bigint = any(${ids}::bigint[]) order by o.id, 1`);
  return found.map((row) => row.move);
}

function refusal(answer: Answer, status: number, code: string, ...errors: [path: string, code: string][]): void {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  assert.equal(answer.body.code, code);
  assert.deepEqual(
    (answer.body.errors ?? []).map((error: { path: string; code: string }) => [error.path, error.code]),
    errors,
  );
}

test('a dynamic segment is built at once, without events, and shown', async () => {
  const [one] = [await person({ tags: ['built'] }), await person()];
  const made = await api('POST', '/contacts/segments', { name: ' Built ', type: 'dynamic', filter: tagged('built') });
  const { id, createdAt, updatedAt, ...rest } = made.body;
  assert.deepEqual(rest, {
    name: 'Built',
    description: null,
    type: 'dynamic',
    filter: tagged('built'),
    status: 'READY',
    count: 1,
    doubleOptIn: false,
    tenantId: 'default',
    version: 1,
  });
  assert.ok(createdAt && updatedAt);
  assert.equal(made.headers.get('location'), `/api/v1/contacts/segments/${id}`);
  assert.deepEqual(await members(id), [one.id]);
  assert.deepEqual(await moves(id), []);
  const read = await api('GET', `/contacts/segments/${id}`);
  assert.deepEqual(read.body, made.body);
  assert.deepEqual((await api('GET', `/contacts/lists/${id}`)).body, made.body, 'one id space');
  assert.deepEqual(
    (await api('PUT', `/contacts/segments/${id}`, made.body)).body,
    made.body,
    'put back as it was made',
  );
  const named = await api('PUT', `/contacts/segments/${id}`, {
    ...read.body,
    name: 'Renamed',
    description: 'two\nlines',
  });
  assert.deepEqual([named.body.name, named.body.description, named.body.version], ['Renamed', 'two\nlines', 2]);
});

test('members follow changes of contacts, with events', async () => {
  const { id } = await segment({
    op: 'and',
    conditions: [tagged('hot lead'), { field: 'status', operator: 'eq', value: 'active' }],
  });
  const one = await person({ tags: ['hot lead'] });
  const two = await person();
  assert.deepEqual(await members(id), [one.id]);
  await api('PUT', `/contacts/${two.id}`, { tags: ['hot lead'] });
  await api('PUT', `/contacts/${one.id}`, { status: 'unsubscribed' });
  await api('PUT', `/contacts/${two.id}`, { jobTitle: 'Poet' });
  assert.deepEqual(await members(id), [two.id]);
  assert.deepEqual(await moves(id), [`+${id}/${one.id}`, `+${id}/${two.id}`, `-${id}/${one.id}`]);
  await api('DELETE', `/contacts/${two.id}`);
  assert.equal((await api('GET', `/contacts/segments/${id}`)).body.count, 0);
});

test("a contact's id, its phone in E.164 and its company's address are fields too", async () => {
  const company = await make('/contacts/companies', { name: 'Seated', address: '1 Main Street\nVienna' });
  const one = await person({ phone: '+43 (1) 58858-0', companyId: company.id, tags: ['fields'] });
  const other = await person({ phone: '01 588580', tags: ['fields'] });
  const found = async (field: string, operator: string, value?: unknown) => {
    const filter = { op: 'and', conditions: [tagged('fields'), { field, operator, value }] };
    return members((await segment(filter)).id);
  };
  assert.deepEqual(await found('id', 'in', [one.id]), [one.id]);
  assert.deepEqual(await found('id', 'ne', one.id), [other.id]);
  assert.deepEqual(await found('phoneE164', 'startsWith', '+431'), [one.id]);
  assert.deepEqual(await found('phoneE164', 'notExists'), [other.id]);
  assert.deepEqual(await found('company.address', 'contains', 'vienna'), [one.id]);
  const { id } = await segment({ field: 'company.address', operator: 'endsWith', value: 'Graz' });
  await api('PUT', `/contacts/companies/${company.id}`, { address: 'Graz' });
  assert.deepEqual(await members(id), [one.id]);
});

test('lists take and give contacts; dynamic segments that hang on them follow', async () => {
  const people = [await person(), await person(), await person()].map((contact) => contact.id) as [
    number,
    number,
    number,
  ];
  const list = await make('/contacts/lists', { name: 'Guests', contactIds: [people[0], people[0]] });
  assert.deepEqual([list['type'], list['filter'], list['count'], list['status']], ['static', null, 1, 'READY']);
  const inside = await segment({ field: 'listId', operator: 'eq', value: list.id }, 'Inside');
  const outside = await segment(
    { op: 'not', conditions: [{ field: 'segmentId', operator: 'in', value: [inside.id] }] },
    'Outside',
  );
  assert.equal((await members(outside.id)).includes(people[1]), true);

  const added = await api('POST', `/contacts/lists/${list.id}/contacts`, { contactIds: people });
  assert.deepEqual([added.status, added.body], [200, { added: 2, count: 3 }]);
  assert.deepEqual((await api('POST', `/contacts/segments/${list.id}/contacts`, { contactIds: people })).body, {
    added: 0,
    count: 3,
  });
  assert.deepEqual(await members(inside.id), people);
  assert.equal(
    (await members(outside.id)).some((id) => people.includes(id)),
    false,
  );
  const removed = await api('POST', `/contacts/lists/${list.id}/contacts/remove`, { contactIds: [people[1], 999_999] });
  assert.deepEqual(removed.body, { removed: 1, count: 2 });
  assert.deepEqual(await members(inside.id), [people[0], people[2]]);
  assert.deepEqual(
    (await moves(list.id, inside.id)).sort(),
    [
      `+${inside.id}/${people[1]}`,
      `+${inside.id}/${people[2]}`,
      `+${list.id}/${people[1]}`,
      `+${list.id}/${people[2]}`,
      `-${inside.id}/${people[1]}`,
      `-${list.id}/${people[1]}`,
    ].sort(),
  );
  assert.deepEqual(await moves(outside.id), [
    `-${outside.id}/${people[1]}`,
    `-${outside.id}/${people[2]}`,
    `+${outside.id}/${people[1]}`,
  ]);

  refusal(
    await api('POST', `/contacts/lists/${list.id}/contacts`, { contactIds: [people[1], 999_999] }),
    400,
    'validation_failed',
    ['/contactIds/1', 'not_found'],
  );
  assert.equal((await api('GET', `/contacts/lists/${list.id}`)).body.count, 2, 'all or none');
  refusal(await api('POST', `/contacts/segments/${inside.id}/contacts`, { contactIds: [people[1]] }), 409, 'conflict');
  refusal(await api('POST', '/contacts/lists/999999/contacts', { contactIds: [people[1]] }), 404, 'not_found');
  refusal(await api('POST', '/contacts/lists', { name: 'X', contactIds: [999_999] }), 400, 'validation_failed', [
    '/contactIds/0',
    'not_found',
  ]);
  const all = await api('GET', '/contacts/lists?limit=200');
  assert.ok(all.body.data.every((one: { type: string }) => one.type === 'static'));
});

test('a filter is judged with its path; so are kinds that do not fit', async () => {
  const dynamic = (filter: unknown) => api('POST', '/contacts/segments', { name: 'X', type: 'dynamic', filter });
  refusal(
    await dynamic({ op: 'and', conditions: [{ field: 'shoeSize', operator: 'eq', value: 1 }] }),
    400,
    'validation_failed',
    ['/filter/conditions/0/field', 'unknown_field'],
  );
  refusal(await dynamic({ field: 'listId', operator: 'in', value: [999_999] }), 400, 'validation_failed', [
    '/filter/value/0',
    'not_found',
  ]);
  refusal(await dynamic({ field: 'segmentId', operator: 'exists' }), 400, 'validation_failed', [
    '/filter/operator',
    'invalid_operator',
  ]);
  refusal(await api('POST', '/contacts/segments', { name: 'X', type: 'dynamic' }), 400, 'validation_failed', [
    '/filter',
    'required',
  ]);
  refusal(
    await api('POST', '/contacts/segments', { name: 'X', type: 'static', filter: tagged('x') }),
    400,
    'validation_failed',
    ['/filter', 'not_allowed'],
  );
  refusal(
    await api('POST', '/contacts/segments', { name: 'X', type: 'dynamic', filter: tagged('x'), contactIds: [1] }),
    400,
    'validation_failed',
    ['/contactIds', 'not_allowed'],
  );
  refusal(
    await api('POST', '/contacts/segments', { name: ' ', type: 'dynamic', filter: tagged('x') }),
    400,
    'validation_failed',
    ['/name', 'required'],
  );
  const list = await make('/contacts/lists', { name: 'Plain' });
  refusal(await api('PUT', `/contacts/lists/${list.id}`, { filter: tagged('x') }), 400, 'validation_failed', [
    '/filter',
    'not_allowed',
  ]);
  refusal(
    await api('PUT', `/contacts/lists/${list.id}`, { type: 'dynamic', version: 7 }),
    400,
    'validation_failed',
    ['/type', 'read_only'],
    ['/version', 'read_only'],
  );
  assert.equal((await api('PUT', `/contacts/lists/${list.id}`, list)).body.version, 1);
});

test('what was read can be put back although its members have changed and it was built meanwhile', async () => {
  const read = await segment(tagged('put back'));
  await person({ tags: ['put back'] });
  const put = await api('PUT', `/contacts/segments/${read.id}`, { ...read, status: 'BUILDING' });
  assert.deepEqual([put.status, put.body], [200, { ...read, count: 1 }]);
});

test('a new filter moves the members, and those of segments that hang on it; rings are refused', async () => {
  const [one, two] = [await person({ tags: ['first'] }), await person({ tags: ['second'] })];
  const base = await segment(tagged('first'), 'Base');
  const next = await segment({ field: 'segmentId', operator: 'eq', value: base.id }, 'Next');
  assert.deepEqual(await members(next.id), [one.id]);
  const put = await api('PUT', `/contacts/segments/${base.id}`, { filter: tagged('second') });
  assert.deepEqual([put.body.count, put.body.version], [1, 2]);
  assert.deepEqual([await members(base.id), await members(next.id)], [[two.id], [two.id]]);
  assert.deepEqual(await moves(base.id, next.id), [], 'building fires none');
  for (const id of [base.id, next.id]) {
    refusal(
      await api('PUT', `/contacts/segments/${base.id}`, { filter: { field: 'segmentId', operator: 'ne', value: id } }),
      400,
      'validation_failed',
      ['/filter/value', 'circular'],
    );
  }
});

test('rebuild tells how many memberships differed', async () => {
  const [one, two] = [await person({ tags: ['rebuilt'] }), await person()];
  const { id } = await segment(tagged('rebuilt'));
  assert.deepEqual((await api('POST', `/contacts/segments/${id}/rebuild`)).body, {
    differed: 0,
    added: 0,
    removed: 0,
    count: 1,
  });
  await query(sql`update segment_members set contact_id = ${two.id} where segment_id = ${id}`);
  assert.deepEqual((await api('POST', `/contacts/segments/${id}/rebuild`)).body, {
    differed: 2,
    added: 1,
    removed: 1,
    count: 1,
  });
  assert.deepEqual(await members(id), [one.id]);
  refusal(await api('POST', '/contacts/segments/999999/rebuild'), 404, 'not_found');
});

test('preview counts and samples', async () => {
  const newest = [];
  for (let n = 0; n < 12; n += 1) newest.unshift((await person({ source: 'preview' })).id);
  const answer = await api('POST', '/contacts/segments/preview', {
    filter: { field: 'source', operator: 'eq', value: 'preview' },
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.body.count, 12);
  assert.deepEqual(
    answer.body.sample.map((contact: { id: number }) => contact.id),
    newest.slice(0, 10),
  );
  refusal(await api('POST', '/contacts/segments/preview', { filter: { field: 'source' } }), 400, 'validation_failed', [
    '/filter/operator',
    'required',
  ]);
});

test('what is in use is not deleted, and its users are named', async () => {
  const { id } = await make('/contacts/lists', { name: 'Used' });
  const watcher = await segment({ field: 'listId', operator: 'eq', value: id }, 'Watcher');
  const definition = {
    trigger: { type: 'MANUAL' },
    steps: [{ id: 'in', type: 'SEGMENT', config: { action: 'add', listId: id } }],
    entry: {},
  };
  const [campaign] = await query<{
    id: number;
  }>(sql`insert into campaigns (tenant_id, name, status, trigger, steps, entry, published_version)
    values ('default', 'Welcome', 'ACTIVE', '{}', '[]', '{}', 1) returning id`);
  await query(
    sql`insert into campaign_versions (tenant_id, campaign_id, version, definition) values ('default', ${campaign!.id}, 1, ${JSON.stringify(definition)}::jsonb)`,
  );
  const [form] = await query<{ id: number }>(
    sql`insert into forms (tenant_id, name, fields, list_id) values ('default', 'Contact us', '[]', ${id}) returning id`,
  );
  const [threshold] = await query<{ id: number }>(sql`insert into score_thresholds (tenant_id, name, score, action)
    values ('default', 'Warm', 30, ${JSON.stringify({ type: 'ADD_TO_LIST', listId: id })}::jsonb) returning id`);
  const refused = await api('DELETE', `/contacts/lists/${id}`);
  assert.equal(refused.status, 409);
  assert.equal(refused.body.code, 'in_use');
  assert.deepEqual(
    refused.body.errors.map((error: { message: string }) => error.message),
    [
      `campaign ${campaign!.id}: Welcome`,
      `form ${form!.id}: Contact us`,
      `threshold ${threshold!.id}: Warm`,
      `segment ${watcher.id}: Watcher`,
    ],
  );
  await query(sql`update campaigns set status = 'STOPPED'`);
  await query(sql`update forms set status = 'ARCHIVED'`);
  const still = await api('DELETE', `/contacts/lists/${id}`);
  assert.ok(
    still.body.errors.some((error: { message: string }) => error.message === `form ${form!.id}: Contact us`),
    'an archived form can be opened again',
  );
  await query(sql`delete from forms`);
  await query(sql`delete from score_thresholds`);
  assert.equal((await api('DELETE', `/contacts/segments/${watcher.id}`)).status, 204);
  assert.equal((await api('DELETE', `/contacts/segments/${id}`)).status, 204);
  assert.equal((await api('GET', `/contacts/lists/${id}`)).status, 404);
});

test('segments that are built while contacts come, change and go miss none', async () => {
  const filter = { op: 'or', conditions: [tagged('rush'), { field: 'jobTitle', operator: 'eq', value: 'rush' }] };
  const early = await Promise.all(Array.from({ length: 10 }, () => person()));
  const [built, ...answers] = await Promise.all([
    segment(filter, 'Rush'),
    ...Array.from({ length: 20 }, (_, n) =>
      api('POST', '/contacts', {
        firstName: 'R',
        lastName: 'R',
        email: `rush${n}@example.com`,
        tags: n % 2 ? ['rush'] : [],
      }),
    ),
    ...early.map((contact, n) =>
      n % 3 === 0
        ? api('DELETE', `/contacts/${contact.id}`)
        : api('PUT', `/contacts/${contact.id}`, { jobTitle: 'rush', email: `moved${n}@example.com` }),
    ),
    segment(filter, 'Rush again'),
  ]);
  for (const answer of answers)
    if ('status' in answer && typeof answer.status === 'number') assert.ok(answer.status < 300, JSON.stringify(answer));
  const rebuilt = await api('POST', `/contacts/segments/${built.id}/rebuild`);
  assert.deepEqual(rebuilt.body, { differed: 0, added: 0, removed: 0, count: 16 });
});

test('what an enrolment reads, or an import fills, is not deleted before that is over', async () => {
  const { id } = await make('/contacts/lists', { name: 'Read', contactIds: [(await person()).id] });
  const campaign = await make('/campaigns', {
    name: 'Journey',
    steps: [{ type: 'WAIT', config: { waitMinutes: 60 } }],
  });
  const { enrolmentId } = (await api('POST', `/campaigns/${campaign.id}/start`, { segmentId: id })).body;
  const [job] = await query<{ id: number }>(sql`insert into contact_imports (tenant_id, file_name, object_key, options)
    values ('default', 'people.csv', 'k', ${JSON.stringify({ mode: 'upsert', listId: id })}::jsonb) returning id`);
  for (const status of ['PENDING', 'RUNNING']) {
    await query(sql`update campaign_enrolments set status = ${status} where id = ${enrolmentId}`);
    await query(sql`update contact_imports set status = ${status} where id = ${job!.id}`);
    refusal(await api('DELETE', `/contacts/segments/${id}`), 409, 'in_use', ['', 'in_use'], ['', 'in_use']);
  }
  const { errors } = (await api('DELETE', `/contacts/segments/${id}`)).body;
  assert.deepEqual(
    errors.map((error: { message: string }) => error.message),
    [`enrolment ${enrolmentId}: Journey`, `import ${job!.id}: people.csv`],
  );
  await query(sql`update campaign_enrolments set status = 'COMPLETED' where id = ${enrolmentId}`);
  await query(sql`update contact_imports set status = 'CANCELLED' where id = ${job!.id}`);
  assert.equal((await api('DELETE', `/contacts/segments/${id}`)).status, 204);
});

test('a list that is deleted while a campaign starts with it is refused to one of the two', async () => {
  const campaign = await make('/campaigns', { name: 'Race', steps: [{ type: 'WAIT', config: { waitMinutes: 60 } }] });
  for (let n = 0; n < 10; n += 1) {
    const { id } = await make('/contacts/lists', { name: `Raced ${n}` });
    const [started, deleted] = await Promise.all([
      api('POST', `/campaigns/${campaign.id}/start`, { listId: id }),
      api('DELETE', `/contacts/lists/${id}`),
    ]);
    assert.ok(
      (started.status === 202 && deleted.status === 409) || (started.status === 404 && deleted.status === 204),
      `${started.status} ${deleted.status}`,
    );
  }
});
