import assert from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, test } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { campaignMigrationActivities } from '../../../activities/campaign-migration.ts';
import { CampaignEnrolment, CampaignExecution } from '../../../db/entities/campaigns.ts';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { definitionCache } from '../../../domain/campaign-definitions/load-definition.ts';
import { enrolPage } from '../../../domain/campaigns/enrolment/enrol-page.ts';
import { makeContact, makeTemplate } from '../../support/mail/emails.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';

let service: Service;
let templateId: number;
beforeAll(async () => {
  service = await startService();
  templateId = await makeTemplate(service);
});
afterAll(() => service.stop());

const wait = (id: string, hours = 24) => ({ id, type: 'WAIT', config: { waitMinutes: 60 * hours } });
const email = (id: string) => ({ id, type: 'EMAIL', config: { templateId } });
const em = () => tenantEm(service.deps.orm, service.admin.tenantId);

let campaignId: number;
const post = (verb: string, body?: object, id = campaignId): Promise<Answer> =>
  service.api('POST', `/campaigns/${id}/${verb}`, body);
const migrate = (body: object, id = campaignId) => post('migrate', body, id);
async function publish(steps: object[], audience: object = {}): Promise<void> {
  assert.equal((await service.api('PUT', `/campaigns/${campaignId}`, { steps })).status, 200);
  assert.equal((await post('start', audience)).status, 202);
}

/** Enters contacts into the published version, without starting their workflows. */
async function enter(contactIds: number[]): Promise<void> {
  const { status, body } = await post('start', { contactIds });
  assert.equal(status, 202, JSON.stringify(body));
  const load = definitionCache();
  const { enrolmentId, tenantId } = { ...body, tenantId: service.admin.tenantId };
  for (let page = { cursor: 0, done: false }; !page.done;)
    page = await enrolPage(em(), load, { tenantId, enrolmentId, after: page.cursor });
  const { status: over } = await em().findOneOrFail(CampaignEnrolment, { id: enrolmentId });
  assert.equal(over, 'COMPLETED');
}

/** Runs one page of a migration, as its workflow does. */
const page = (migrationId: number, after = 0): Promise<{ cursor: number; done: boolean }> =>
  new MockActivityEnvironment().run(campaignMigrationActivities(service.deps).migratePage, {
    tenantId: service.admin.tenantId,
    migrationId,
    after,
    at: Date.now(),
  });
const read = async (id: number) => (await service.api('GET', `/campaigns/migrations/${id}`)).body;
const executions = () => em().find(CampaignExecution, { campaignId }, { orderBy: { id: 'asc' } });
const contacts = (count: number) =>
  Promise.all(Array.from({ length: count }, async () => (await makeContact(service)).id));

// Version 1: two of its executions wait at `pause`, one at `gone`, one at `other`, and one FAILED.
let ids: number[];
beforeEach(async () => {
  const made = await service.api('POST', '/campaigns', {
    name: 'A campaign',
    steps: [wait('pause'), wait('gone'), email('other')],
  });
  campaignId = made.body.id;
  await enter(await contacts(5));
  ids = (await executions()).map(({ id }) => id);
  const place = (id: number, index: number, stepId: string, status = 'RUNNING') =>
    em().transactional((tx) =>
      rows(
        tx,
        sql`
      update campaign_executions set current_step = ${index}, current_step_id = ${stepId}, status = ${status},
        state = jsonb_set(jsonb_set(state, '{position,stepIndex}', ${JSON.stringify(index)}::jsonb), '{position,visits}', '[1, 1, 1]')
      where id = ${id}`,
      ),
    );
  await place(ids[2]!, 1, 'gone');
  await place(ids[3]!, 2, 'other');
  await place(ids[4]!, 0, 'pause', 'FAILED');
});

