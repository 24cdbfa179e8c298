import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendEvents, type NewEvent, type Origin } from '../../../events/outbox.ts';
import { begin, type Outcome, wokenBy } from '../execution/advance.ts';
import { awaitEvents } from '../execution/awaited-events.ts';
import { depthOf, MAX_DEPTH } from '../execution/depth.ts';
import type { Definition } from '../../campaign-definitions/definition.ts';
import { entryRefusal } from './entry-refusal.ts';
import { aheadOf, firstRest, type ExecutionStart, type ExecutionState } from '../execution/execution.ts';
import { workflows } from '../../../registry/workflows.ts';

/** The published version of a campaign, which contacts enter. */
export interface EnterableVersion {
  campaignId: number;
  /** Only to be shown. */
  name: string;
  version: number;
  definition: Definition;
}

export interface Entrant {
  contactId: number;
  /** The cause of the entry: an event's id, or the enrolment. A redelivered cause makes no second entry. */
  entryKey: string;
}

interface Eligible {
  contact_id: number;
  entry_key: string;
  timezone: string | null;
  entry_no: number;
}

/**
 * The contacts among `entrants` that may enter now, with the number of their entry. Archived contacts and those that are
 * being erased may not; contacts
 * with another status that forbids email may, and their emails are suppressed. Locks the contacts, so that none is
 * deleted before it has entered.
 */
async function eligible(
  tx: EntityManager,
  tenantId: string,
  { campaignId, definition }: EnterableVersion,
  entrants: readonly Entrant[],
): Promise<Eligible[]> {
  const payload = JSON.stringify(
    entrants.map(({ contactId, entryKey }) => ({ contact_id: contactId, entry_key: entryKey })),
  );
  const own = sql`e.tenant_id = ${tenantId} and e.campaign_id = ${campaignId} and e.contact_id = c.id`;
  const refusal = entryRefusal(definition.entry, { tenantId, campaignId, at: sql`now()` });
  return rows<Eligible>(
    tx,
    sql`
    select c.id as contact_id, r.entry_key, c.timezone,
      coalesce((select max(e.entry_no) from campaign_executions e where ${own}), 0) + 1 as entry_no
    from jsonb_to_recordset(${payload}::jsonb) as r(contact_id bigint, entry_key text)
    join contacts c on c.tenant_id = ${tenantId} and c.id = r.contact_id
    where ${refusal} is null and not exists (select 1 from campaign_executions e where ${own} and e.entry_key = r.entry_key)
    order by c.id
    for key share of c`,
  );
}

/** An execution that would be one too many in a row: it is there to show why nothing happened, and runs nothing. */
const refused: Outcome = { end: { status: 'STOPPED', currentStep: 0, exitReason: 'depth_limit' } };

function newRow(
  tenantId: string,
  { campaignId, definition }: EnterableVersion,
  found: Eligible,
  { now, depth }: { now: Date; depth: number },
) {
  const moment = { now, timezone: found.timezone };
  const outcome = depth > MAX_DEPTH ? refused : begin(definition, moment);
  const row = { contact_id: found.contact_id, entry_no: found.entry_no, entry_key: found.entry_key };
  if ('end' in outcome) {
    const { status, currentStep, exitReason } = outcome.end;
    return {
      ...row,
      workflow_id: null,
      status,
      current_step: currentStep,
      current_step_id: null,
      exit_reason: exitReason,
      state: {},
      finished_at: now,
    };
  }
  const workflowId = workflows.campaignExecution.id({
    tenantId,
    campaignId,
    contactId: found.contact_id,
    entryNo: found.entry_no,
  });
  const rests = firstRest(definition, outcome, moment);
  const state: ExecutionState = {
    position: outcome.position,
    enteredAt: now.toISOString(),
    ahead: { ...aheadOf(definition, 0, outcome, moment), rests: { stepId: rests.stepId, type: rests.type } },
  };
  const { currentStep, stepId } = outcome.next;
  return {
    ...row,
    workflow_id: workflowId,
    status: 'RUNNING',
    current_step: currentStep,
    current_step_id: stepId,
    exit_reason: null,
    state,
    finished_at: null,
  };
}

