import { rows, sql, type EntityManager, type RawBuilder } from '../../db/orm.ts';
import { workflowId, type WorkflowInputs, type WorkflowType } from '../../registry/workflows.ts';
import { EXECUTION_START } from '../campaigns/execution/started-executions.ts';

/** How the rows are read whose work a type of workflow does. */
interface OpenKind {
  from: RawBuilder<unknown>;
  where: RawBuilder<unknown>;
  /** Unique among them; pages are in its order. */
  key: RawBuilder<unknown>;
  keyType: 'bigint' | 'text';
  /** When the row last changed in a way that starts its workflow, or is told to it. */
  since: RawBuilder<unknown>;
  /** The workflow's id, if the row has it; else it follows from the input. */
  id?: RawBuilder<unknown>;
  /** The input of a start as JSON. It goes on from the row, wherever an earlier run was. */
  input: RawBuilder<unknown>;
  /** When the workflow may have to be woken. Absent: it never waits for a signal. */
  wakes?: {
    /** Whether it should have something to do by now. */
    isDue: (before: Date) => RawBuilder<unknown>;
    /** What that depends on, as a text: it is woken once for each. */
    state: RawBuilder<unknown>;
  };
}

/** A row of a table `t` that names its workflow and has a status. */
const job = (
  table: string,
  { open, since = 'created_at', input }: { open: readonly string[]; since?: string; input: RawBuilder<unknown> },
): OpenKind => ({
  from: sql`${sql.table(table)} t`,
  where: sql`t.status = any(${open}::text[])`,
  key: sql`t.id`,
  keyType: 'bigint',
  since: sql`t.${sql.ref(since)}`,
  id: sql`t.workflow_id`,
  input: sql`jsonb_build_object('tenantId', t.tenant_id) || ${input}`,
});

const UNFINISHED = ['PENDING', 'RUNNING'];

/**
 * Every type of workflow, and the rows that say that one must be open. Null: no row says so. Firings of schedules and
 * what makes Temporal Schedules agree with their rows end by themselves, and are compared as schedules; whoever was not
 * woken by a resume is due as an execution.
 */