test('a dry run tells what the run does, and has no effect', async () => {
  await publish([email('first'), wait('pause', 48), wait('other')]);
  const before = await executions();
  const plan = await migrate({ from: 1, to: 2, dryRun: true });
  assert.equal(plan.status, 200);
  assert.deepEqual(plan.body, {
    from: 1,
    to: 2,
    total: 4,
    movable: 2,
    moved: 0,
    blocked: [
      { executionId: ids[2], stepId: 'gone', reason: 'step_gone' },
      { executionId: ids[3], stepId: 'other', reason: 'type_changed' },
    ],
    byStep: [{ from: 'pause', to: 'pause', count: 2 }],
  });
  assert.deepEqual(await executions(), before);

  const begun = await migrate({ from: 1, to: 2 });
  const { id, createdAt, workflowId } = begun.body;
  assert.deepEqual([begun.status, begun.headers.get('location')], [202, `/api/v1/campaigns/migrations/${id}`]);
  const job = { ...plan.body, id, campaignId, workflowId, createdAt, status: 'RUNNING', finishedAt: null };
  assert.deepEqual(begun.body, { ...job, blocked: [], byStep: [] });
  assert.equal(workflowId, `campaign-migration/${service.admin.tenantId}/${id}`);
  assert.equal((await page(id)).done, true);
  const { finishedAt, ...done } = await read(id);
  assert.ok(finishedAt);
  assert.deepEqual({ ...done, finishedAt: null }, { ...job, status: 'COMPLETED', moved: 2 });

  const after = await executions();
  assert.deepEqual(
    after.map((row) => [row.campaignVersion, row.currentStep, row.currentStepId, row.stepSeq, row.status]),
    [
      [2, 1, 'pause', 1, 'RUNNING'],
      [2, 1, 'pause', 1, 'RUNNING'],
      [1, 1, 'gone', 0, 'RUNNING'],
      [1, 2, 'other', 0, 'RUNNING'],
      [1, 0, 'pause', 0, 'FAILED'],
    ],
  );
  const again = await migrate({ from: 1, to: 2, dryRun: true });
  assert.deepEqual([again.body.total, again.body.movable], [2, 0]);
});

test('the map moves those whose steps are gone or have another type', async () => {
  await publish([email('first'), wait('pause', 48), wait('other')]);
  const map = { gone: 'first', other: 'other' };
  const plan = (await migrate({ from: 1, to: 2, map, dryRun: true })).body;
  assert.deepEqual([plan.total, plan.movable, plan.blocked], [4, 4, []]);
  assert.deepEqual(plan.byStep, [
    { from: 'pause', to: 'pause', count: 2 },
    { from: 'gone', to: 'first', count: 1 },
    { from: 'other', to: 'other', count: 1 },
  ]);
  const { id } = (await migrate({ from: 1, to: 2, map })).body;
  await page(id);
  assert.deepEqual((await read(id)).byStep, plan.byStep);
  assert.deepEqual(
    (await executions()).map((row) => row.currentStepId),
    ['pause', 'pause', 'first', 'other', 'pause'],
  );
});

test('back to an older version, and while the campaign is paused', async () => {
  await publish([wait('pause', 48), wait('gone'), email('other')]);
  assert.equal((await post('pause')).status, 200);
  const there = (await migrate({ from: 1, to: 2 })).body;
  await page(there.id);
  const back = (await migrate({ from: 2, to: 1 })).body;
  assert.deepEqual([back.total, back.movable], [4, 4]);
  await page(back.id);
  assert.deepEqual(
    (await executions()).map((row) => [row.campaignVersion, row.stepSeq]),
    [
      [1, 2],
      [1, 2],
      [1, 2],
      [1, 2],
      [1, 0],
    ],
  );
});

test('a migration that cannot be is refused, and says why', async () => {
  await publish([wait('pause'), wait('new')]);
  const refused = async (body: object, status: number, ...errors: string[]) => {
    for (const dryRun of [false, true]) {
      const answer = await migrate({ ...body, dryRun });
      assert.equal(answer.status, status, JSON.stringify(answer.body));
      const told = ((answer.body.errors ?? []) as { path: string; code: string }[]).map(
        ({ path, code }) => `${path} ${code}`,
      );
      assert.deepEqual(told, errors);
    }
  };
  await refused({ from: 1, to: 1 }, 400, '/to same_version');
  await refused({ from: 1, to: 3 }, 404, '/to not_found');
  await refused({ from: 7, to: 2 }, 404, '/from not_found');
  await refused({ from: 99_999_999_999, to: 3 }, 404, '/from not_found', '/to not_found');
  await refused({ from: 1 }, 400, '/to required');
  await refused({ from: 0, to: 2 }, 400, '/from out_of_range');
  await refused(
    { from: 1, to: 2, map: { nobody: 'new', gone: 'nowhere', 'a/b': 'x' } },
    400,
    '/map/nobody unknown_step',
    '/map/gone unknown_step',
    '/map/a~1b unknown_step',
  );
  await refused({ from: 1, to: 2, map: { gone: 'new' }, more: 1 }, 400, '/more unknown_field');
  assert.equal((await migrate({ from: 1, to: 2 }, 999_999)).status, 404);
  assert.equal((await service.api('GET', '/campaigns/migrations/999999')).status, 404);

  const [one, other] = await Promise.all([migrate({ from: 1, to: 2 }), migrate({ from: 1, to: 2 })]);
  assert.deepEqual([one.status, other.status].sort(), [202, 409]);
  const migration = one.status === 202 ? one : other;
  assert.equal((await migrate({ from: 1, to: 2, dryRun: true })).status, 200);
  await page(migration.body.id);
  const next = await migrate({ from: 2, to: 1 });
  assert.equal(next.status, 202, 'the one before is over');
  await post('stop');
  await refused({ from: 1, to: 2 }, 409);
});

