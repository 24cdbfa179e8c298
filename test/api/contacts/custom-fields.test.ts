import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { customFieldTypes } from '../../../domain/contact-values/custom-field-types.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { newMember } from '../../support/users.ts';
import { startVariant } from '../../support/variant.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const PATH = '/contacts/custom-fields';
let number = 0;
const api = (...call: Parameters<Service['api']>): Promise<Answer> => service.api(...call);
const define = async (fields: object) => {
  const made = await api('POST', PATH, { entity: 'contact', ...fields });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body;
};
const person = (fields: object) =>
  api('POST', '/contacts', {
    firstName: 'Ada',
    lastName: 'Byron',
    email: `custom${(number += 1)}@example.com`,
    ...fields,
  });
const query = <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  tenantEm(service.deps.orm, 'default').transactional((tx) => rows<T>(tx, statement));
const problems = (answer: Answer) =>
  (answer.body.errors ?? []).map(({ path, code }: { path: string; code: string }) => [path, code]);

test('a definition is made, read, put back, changed, listed and deleted', async () => {
  const made = await api('POST', PATH, {
    entity: 'contact',
    name: 'plan',
    type: 'enum',
    options: [' gold ', 'silver'],
    description: '',
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { id, createdAt: _c, updatedAt: _u, ...rest } = made.body;
  assert.deepEqual(rest, {
    entity: 'contact',
    name: 'plan',
    type: 'enum',
    options: ['gold', 'silver'],
    description: null,
    tenantId: 'default',
    version: 1,
  });
  assert.equal(made.headers.get('location'), `/api/v1${PATH}/${id}`);
  assert.deepEqual((await api('PUT', `${PATH}/${id}`, (await api('GET', `${PATH}/${id}`)).body)).body, made.body);
  const changed = await api(
    'PUT',
    `${PATH}/${id}`,
    { options: ['gold', 'iron'], description: 'What they pay for' },
    { headers: { 'if-match': '"1"' } },
  );
  assert.deepEqual(
    [changed.body.options, changed.body.description, changed.body.version],
    [['gold', 'iron'], 'What they pay for', 2],
  );
  assert.equal(
    (await api('PUT', `${PATH}/${id}`, { description: null }, { headers: { 'if-match': '"1"' } })).status,
    412,
  );
  assert.deepEqual(
    problems(await api('PUT', `${PATH}/${id}`, { type: 'string', name: 'other', entity: 'company' })).sort(),
    [
      ['/entity', 'read_only'],
      ['/name', 'read_only'],
      ['/type', 'read_only'],
    ],
  );

  await define({ entity: 'company', name: 'plan', type: 'string' });
  const taken = await api('POST', PATH, { entity: 'contact', name: 'plan', type: 'string' });
  assert.deepEqual([taken.status, taken.body.code, problems(taken)], [409, 'name_taken', [['/name', 'name_taken']]]);
  assert.deepEqual(
    (await api('GET', `${PATH}?entity=company`)).body.data.map((field: { name: string }) => field.name),
    ['plan'],
  );
  assert.equal((await api('GET', `${PATH}?includeTotal=true`)).body.page.total, 2);
  assert.equal((await api('DELETE', `${PATH}/${id}`, undefined, { headers: { 'if-match': '"1"' } })).status, 412);
  assert.equal((await api('DELETE', `${PATH}/${id}`)).status, 204);
  assert.equal((await api('GET', `${PATH}/${id}`)).status, 404);
  assert.equal((await api('DELETE', `${PATH}/${id}`)).status, 404);
});

test('bad definitions are refused', async () => {
  const refused = async (fields: object) =>
    problems(await api('POST', PATH, { entity: 'contact', name: 'fine', type: 'string', ...fields }));
  for (const name of [
    'firstName',
    'first_name',
    'EMAIL',
    'company',
    'score',
    'constructor',
    'toString',
    'customFields',
  ]) {
    assert.deepEqual(await refused({ name }), [['/name', 'reserved']], name);
  }
  assert.deepEqual(await refused({ entity: 'company', name: 'employee_count' }), [['/name', 'reserved']]);
  for (const name of ['', '1st', 'a b', '__proto__', 'x'.repeat(101), 'größe'])
    assert.deepEqual(
      (await refused({ name })).map(([path]: string[]) => path),
      ['/name'],
      name,
    );
  assert.deepEqual(await refused({ type: 'enum' }), [['/options', 'required']]);
  assert.deepEqual(await refused({ type: 'number', options: ['1'] }), [['/options', 'not_allowed']]);
  assert.deepEqual(await refused({ type: 'enum', options: ['a', ' ', 'a', 'x\u0007', 'y'.repeat(256)] }), [
    ['/options/1', 'required'],
    ['/options/3', 'invalid_character'],
    ['/options/4', 'too_long'],
    ['/options/2', 'duplicate'],
  ]);
});

test('values are checked by their types, of contacts and of companies', async () => {
  await define({ name: 'seats', type: 'number' });
  await define({ name: 'paid', type: 'boolean' });
  await define({ name: 'renewal', type: 'date' });
  await define({ name: 'level', type: 'enum', options: ['low', 'high'] });
  await define({ name: 'note', type: 'string' });
  const customFields = { seats: 4.5, paid: false, renewal: '2030-02-28', level: 'low', note: 'two\nlines' };
  const { status, body: contact } = await person({ customFields });
  assert.equal(status, 201);
  assert.deepEqual(contact.customFields, customFields);
  const bad = await api('PUT', `/contacts/${contact.id}`, {
    customFields: { seats: '4', paid: 'yes', renewal: '2030-02-30', level: 'none', note: 7, size: 1, constructor: 1 },
  });
  assert.deepEqual(problems(bad).sort(), [
    ['/customFields/constructor', 'unknown_custom_field'],
    ['/customFields/level', 'invalid_option'],
    ['/customFields/note', 'invalid_type'],
    ['/customFields/paid', 'invalid_boolean'],
    ['/customFields/renewal', 'invalid_date'],
    ['/customFields/seats', 'invalid_number'],
    ['/customFields/size', 'unknown_custom_field'],
  ]);
  const put = await api('PUT', `/contacts/${contact.id}`, { customFields: { seats: null, level: 'high', note: '' } });
  assert.deepEqual(
    [put.body.customFields, put.body.version],
    [{ paid: false, renewal: '2030-02-28', level: 'high' }, 2],
  );

  const { body: company } = await api('POST', '/contacts/companies', {
    name: 'Example Ltd',
    customFields: { plan: 'pro' },
  });
  assert.deepEqual(company.customFields, { plan: 'pro' });
  await define({ entity: 'company', name: 'employees_abroad', type: 'number' });
  const grown = await api('PUT', `/contacts/companies/${company.id}`, { customFields: { employees_abroad: 3 } });
  assert.deepEqual([grown.body.customFields, grown.body.version], [{ plan: 'pro', employees_abroad: 3 }, 2]);
  assert.deepEqual(
    (await api('PUT', `/contacts/companies/${company.id}`, { customFields: { employees_abroad: 3 } })).body.version,
    2,
  );
  assert.deepEqual(problems(await api('PUT', `/contacts/companies/${company.id}`, { customFields: { seats: 1 } })), [
    ['/customFields/seats', 'unknown_custom_field'],
  ]);
  assert.deepEqual(
    (await api('PUT', `/contacts/companies/${company.id}`, { customFields: null })).body.customFields,
    {},
  );
});

test('an option that is taken away stays where it is, and is given to no one any more', async () => {
  const field = await define({ name: 'tier', type: 'enum', options: ['a', 'b'] });
  const { body: contact } = await person({ customFields: { tier: 'a' } });
  await api('PUT', `${PATH}/${field.id}`, { options: ['b'] });
  const back = await api('PUT', `/contacts/${contact.id}`, { ...contact, jobTitle: 'Engineer' });
  assert.deepEqual([back.status, back.body.customFields], [200, { tier: 'a' }], JSON.stringify(back.body));
  assert.deepEqual(problems(await person({ customFields: { tier: 'a' } })), [['/customFields/tier', 'invalid_option']]);
});

test('a field that is in use stays; one that is not goes with its values, which a new one of the name does not inherit', async () => {
  const field = await define({ name: 'region', type: 'string' });
  const { body: contact } = await person({ customFields: { region: 'north', note: 'kept' } });
  const { body: segment } = await api('POST', '/contacts/segments', {
    name: 'North',
    type: 'dynamic',
    filter: { op: 'and', conditions: [{ field: 'customFields.region', operator: 'eq', value: 'north' }] },
  });
  assert.equal(segment.count, 1);
  const used = await api('DELETE', `${PATH}/${field.id}`);
  assert.deepEqual(
    [used.status, used.body.code, used.body.errors[0].message],
    [409, 'in_use', `segment ${segment.id}: North`],
  );
  await api('DELETE', `/contacts/segments/${segment.id}`);

  assert.equal((await api('DELETE', `${PATH}/${field.id}`)).status, 204);
  const after = (await api('GET', `/contacts/${contact.id}`)).body;
  assert.deepEqual([after.customFields, after.version], [{ note: 'kept' }, 2]);
  assert.equal(
    (
      await query(
        sql`select 1 from outbox_events where type = 'CONTACT_UPDATED' and events @> ${JSON.stringify([{ data: { contactId: contact.id, changed: ['customFields'] } }])}::jsonb`,
      )
    ).length,
    1,
  );
  assert.equal(
    (
      await query(
        sql`select 1 from audit_log where action = 'custom_field.deleted' and resource_id = ${String(field.id)}`,
      )
    ).length,
    1,
  );

  // As if removing the values had been cut short.
  await query(sql`update contacts set custom_fields = custom_fields || '{"region": "south"}' where id = ${contact.id}`);
  await define({ name: 'region', type: 'number' });
  assert.deepEqual((await api('GET', `/contacts/${contact.id}`)).body.customFields, { note: 'kept' });
});

test('a field is deleted while contacts are written: no value outlives it, and nothing fails but for its name', async () => {
  const field = await define({ name: 'season', type: 'string' });
  const write = async () => {
    const answers = [];
    for (let n = 0; n < 12; n += 1) answers.push(await person({ customFields: { season: 'winter' } }));
    return answers;
  };
  const [one, two, deleted] = await Promise.all([write(), write(), api('DELETE', `${PATH}/${field.id}`)]);
  assert.equal(deleted.status, 204, JSON.stringify(deleted.body));
  for (const answer of [...one, ...two]) {
    if (answer.status !== 201)
      assert.deepEqual([answer.status, problems(answer)], [400, [['/customFields/season', 'unknown_custom_field']]]);
  }
  assert.equal((await query(sql`select 1 from contacts where custom_fields ? 'season'`)).length, 0);
});

test('deleting a field holds up no other tenant, nor reads of its own', async () => {
  const variant = await startVariant(service, { ENABLE_MULTI_TENANT: true });
  onTestFinished(() => variant.stop());
  const { token } = await newMember(variant.api);
  const theirs = async (...[method, path, body]: Parameters<Service['api']>) => {
    const answer = await variant.api(method, path, body, { token });
    assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const shade = { entity: 'contact', name: 'shade', type: 'string' };
  await theirs('POST', PATH, shade);
  const held: Record<string, (id: number) => ReturnType<typeof sql> | null> = {
    'while it waits for those who have read the definitions': () => null,
    'while it has kept them all away, and waits for something else': (id) =>
      sql`select 1 from custom_fields where id = ${id} for no key update`,
  };
  for (const [when, lock] of Object.entries(held)) {
    const field = await define(shade);
    const { body: contact } = await person({ customFields: { shade: 'red' } });
    let deleted: Promise<Answer> | undefined;
    await tenantEm(service.deps.orm, 'default').transactional(async (tx) => {
      const statement = lock(field.id);
      await (statement === null ? customFieldTypes(tx, 'default') : rows(tx, statement));
      const [me] = await rows<{ pid: number }>(tx, sql`select pg_backend_pid() as pid`);
      deleted = api('DELETE', `${PATH}/${field.id}`);
      await until(
        'it waits for us',
        async () =>
          (
            await query<{ n: number }>(sql`
        select count(*)::int as n from pg_stat_activity where ${me!.pid}::int = any(pg_blocking_pids(pid))`)
          )[0]!.n > 0,
      );
      // All within the three seconds that it waits at most.
      const made = await theirs('POST', '/contacts', {
        firstName: 'Ada',
        lastName: 'Byron',
        email: `their${number}@example.com`,
        customFields: { shade: 'blue' },
      });
      await theirs('PUT', `/contacts/${made.id}`, { customFields: { shade: 'green' } });
      await theirs('POST', '/contacts/segments/preview', {
        filter: { field: 'customFields.shade', operator: 'eq', value: 'green' },
      });
      assert.equal((await theirs('GET', PATH)).data.length, 1);
      assert.equal((await api('GET', PATH)).status, 200);
      assert.equal((await api('GET', `/contacts/${contact.id}`)).body.customFields.shade, 'red');
    });
    const answer = await deleted!;
    assert.equal(answer.status, 204, `${when}: ${JSON.stringify(answer.body)}`);
    assert.deepEqual((await api('GET', `/contacts/${contact.id}`)).body.customFields, {}, when);
  }
});

test('segments compare by the type of a field', async () => {
  const { body: ten } = await person({ customFields: { seats: 10 } });
  await person({ customFields: { seats: 9 } });
  const { body: found } = await api('POST', '/contacts/segments/preview', {
    filter: { field: 'customFields.seats', operator: 'gt', value: 9 },
  });
  assert.deepEqual(
    found.sample.map((contact: { id: number }) => contact.id),
    [ten.id],
  );
  const wrong = await api('POST', '/contacts/segments/preview', {
    filter: { field: 'customFields.seats', operator: 'gt', value: 'nine' },
  });
  assert.deepEqual([wrong.status, problems(wrong).map(([path]: string[]) => path)], [400, ['/filter/value']]);
});
