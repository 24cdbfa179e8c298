import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { ScheduleNotFoundError, ScheduleOverlapPolicy, type ScheduleDescription } from '@temporalio/client';
import { Cron } from 'croner';
import { keepSchedule, scheduleIdOf } from '../../../activities/keep-schedule.ts';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { QUEUES } from '../../../registry/workflows.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
let listId: number;
beforeAll(async () => {
  service = await startService({ worker: ['temporal', 'relay'] });
  listId = (await service.api('POST', '/contacts/lists', { name: 'Readers' })).body.id;
});
afterAll(() => service.stop());

const weekly = () => ({ type: 'SCHEDULE', cron: '0 9 * * mon', timezone: 'Europe/Berlin', segmentId: listId });
const steps = [{ id: 'pause', type: 'WAIT', config: { waitMinutes: 1440 } }];

async function call(method: string, path: string, status: number, body?: object): Promise<Answer['body']> {
  const answer = await service.api(method, `/campaigns${path}`, body);
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return answer.body;
}
const create = async (fields: object): Promise<number> =>
  (await call('POST', '', 201, { name: 'News', steps, ...fields })).id;
const start = (id: number) => call('POST', `/${id}/start`, 202);

const campaign = (campaignId: number) => ({ tenantId: 'default', campaignId });
const handleOf = (id: number) => service.deps.temporal.schedule.getHandle(scheduleIdOf(campaign(id)));
const scheduleOf = (id: number): Promise<ScheduleDescription | null> =>
  handleOf(id)
    .describe()
    .catch((error: unknown) => {
      if (error instanceof ScheduleNotFoundError) return null;
      throw error;
    });
const untilScheduled = (id: number, version: number) =>
  until(`campaign ${id} has the schedule of version ${version}`, async () => {
    const found = await scheduleOf(id);
    return found?.action.memo?.['version'] === version ? found : null;
  });
const untilGone = (id: number) => until(`campaign ${id} has no schedule`, async () => (await scheduleOf(id)) === null);
const startedFor = (id: number) =>
  service.deps.temporal.workflow.count(`CampaignId = ${id} AND WorkflowType = 'campaignSchedule'`);

/** The times at which Temporal says that a campaign's schedule fires. */
async function matching(id: number, from: string, to: string): Promise<string[]> {
  const time = (text: string) => ({ seconds: Math.floor(Date.parse(text) / 1000) as never, nanos: 0 });
  const { startTime } = await service.deps.temporal.workflowService.listScheduleMatchingTimes({
    namespace: service.deps.temporal.options.namespace,
    scheduleId: scheduleIdOf(campaign(id)),
    startTime: time(from),
    endTime: time(to),
  });
  return startTime.map(({ seconds }) => new Date(Number(seconds) * 1000).toISOString().replace(':00.000', ''));
}

test('the schedule follows the campaign', async () => {
  const id = await create({ trigger: weekly() });
  assert.equal(await scheduleOf(id), null);
  await start(id);
  const { state, policies, action, typedSearchAttributes } = await untilScheduled(id, 1);
  assert.equal(state.paused, false);
  assert.deepEqual(policies, {
    overlap: ScheduleOverlapPolicy.BUFFER_ONE,
    catchupWindow: 3_600_000,
    pauseOnFailure: false,
  });
  assert.deepEqual(action.memo, { campaign: 'News', version: 1 });
  assert.deepEqual(
    typedSearchAttributes
      .getAll()
      .map(({ key, value }) => [key.name, value])
      .sort(),
    [
      ['CampaignId', id],
      ['TenantId', 'default'],
    ],
  );

  await call('POST', `/${id}/pause`, 200);
  await call('PUT', `/${id}`, 200, { trigger: { ...weekly(), cron: '30 7 * * *' } });
  assert.equal((await scheduleOf(id))!.state.paused, false, 'contacts enter a paused campaign and wait');
  await call('POST', `/${id}/resume`, 200);
  await start(id);
  await untilScheduled(id, 2);
  assert.deepEqual(await matching(id, '2030-01-01T00:00:00Z', '2030-01-02T12:00:00Z'), [
    '2030-01-01T06:30Z',
    '2030-01-02T06:30Z',
  ]);

  await call('PUT', `/${id}`, 200, { trigger: { type: 'MANUAL' } });
  await start(id);
  await untilGone(id);
  await call('PUT', `/${id}`, 200, {
    trigger: { type: 'DATE', field: 'createdAt', offsetDays: 1, time: '09:40' },
  });
  await start(id);
  await untilScheduled(id, 4);
  assert.deepEqual(await matching(id, '2030-01-01T00:00:00Z', '2030-01-01T01:00:00Z'), [
    '2030-01-01T00:10Z',
    '2030-01-01T00:25Z',
    '2030-01-01T00:40Z',
    '2030-01-01T00:55Z',
  ]);
  await call('POST', `/${id}/stop`, 202);
  await untilGone(id);
  await call('POST', `/${id}/archive`, 200);
  assert.equal(await scheduleOf(id), null);
  await call('POST', `/${id}/unarchive`, 200);
  await start(id);
  await untilScheduled(id, 4);
  await call('POST', `/${id}/stop`, 202);
  await untilGone(id);
  // As if the stop had not been heard of.
  await service.deps.temporal.schedule.create({
    scheduleId: scheduleIdOf(campaign(id)),
    spec: { cronExpressions: ['0 9 * * *'] },
    action: { type: 'startWorkflow', workflowType: 'campaignOccurrence', taskQueue: QUEUES.jobs, args: [campaign(id)] },
  });
  await call('DELETE', `/${id}`, 204);
  await untilGone(id);
});

