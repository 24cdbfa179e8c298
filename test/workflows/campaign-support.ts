import { randomUUID } from 'node:crypto';
import proto from '@temporalio/proto';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import type { Client } from '@temporalio/client';
import { campaignActivities } from '../../activities/campaigns.ts';
import { createActivities } from '../../activities/index.ts';
import { startFromOutbox } from '../../activities/start-executions.ts';
import { createDeps, type Deps } from '../../runtime/deps.ts';
import { connectTemporal, ensureSearchAttributes } from '../../runtime/temporal.ts';
import { readEnv } from '../../config/env.ts';
import { QUEUES, type WorkflowStart } from '../../registry/workflows.ts';
import { searchAttributes } from '../../registry/search-attributes.ts';
import { CampaignExecution, CampaignStepExecution } from '../../db/entities/campaigns.ts';
import type { AnyEvent, EventType } from '../../events/contracts.ts';
import { contactHandler } from '../../worker/consumers/contacts.ts';
import { engineEm, rows, sql, tenantEm, type EntityManager } from '../../db/orm.ts';
import { createCampaign, type CampaignInput } from '../../domain/campaigns/management/save-campaign.ts';
import { startCampaign, type Audience } from '../../domain/campaigns/management/start-campaign.ts';
import { createContact } from '../../domain/contacts/people/create-contact.ts';
import { createTemplate } from '../../domain/emails/templates/templates.ts';
import { asService } from '../../domain/audit/audit.ts';
import { createSegment } from '../../domain/segments/segments.ts';
import { withClient } from '../../dev/stack/postgres.ts';
import { workflowBundle } from '../../worker/bundle.ts';
import { quietTemporal } from '../support/quiet-temporal.ts';
import { claimSlot } from '../support/slot.ts';
import { until } from '../support/until.ts';

export const TENANT = 'default';
export const MINUTE = 60_000;
export const DAY = 1440 * MINUTE;
/** A slice that is longer than any test: an enrolment is one activity, however slow the machine is. */
export const WHOLE_MS = 60 * MINUTE;
/** Minutes of a wait that lasts, whatever time the tests before have skipped: executions are entered by the real clock. */
export const LONG = 2_000_000;

/** The history of steps without a wait, one wait, and steps without a wait. */
export const HISTORY_OF_ONE_WAIT = [
  'WORKFLOW_EXECUTION_STARTED',
  'WORKFLOW_TASK_SCHEDULED',
  'WORKFLOW_TASK_STARTED',
  'WORKFLOW_TASK_COMPLETED',
  'MARKER_RECORDED',
  'TIMER_STARTED',
  'TIMER_FIRED',
  'WORKFLOW_TASK_SCHEDULED',
  'WORKFLOW_TASK_STARTED',
  'WORKFLOW_TASK_COMPLETED',
  'MARKER_RECORDED',
  'WORKFLOW_EXECUTION_COMPLETED',
];

export interface Journeys {
  deps: Deps;
  env: TestWorkflowEnvironment;
  em: () => EntityManager;
  contact: (fields?: { timezone?: string; status?: 'unsubscribed' | 'archived' }) => Promise<number>;
  template: () => Promise<number>;
  list: (contactIds?: number[]) => Promise<number>;
  /** Makes a campaign and starts it; its workflows wait in the outbox for `relay`. */
  start: (input: Partial<CampaignInput>, audience?: Audience) => Promise<number>;
  /** Starts what is in the outbox, as the relay does. Returns the ids of the workflows. */
  relay: () => Promise<string[]>;
  /** Waits for the end of a workflow; time is skipped while it has nothing to do. */
  finished: (workflowId: string) => Promise<void>;
  /** Waits for the end of a workflow in real time. */
  settled: (workflowId: string) => Promise<void>;
  executions: (campaignId: number) => Promise<CampaignExecution[]>;
  /** The records of an execution's steps, as `step:result`. */
  steps: (executionId: number) => Promise<string[]>;
  emails: (executionId: number) => Promise<{ send_key: string; status: string; reason: string | null; lane: string }[]>;
  /** Runs what is in the outbox, and then every execution of the campaign, to the end. Returns the executions. */
  runAll: (campaignId: number) => Promise<CampaignExecution[]>;
  /** Waits, in real time, until the one execution of the campaign is at a step. */
  at: (campaignId: number, stepId: string) => Promise<CampaignExecution>;
  /** Makes an event of a contact, by the clock of the workflows, and has it consumed as the service does. */
  happens: (contactId: number, type: EventType, data?: Record<string, unknown>, times?: number) => Promise<void>;
  /** The types of the events of a workflow's history, without their prefix, in order. */
  history: (workflowId: string) => Promise<string[]>;
  status: (workflowId: string) => Promise<string>;
  /** Runs a statement as the owner of the schema. */
  owner: (statement: string) => Promise<void>;
  /** A server that has Temporal Schedules, which the one with time skipping does not. */
  scheduling: Client;
  /**
   * A worker with these activities, otherwise the service's. `forgetful`: it keeps no workflow in memory, so that another
   * worker gets their next tasks. The test server waits for ever for one that is stopped.
   */
  worker: (activities?: object, options?: { forgetful?: boolean }) => Promise<{ stop: () => Promise<void> }>;
  stop: () => Promise<void>;
}

