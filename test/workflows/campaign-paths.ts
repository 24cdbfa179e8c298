import assert from 'node:assert/strict';
import type { CampaignExecution } from '../../db/entities/campaigns.ts';
import { rows, sql } from '../../db/orm.ts';
import { updateCampaign, type CampaignInput } from '../../domain/campaigns/management/save-campaign.ts';
import { migrateCampaign } from '../../domain/campaigns/management/migrate-campaign.ts';
import { startCampaign } from '../../domain/campaigns/management/start-campaign.ts';
import { pauseCampaign, resumeCampaign } from '../../domain/campaigns/management/pause-campaign.ts';
import { stopCampaign } from '../../domain/campaigns/management/stop-campaign.ts';
import { retryExecution } from '../../domain/campaigns/execution/change-execution.ts';
import { QUEUES, workflows } from '../../registry/workflows.ts';
import { until } from '../support/until.ts';
import { DAY, LONG, TENANT, type Journeys } from './campaign-support.ts';

/** A journey at its end, and the workflow whose history is worth keeping: the execution's, where none is named. */
export interface Walked {
  execution: CampaignExecution;
  workflowId: string;
}
export type Path = (journeys: Journeys) => Promise<Walked>;
type Steps = NonNullable<CampaignInput['steps']>;

const origin = { tenantId: TENANT, actor: null, requestId: null, address: null };
export const wait = (id: string, waitMinutes: number) => ({ id, type: 'WAIT', config: { waitMinutes } });
const active = { field: 'status', operator: 'eq', value: 'active' };
const nobody = { field: 'email', operator: 'eq', value: 'nobody@example.com' };

const prices = { field: 'url', operator: 'eq', value: 'https://example.com/prices' };
const visited = { event: 'WEBSITE_VISITED', operator: 'atLeast', where: [prices] };
const listen = (onTimeout: string, timeoutMinutes = 3 * 1440) => ({
  id: 'listen',
  type: 'WAIT_FOR_EVENT',
  config: { event: 'WEBSITE_VISITED', where: [prices], timeoutMinutes, onTimeout },
});

/** Walks one contact, a new one unless its id is given, through these steps to the end. */
export async function walk(
  journeys: Journeys,
  steps: Steps,
  input: Partial<CampaignInput> = {},
  contact: Parameters<Journeys['contact']>[0] | number = {},
): Promise<Walked> {
  const contactId = typeof contact === 'number' ? contact : await journeys.contact(contact);
  const campaignId = await journeys.start({ ...input, steps }, { contactIds: [contactId] });
  const [execution] = await journeys.runAll(campaignId);
  return { execution: execution!, workflowId: execution!.workflowId! };
}

/** Starts one contact, a new one by default, on its way and waits until its workflow rests at a step. */
export async function restingAt(
  journeys: Journeys,
  stepId: string,
  steps: Steps,
  contactId?: number,
): Promise<CampaignExecution> {
  const campaignId = await journeys.start({ steps }, { contactIds: [contactId ?? (await journeys.contact())] });
  // The enrolment is waited for in real time, so that the wait of the execution is not skipped.
  await journeys.relay();
  const execution = await journeys.at(campaignId, stepId);
  await until('the workflow waits', async () => {
    const history = await journeys.history(execution.workflowId!);
    return history.includes('TIMER_STARTED') && history.at(-1) !== 'WORKFLOW_TASK_STARTED';
  });
  return execution;
}

/** Makes these steps the next version of a campaign. Returns its number. */
export async function publish(journeys: Journeys, campaignId: number, steps: Steps): Promise<number> {
  await updateCampaign(journeys.em(), TENANT, campaignId, { steps }, () => undefined);
  const { campaign } = await startCampaign(journeys.em(), origin, campaignId, {});
  return campaign.publishedVersion!;
}

/** Moves executions from one version to another. Returns the migration's workflow, which has ended. */
export async function move(
  journeys: Journeys,
  campaignId: number,
  input: { from: number; to: number; map?: Record<string, string> },
): Promise<string> {
  await migrateCampaign(journeys.em(), origin, campaignId, input);
  const workflowId = (await journeys.relay()).at(-1)!;
  // In real time, so that the waits of the executions are not skipped.
  await journeys.settled(workflowId);
  return workflowId;
}

