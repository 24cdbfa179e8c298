/** Releases with another workflow code while journeys are under way, by the commands of docs/operating.md. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, test } from '@jest/globals';
import proto from '@temporalio/proto';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { findBinary } from '../../../dev/binaries.mjs';
import { makeBuild, startBuild, type Build, type BuildWorker } from '../../support/build.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

/** How many executions wait when the other build comes. */
const WAITING = Number(process.env.WAITING_EXECUTIONS ?? 40);
const LATER = 10;
/** More than forty take longer, so that a thousand can be asked for. */
const TIMEOUT_MS = 240_000 + WAITING * 1000;

const START = '  let woken = false;';
const STEP = '    woken = false;\n    const answer = await runStep(ahead);';
/** What only the other build does. */
const SLEEP = `await sleep('1 millisecond', { summary: 'other build' });`;

let service: Service;
let cli: string;
let other: Build;
let otherPatched: Build;
const workers = new Set<BuildWorker>();
beforeAll(async () => {
  cli = await findBinary('temporal', { log: () => undefined });
  [other, otherPatched] = await Promise.all([
    makeBuild({ [STEP]: SLEEP }),
    // Asked once, at the start: later, when nothing is replayed any more, the answer would be yes in the same run.
    makeBuild({ [START]: `const isOther = patched('other-build');`, [STEP]: `if (isOther) ${SLEEP}` }),
  ]);
  service = await startService({ worker: ['intake', 'consumers', 'relay'] });
});
afterAll(async () => {
  for (const worker of workers) await worker.end('SIGKILL');
  await service.stop();
  await other.remove();
  await otherPatched.remove();
});

/** For conditions that are work for the servers which they wait for. */
const untilAsked = (what: string, condition: () => Promise<boolean>) =>
  until(what, async () => (await condition()) || (await sleep(250, false)), TIMEOUT_MS);

const query = <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  tenantEm(service.deps.orm, 'default').transactional((tx) => rows<T>(tx, statement));

/** Runs the Temporal CLI in the namespace of the service. Returns its output as JSON. */
async function temporal(...args: string[]): Promise<Record<string, unknown>> {
  const { TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE } = service.deps.env;
  const { stdout } = await promisify(execFile)(cli, [...args, '-o', 'json'], {
    env: { ...process.env, TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE },
  });
  return stdout.trim() === '' ? {} : (JSON.parse(stdout) as Record<string, unknown>);
}
const deployment = (command: string, ...args: string[]) =>
  temporal('worker', 'deployment', command, '--deployment-name', 'perennial', ...args);

async function run(folder: string, buildId: string, behavior: 'PINNED' | 'AUTO_UPGRADE'): Promise<BuildWorker> {
  const worker = await startBuild(folder, {
    ...service.slot.env,
    SMTP_URL: service.sink.url,
    PUBLIC_URL: service.url,
    TEMPORAL_DEPLOYMENT: 'perennial',
    TEMPORAL_BUILD_ID: buildId,
    TEMPORAL_VERSIONING_BEHAVIOR: behavior,
  });
  workers.add(worker);
  return worker;
}
async function end(worker: BuildWorker): Promise<void> {
  workers.delete(worker);
  await worker.end();
}
const { ROUTING_CONFIG_UPDATE_STATE_COMPLETED } = proto.temporal.api.enums.v1.RoutingConfigUpdateState;
/** Routes to a build. The server knows all of its queues only a moment after its worker has begun to poll. */
const routeTo = (command: string, buildId: string, ...args: string[]) =>
  until(`${command} ${buildId}`, () =>
    deployment(command, '--build-id', buildId, '--yes', ...args).then(
      () => true,
      (error: unknown) => {
        // A busy server does not answer in time; the command says what shall be, so it may be repeated.
        const passes = /missing active task queues|not found|no Worker Deployment found|context deadline exceeded/i;
        if (passes.test(String(error))) return false;
        throw error;
      },
    ),
  );
/** Makes a build current; resolves when all queues follow. */
async function makeCurrent(buildId: string): Promise<void> {
  await routeTo('set-current-version', buildId);
  const request = { namespace: service.deps.env.TEMPORAL_NAMESPACE, deploymentName: 'perennial' };
  // The server tells its queues one after the other, and takes long when others use the machine.
  await until(
    'all queues follow',
    async () => {
      const { workerDeploymentInfo: info } =
        await service.deps.temporal.workflowService.describeWorkerDeployment(request);
      return info?.routingConfigUpdateState === ROUTING_CONFIG_UPDATE_STATE_COMPLETED;
    },
    180_000,
  );
}

interface Journeys {
  campaignId: number;
  contactIds: number[];
  first: number;
  last: number;
}

let people = 0;
async function addContacts(count: number): Promise<number[]> {
  people += count;
  const made = await query<{ id: number }>(sql`
    insert into contacts (tenant_id, first_name, last_name, email, email_key)
    select 'default', 'P', 'Q', 'p' || n || '@example.com', 'p' || n || '@example.com'
    from generate_series(${people - count + 1}::int, ${people}::int) n returning id`);
  return made.map(({ id }) => id);
}
const visible = async (campaignId: number, condition: string): Promise<number> =>
  (
    await service.deps.temporal.workflow.count(
      `WorkflowType = 'campaignExecution' AND CampaignId = ${campaignId} AND ${condition}`,
    )
  ).count;