test('a campaign without such a trigger has no schedule, and no workflow that makes one', async () => {
  const id = await create({});
  await start(id);
  await call('POST', `/${id}/stop`, 202);
  const scheduled = await create({ trigger: weekly() });
  await start(scheduled);
  await untilScheduled(scheduled, 1);
  // The relay starts workflows in order.
  assert.equal((await startedFor(id)).count, 0);
});

test('a schedule that is lost, paused or changed in Temporal is mended; one that is right is left alone', async () => {
  const id = await create({ trigger: weekly() });
  await start(id);
  const { info } = await untilScheduled(id, 1);
  await Promise.all([keepSchedule(service.deps, campaign(id)), keepSchedule(service.deps, campaign(id))]);
  assert.deepEqual((await scheduleOf(id))!.info.createdAt, info.createdAt);
  await handleOf(id).pause();
  await start(id);
  await until('it is not paused', async () => (await scheduleOf(id))?.state.paused === false);
  await handleOf(id).delete();
  await start(id);
  await untilScheduled(id, 1);
  // Of a stop that nobody was told about: as if its workflow had read the campaign before.
  await tenantEm(service.deps.orm, 'default').transactional((tx) =>
    rows(tx, sql`update campaigns set status = 'STOPPED' where id = ${id}`),
  );
  assert.deepEqual(await keepSchedule(service.deps, campaign(id)), { changed: true, description: 'no schedule' });
  assert.equal(await scheduleOf(id), null);
});

test('a new schedule makes up for firings since the activation', async () => {
  const id = await create({ trigger: { ...weekly(), cron: '* * * * *' } });
  await start(id);
  await untilScheduled(id, 1);
  const query = <T>(statement: ReturnType<typeof sql>) =>
    tenantEm(service.deps.orm, 'default').transactional((tx) => rows<T>(tx, statement));
  // As if the campaign had waited for its schedule.
  const [{ at: activatedAt }] = (await query<{ at: Date }>(
    sql`update campaigns set activated_at = now() - interval '90 seconds' where id = ${id} returning activated_at as at`,
  )) as [{ at: Date }];
  const missed = async () =>
    (
      await query<{ at: Date }>(sql`
        select scheduled_at as at from campaign_enrolments
        where campaign_id = ${id} and scheduled_at < ${activatedAt}::timestamptz + interval '90 seconds'`)
    ).map(({ at }) => at.getTime());
  await keepSchedule(service.deps, campaign(id));
  const found = await until('a firing is made up for', async () => {
    const times = await missed();
    return times.length > 0 ? times : null;
  });
  assert.ok(found.every((time) => time >= activatedAt.getTime() && time % 60_000 === 0));
  await call('POST', `/${id}/stop`, 202);
  await untilGone(id);
});

test('firings at the clock changes: a time that is skipped does not come, one that comes twice fires once', async () => {
  const id = await create({ trigger: { ...weekly(), cron: '30 2 * * *' } });
  await start(id);
  await untilScheduled(id, 1);
  assert.deepEqual(await matching(id, '2027-03-27T00:00:00Z', '2027-03-30T00:00:00Z'), [
    '2027-03-27T01:30Z',
    '2027-03-29T00:30Z',
  ]);
  assert.deepEqual(await matching(id, '2027-10-30T00:00:00Z', '2027-11-01T12:00:00Z'), [
    '2027-10-30T00:30Z',
    '2027-10-31T01:30Z',
    '2027-11-01T01:30Z',
  ]);
  await call('PUT', `/${id}`, 200, { trigger: { ...weekly(), cron: '0 9 * * *' } });
  await start(id);
  await untilScheduled(id, 2);
  const changes = [
    ['2027-03-27T00:00:00Z', '2027-03-29T00:00:00Z', ['2027-03-27T08:00Z', '2027-03-28T07:00Z']],
    ['2027-10-30T00:00:00Z', '2027-11-01T00:00:00Z', ['2027-10-30T07:00Z', '2027-10-31T08:00Z']],
  ] as const;
  for (const [from, to, times] of changes) assert.deepEqual(await matching(id, from, to), times);
});

test('Temporal reads every cron expression that is accepted as our parser does', async () => {
  const [from, to] = ['2028-01-01T00:00:30Z', '2028-03-15T00:00:00Z'];
  const crons = [
    '0 9 * * 7',
    '0 9 * * 0,3',
    '0 9 * * SUN',
    '5,35 9 1 JAN,mar *',
    '0 9 13 * fri',
    '0 9 */10 * 1-3',
    '10-30/10 9 29 2 *',
    '*/25 0-6/3 15 */2 *',
    '0 0 31 * *',
    '0 9 * * 5-7',
    '0 9 * * sun-tue',
    '0 9 * * */2',
  ];
  let id: number | undefined;
  let version = 0;
  for (const cron of crons) {
    const trigger = { ...weekly(), cron, timezone: 'Asia/Kathmandu' };
    if (id === undefined) id = await create({ trigger });
    else await call('PUT', `/${id}`, 200, { trigger });
    await start(id);
    await untilScheduled(id, (version += 1));
    const expected: string[] = [];
    const parsed = new Cron(cron, { timezone: 'Asia/Kathmandu', mode: '5-part', paused: true });
    for (let at = parsed.nextRun(new Date(from)); at && at <= new Date(to); at = parsed.nextRun(at))
      expected.push(at.toISOString().replace(':00.000', ''));
    assert.ok(expected.length > 0);
    assert.deepEqual(await matching(id, from, to), expected, cron);
  }
});