/** Makes these steps the next version of a campaign, and moves its executions there. */
export async function moveTo(
  journeys: Journeys,
  { campaignId, campaignVersion: from }: CampaignExecution,
  steps: Steps,
  map: Record<string, string> = {},
): Promise<string> {
  return move(journeys, campaignId, { from, to: await publish(journeys, campaignId, steps), map });
}

export async function ended(journeys: Journeys, { id, campaignId, workflowId }: CampaignExecution): Promise<Walked> {
  await journeys.finished(workflowId!);
  const execution = (await journeys.executions(campaignId)).find((found) => found.id === id);
  return { execution: execution!, workflowId: workflowId! };
}

/** A campaign with one contact in the segment of its schedule, which fires only by `fire`. */
async function scheduled(journeys: Journeys): Promise<number> {
  const segmentId = await journeys.list([await journeys.contact()]);
  const trigger = { type: 'SCHEDULE', cron: '0 0 1 1 *', timezone: 'UTC', segmentId } as const;
  const campaignId = await journeys.start({ steps: [wait('pause', 60)], trigger });
  await journeys.em().transactional((tx) => rows(tx, sql`delete from outbox_workflows`));
  return campaignId;
}

/** Starts the workflow of a firing, as the Temporal Schedule of a campaign does. `at` is in ms since the epoch. */
export async function fire({ env }: Journeys, campaignId: number, at: number): Promise<string> {
  const input = { tenantId: TENANT, campaignId, campaignName: 'A campaign', campaignVersion: 1 };
  const nominal = new Date(Math.ceil(at / 1000) * 1000).toISOString().replace('.000', '');
  const workflowId = `${workflows.campaignOccurrence.id(input)}-${nominal}`;
  await env.client.workflow.start('campaignOccurrence', { workflowId, taskQueue: QUEUES.jobs, args: [input] });
  return workflowId;
}

/** A journey whose list is taken away while it waits. */
async function failing(journeys: Journeys): Promise<Walked & { listId: number }> {
  const listId = await journeys.list();
  const campaignId = await journeys.start(
    {
      steps: [wait('pause', 60), { id: 'join', type: 'SEGMENT', config: { action: 'add', listId } }, wait('end', 60)],
    },
    { contactIds: [await journeys.contact()] },
  );
  await journeys.em().transactional((tx) => rows(tx, sql`delete from segments where id = ${listId}`));
  for (const id of await journeys.relay()) await journeys.finished(id);
  const [execution] = await journeys.executions(campaignId);
  await assert.rejects(journeys.finished(execution!.workflowId!));
  const [failed] = await journeys.executions(campaignId);
  return { execution: failed!, workflowId: failed!.workflowId!, listId };
}

