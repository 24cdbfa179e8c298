import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import pg from 'pg';
import { Segment } from '../../../db/entities/contacts.ts';
import { tenantEm } from '../../../db/orm.ts';
import { deleteUnused } from '../../../domain/common/references.ts';
import { makeTemplate } from '../../support/mail/emails.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
let owner: pg.Client;
beforeAll(async () => {
  service = await startService();
  owner = new pg.Client({ connectionString: service.slot.env['DATABASE_MIGRATION_URL'] });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await service.stop();
});

async function make(path: string, body: object): Promise<{ id: number }> {
  const answer = await service.api('POST', path, body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

/** Resolves when `count` other sessions of the database wait for locks. */
const waiting = (count: number): Promise<true> =>
  until(`${count} sessions wait for locks`, async () => {
    const found = await owner.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return found.rows.length === count || null;
  });

test('what comes to be in use between the reading of the users and the deletion undoes the deletion', async () => {
  const { id } = await make('/contacts/lists', { name: 'Wanted' });
  const readings: number[] = [];
  const deleting = tenantEm(service.deps.orm, 'default').transactional(async (tx) => {
    const list = await tx.findOneOrFail(Segment, { id });
    await deleteUnused(tx, list, async () => {
      const found = await tx
        .getKysely<{ forms: { id: number; list_id: number } }>()
        .selectFrom('forms')
        .select('id')
        .where('list_id', '=', id)
        .execute();
      readings.push(found.length);
      if (readings.length > 1) return found.map((form) => ({ kind: 'form', id: form.id, name: 'Late' }));
      // Another transaction refers to it now, and is not over when the row is deleted.
      await owner.query('begin');
      await owner.query('select 1 from segments where id = $1 for key share', [id]);
      await owner.query(`insert into forms (tenant_id, name, fields, list_id) values ('default', 'Late', '[]', $1)`, [
        id,
      ]);
      return [];
    });
  });
  // The deletion waits for the other transaction.
  const refused = assert.rejects(deleting, /It is used by form/);
  await until('the deletion waits', async () => {
    const found = await service.deps.orm.em
      .fork()
      .execute(`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
    return found.length > 0 || null;
  });
  await owner.query('commit');
  await refused;
  assert.deepEqual(readings, [0, 1]);
  assert.equal((await service.api('GET', `/contacts/lists/${id}`)).status, 200);
});

test('what a campaign refers to is not deleted while it is being published', async () => {
  const form = await make('/forms', { name: 'Signup', fields: [{ name: 'email', label: 'Email', type: 'email' }] });
  const list = await make('/contacts/lists', { name: 'Joined' });
  const other = await make('/campaigns', { name: 'Other', steps: [{ type: 'WAIT', config: { waitMinutes: 1 } }] });
  const sms = await make('/channels/templates', { channel: 'sms', name: 'Text', body: 'Hello' });
  const template = { id: await makeTemplate(service) };
  const wait = { type: 'WAIT', config: { waitMinutes: 1 } };
  const definitions: [path: string, id: number, definition: object][] = [
    ['/emails/templates', template.id, { steps: [{ type: 'EMAIL', config: { templateId: template.id } }] }],
    ['/channels/templates', sms.id, { steps: [{ type: 'SMS', config: { templateId: sms.id } }] }],
    ['/contacts/lists', list.id, { steps: [{ type: 'SEGMENT', config: { action: 'add', listId: list.id } }] }],
    ['/forms', form.id, { trigger: { type: 'FORM_SUBMITTED', formId: form.id }, steps: [wait] }],
    ['/campaigns', other.id, { trigger: { type: 'EMAIL_OPENED', campaignId: other.id }, steps: [wait] }],
  ];
  for (const [path, id, definition] of definitions) {
    const campaign = await make('/campaigns', { name: `Uses ${path}`, ...definition });
    await owner.query('begin');
    await owner.query('lock table campaign_versions in share mode');
    const starting = service.api('POST', `/campaigns/${campaign.id}/start`);
    await waiting(1);
    const deleting = service.api('DELETE', `${path}/${id}`);
    const waits = await Promise.race([waiting(2), deleting.then(({ status }) => `it was answered: ${status}`)]);
    await owner.query('commit');
    const [started, refused] = await Promise.all([starting, deleting]);
    assert.equal(waits, true, `${path}: the deletion waits for the campaign`);
    assert.equal(started.status, 202);
    assert.equal(refused.status, 409, path);
    assert.equal(refused.body.code, 'in_use');
  }
});
