import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { rows, sql, tenantEm, type EntityManager } from '../../../db/orm.ts';
import { eraseRecords } from '../../../domain/contacts/erasure/erase-records.ts';
import { findForm } from '../../../domain/forms/forms.ts';
import { storeSubmissions, type CheckedSubmission } from '../../../domain/forms/store-submissions.ts';
import { rowsWith } from '../../support/database/rows-with.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const TRACE = /quillfeather|a secret wish|192\.0\.2\.7/i;

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

async function ok(...call: Parameters<Service['api']>) {
  const answer = await service.api(...call);
  assert.ok(answer.status < 300, `${call[0]} ${call[1]}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}
const em = () => tenantEm(service.deps.orm, 'default');
const traces = () => rowsWith(service.slot.env['DATABASE_MIGRATION_URL']!, TRACE);
const fields = [
  { name: 'email', label: 'Email', type: 'email' },
  { name: 'wish', label: 'Wish', type: 'text' },
];
const makeForm = async (more: object = {}): Promise<number> =>
  (await ok('POST', '/forms', { name: 'Wishes', fields, notifyEmails: ['sales@example.com'], ...more })).id;
const submit = async (formId: number, email: string): Promise<number> =>
  (await ok('POST', `/forms/${formId}/submit`, { email, wish: 'A secret wish' }, { token: null })).contactId;
const remove = async (path: string) => ok('DELETE', path);

async function erase(contactId: number): Promise<void> {
  const { id } = await ok('POST', `/contacts/${contactId}/erase`);
  await eraseRecords(em(), 'default', id);
}

/** What anybody may have written about the person in the outbox is no matter of these tests. */
const emptyOutbox = () => em().transactional((tx) => rows(tx, sql`delete from outbox_events`));

test.each<[string, (formId: number, contactId: number, email: string) => Promise<number>]>([
  [
    'its form was deleted',
    async (formId, contactId) => {
      await remove(`/forms/${formId}`);
      return contactId;
    },
  ],
  [
    'its form was deleted, and the contact has another address since',
    async (formId, contactId) => {
      await ok('PUT', `/contacts/${contactId}`, { email: 'new.quillfeather@example.com' });
      await remove(`/forms/${formId}`);
      return contactId;
    },
  ],
  [
    'its contact was deleted and came again',
    async (_formId, contactId, email) => {
      await remove(`/contacts/${contactId}`);
      return (await ok('POST', '/contacts', { firstName: 'X', lastName: 'Q', email })).id;
    },
  ],
  [
    'its contact and its form were deleted, and the contact came again',
    async (formId, contactId, email) => {
      await remove(`/contacts/${contactId}`);
      await remove(`/forms/${formId}`);
      return (await ok('POST', '/contacts', { firstName: 'X', lastName: 'Q', email })).id;
    },
  ],
])('an erasure finds the notification of a submission: %s', async (_case, change) => {
  const email = 'Xanthippe.Quillfeather@example.com';
  const formId = await makeForm();
  const other = await submit(formId, 'somebody@example.com');
  const contactId = await change(formId, await submit(formId, email), email);
  await emptyOutbox();
  const before = (await traces()).filter((row) => row.startsWith('emails:'));
  assert.equal(before.length, 2, 'both notifications tell a wish');
  await erase(contactId);
  const left = (await traces()).filter((row) => row.startsWith('emails:'));
  assert.equal(left.length, 1, String(left));
  assert.match(left[0]!, /somebody@example\.com/, 'that of another person stays');
  await erase(other);
  await emptyOutbox();
  assert.deepEqual(await traces(), []);
});

test('a submission that is being stored while its contact is erased leaves nothing, and neither fails', async () => {
  const email = 'late.quillfeather@example.com';
  const list = await ok('POST', '/contacts/lists', { name: 'Wishers' });
  const formId = await makeForm({ listId: list.id });
  const contactId = await submit(formId, email);
  const { id: erasureId } = await ok('POST', `/contacts/${contactId}/erase`);

  const form = await findForm(em(), formId);
  const submission: CheckedSubmission = {
    form,
    requestId: null,
    contactFields: { email, firstName: 'Quillfeather' },
    values: { email, wish: 'A secret wish' },
    visitor: { ipAddress: '192.0.2.7', userAgent: null, language: 'en', contactId: null, formToken: null },
    key: null,
    proved: null,
    solved: null,
    stored: [],
  };
  const store = (tx: EntityManager) => storeSubmissions(tx, 'default', [submission]);
  const stored = Promise.withResolvers<number>();
  const waitedFor = Promise.withResolvers<void>();
  const storing = em().transactional(async (tx) => {
    const first = await store(tx);
    stored.resolve((await rows<{ pid: number }>(tx, sql`select pg_backend_pid() as pid`))[0]!.pid);
    await waitedFor.promise;
    // Whatever it still writes, such as a membership that exists, does not wait for the erasure.
    return [...first, ...(await store(tx))].map((result) => result.ok && result.contactId);
  });
  const pid = await stored.promise;
  const erasing = eraseRecords(em(), 'default', erasureId);
  await until('the erasure waits for the submission', () =>
    em().transactional(
      async (tx) =>
        (await rows(tx, sql`select 1 from pg_stat_activity where ${pid}::int = any(pg_blocking_pids(pid))`)).length > 0,
    ),
  );
  waitedFor.resolve();
  assert.deepEqual(await Promise.all([storing, erasing]), [[contactId, contactId], undefined]);
  assert.deepEqual(await traces(), []);

  // The next one is of a new contact: to submit a form is deliberate.
  assert.notEqual(await submit(formId, email), contactId);
});