/** One journey for each way that the execution's workflow and the interpreter can go. */
export const paths = {
  'email-wait-email': async (journeys) => {
    const templateId = await journeys.template();
    return walk(journeys, [
      { id: 'one', type: 'EMAIL', config: { templateId } },
      wait('pause', 30 * 1440),
      { id: 'two', type: 'EMAIL', config: { templateId } },
    ]);
  },
  'wait-of-nothing': async (journeys) => {
    const templateId = await journeys.template();
    return walk(journeys, [
      { id: 'one', type: 'EMAIL', config: { templateId } },
      wait('pause', 0),
      { id: 'two', type: 'EMAIL', config: { templateId } },
    ]);
  },
  'wait-first-and-last': (journeys) => walk(journeys, [wait('first', 60), wait('second', 0), wait('third', 1440)]),
  'wait-until': (journeys) =>
    walk(
      journeys,
      [
        { id: 'past', type: 'WAIT', config: { until: '2020-01-01T00:00:00Z' } },
        { id: 'future', type: 'WAIT', config: { until: new Date(Date.now() + 400 * DAY).toISOString() } },
        { id: 'local', type: 'WAIT', config: { untilLocalTime: { weekday: 'monday', time: '09:00' } } },
      ],
      {},
      { timezone: 'Asia/Tokyo' },
    ),
  'send-window': async (journeys) =>
    walk(journeys, [{ id: 'one', type: 'EMAIL', config: { templateId: await journeys.template() } }], {
      entry: {
        sendWindow: {
          days: [new Date(Date.now() + 3 * DAY).getUTCDay() || 7],
          from: '09:00',
          to: '09:30',
          timezone: 'UTC',
        },
      },
    }),
  'email-suppressed': async (journeys) =>
    walk(
      journeys,
      [{ id: 'one', type: 'EMAIL', config: { templateId: await journeys.template() } }, wait('pause', 60)],
      {},
      { status: 'unsubscribed' },
    ),
  'email-capped': async (journeys) => {
    const templateId = await journeys.template();
    return walk(
      journeys,
      [
        { id: 'one', type: 'EMAIL', config: { templateId } },
        { id: 'two', type: 'EMAIL', config: { templateId } },
        wait('pause', 60),
      ],
      { entry: { frequencyCap: { maxEmails: 1, perDays: 7 } } },
    );
  },
  'condition-then': (journeys) =>
    walk(journeys, [
      { id: 'fork', type: 'CONDITION', config: { if: active, then: 'yes', else: 'no' } },
      wait('no', 0),
      { ...wait('yes', 60), next: null },
    ]),
  'condition-else': (journeys) =>
    walk(journeys, [
      { id: 'fork', type: 'CONDITION', config: { if: nobody, then: 'yes', else: 'no' } },
      { ...wait('no', 60), next: null },
      wait('yes', 0),
    ]),
  'condition-branch': (journeys) =>
    walk(journeys, [
      { id: 'fork', type: 'CONDITION', config: { if: nobody, branches: [{ if: active, next: 'found' }], else: null } },
      wait('passed', 0),
      wait('found', 60),
    ]),
  split: (journeys) =>
    walk(journeys, [
      {
        id: 'fork',
        type: 'SPLIT',
        config: {
          branches: [
            { weight: 1, next: 'one' },
            { weight: 1, next: 'one' },
          ],
        },
      },
      wait('passed', 0),
      wait('one', 60),
    ]),
  'update-contact': (journeys) =>
    walk(journeys, [
      { id: 'set', type: 'UPDATE_CONTACT', config: { set: { jobTitle: 'Engineer', tags: ['vip'] } } },
      { id: 'again', type: 'UPDATE_CONTACT', config: { set: { jobTitle: 'Engineer' } } },
      {
        id: 'is',
        type: 'CONDITION',
        config: { if: { field: 'jobTitle', operator: 'eq', value: 'Engineer' }, then: 'end', else: null },
      },
      wait('end', 60),
    ]),
  score: (journeys) =>
    walk(journeys, [
      { id: 'up', type: 'SCORE', config: { points: 60, reason: 'watched the webinar' } },
      { id: 'down', type: 'SCORE', config: { points: -10 } },
      {
        id: 'is',
        type: 'CONDITION',
        config: { if: { field: 'score', operator: 'eq', value: 50 }, then: 'end', else: null },
      },
      wait('end', 60),
    ]),
  'event-came': async (journeys) => {
    const resting = await restingAt(journeys, 'listen', [
      { id: 'start', type: 'CONDITION', config: { if: active } },
      listen('late', LONG),
      { ...wait('soon', 60), next: null },
      wait('late', 1),
    ]);
    await journeys.happens(resting.contactId, 'WEBSITE_VISITED', { url: 'https://example.com/other' });
    await journeys.happens(resting.contactId, 'WEBSITE_VISITED', { url: 'https://example.com/prices' });
    return ended(journeys, resting);
  },
  'event-timeout': (journeys) => walk(journeys, [listen('late'), { ...wait('soon', 60), next: null }, wait('late', 1)]),
  'goal-while-waiting': async (journeys) => {
    const resting = await restingAt(journeys, 'pause', [
      { id: 'start', type: 'CONDITION', config: { if: active } },
      wait('pause', LONG),
      wait('never', 60),
      { id: 'bought', type: 'GOAL', config: { if: visited } },
      wait('thanks', 60),
    ]);
    await journeys.happens(resting.contactId, 'WEBSITE_VISITED', { url: 'https://example.com/prices' });
    return ended(journeys, resting);
  },
  'goal-not-met': (journeys) =>
    walk(journeys, [
      wait('pause', 60),
      { id: 'bought', type: 'GOAL', config: { if: visited } },
      { id: 'is', type: 'GOAL', config: { if: nobody } },
      wait('end', 60),
    ]),
  'goal-met-before': (journeys) =>
    walk(journeys, [wait('pause', 60), wait('never', 60), { id: 'is', type: 'GOAL', config: { if: active } }]),
  'condition-end': (journeys) =>
    walk(journeys, [{ id: 'fork', type: 'CONDITION', config: { if: nobody, else: null } }, wait('never', 60)]),
  segment: async (journeys) => {
    const listId = await journeys.list();
    return walk(journeys, [
      { id: 'join', type: 'SEGMENT', config: { action: 'add', listId } },
      {
        id: 'member',
        type: 'CONDITION',
        config: { if: { field: 'listId', operator: 'eq', value: listId }, else: null },
      },
      { id: 'leave', type: 'SEGMENT', config: { action: 'remove', listId } },
      { id: 'gone', type: 'CONDITION', config: { if: { field: 'listId', operator: 'eq', value: listId }, then: null } },
      wait('end', 1),
    ]);
  },
  exit: (journeys) => walk(journeys, [wait('pause', 60), { id: 'out', type: 'EXIT', config: {} }, wait('never', 60)]),
  loop: async (journeys) => {
    const [templateId, listId] = [await journeys.template(), await journeys.list()];
    return walk(journeys, [
      { id: 'mail', type: 'EMAIL', config: { templateId } },
      wait('week', 7 * 1440),
      {
        id: 'twice',
        type: 'CONDITION',
        config: { if: { field: 'listId', operator: 'eq', value: listId }, then: null },
      },
      { id: 'mark', type: 'SEGMENT', config: { action: 'add', listId }, next: 'mail' },
    ]);
  },
  'contact-deleted': async (journeys) => {
    const resting = await restingAt(journeys, 'pause', [
      { id: 'start', type: 'CONDITION', config: { if: active } },
      wait('pause', 1440),
      wait('next', 1440),
    ]);
    // As if the deletion had not known of it.
    await journeys.em().transactional((tx) => rows(tx, sql`delete from contacts where id = ${resting.contactId}`));
    return ended(journeys, resting);
  },
  'woken-early': async (journeys) => {
    const resting = await restingAt(journeys, 'pause', [
      { id: 'start', type: 'CONDITION', config: { if: active } },
      wait('pause', 1440),
    ]);
    await journeys.env.client.workflow.getHandle(resting.workflowId!).signal('wake');
    await until(
      'it waits again',
      async () => (await journeys.history(resting.workflowId!)).filter((type) => type === 'TIMER_STARTED').length === 2,
    );
    return ended(journeys, resting);
  },
  paused: async (journeys) => {
    const resting = await restingAt(journeys, 'pause', [
      { id: 'start', type: 'CONDITION', config: { if: active } },
      wait('pause', 1440),
      wait('next', 60),
    ]);
    await pauseCampaign(journeys.em(), origin, resting.campaignId);
    await journeys.env.sleep('2 days');
    const parked = await until('it is parked', async () =>
      (await journeys.executions(resting.campaignId)).find((execution) => execution.parked),
    );
    assert.equal(parked.currentStepId, 'pause');
    await resumeCampaign(journeys.em(), origin, resting.campaignId);
    for (const id of await journeys.relay()) await journeys.finished(id);
    return ended(journeys, resting);
  },
  'database-away': async (journeys) => {
    const templateId = await journeys.template();
    const resting = await restingAt(journeys, 'pause', [
      { id: 'start', type: 'CONDITION', config: { if: active } },
      wait('pause', 60),
      { id: 'mail', type: 'EMAIL', config: { templateId } },
    ]);
    await journeys.owner('revoke insert on emails from perennial_app');
    const end = ended(journeys, resting);
    await until('it is tried as an ordinary activity', async () =>
      (await journeys.history(resting.workflowId!)).includes('ACTIVITY_TASK_SCHEDULED'),
    );
    await journeys.owner('grant insert on emails to perennial_app');
    return end;
  },
  failed: (journeys) => failing(journeys),
  'failed-and-retried': async (journeys) => {
    const { execution, listId } = await failing(journeys);
    await journeys.em().transactional((tx) =>
      rows(
        tx,
        sql`
      insert into segments (id, tenant_id, name, type, status) values (${listId}, ${TENANT}, 'A list', 'static', 'READY')`,
      ),
    );
    await retryExecution(journeys.em(), origin, execution.id);
    await journeys.relay();
    return ended(journeys, execution);
  },
  enrolment: async (journeys) => {
    const listId = await journeys.list([await journeys.contact(), await journeys.contact()]);
    const campaignId = await journeys.start({ steps: [wait('pause', 60)] }, { listId });
    const workflowId = (await journeys.relay()).at(-1);
    await journeys.finished(workflowId!);
    const [execution] = await journeys.executions(campaignId);
    return { ...(await ended(journeys, execution!)), workflowId: workflowId! };
  },
  'enrolment-of-many-pages': async (journeys) => {
    const listId = await journeys.list(await Promise.all(Array.from({ length: 210 }, () => journeys.contact())));
    const campaignId = await journeys.start({ steps: [wait('pause', 60)] }, { listId });
    const workflowId = (await journeys.relay()).at(-1);
    await journeys.finished(workflowId!);
    const [execution] = await journeys.executions(campaignId);
    return { ...(await ended(journeys, execution!)), workflowId: workflowId! };
  },
  occurrence: async (journeys) => {
    const campaignId = await scheduled(journeys);
    const workflowId = await fire(journeys, campaignId, await journeys.env.currentTimeMs());
    await journeys.finished(workflowId);
    const [execution] = await journeys.executions(campaignId);
    return { ...(await ended(journeys, execution!)), workflowId };
  },
  'occurrence-skipped': async (journeys) => {
    const campaignId = await scheduled(journeys);
    const now = await journeys.env.currentTimeMs();
    await journeys.finished(await fire(journeys, campaignId, now));
    const workflowId = await fire(journeys, campaignId, now - DAY);
    await journeys.finished(workflowId);
    const [execution] = await journeys.executions(campaignId);
    return { ...(await ended(journeys, execution!)), workflowId };
  },
  stop: async (journeys) => {
    const resting = await restingAt(journeys, 'pause', [
      { id: 'start', type: 'CONDITION', config: { if: active } },
      wait('pause', 1440),
    ]);
    await stopCampaign(journeys.em(), origin, resting.campaignId);
    const workflowId = (await journeys.relay()).at(-1);
    await journeys.settled(workflowId!);
    const [execution] = await journeys.executions(resting.campaignId);
    return { execution: execution!, workflowId: workflowId! };
  },
  migrate: async (journeys) => {
    const start = { id: 'start', type: 'CONDITION', config: { if: active } };
    const resting = await restingAt(journeys, 'pause', [start, wait('pause', 3 * 1440)]);
    await journeys.env.sleep('2 days');
    await moveTo(journeys, resting, [start, wait('pause', 5 * 1440), wait('next', 60)]);
    return ended(journeys, resting);
  },
  migration: async (journeys) => {
    const start = { id: 'start', type: 'CONDITION', config: { if: active } };
    const resting = await restingAt(journeys, 'pause', [start, wait('pause', 1440)]);
    const workflowId = await moveTo(journeys, resting, [start, wait('pause', 60)]);
    return { ...(await ended(journeys, resting)), workflowId };
  },
  resume: async (journeys) => {
    const resting = await restingAt(journeys, 'pause', [
      { id: 'start', type: 'CONDITION', config: { if: active } },
      wait('pause', 60),
    ]);
    await pauseCampaign(journeys.em(), origin, resting.campaignId);
    await journeys.env.sleep('2 hours');
    await until('it is parked', async () =>
      (await journeys.executions(resting.campaignId)).some((execution) => execution.parked),
    );
    await resumeCampaign(journeys.em(), origin, resting.campaignId);
    const workflowId = (await journeys.relay()).at(-1);
    await journeys.settled(workflowId!);
    return { ...(await ended(journeys, resting)), workflowId: workflowId! };
  },
} satisfies Record<string, Path>;
export type PathName = keyof typeof paths;
