import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql, tenantEm, type EntityManager } from '../../../db/orm.ts';
import { appendEvents } from '../../../events/outbox.ts';
import { changeListMembers } from '../../../domain/membership/members/change-list-members.ts';
import { saveContacts, type ContactToSave } from '../../../domain/contacts/people/save-contact-fields.ts';
import type { AppError } from '../../../lib/checks/errors.ts';
import { isDuplicateEmail } from '../../../domain/contact-values/insert-contact.ts';
import { retried } from '../../../db/errors.ts';
import { evaluateFilter } from '../../../domain/membership/compile/evaluate.ts';
import { startService, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const origin = { tenantId: 'default', requestId: 'request-1' };
const within = <T>(run: (tx: EntityManager) => Promise<T>): Promise<T> =>
  tenantEm(service.deps.orm, 'default').transactional(run);
const save = (email: string, fields: ContactToSave['fields'], mode: ContactToSave['mode'] = 'fillEmpty') =>
  retried(
    () =>
      within(async (tx) => {
        const { requestId } = origin;
        const contact = { email, fields, mode, boxes: new Set<string>(), source: 'form:1', pending: false, requestId };
        const { results, events } = await saveContacts(tx, origin, [contact]);
        await appendEvents(tx, origin, events);
        return results[0]!;
      }),
    isDuplicateEmail,
  );
const get = async (id: number) => (await service.api('GET', `/contacts/${id}`)).body;
const eventTypes = async (id: number): Promise<string[]> => {
  const found = await within((tx) =>
    rows<{ type: string; request_id: string }>(
      tx,
      sql`
    select o.type, o.request_id from outbox_events o, jsonb_array_elements(o.events) e where (e.value -> 'data' ->> 'contactId')::bigint = ${id} order by o.id`,
    ),
  );
  assert.ok(found.every((row) => row.request_id === 'request-1'));
  return found.map((row) => row.type);
};

test('a contact is made by its address, then filled where it is empty', async () => {
  const made = await save('New@Example.com', { firstName: 'Ada', phone: '', company: 'Form Works', tags: ['web'] });
  assert.equal(made.status, 'created');
  const id = made.id!;
  const shown = await get(id);
  assert.deepEqual(
    [shown.email, shown.firstName, shown.lastName, shown.company.name, shown.source, shown.status],
    ['New@Example.com', 'Ada', '', 'Form Works', 'form:1', 'active'],
  );

  const again = await save('new@example.COM', {
    firstName: 'Eve',
    lastName: 'Byron',
    company: 'Elsewhere',
    phone: '+44 20 7946 0958',
    tags: ['other'],
  });
  assert.deepEqual(again, { status: 'updated', id, errors: [] });
  const filled = await get(id);
  assert.deepEqual(
    [filled.firstName, filled.lastName, filled.phoneE164, filled.company.name, filled.tags],
    ['Ada', 'Byron', '+442079460958', 'Form Works', ['web']],
  );
  assert.deepEqual(await save('new@example.com', { firstName: 'Eve' }), { status: 'unchanged', id, errors: [] });

  await save('new@example.com', { firstName: 'Eve', lastName: '', company: 'Elsewhere' }, 'overwrite');
  const over = await get(id);
  assert.deepEqual([over.firstName, over.lastName, over.company.name, over.version], ['Eve', 'Byron', 'Elsewhere', 3]);
  assert.deepEqual(await eventTypes(id), ['CONTACT_CREATED', 'CONTACT_UPDATED', 'CONTACT_UPDATED']);
});

test('a contact without names can be read, put back and is missing them to filters', async () => {
  const contactId = (await save('nameless@example.com', {})).id!;
  const shown = await get(contactId);
  assert.equal((await service.api('PUT', `/contacts/${contactId}`, { ...shown, jobTitle: 'Poet' })).status, 200);
  const holds = (operator: 'exists' | 'notExists') =>
    within((tx) => evaluateFilter(tx, 'default', { field: 'firstName', operator }, [contactId, 999_999]));
  assert.deepEqual([[...(await holds('exists'))], [...(await holds('notExists'))]], [[], [contactId]]);
});

test('no status is lifted', async () => {
  for (const status of ['unsubscribed', 'bounced', 'complained', 'pending', 'archived']) {
    const contactId = (await save(`${status}@example.com`, { firstName: 'A' })).id!;
    await within((tx) => rows(tx, sql`update contacts set status = ${status} where id = ${contactId}`));
    const fields = { lastName: 'B', status: 'active' } as ContactToSave['fields'];
    await save(`${status}@example.com`, fields, 'overwrite');
    const { lastName, status: kept } = await get(contactId);
    assert.deepEqual([lastName, kept], ['B', status]);
  }
});

test('what the contact refuses is told with its path, and nothing is kept', async () => {
  const { status, errors } = await save('no address', { firstName: 'x'.repeat(101), customFields: { size: 'L' } });
  assert.equal(status, 'rejected');
  assert.deepEqual(
    errors.map(({ path, code }) => [path, code]),
    [
      ['/firstName', 'too_long'],
      ['/email', 'invalid_email'],
      ['/customFields/size', 'unknown_custom_field'],
    ],
  );
});

test('twins make one contact and one company', async () => {
  const results = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      save(n % 2 ? 'twin@example.com' : 'TWIN@example.com', { firstName: `T${n}`, company: n % 3 ? 'Twins' : 'twins' }),
    ),
  );
  assert.equal(new Set(results.map((result) => result.id)).size, 1);
  assert.equal(results.filter((result) => result.status === 'created').length, 1);
  assert.deepEqual(await eventTypes(results[0]!.id!), ['CONTACT_CREATED']);
  assert.equal((await service.api('GET', '/contacts/companies?name=twins&includeTotal=true')).body.page.total, 1);
});

test('a list that many add to at once takes each contact once, as tenant and as engine', async () => {
  const ids = await Promise.all(['l1', 'l2', 'l3'].map(async (name) => (await save(`${name}@example.com`, {})).id!));
  const list = (await service.api('POST', '/contacts/lists', { name: 'Crowd' })).body.id;
  const change = (n: number) => {
    const em = n % 2 ? engineEm(service.deps.orm) : tenantEm(service.deps.orm, 'default');
    return em.transactional((tx) => changeListMembers(tx, 'default', list, { add: n % 3 ? ids : ids.toReversed() }));
  };
  const results = await Promise.all(Array.from({ length: 8 }, (_, n) => change(n)));
  assert.deepEqual(
    results.flatMap((result) => result.added).sort((a, b) => a - b),
    ids.sort((a, b) => a - b),
  );
  const first = ids[0]!;
  assert.deepEqual(
    await within((tx) => changeListMembers(tx, 'default', list, { add: [first], remove: [ids[1]!, 999_999] })),
    { added: [], removed: [ids[1]] },
  );
  await assert.rejects(
    within((tx) => changeListMembers(tx, 'default', 999_999, { add: [first] })),
    (error: AppError) => error.code === 'not_found',
  );
  await assert.rejects(
    engineEm(service.deps.orm).transactional((tx) => changeListMembers(tx, 'other', list, { add: [first] })),
    (error: AppError) => error.code === 'not_found',
    'the engine sees all tenants; the tenant is in the key',
  );
});
