import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { startApiProcess, type ApiProcess } from '../../support/api-process.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const SUBMISSIONS = 1000;
const PEOPLE = 500;

let service: Service;
let api: ApiProcess;
beforeAll(async () => {
  service = await startService({ worker: ['intake', 'consumers', 'relay'], env: { ENABLE_RATE_LIMITING: 'true' } });
  api = await startApiProcess(service);
});
afterAll(async () => {
  await api.end();
  await service.stop();
});

const query = <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  tenantEm(service.deps.orm, 'default').transactional((tx) => rows<T>(tx, statement));
const count = async (statement: ReturnType<typeof sql>): Promise<number> =>
  (await query<{ n: number }>(statement))[0]!.n;

test('a thousand submissions at once, two of each person: each is taken, and nobody is there twice', async () => {
  const list = (await service.api('POST', '/contacts/lists', { name: 'All' })).body.id;
  const made = await service.api('POST', '/forms', {
    name: 'Rush',
    listId: list,
    fields: [
      { name: 'email', label: 'Email', type: 'email' },
      { name: 'note', label: 'Note', type: 'text' },
    ],
  });
  const formId = made.body.id;
  const answers = await Promise.all(
    Array.from({ length: SUBMISSIONS }, (_, n) =>
      api.api(
        'POST',
        `/forms/${formId}/submit`,
        { email: `${n % 2 ? 'P' : 'p'}erson${n % PEOPLE}@example.com`, note: `n${n}` },
        { token: null },
      ),
    ),
  );
  const refused = answers.filter(({ status }) => status !== 200);
  assert.deepEqual(
    refused.map(({ body }) => body.detail),
    [],
  );
  assert.equal(new Set(answers.map(({ body }) => body.submissionId)).size, SUBMISSIONS);
  assert.equal(await count(sql`select count(*)::int as n from contacts where email_key like 'person%'`), PEOPLE);
  assert.equal(
    await count(sql`select count(distinct submission_data ->> 'note')::int as n from form_submissions`),
    SUBMISSIONS,
  );
  assert.equal(await count(sql`select count(*)::int as n from segment_members where segment_id = ${list}`), PEOPLE);
  // Who was made by a submission gets a token, once.
  assert.equal(answers.filter(({ body }) => body.contactToken).length, PEOPLE);
  const activities = () =>
    count(
      sql`select count(distinct data ->> 'submissionId')::int as n from contact_activities where type = 'FORM_SUBMITTED'`,
    );
  await until('each has its event', async () => (await activities()) === SUBMISSIONS);
  assert.equal(
    await count(sql`select count(*)::int as n from contact_activities where type = 'FORM_SUBMITTED'`),
    SUBMISSIONS,
  );
});