export const OPEN_KINDS: Record<WorkflowType, OpenKind | null> = {
  campaignExecution: {
    from: sql`campaign_executions e join campaigns c on c.tenant_id = e.tenant_id and c.id = e.campaign_id`,
    where: sql`e.status = 'RUNNING'`,
    key: sql`e.id`,
    keyType: 'bigint',
    since: sql`e.updated_at`,
    id: sql`e.workflow_id`,
    // Who was woken while no workflow could hear it looks at once.
    input: sql`(select to_jsonb(s) from (select ${EXECUTION_START}) s) || case when exists (
        select 1 from awaited_events a where a.tenant_id = e.tenant_id and a.execution_id = e.id and a.woken_at is not null)
      then jsonb_build_object('ahead', (e.state -> 'ahead') - 'waitUntil') else '{}'::jsonb end`,
    wakes: {
      isDue: (before) => sql`c.status = 'ACTIVE' and (
        coalesce((e.state #>> '{ahead,waitUntil}')::timestamptz, e.updated_at) < ${before}::timestamptz or exists (
          select 1 from awaited_events a
          where a.tenant_id = e.tenant_id and a.execution_id = e.id and a.woken_at < ${before}::timestamptz))`,
      state: sql`concat_ws('/', e.updated_at, e.parked, c.updated_at, e.state #>> '{ahead,waitUntil}', (
        select max(a.woken_at) from awaited_events a where a.tenant_id = e.tenant_id and a.execution_id = e.id))`,
    },
  },
  campaignEnrolment: {
    from: sql`campaign_enrolments t join campaigns c on c.tenant_id = t.tenant_id and c.id = t.campaign_id`,
    where: sql`t.status = any(${UNFINISHED}::text[])`,
    key: sql`t.id`,
    keyType: 'bigint',
    since: sql`t.created_at`,
    id: sql`t.workflow_id`,
    input: sql`jsonb_build_object('tenantId', t.tenant_id, 'enrolmentId', t.id, 'campaignId', c.id, 'campaignName', c.name,
      'campaignVersion', t.campaign_version)`,
  },
  campaignMigration: job('campaign_migrations', {
    open: ['RUNNING'],
    input: sql`jsonb_build_object('migrationId', t.id, 'campaignId', t.campaign_id, 'after', t.cursor)`,
  }),
  // The stop that flagged them has another id: see `waitsForAnother`.
  campaignStop: {
    from: sql`(
      select tenant_id, campaign_id, max(finished_at) as stopped_at from campaign_executions where sweep
      group by tenant_id, campaign_id) t`,
    where: sql`true`,
    key: sql`t.campaign_id`,
    keyType: 'bigint',
    since: sql`t.stopped_at`,
    input: sql`jsonb_build_object('tenantId', t.tenant_id, 'campaignIds', jsonb_build_array(t.campaign_id),
      'cause', 'left-' || t.campaign_id)`,
  },
  campaignSimulation: job('campaign_simulations', {
    open: UNFINISHED,
    input: sql`jsonb_build_object('simulationId', t.id)`,
  }),
  contactImport: job('contact_imports', {
    open: UNFINISHED,
    since: 'updated_at',
    input: sql`jsonb_build_object('importId', t.id)`,
  }),
  importUndo: {
    from: sql`contact_imports t`,
    where: sql`t.undo is not null and t.status <> 'UNDONE'`,
    key: sql`t.id`,
    keyType: 'bigint',
    since: sql`t.updated_at`,
    input: sql`jsonb_build_object('tenantId', t.tenant_id, 'importId', t.id)`,
  },
  contactErasure: job('erasures', { open: UNFINISHED, input: sql`jsonb_build_object('erasureId', t.id)` }),
  emailCampaign: {
    from: sql`email_campaigns t`,
    // One that has ended may have emails that are still to be suppressed.
    where: sql`(t.status in ('SCHEDULED', 'SENDING', 'PAUSED') or t.status in ('CANCELLED', 'FAILED') and exists (
      select 1 from emails m where m.tenant_id = t.tenant_id and m.campaign_id = t.id and m.lane = 'bulk'
        and m.status in ('QUEUED', 'SENDING')))`,
    key: sql`t.id`,
    keyType: 'bigint',
    since: sql`t.updated_at`,
    input: sql`jsonb_build_object('tenantId', t.tenant_id, 'campaignId', t.id)`,
    wakes: {
      isDue: (before) =>
        sql`t.status <> 'PAUSED' and not (t.status = 'SCHEDULED' and coalesce(t.next_run_at > ${before}::timestamptz, false))`,
      state: sql`t.updated_at::text`,
    },
  },
  report: job('analytics_report_runs', {
    open: UNFINISHED,
    input: sql`jsonb_build_object('reportId', t.report_id, 'runId', t.id)`,
  }),
  scoringReplay: job('scoring_replays', {
    open: ['RUNNING'],
    input: sql`jsonb_build_object('replayId', t.id, 'after', t.cursor)`,
  }),
  segmentBuild: {
    from: sql`segments t`,
    where: sql`t.status = 'BUILDING'`,
    key: sql`t.id`,
    keyType: 'bigint',
    since: sql`coalesce(t.building_since, t.updated_at)`,
    input: sql`jsonb_build_object('tenantId', t.tenant_id, 'segmentId', t.id, 'build', t.build)`,
  },
  thresholdCall: {
    from: sql`threshold_calls t`,
    where: sql`true`,
    key: sql`(t.tenant_id || '/' || t.threshold_id || '/' || t.contact_id)`,
    keyType: 'text',
    since: sql`t.at`,
    input: sql`jsonb_build_object('tenantId', t.tenant_id, 'thresholdId', t.threshold_id, 'contactId', t.contact_id)`,
  },
  webhookReplay: job('webhook_replays', { open: ['RUNNING'], input: sql`jsonb_build_object('replayId', t.id)` }),
  campaignOccurrence: null,
  campaignResume: null,
  campaignSchedule: null,
  reportOccurrence: null,
  reportSchedule: null,
};