async function makeList(): Promise<number> {
  const { body } = await service.api('POST', '/contacts/lists', { name: `List ${people} ${randomUUID()}` });
  return body.id;
}
const LISTEN = { id: 'listen', type: 'WAIT_FOR_EVENT', config: { event: 'WEBSITE_VISITED', timeoutMinutes: 10_000 } };
/** Contacts who have joined a first list and wait for an event, after which they join the last. */
async function startJourneys(count: number): Promise<Journeys> {
  const [first, last, contactIds] = [await makeList(), await makeList(), await addContacts(count)];
  const join = (id: string, listId: number) => ({ id, type: 'SEGMENT', config: { action: 'add', listId } });
  const { body } = await service.api('POST', '/campaigns', {
    name: 'Two builds',
    steps: [join('first', first), LISTEN, join('last', last)],
  });
  await enter(body.id, contactIds);
  return { campaignId: body.id, contactIds, first, last };
}
/** Two contacts who left the first wait early, and are in the next. */
async function startAtRest(): Promise<number> {
  const steps = [LISTEN, { id: 'rest', type: 'WAIT', config: { waitMinutes: 20_000 } }];
  const { body } = await service.api('POST', '/campaigns', { name: 'At rest', steps });
  const contactIds = await addContacts(2);
  await enter(body.id, contactIds);
  await visit(contactIds);
  await until('they rest', async () => (await visible(body.id, `StepId = 'rest'`)) === contactIds.length);
  return body.id;
}
/** Resolves when they wait for the event. Temporal shows the step at which they will wait already when they start. */
async function enter(campaignId: number, contactIds: number[]): Promise<void> {
  const answer = await service.api('POST', `/campaigns/${campaignId}/start`, { contactIds });
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  await untilAsked('all wait', async () => {
    const [found] = await query<{ n: number }>(sql`
      select count(*)::int as n from campaign_executions where campaign_id = ${campaignId}
      and contact_id in (${sql.join(contactIds)}) and current_step_id = 'listen'`);
    return found!.n === contactIds.length;
  });
}
/** The event that they wait for. */
async function visit(contactIds: number[]): Promise<void> {
  for (const contactId of contactIds) {
    const answer = await service.api('POST', '/scoring/events', { contactId, type: 'WEBSITE_VISITED', data: {} });
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
  }
}
async function allEnd({ campaignId }: Journeys, contactIds: number[]): Promise<void> {
  await untilAsked('they have ended', async () => {
    const [found] = await query<{ n: number }>(sql`
      select count(*)::int as n from campaign_executions where campaign_id = ${campaignId}
      and contact_id in (${sql.join(contactIds)}) and status = 'COMPLETED'`);
    return found!.n === contactIds.length;
  });
}
/** Each step of each execution ran once. */
async function assertOnce({ campaignId, contactIds }: Journeys): Promise<void> {
  const records = await query<{ step_id: string; n: number; executions: number }>(sql`
    select s.step_id, count(*)::int as n, count(distinct s.execution_id)::int as executions
    from campaign_step_executions s join campaign_executions e on e.tenant_id = s.tenant_id and e.id = s.execution_id
    where e.campaign_id = ${campaignId} group by s.step_id order by s.step_id`);
  const all = contactIds.length;
  assert.deepEqual(
    records,
    ['first', 'last', 'listen'].map((step_id) => ({ step_id, n: all, executions: all })),
  );
}

interface Seen {
  /** The builds that ran the workflow, in order, each once. */
  builds: string[];
  /** Whether there are commands that only the other build makes. */
  ofOther: boolean;
  failedTasks: number;
}
const journeyOf = (campaignId: number, contactId: number) =>
  service.deps.temporal.workflow.getHandle(`campaign-execution/default/${campaignId}/${contactId}/1`);
const runOf = async (campaignId: number, contactId: number): Promise<string> =>
  (await journeyOf(campaignId, contactId).describe()).runId;
const { EventType } = proto.temporal.api.enums.v1;
async function seen(campaignId: number, contactId: number): Promise<Seen> {
  const events = (await journeyOf(campaignId, contactId).fetchHistory()).events ?? [];
  const builds = events.flatMap((event) => {
    const done = event.workflowTaskCompletedEventAttributes;
    return done ? [done.deploymentVersion?.buildId ?? 'none'] : [];
  });
  return {
    builds: [...new Set(builds)],
    ofOther: events.some(({ timerStartedEventAttributes: timer }) => {
      const { seconds = 0, nanos } = timer?.startToFireTimeout ?? {};
      return Number(seconds) === 0 && nanos === 1_000_000;
    }),
    failedTasks: events.filter(({ eventType }) => eventType === EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED).length,
  };
}
async function assertSeen({ campaignId }: Journeys, contactIds: number[], expected: Seen): Promise<void> {
  for (const contactId of contactIds) assert.deepEqual(await seen(campaignId, contactId), expected);
}
/** Whether the workflow's task fails again and again. */
async function isStuck(campaignId: number, contactId: number): Promise<boolean> {
  const { raw } = await journeyOf(campaignId, contactId).describe();
  return (raw.pendingWorkflowTask?.attempt ?? 0) > 1;
}
const status = async (buildId: string) =>
  ((await deployment('describe-version', '--build-id', buildId)) as { drainageInfo?: { drainageStatus: string } })
    .drainageInfo?.drainageStatus;