/** Splits entrants into rounds with each contact at most once, so that a second cause sees the entry of the first. */
function rounds(entrants: readonly Entrant[]): Entrant[][] {
  const made: Entrant[][] = [];
  const times = new Map<number, number>();
  for (const entrant of entrants) {
    const round = times.get(entrant.contactId) ?? 0;
    times.set(entrant.contactId, round + 1);
    (made[round] ??= []).push(entrant);
  }
  return made;
}

/**
 * Enters contacts into a campaign as its entry rules allow, and writes CAMPAIGN_TRIGGERED events, in the transaction
 * `tx`. The caller must hold the lock of the campaign's row (`lockCampaigns`), so that entries are counted one after
 * another, and must start the workflows of the returned executions. Also returns how many contacts entered.
 */
export async function enterContacts(
  tx: EntityManager,
  origin: Origin,
  into: EnterableVersion,
  entrants: readonly Entrant[],
  cause: { trigger: string; enrolmentId?: number },
): Promise<{ entered: number; starts: ExecutionStart[] }> {
  const all = { entered: 0, starts: [] as ExecutionStart[] };
  for (const round of rounds(entrants)) {
    const { entered, starts } = await enterRound(tx, origin, into, round, cause);
    all.entered += entered;
    all.starts.push(...starts);
  }
  return all;
}

async function enterRound(
  tx: EntityManager,
  origin: Origin,
  into: EnterableVersion,
  entrants: readonly Entrant[],
  cause: { trigger: string; enrolmentId?: number },
): Promise<{ entered: number; starts: ExecutionStart[] }> {
  const { tenantId } = origin;
  const { campaignId, name: campaignName, version } = into;
  const now = new Date();
  const depth = await depthOf(tx, origin);
  const made = (await eligible(tx, tenantId, into, entrants)).map((found) =>
    newRow(tenantId, into, found, { now, depth }),
  );
  if (made.length === 0) return { entered: 0, starts: [] };
  const inserted = await rows<{ id: number; contact_id: number }>(
    tx,
    sql`
    insert into campaign_executions (tenant_id, campaign_id, campaign_version, contact_id, entry_no, entry_key, enrolment_id, depth,
      current_step, current_step_id, state, status, exit_reason, workflow_id, started_at, finished_at, updated_at)
    select ${tenantId}, ${campaignId}::bigint, ${version}::int, r.contact_id, r.entry_no, r.entry_key, ${cause.enrolmentId ?? null}::bigint, ${depth}::int,
      r.current_step, r.current_step_id, r.state, r.status, r.exit_reason, r.workflow_id, ${now}::timestamptz, r.finished_at, ${now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(made)}::jsonb) as r(contact_id bigint, entry_no int, entry_key text, workflow_id text,
      status text, current_step int, current_step_id text, exit_reason text, state jsonb, finished_at timestamptz)
    returning id, contact_id`,
  );
  const ids = new Map(inserted.map((row) => [row.contact_id, row.id]));
  await awaitEvents(
    tx,
    tenantId,
    made.flatMap((row) => {
      if (row.status !== 'RUNNING') return [];
      const events = wokenBy(into.definition, row.state.position);
      return [{ executionId: ids.get(row.contact_id)!, contactId: row.contact_id, events }];
    }),
  );
  await appendEvents(
    tx,
    origin,
    made.flatMap((row): NewEvent[] => {
      if (row.status === 'STOPPED') return [];
      const data = { campaignId, contactId: row.contact_id, executionId: ids.get(row.contact_id)! };
      const triggered: NewEvent = { type: 'CAMPAIGN_TRIGGERED', data: { ...data, trigger: cause.trigger } };
      return row.status === 'COMPLETED' ? [triggered, { type: 'CAMPAIGN_COMPLETED', data }] : [triggered];
    }),
  );
  const starts = made.flatMap((row) => {
    if (row.status !== 'RUNNING') return [];
    const { ahead } = row.state;
    const { contact_id: contactId, entry_no: entryNo } = row;
    return [
      {
        tenantId,
        campaignId,
        campaignName,
        campaignVersion: version,
        contactId,
        entryNo,
        executionId: ids.get(contactId)!,
        runSeq: 1,
        ahead,
        workflowId: row.workflow_id,
      },
    ];
  });
  return { entered: made.filter(({ status }) => status !== 'STOPPED').length, starts };
}