/** The types whose rows are compared with workflows. */
export const COMPARED_TYPES = (Object.keys(OPEN_KINDS) as WorkflowType[]).filter((type) => OPEN_KINDS[type]);

/** An open row. */
export interface OpenRow {
  key: string;
  workflowId: string;
  since: Date;
  /** It has not changed for a while: its workflow had time to be started, or told. */
  isSettled: boolean;
  /** Its workflow should have something to do; it is woken once for each such state. Null: it need not be woken. */
  dueState: string | null;
}

/** A row whose workflow is to be started, with the input of the start. */
export interface Startable<Type extends WorkflowType> {
  key: string;
  workflowId: string;
  input: WorkflowInputs[Type];
}

const kindOf = (type: WorkflowType): OpenKind => {
  const kind = OPEN_KINDS[type];
  if (!kind) throw new Error(`no row says that a ${type} is open`);
  return kind;
};

const typed = (value: unknown, { keyType }: OpenKind, list = false): RawBuilder<unknown> =>
  sql`${value}${sql.raw(`::${keyType}${list ? '[]' : ''}`)}`;

/** The next open rows of a type after a key (null: the first), in the order of their keys, of all tenants. */
export async function nextOpenRows(
  em: EntityManager,
  type: WorkflowType,
  { after, before, limit }: { after: string | null; before: Date; limit: number },
): Promise<OpenRow[]> {
  const kind = kindOf(type);
  const { from, where, key, since, wakes } = kind;
  // A row without the id of its workflow gets the one that follows from the input.
  const id = kind.id ? sql`coalesce(to_jsonb(${kind.id}), ${kind.input})` : kind.input;
  const found = await em.transactional((tx) =>
    rows<{ key: string; id: string | WorkflowInputs[WorkflowType]; since: Date; settled: boolean; due: string | null }>(
      tx,
      sql`
      select ${key}::text as key, ${id} as id, ${since} as since, coalesce(${since} < ${before}::timestamptz, true) as settled,
        ${wakes ? sql`case when ${wakes.isDue(before)} then ${wakes.state} end` : sql`null`} as due
      from ${from} where ${where} and ${after === null ? sql`true` : sql`${key} > ${typed(after, kind)}`}
      order by ${key} limit ${limit}`,
    ),
  );
  return found.map((row) => ({
    key: row.key,
    workflowId: typeof row.id === 'string' ? row.id : workflowId(type, row.id as never),
    since: row.since,
    isSettled: row.settled,
    dueState: row.due,
  }));
}

/** Those among rows that are still open, with the inputs of their workflows. */
export async function readStartable<Type extends WorkflowType>(
  em: EntityManager,
  type: Type,
  keys: readonly string[],
): Promise<Startable<Type>[]> {
  const kind = kindOf(type);
  const found = await em.transactional((tx) =>
    rows<{ key: string; id: string | null; input: WorkflowInputs[Type] }>(
      tx,
      sql`
      select ${kind.key}::text as key, ${kind.id ?? sql`null`} as id, ${kind.input} as input from ${kind.from}
      where ${kind.where} and ${kind.key} = any(${typed([...keys], kind, true)}) order by ${kind.key}`,
    ),
  );
  return found.map(({ key, id, input }) => ({ key, input, workflowId: id ?? workflowId(type, input) }));
}

/** Those among workflows whose start or wake is still in the outbox. */
export async function inOutbox(em: EntityManager, ids: readonly string[]): Promise<Set<string>> {
  const found = await em.transactional((tx) =>
    rows<{ id: string }>(
      tx,
      sql`select workflow_id as id from outbox_workflows where workflow_id = any(${[...ids]}::text[])`,
    ),
  );
  return new Set(found.map(({ id }) => id));
}

/** Those among workflows of executions which a stop is about to close. */
export async function beingClosed(em: EntityManager, ids: readonly string[]): Promise<Set<string>> {
  const found = await em.transactional((tx) =>
    rows<{ id: string }>(
      tx,
      sql`select workflow_id as id from campaign_executions where sweep and workflow_id = any(${[...ids]}::text[])`,
    ),
  );
  return new Set(found.map(({ id }) => id));
}