test('a version that refers to what was deleted is no target; what the target refers to is not deleted', async () => {
  const used = await makeTemplate(service);
  await publish([wait('pause'), { ...email('mail'), config: { templateId: used } }]);
  await publish([wait('pause')]);
  const { id } = (await migrate({ from: 1, to: 2 })).body;
  const refused = await service.api('DELETE', `/emails/templates/${used}`);
  assert.deepEqual([refused.status, refused.body.code], [409, 'in_use']);
  await page(id);
  await page((await migrate({ from: 2, to: 3 })).body.id);
  assert.equal((await service.api('DELETE', `/emails/templates/${used}`)).status, 204);
  const answer = await migrate({ from: 3, to: 2 });
  assert.equal(answer.status, 400);
  assert.deepEqual(answer.body.errors, [
    { path: '/to', code: 'not_found', message: `version 2: step "mail": there is no template ${used}` },
  ]);
});

test('a page that is called again moves nothing, and tells the same', async () => {
  await enter(await contacts(205));
  await publish([wait('pause', 48), wait('gone'), email('other')]);
  const { id, total } = (await migrate({ from: 1, to: 2 })).body;
  assert.equal(total, 209);
  const first = await page(id);
  assert.equal(first.done, false);
  const [after, figures] = [await executions(), await read(id)];
  assert.deepEqual([figures.status, figures.moved], ['RUNNING', 200]);
  // Killed after the commit: the activity is run again.
  assert.deepEqual(await page(id), first);
  assert.deepEqual([await executions(), await read(id)], [after, figures]);
  assert.deepEqual(await page(id, first.cursor), { cursor: after.at(-1)!.id, done: true });
  const over = await read(id);
  assert.deepEqual(
    [over.status, over.moved, over.byStep[0]],
    ['COMPLETED', 209, { from: 'pause', to: 'pause', count: 207 }],
  );
  assert.equal((await page(id, first.cursor)).done, true);
  assert.ok((await executions()).every((row) => row.status === 'FAILED' || row.stepSeq === 1));
});

test('a stop in the middle leaves the rest', async () => {
  await enter(await contacts(200));
  await publish([wait('pause', 48)]);
  const { id } = (await migrate({ from: 1, to: 2 })).body;
  const first = await page(id);
  assert.equal((await post('stop')).status, 202);
  assert.equal((await read(id)).status, 'CANCELLED');
  assert.equal((await page(id, first.cursor)).done, true);
  const left = (await executions()).filter((row) => row.campaignVersion === 1);
  assert.deepEqual(left.length, 4 + 3, 'those of the second page, two that were blocked, and one that FAILED');
  assert.equal((await post('start')).status, 202);
  assert.equal((await page(id, first.cursor)).done, true);
});

test('a migration is in the audit log', async () => {
  await publish([wait('pause', 48)]);
  const { id } = (await migrate({ from: 1, to: 2 })).body;
  const audit = await em().transactional((tx) =>
    rows<{ before: unknown; after: unknown }>(
      tx,
      sql`select before, after from audit_log where action = 'campaign.migrated' and resource_id = ${String(campaignId)}`,
    ),
  );
  assert.deepEqual(audit, [{ before: { version: 1 }, after: { version: 2, migrationId: id } }]);
});
