import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { routes } from '../../../api/routes.ts';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';

const BASES = ['/contacts/segments', '/segments'] as const;
type Base = (typeof BASES)[number];
/** A call below a base: method, path and body. */
type Call = [method: string, path: string, body?: object];

let service: Service;
let people: number[];
const asked = new Set<string>();

beforeAll(async () => {
  service = await startService();
  people = [await person('one', ['a']), await person('two', ['a', 'b']), await person('three', [])];
});
afterAll(() => service.stop());

const api = (...call: Parameters<Service['api']>): Promise<Answer> => service.api(...call);

async function person(name: string, tags: string[]): Promise<number> {
  const answer = await api('POST', '/contacts', { firstName: name, lastName: 'P', email: `${name}@example.com`, tags });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.id;
}
const tagged = (tag: string) => ({ field: 'tags', operator: 'eq', value: tag });

async function make(body: object): Promise<Record<string, unknown> & { id: number }> {
  const answer = await api('POST', '/segments', body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

/** What is sent back, byte for byte, but for what differs between any two requests: their ids and times. */
async function answerOf(base: Base, [method, path, body]: Call) {
  asked.add(`${method} ${path.replace(/\?.*/, '').replace(/\/\d+/, '/{id}')}`);
  const response = await fetch(`${service.url}/api/v1${base}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${service.admin.token}`,
      'content-type': 'application/json',
      'x-request-id': 'the-same',
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const headers = Object.fromEntries(response.headers);
  for (const own of ['date', 'location', 'server-timing']) delete headers[own];
  return {
    status: response.status,
    text: await response.text(),
    headers,
    location: response.headers.get('location'),
  };
}

/** Makes a call below both bases, and returns the one answer of both. */
async function both(call: Call): Promise<{ status: number; text: string }> {
  const { location: olderLocation, ...rest } = await answerOf(BASES[0], call);
  const { location, ...own } = await answerOf(BASES[1], call);
  assert.deepEqual(own, rest, JSON.stringify(call));
  assert.equal(olderLocation?.replace(BASES[0], BASES[1]) ?? null, location);
  return own;
}

test('every call has the same answer below both bases', async () => {
  const dynamic = await make({ name: 'Dynamic', description: 'with a', filter: tagged('a') });
  const list = await make({ name: 'List', contactIds: people.slice(0, 2) });
  const user = await make({ name: 'Names it', filter: { field: 'listId', operator: 'eq', value: list.id } });
  const from = new Date(Date.now() - 86_400_000).toISOString();
  const now = new Date().toISOString();

  const statuses: [number, Call][] = [
    [200, ['GET', '']],
    [200, ['GET', '?limit=1&sort=-name&type=dynamic']],
    [400, ['GET', '?limit=0&nonsense=1&sort=colour']],
    [400, ['POST', '', { name: ' ', type: 'static', contactIds: [999_999], colour: 1 }]],
    [400, ['POST', '', { name: 'Both', type: 'dynamic', filter: tagged('a'), contactIds: people }]],
    [400, ['POST', '', { name: 'No filter', type: 'dynamic', filter: null }]],
    [200, ['GET', `/${dynamic.id}`]],
    [200, ['GET', `/${list.id}`]],
    [404, ['GET', '/999999']],
    [400, ['GET', '/nonsense']],
    [200, ['PUT', `/${dynamic.id}`, { name: 'Renamed', count: 77, status: 'BUILDING' }]],
    [200, ['PUT', `/${list.id}`, { doubleOptIn: true }]],
    [400, ['PUT', `/${dynamic.id}`, { name: 5, type: 'static', filter: { field: 'nonsense' } }]],
    [404, ['PUT', '/999999', { name: 'Nobody' }]],
    [200, ['POST', `/${dynamic.id}/rebuild`]],
    [200, ['POST', `/${list.id}/rebuild`]],
    [404, ['POST', '/999999/rebuild']],
    [200, ['GET', `/${dynamic.id}/contacts`]],
    [200, ['GET', `/${list.id}/contacts?limit=1&sort=lastName&status=active`]],
    [200, ['GET', `/${dynamic.id}/contacts?at=${now}`]],
    [400, ['GET', `/${dynamic.id}/contacts?at=${from}`]],
    [404, ['GET', '/999999/contacts']],
    [200, ['GET', `/${dynamic.id}/history?from=${from}&to=${now}&interval=hour&timezone=Europe/Berlin`]],
    [400, ['GET', `/${dynamic.id}/history?from=nonsense&interval=minute&timezone=Nowhere`]],
    [404, ['GET', '/999999/history']],
    [409, ['DELETE', `/${list.id}`]],
    [404, ['DELETE', '/999999']],
  ];
  for (const [status, call] of statuses) assert.equal((await both(call)).status, status, JSON.stringify(call));

  for (const base of BASES) {
    const { id } = await make({ name: 'Short-lived' });
    assert.deepEqual(
      (await answerOf(base, ['DELETE', `/${id}`])).text,
      '',
      'what is made by one path is deleted by the other',
    );
    assert.equal((await both(['GET', `/${id}`])).status, 404);
  }
  const made: Record<string, unknown>[] = [];
  for (const base of BASES) {
    const { status, text, location } = await answerOf(base, [
      'POST',
      '',
      { name: 'A', type: 'dynamic', filter: tagged('b') },
    ]);
    const { id, createdAt, updatedAt, ...body } = JSON.parse(text);
    assert.ok(createdAt && updatedAt);
    assert.deepEqual([status, location], [201, `/api/v1${base}/${id}`]);
    assert.equal((await both(['GET', `/${id}`])).text, text);
    made.push(body);
  }
  assert.deepEqual(made[0], made[1]);
  assert.equal(made[0]!['count'], 1);
  assert.equal((await api('DELETE', `/segments/${user.id}`)).status, 204);

  const own = routes.filter(({ path }) => path.startsWith('/segments') && !path.endsWith('/health'));
  assert.deepEqual(
    own.map(({ method, path }) => `${method} ${path.slice('/segments'.length)}`).filter((route) => !asked.has(route)),
    [],
    'every route of the area is called here',
  );
});

test('what is shown of a static list makes another one', async () => {
  const { id } = await make({ name: 'Shown', contactIds: people });
  const { name, description, type, filter, doubleOptIn } = (await api('GET', `/segments/${id}`)).body;
  assert.equal(filter, null);
  for (const base of BASES) {
    const answer = await api('POST', base, { name, description, type, filter, doubleOptIn });
    assert.deepEqual([answer.status, answer.body.type, answer.body.filter], [201, 'static', null]);
  }
  assert.equal((await make({ name: 'Without a type', filter: null }))['type'], 'static');
});

test('who made, changed and deleted a segment is in the audit log', async () => {
  const { id } = await make({ name: 'Audited', filter: tagged('a') });
  for (const body of [{ name: 'Renamed' }, { filter: tagged('b') }, { name: 'Renamed' }])
    assert.equal((await api('PUT', `/segments/${id}`, body)).status, 200);
  assert.equal((await api('DELETE', `/segments/${id}`)).status, 204);
  const { data } = (await api('GET', `/auth/audit-log?resourceType=segment&resourceId=${id}`)).body;
  assert.deepEqual(
    data.map(({ action, before, after }: Record<string, unknown>) => [action, before, after]),
    [
      ['segment.deleted', { name: 'Renamed', type: 'dynamic' }, null],
      ['segment.updated', { version: 2 }, { version: 3 }],
      ['segment.updated', { name: 'Audited', version: 1 }, { name: 'Renamed', version: 2 }],
      ['segment.created', null, { name: 'Audited', type: 'dynamic', doubleOptIn: false, version: 1 }],
    ],
  );
});

test('who is put in a list or taken out by hand is in the audit log, once a request, and only how many', async () => {
  const [one, two] = people as [number, number];
  const { id } = await make({ name: 'By hand', type: 'static' });
  const change = async (path: string, ...contactIds: number[]) =>
    assert.equal((await api('POST', `/contacts/lists/${id}/contacts${path}`, { contactIds })).status, 200);
  await change('', one, two);
  // Nothing changes.
  await change('', one);
  await change('/remove', two);
  await change('/remove', two);
  const { data } = (await api('GET', `/auth/audit-log?resourceType=segment&resourceId=${id}`)).body;
  assert.deepEqual(
    data.map(({ action, actorName, before, after }: Record<string, unknown>) => [action, actorName, before, after]),
    [
      ['segment.members_removed', 'admin', null, { removed: 1 }],
      ['segment.members_added', 'admin', null, { added: 2 }],
      ['segment.created', 'admin', null, { name: 'By hand', type: 'static', doubleOptIn: false, version: 1 }],
    ],
  );
});

test('a build that is begun anew is shown at the path that was asked', async () => {
  const { id } = await make({ name: 'Large', filter: tagged('a') });
  for (const base of BASES) {
    await tenantEm(service.deps.orm, 'default').transactional((tx) =>
      rows(tx, sql`update segments set status = 'BUILDING', building_since = now() where id = ${id}`),
    );
    const { status, location } = await answerOf(base, ['POST', `/${id}/rebuild`]);
    assert.deepEqual([status, location], [202, `/api/v1${base}/${id}`]);
  }
});

test('without a type it is dynamic with a filter, and static with contacts or with neither', async () => {
  const shown = ({ type, count, filter }: Record<string, unknown>) => ({ type, count, filter });
  assert.deepEqual(shown(await make({ name: 'D', filter: tagged('b') })), {
    type: 'dynamic',
    count: 1,
    filter: tagged('b'),
  });
  assert.deepEqual(shown(await make({ name: 'S', contactIds: people })), { type: 'static', count: 3, filter: null });
  assert.deepEqual(shown(await make({ name: 'S' })), { type: 'static', count: 0, filter: null });
  assert.equal((await make({ name: 'S', doubleOptIn: true }))['doubleOptIn'], true);
  for (const [body, ...wrong] of [
    [{ name: 'N', filter: tagged('a'), contactIds: people }, '/contactIds not_allowed'],
    [{ name: 'N', filter: tagged('a'), doubleOptIn: true }, '/doubleOptIn not_allowed'],
    [{ name: 'N', type: 'static', filter: tagged('a') }, '/filter not_allowed'],
    [{ name: 'N', type: 'dynamic' }, '/filter required'],
    [{ name: 'N', type: 'sometimes' }, '/type enum'],
    [{ name: 'N', type: null }, '/type type', '/type enum'],
    [{ name: 'N', type: 'dynamic', filter: null }, '/filter required'],
    [{ name: 'N', filter: [] }, '/filter type'],
  ] as const) {
    const { status, body: answer } = await api('POST', '/segments', body);
    assert.equal(status, 400, JSON.stringify(answer));
    assert.deepEqual(
      answer.errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`),
      wrong,
      JSON.stringify(body),
    );
  }
  const { body } = await api('POST', '/contacts/segments', { name: 'N', filter: tagged('a') });
  assert.equal(body.errors[0].path, '/type', 'below /contacts the type is required, as ever');
});

test('the area tells its health', async () => {
  const { status, body } = await api('GET', '/segments/health', undefined, { token: null });
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body.components).sort(), ['nats', 'postgres', 'temporal', 'worker']);
});