/** The SDK gives the server five seconds to start, which a busy machine may not have; a further try finds its file in memory. */
async function startTestServer(path: string): Promise<TestWorkflowEnvironment> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await TestWorkflowEnvironment.createTimeSkipping({
        server: { executable: { type: 'existing-path', path } },
      });
    } catch (error) {
      if (attempt === 5 || !/did not start within/.test(String(error))) throw error;
    }
  }
}

/** Workflows on a server that skips time, with the real activities on the real Postgres and NATS of a slot. */
export async function startJourneys(): Promise<Journeys> {
  quietTemporal();
  const slot = await claimSlot();
  const env = await startTestServer(slot.env['TEMPORAL_TEST_SERVER']!);
  await addSearchAttributes(env);
  const deps = await createDeps(
    readEnv({ LOG_LEVEL: 'silent', SMTP_URL: 'smtp://127.0.0.1:1', OUTBOUND_ALLOW: '127.0.0.1/32', ...slot.env }),
    'test',
    { connectTemporal: async () => env.client },
  );
  const client = await connectTemporal(slot.env['TEMPORAL_ADDRESS']!, slot.env['TEMPORAL_NAMESPACE']!);
  await ensureSearchAttributes(client);
  const { keepSchedule, keepReportSchedule } = createActivities({ ...deps, temporal: client });
  const running: { stop: () => Promise<void> }[] = [];
  let number = 0;
  const em = () => tenantEm(deps.orm, TENANT);
  const origin = { tenantId: TENANT, actor: null, requestId: null, address: null };

  const journeys: Journeys = {
    deps,
    env,
    em,
    contact: async (fields = {}) => {
      number += 1;
      const { status, ...rest } = fields;
      const {
        contact: { id },
      } = await createContact(em(), origin, {
        firstName: 'Ada',
        lastName: `Number ${number}`,
        email: `ada${number}@example.com`,
        ...rest,
      });
      if (status)
        await em().transactional((tx) => rows(tx, sql`update contacts set status = ${status} where id = ${id}`));
      return id;
    },
    template: async () =>
      (
        await createTemplate(
          em(),
          TENANT,
          { name: 'Hello', subject: 'Hello {{firstName}}', content: '<p>Hello</p>' },
          deps.env.MAIL_FROM,
        )
      ).id,
    list: async (contactIds = []) =>
      (await createSegment(em(), asService(TENANT), { name: 'A list', type: 'static', contactIds })).segment.id,
    start: async (input, audience = {}) => {
      const { id } = await createCampaign(em(), TENANT, { name: 'A campaign', ...input }, deps.outbound.checkUrl);
      await startCampaign(em(), origin, id, audience, deps.outbound.checkUrl);
      return id;
    },
    relay: async () => {
      const found = await engineEm(deps.orm).transactional((tx) =>
        rows<WorkflowStart>(
          tx,
          sql`
        with taken as (delete from outbox_workflows returning *) select workflow_type as type, workflow_id as id, input from taken order by id`,
        ),
      );
      for (const start of found) await startFromOutbox(deps, start);
      return found.map(({ id }) => id);
    },
    finished: async (workflowId) => {
      await env.client.workflow.getHandle(workflowId).result();
    },
    settled: async (workflowId) => {
      await until(`${workflowId} has ended`, async () => (await journeys.status(workflowId)) !== 'RUNNING', 120_000);
    },
    executions: (campaignId) =>
      em().find(CampaignExecution, { campaignId }, { orderBy: { contactId: 'asc', entryNo: 'asc' } }),
    steps: async (executionId) => {
      const done = await em().find(CampaignStepExecution, { executionId }, { orderBy: { seq: 'asc' } });
      return done.map((row) => `${row.stepId}:${row.result}`);
    },
    emails: (executionId) =>
      em().transactional((tx) =>
        rows(
          tx,
          sql`
      select send_key, status, reason, lane from emails where execution_id = ${executionId} order by id`,
        ),
      ),
    runAll: async (campaignId) => {
      for (const id of await journeys.relay()) await journeys.finished(id);
      for (const { workflowId, status } of await journeys.executions(campaignId)) {
        if (status === 'RUNNING') await journeys.finished(workflowId!);
      }
      return journeys.executions(campaignId);
    },
    at: (campaignId, stepId) =>
      until(`the execution is at ${stepId}`, async () => {
        const [execution] = await journeys.executions(campaignId);
        return execution?.currentStepId === stepId && execution.runId ? execution : null;
      }),
    happens: async (contactId, type, data = {}, times = 1) => {
      const time = new Date(await env.currentTimeMs()).toISOString();
      const events = Array.from({ length: times }, () => ({
        id: randomUUID(),
        type,
        time,
        tenantid: TENANT,
        data: { contactId, ...data },
      })) as unknown as AnyEvent[];
      await engineEm(deps.orm).transactional((tx) => contactHandler.handle(tx, events));
      await engineEm(deps.orm).transactional((tx) => contactHandler.afterCommit!(tx, events));
      await journeys.relay();
    },
    history: async (workflowId) => {
      const { events } = await env.client.workflow.getHandle(workflowId).fetchHistory();
      const { EventType } = proto.temporal.api.enums.v1;
      return (events ?? []).map((event) => EventType[event.eventType!].replace('EVENT_TYPE_', ''));
    },
    status: async (workflowId) => (await env.client.workflow.getHandle(workflowId).describe()).status.name,
    owner: async (statement) => {
      await withClient(slot.env['DATABASE_MIGRATION_URL']!, (client) => client.query(statement));
    },
    scheduling: client,
    worker: async (
      given = { ...createActivities(deps), ...campaignActivities(deps, WHOLE_MS) },
      { forgetful = false } = {},
    ) => {
      const activities = { ...given, keepSchedule, keepReportSchedule };
      const common = {
        connection: env.nativeConnection,
        workflowBundle: await workflowBundle(),
        activities,
        ...(forgetful ? { maxCachedWorkflows: 0 } : {}),
      };
      const workers = await Promise.all(
        Object.values(QUEUES).map((taskQueue) => Worker.create({ ...common, taskQueue })),
      );
      const runs = workers.map((worker) => worker.run());
      const handle = {
        stop: async () => {
          for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
          await Promise.all(runs);
        },
      };
      running.push(handle);
      return handle;
    },
    stop: async () => {
      for (const handle of running) await handle.stop();
      await deps.close();
      await client.connection.close();
      await env.teardown();
      await slot.release();
    },
  };
  return journeys;
}

/** The test server can not list the attributes that are there, so this is not `ensureSearchAttributes`. */
async function addSearchAttributes(env: TestWorkflowEnvironment): Promise<void> {
  const { INDEXED_VALUE_TYPE_INT, INDEXED_VALUE_TYPE_KEYWORD } = proto.temporal.api.enums.v1.IndexedValueType;
  const types = Object.values(searchAttributes).map((key) => [
    key.name,
    key.type === 'INT' ? INDEXED_VALUE_TYPE_INT : INDEXED_VALUE_TYPE_KEYWORD,
  ]);
  await env.connection.operatorService.addSearchAttributes({
    namespace: env.namespace ?? 'default',
    searchAttributes: Object.fromEntries(types),
  });
}