test(
  'PINNED: who waits ends on the old build as begun, who enters later runs on the other; then the old one is drained',
  async () => {
    const old = await run('.', 'old', 'PINNED');
    assert.match(old.log(), /no workflow runs until a build is current/);
    await makeCurrent('old');
    // Temporal shows a poller a moment after it has begun, and health is checked once per second.
    await until(
      'the worker is seen',
      async () => (await service.api('GET', '/health')).body.components.worker.status === 'UP',
    );
    const journeys = await startJourneys(WAITING);
    const { campaignId, contactIds } = journeys;
    const late = contactIds.slice(-5);
    const soon = contactIds.slice(0, -5);

    const resting = await startAtRest();

    const next = await run(other.folder, 'next', 'PINNED');
    assert.doesNotMatch(next.log(), /no workflow runs/);
    await routeTo('set-ramping-version', 'next', '--percentage', '50');
    await makeCurrent('next');
    const later = await addContacts(LATER);
    await enter(campaignId, later);
    await visit([...soon, ...later]);
    await allEnd(journeys, [...soon, ...later]);
    await assertSeen(journeys, soon, { builds: ['old'], ofOther: false, failedTasks: 0 });
    await assertSeen(journeys, later, { builds: ['next'], ofOther: true, failedTasks: 0 });
    assert.equal(await status('old'), 'draining');

    const runs = new Map<number, string>();
    for (const contactId of late) runs.set(contactId, await runOf(campaignId, contactId));
    // Who would wait for weeks begins anew on the other build, which goes on at the step where the contact is.
    const waiting = `WorkflowType = 'campaignExecution' AND ExecutionStatus = 'Running' AND TemporalWorkerDeploymentVersion = 'perennial:old'`;
    await temporal(
      ...['workflow', 'reset', 'with-workflow-update-options', '--query', waiting, '--type', 'FirstWorkflowTask'],
      ...['--versioning-override-behavior', 'one_time', '--versioning-override-deployment-name', 'perennial'],
      ...['--versioning-override-build-id', 'next', '--reason', 'to the next build', '--yes'],
    );
    // The command only begins the work of the server. Whoever gets an event before it ends where it began.
    for (const contactId of late)
      await until('it has a new run', async () => (await runOf(campaignId, contactId)) !== runs.get(contactId));
    await visit(late);
    await allEnd(journeys, late);
    await assertSeen(journeys, late, { builds: ['next'], ofOther: true, failedTasks: 1 });
    await assertOnce({ ...journeys, contactIds: [...contactIds, ...later] });
    const atRest = `StepId = 'rest' AND TemporalWorkerDeploymentVersion = 'perennial:next' AND ExecutionStatus = 'Running'`;
    await until('so are those who left the first wait early', async () => (await visible(resting, atRest)) === 2);
    await until('the old build is drained', async () => (await status('old')) === 'drained');
    await end(old);
    await end(next);
  },
  TIMEOUT_MS,
);

test(
  'AUTO_UPGRADE: who waits moves to the other build, and ends as begun if its change is under patched(); without, back is safe',
  async () => {
    const old = await run('.', 'plain', 'AUTO_UPGRADE');
    await makeCurrent('plain');
    const journeys = await startJourneys(WAITING);
    const { campaignId, contactIds } = journeys;
    const late = contactIds.slice(-5);
    const soon = contactIds.slice(0, -5);

    const unsafe = await run(other.folder, 'unsafe', 'AUTO_UPGRADE');
    await makeCurrent('unsafe');
    await visit(late);
    for (const contactId of late) await until('it is stuck', () => isStuck(campaignId, contactId));
    await makeCurrent('plain');
    await allEnd(journeys, late);
    await end(unsafe);

    const patched = await run(otherPatched.folder, 'patched', 'AUTO_UPGRADE');
    await makeCurrent('patched');
    await end(old);
    const later = await addContacts(LATER);
    await enter(campaignId, later);
    await visit([...soon, ...later]);
    await allEnd(journeys, [...soon, ...later]);
    await assertSeen(journeys, soon, { builds: ['plain', 'patched'], ofOther: false, failedTasks: 0 });
    await assertSeen(journeys, later, { builds: ['patched'], ofOther: true, failedTasks: 0 });
    await assertOnce({ ...journeys, contactIds: [...contactIds, ...later] });
    await end(patched);
  },
  TIMEOUT_MS,
);
