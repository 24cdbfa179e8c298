import { Campaign, CampaignVersion } from '../../../db/entities/campaigns.ts';
import { rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import { countMessages } from '../../channels/queue/count-messages.ts';
import { countEmails, EVERY, type Figures } from '../../emails/ledger/count-emails.ts';
import { notFound } from '../../../lib/checks/errors.ts';
import type { Definition } from '../../campaign-definitions/definition.ts';
import { draftOf } from './save-campaign.ts';

export interface StepStats {
  stepId: string;
  type: string;
  /** Number of arrivals; each visit of a loop counts. */
  entered: number;
  /** Executions that are at the step now. */
  waiting: number;
  completed: number;
  /** Executions that left the step because they met a goal; not included in `completed`. */
  skipped: number;
  /** Steps that send whose email or message was suppressed; included in `completed`. */
  suppressed: number;
  /** Executions that were stopped while they were at the step. */
  stopped: number;
  failed: number;
}

/** A campaign's statistics, counted from its executions, step records and the send ledger. Throws 404. */
export async function readStats(em: EntityManager, id: number) {
  return em.transactional(async (tx) => {
    const campaign = await tx.findOne(Campaign, { id });
    if (!campaign) throw notFound('campaign', id);
    const goalIds = await readGoalIds(tx, campaign);
    return {
      executions: await countExecutions(tx, campaign),
      steps: await countSteps(tx, campaign),
      emails: await emailFigures(tx, campaign),
      messages: await countMessages(tx, campaign.tenantId, campaign.id),
      conversions: await countConversions(tx, campaign, goalIds),
      goals: await countGoals(tx, campaign, goalIds),
    };
  });
}

async function countExecutions(tx: EntityManager, { tenantId, id }: Campaign) {
  const found = await rows<{ status: string; n: number }>(
    tx,
    sql`
    select status, count(*) as n from campaign_executions where tenant_id = ${tenantId} and campaign_id = ${id} group by status`,
  );
  const of = (status: string) => found.find((row) => row.status === status)?.n ?? 0;
  return { running: of('RUNNING'), completed: of('COMPLETED'), stopped: of('STOPPED'), failed: of('FAILED') };
}

/**
 * Statistics of the published version's steps, in order (of the draft before publishing), then of steps of older
 * versions.
 */
async function countSteps(tx: EntityManager, campaign: Campaign): Promise<StepStats[]> {
  const { tenantId, id: campaignId, publishedVersion: version } = campaign;
  const published = version == null ? null : await tx.findOne(CampaignVersion, { tenantId, campaignId, version });
  const { steps } = (published?.definition ?? draftOf(campaign)) as Definition;
  const recorded = await rows<{
    step_id: string;
    type: string;
    completed: number;
    skipped: number;
    suppressed: number;
    failed: number;
  }>(
    tx,
    sql`
    select step_id, min(type) as type, count(*) filter (where result not in ('failed', 'skipped')) as completed,
      count(*) filter (where result = 'skipped') as skipped,
      count(*) filter (where result = 'suppressed') as suppressed, count(*) filter (where result = 'failed') as failed
    from campaign_step_executions where tenant_id = ${tenantId} and campaign_id = ${campaignId} group by step_id order by step_id`,
  );
  // An EXIT step is recorded as done by the executions that it stopped.
  const present = await rows<{ step_id: string; waiting: number; stopped: number }>(
    tx,
    sql`
    select current_step_id as step_id, count(*) filter (where status = 'RUNNING') as waiting,
      count(*) filter (where status = 'STOPPED' and exit_reason <> 'exit_step') as stopped
    from campaign_executions
    where tenant_id = ${tenantId} and campaign_id = ${campaignId} and status in ('RUNNING', 'STOPPED') and current_step_id is not null
    group by current_step_id order by current_step_id`,
  );
  const older = await rows<{ steps: Definition['steps'] }>(
    tx,
    sql`
    select v.definition -> 'steps' as steps from campaign_versions v
    where v.tenant_id = ${tenantId} and v.campaign_id = ${campaignId} and exists (
      select 1 from campaign_executions e
      where e.tenant_id = v.tenant_id and e.campaign_id = v.campaign_id and e.campaign_version = v.version
        and e.status in ('RUNNING', 'STOPPED') and e.current_step_id is not null)
    order by v.version`,
  );
  const types = new Map([
    ...recorded.map((row) => [row.step_id, row.type] as const),
    ...[...older.flatMap((row) => row.steps), ...steps].map((step) => [step.id, step.type] as const),
  ]);
  const ids = new Set([
    ...steps.map((step) => step.id),
    ...recorded.map((row) => row.step_id),
    ...present.map((row) => row.step_id),
  ]);
  return [...ids].map((stepId) => {
    const {
      completed = 0,
      skipped = 0,
      suppressed = 0,
      failed = 0,
    } = recorded.find((row) => row.step_id === stepId) ?? {};
    const { waiting = 0, stopped = 0 } = present.find((row) => row.step_id === stepId) ?? {};
    const entered = completed + skipped + failed + waiting + stopped;
    return { stepId, type: types.get(stepId)!, entered, waiting, completed, skipped, suppressed, stopped, failed };
  });
}

async function emailFigures(tx: EntityManager, { tenantId, id }: Campaign): Promise<Omit<Figures, 'audience'>> {
  const { audience: _all, ...figures } = (await countEmails(tx, tenantId, id, EVERY)).all;
  return figures;
}

/** The ids of the GOAL steps of any version: their records are found by an index. */
async function readGoalIds(tx: EntityManager, { tenantId, id }: Campaign): Promise<string[]> {
  const found = await rows<{ id: string }>(
    tx,
    sql`
    select distinct step ->> 'id' as id
    from campaign_versions v, jsonb_array_elements(v.definition -> 'steps') step
    where v.tenant_id = ${tenantId} and v.campaign_id = ${id} and step ->> 'type' = 'GOAL'`,
  );
  return found.map((goal) => goal.id);
}

/** The records of goals that were met. */
const goalsMet = ({ tenantId, id }: Campaign, goalIds: readonly string[]): RawBuilder<unknown> => sql`
  campaign_step_executions s where s.tenant_id = ${tenantId} and s.campaign_id = ${id}
  and s.step_id = any(${[...goalIds]}::text[]) and s.result = 'met' and s.type = 'GOAL'`;

/** Counts contacts that met a goal, or submitted a form after entering the campaign. */
async function countConversions(tx: EntityManager, campaign: Campaign, goalIds: readonly string[]): Promise<number> {
  const { tenantId, id } = campaign;
  const [found] = await rows<{ n: number }>(
    tx,
    sql`
    select count(distinct e.contact_id) as n from campaign_executions e
    where e.tenant_id = ${tenantId} and e.campaign_id = ${id} and (exists (
      select 1 from contact_activities a
      where a.tenant_id = e.tenant_id and a.contact_id = e.contact_id and a.type = 'FORM_SUBMITTED' and a.occurred_at > e.started_at)
      or e.id in (select s.execution_id from ${goalsMet(campaign, goalIds)}))`,
  );
  return found!.n;
}

/** How many executions met each goal, and how many different contacts. */
async function countGoals(
  tx: EntityManager,
  campaign: Campaign,
  goalIds: readonly string[],
): Promise<{ stepId: string; met: number; contacts: number }[]> {
  return rows(
    tx,
    sql`
    select m.step_id as "stepId", count(*)::int as met, count(distinct e.contact_id)::int as contacts
    from (select s.step_id, s.execution_id from ${goalsMet(campaign, goalIds)}) m
    join campaign_executions e on e.tenant_id = ${campaign.tenantId} and e.id = m.execution_id
    group by m.step_id order by m.step_id`,
  );
}
