import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import type { CampaignSimulation } from '../../db/entities/campaigns.ts';
import { rows, sql } from '../../db/orm.ts';
import { asService } from '../../domain/audit/audit.ts';
import { createCampaign } from '../../domain/campaigns/management/save-campaign.ts';
import { requestSimulation } from '../../domain/campaigns/simulation/request-simulation.ts';
import { requestErasure } from '../../domain/contacts/erasure/erasures.ts';
import { createImport, inspectImport } from '../../domain/contacts/import/create-import.ts';
import { CHUNK_ROWS } from '../../domain/contacts/import/csv/read-csv.ts';
import { startUndo } from '../../domain/contacts/import/undo-import.ts';
import { stopCampaign } from '../../domain/campaigns/management/stop-campaign.ts';
import { PAGE as REPLAY_PAGE } from '../../domain/scoring/replay/replay-subjects.ts';
import { requestReplay } from '../../domain/scoring/replay/replay.ts';
import { createRule } from '../../domain/scoring/rules/rules.ts';
import { createSegment } from '../../domain/segments/segments.ts';
import { checkPublicUrl } from '../../domain/outbound/check-url.ts';
import { requestReplay as requestWebhookReplay } from '../../domain/webhooks/deliveries/replay.ts';
import { createEndpoint } from '../../domain/webhooks/endpoints/save-endpoint.ts';
import { putFile } from '../../transport/file-store.ts';
import { ensureStreams } from '../../transport/streams.ts';
import { until } from '../support/until.ts';
import { TENANT, type Journeys } from './campaign-support.ts';

/** A job that is over: its workflow, whose history is worth keeping. */
interface Done {
  workflowId: string;
}

const author = asService(TENANT);
let files = 0;

/** Takes an import of so many new contacts down; its file is not kept where it is to fail. */
async function newImport({ deps, em }: Journeys, contacts: number, kept = true): Promise<number> {
  files += 1;
  const objectKey = `job-${files}`;
  const bytes = Buffer.from(
    `firstName,lastName,email\n${Array.from({ length: contacts }, (_, n) => `F,L,p${n}.${objectKey}@example.com`).join('\n')}\n`,
  );
  const request = { mode: 'upsert', runTriggers: false, dryRun: false } as const;
  const inspection = await inspectImport(em(), TENANT, { bytes, complete: true }, request);
  await ensureStreams(deps.nats.jsm, deps.env);
  if (kept) await putFile(deps.nats, objectKey, Readable.from([bytes]));
  return (await createImport(em(), author, { fileName: 'people.csv', objectKey }, request, inspection)).id;
}

async function newUndo(journeys: Journeys, contacts: number): Promise<void> {
  const importId = await newImport(journeys, contacts);
  await journeys.finished(await started(journeys));
  await startUndo(journeys.em(), author, importId);
}

/** More contacts than a segment judges at once, for otherwise no workflow builds it. */
async function newBuild({ em }: Journeys): Promise<void> {
  await em().transactional((tx) =>
    rows(
      tx,
      sql`
    insert into contacts (tenant_id, first_name, last_name, email, email_key)
    select ${TENANT}, 'P', 'Q', 'many' || n || '@example.com', 'many' || n || '@example.com' from generate_series(1, 6000) n on conflict do nothing`,
    ),
  );
  const {
    segment: { status },
  } = await createSegment(em(), asService(TENANT), {
    name: 'All',
    type: 'dynamic',
    filter: { field: 'firstName', operator: 'eq', value: 'P' },
  });
  assert.equal(status, 'BUILDING');
}

async function newErasure({ deps, em, contact }: Journeys): Promise<number> {
  await ensureStreams(deps.nats.jsm, deps.env);
  const contactId = await contact();
  await requestErasure(
    em(),
    { tenantId: TENANT, actor: { type: 'user', id: 1, name: 'admin' }, requestId: 'request', address: '127.0.0.1' },
    contactId,
  );
  return contactId;
}

/** A replay over more contacts than a page has. */
async function newReplay({ em }: Journeys): Promise<void> {
  const { id } = await em().transactional(async (tx) => {
    await rows(
      tx,
      sql`
      insert into contacts (tenant_id, first_name, last_name, email, email_key)
      select ${TENANT}, 'R', 'S', 'replayed' || n || '@example.com', 'replayed' || n || '@example.com'
      from generate_series(1, ${2 * REPLAY_PAGE + 1}::int) n on conflict do nothing`,
    );
    return createRule(tx, author, { name: 'Created', eventType: 'CONTACT_CREATED', points: 1 });
  });
  await requestReplay(em(), author, id, { from: '2020-01-01T00:00:00Z' });
}

/** A replay of more deliveries of a webhook than a page has. */
async function newWebhookReplay({ deps, em }: Journeys): Promise<void> {
  const {
    endpoint: { id },
  } = await createEndpoint(em(), { env: deps.env, checkUrl: checkPublicUrl }, author, {
    ...{ name: 'Replayed', url: 'https://example.com/', types: ['CONTACT_CREATED'], active: false },
  });
  await em().transactional((tx) =>
    rows(
      tx,
      sql`
      with event as (
        insert into webhook_events (day, tenant_id, event_id, type, time, data)
        values (current_date, ${TENANT}, gen_random_uuid(), 'CONTACT_CREATED', now(), '{}') returning id
      ), numbered as (
        update webhook_lanes set last_sequence = 2001, last_at = now() where endpoint_id = ${id})
      insert into webhook_deliveries (endpoint_id, sequence, day, tenant_id, event, type, at, status, most_attempts)
      select ${id}, n, current_date, ${TENANT}, event.id, 'CONTACT_CREATED', now(), 'FAILED', 10 from event, generate_series(1, 2001) n`,
    ),
  );
  await requestWebhookReplay(em(), author, id, { from: '2020-01-01T00:00:00Z' });
}

/** A campaign whose schedule has to be made. */
async function newSchedule(journeys: Journeys): Promise<number> {
  const segmentId = await journeys.list();
  return journeys.start({ trigger: { type: 'SCHEDULE', cron: '0 9 * * mon', timezone: 'UTC', segmentId } });
}

/** More contacts than are simulated within a request. */
export async function newSimulation({ deps, em, list }: Journeys): Promise<CampaignSimulation> {
  const listId = await list();
  await em().transactional((tx) =>
    rows(
      tx,
      sql`
    with made as (
      insert into contacts (tenant_id, first_name, last_name, email, email_key)
      select ${TENANT}, 'S', 'T', 'simulated' || n || '@example.com', 'simulated' || n || '@example.com' from generate_series(1, 10001) n
      on conflict (tenant_id, email_key) do update set updated_at = now() returning id)
    insert into segment_members (tenant_id, segment_id, contact_id) select ${TENANT}, ${listId}::bigint, id from made`,
    ),
  );
  const steps = [{ id: 'pause', type: 'WAIT', config: { waitMinutes: 60 } }];
  const { id } = await createCampaign(em(), TENANT, { name: 'Simulated', steps });
  const answer = await requestSimulation(em(), author, id, { listId }, deps.env.MAIL_FROM);
  assert.ok('job' in answer);
  return answer.job;
}

/** Starts the one workflow that is in the outbox. */
async function started({ relay }: Journeys): Promise<string> {
  const [workflowId, ...others] = await relay();
  assert.deepEqual(others, []);
  return workflowId!;
}

async function ended(journeys: Journeys): Promise<Done> {
  const workflowId = await started(journeys);
  await journeys.finished(workflowId);
  return { workflowId };
}

async function failed(journeys: Journeys): Promise<Done> {
  const workflowId = await started(journeys);
  await assert.rejects(journeys.finished(workflowId));
  return { workflowId };
}

/** Runs the one workflow while the service may not do something to a table, until an activity has failed of it; then it may. */
export async function hindered(journeys: Journeys, privilege: string): Promise<Done> {
  await journeys.owner(`revoke ${privilege} from perennial_app`);
  const workflowId = await started(journeys);
  await untilTriedAgain(journeys, workflowId);
  await journeys.owner(`grant ${privilege} to perennial_app`);
  await journeys.finished(workflowId);
  return { workflowId };
}

async function untilTriedAgain(journeys: Journeys, workflowId: string): Promise<void> {
  await until('an activity is tried again', async () => {
    const { raw } = await journeys.env.client.workflow.getHandle(workflowId).describe();
    return raw.pendingActivities?.some(({ attempt }) => attempt! > 1);
  });
}

/** One job for each way that the workflows besides the campaigns' can go. An import's activity ends with its first chunk. */
export const jobPaths = {
  import: async (journeys) => {
    await newImport(journeys, 2.5 * CHUNK_ROWS);
    return ended(journeys);
  },
  'import-retried': async (journeys) => {
    await newImport(journeys, 1);
    return hindered(journeys, 'insert on contacts');
  },
  'import-failed': async (journeys) => {
    await newImport(journeys, 1, false);
    return failed(journeys);
  },
  undo: async (journeys) => {
    await newUndo(journeys, 2.5 * CHUNK_ROWS);
    return ended(journeys);
  },
  'undo-retried': async (journeys) => {
    await newUndo(journeys, 1);
    return hindered(journeys, 'delete on contacts');
  },
  schedule: async (journeys) => {
    await newSchedule(journeys);
    return ended(journeys);
  },
  'schedule-changed-meanwhile': async (journeys) => {
    const campaignId = await newSchedule(journeys);
    await journeys.owner('revoke select on campaign_versions from perennial_app');
    const workflowId = await started(journeys);
    await untilTriedAgain(journeys, workflowId);
    await journeys.owner('grant select on campaign_versions to perennial_app');
    await stopCampaign(journeys.em(), author, campaignId);
    await journeys.relay();
    await journeys.finished(workflowId);
    return { workflowId };
  },
  'segment-build': async (journeys) => {
    await newBuild(journeys);
    return ended(journeys);
  },
  'segment-build-retried': async (journeys) => {
    await newBuild(journeys);
    return hindered(journeys, 'insert on segment_members');
  },
  simulation: async (journeys) => {
    await newSimulation(journeys);
    return ended(journeys);
  },
  'simulation-retried': async (journeys) => {
    await newSimulation(journeys);
    return hindered(journeys, 'select on segment_members');
  },
  replay: async (journeys) => {
    await newReplay(journeys);
    return ended(journeys);
  },
  'replay-retried': async (journeys) => {
    await newReplay(journeys);
    return hindered(journeys, 'update on scoring_replays');
  },
  'webhook-replay': async (journeys) => {
    await newWebhookReplay(journeys);
    return ended(journeys);
  },
  'webhook-replay-retried': async (journeys) => {
    await newWebhookReplay(journeys);
    return hindered(journeys, 'update on webhook_replays');
  },
  erasure: async (journeys) => {
    await newErasure(journeys);
    return ended(journeys);
  },
  'erasure-retried': async (journeys) => {
    await newErasure(journeys);
    return hindered(journeys, 'delete on contacts');
  },
  'erasure-failed': async (journeys) => {
    const contactId = await newErasure(journeys);
    // As if the deletion had not known of it.
    await journeys.em().transactional((tx) => rows(tx, sql`delete from contacts where id = ${contactId}`));
    return failed(journeys);
  },
} satisfies Record<string, (journeys: Journeys) => Promise<Done>>;
