import { CampaignEnrolment } from '../../../db/entities/campaigns.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { lockSegment } from '../../membership/members/lock-segment.ts';
import { dueContacts, type DuePage } from './due-contacts.ts';
import { enterContacts } from './enter-contacts.ts';
import type { Trigger } from '../../campaign-definitions/triggers.ts';
import type { ExecutionStart } from '../execution/execution.ts';
import { EXECUTION_START } from '../execution/started-executions.ts';
import type { LoadDefinition } from '../../campaign-definitions/load-definition.ts';
import { lockCampaigns } from './lock-campaigns.ts';

const PAGE = 200;
/** The most executions whose workflows a repeated call returns; any others are found when rows are compared with workflows. */
const REPEATED = 1000;

export interface PageRequest {
  tenantId: string;
  enrolmentId: number;
  /** The last contact id of the previous page. */
  after: number;
}

export interface EnrolledPage {
  /** The last contact id of this page. */
  cursor: number;
  done: boolean;
  /** Whether the segment is still BUILDING; then call again later. */
  building: boolean;
  /** Running executions whose workflows may not have been started yet. */
  starts: ExecutionStart[];
}

/**
 * Enters the next page of an enrolment's contacts into its campaign, in one transaction. Repeated for a committed page,
 * it enters nobody and returns the executions that have no workflow yet, so that each gets its own. If the segment was
 * deleted, the enrolment ends as CANCELLED, because not all contacts were seen.
 */
export async function enrolPage(em: EntityManager, load: LoadDefinition, request: PageRequest): Promise<EnrolledPage> {
  return em.transactional(async (tx) => {
    const { tenantId, enrolmentId, after } = request;
    const nothing = { cursor: after, done: true, building: false, starts: [] };
    const known = await tx.findOne(CampaignEnrolment, { id: enrolmentId }, { fields: ['campaignId'] });
    if (!known) return nothing;
    const [campaign] = await lockCampaigns(tx, [{ tenantId, campaignId: known.campaignId }]);
    const enrolment = await tx.findOneOrFail(CampaignEnrolment, { id: enrolmentId }, { refresh: true });
    if (enrolment.cursor > after || enrolment.status === 'COMPLETED') {
      const starts = await unstartedOf(tx, enrolment);
      return { cursor: enrolment.cursor, done: enrolment.status !== 'RUNNING', building: false, starts };
    }
    if (!campaign || enrolment.status === 'CANCELLED') return nothing;
    if (enrolment.segmentId != null) {
      const segment = await lockSegment(tx, tenantId, enrolment.segmentId);
      if (segment?.status === 'BUILDING') return { ...nothing, done: false, building: true };
      if (!segment) {
        tx.assign(enrolment, { status: 'CANCELLED', finishedAt: new Date() });
        return nothing;
      }
    }

    const { campaignId, campaignVersion: version } = enrolment;
    const definition = await load(tx, { tenantId, campaignId, version });
    const { entrants, cursor, done } = await nextEntrants(tx, enrolment, definition.trigger, after);
    const origin = { tenantId, requestId: enrolment.requestId ?? null };
    const { entered, starts } = await enterContacts(
      tx,
      origin,
      { campaignId, name: campaign.name, version, definition },
      entrants,
      {
        trigger: enrolment.trigger,
        enrolmentId,
      },
    );
    await rows(
      tx,
      sql`
      update campaign_enrolments
      set cursor = ${cursor}, enrolled = enrolled + ${entered}, skipped = skipped + ${entrants.length - entered},
        status = ${done ? 'COMPLETED' : 'RUNNING'}, finished_at = ${done ? new Date() : null}::timestamptz
      where tenant_id = ${tenantId} and id = ${enrolmentId}`,
    );
    return { cursor, done, building: false, starts };
  });
}

/** The next contacts after the id `after`, ascending, with the causes of their entries. */
async function nextEntrants(
  tx: EntityManager,
  enrolment: CampaignEnrolment,
  trigger: Trigger,
  after: number,
): Promise<DuePage> {
  const { id, tenantId, dueAfter, dueUntil } = enrolment;
  if (trigger.type === 'DATE' && dueAfter && dueUntil)
    return dueContacts(tx, { tenantId, trigger, after: dueAfter, until: dueUntil }, after, PAGE);
  const contactIds = await nextContacts(tx, enrolment, after);
  const entrants = contactIds.map((contactId) => ({ contactId, entryKey: `enrolment/${id}` }));
  return { entrants, cursor: contactIds.at(-1) ?? after, done: contactIds.length < PAGE };
}

/** The next contact ids after `after`, ascending: of the given contacts, or of the segment's current members. */
async function nextContacts(
  tx: EntityManager,
  { tenantId, segmentId, contactIds }: CampaignEnrolment,
  after: number,
): Promise<number[]> {
  if (contactIds) {
    const from = contactIds.findIndex((id) => id > after);
    return from < 0 ? [] : contactIds.slice(from, from + PAGE);
  }
  const members = await rows<{ contact_id: number }>(
    tx,
    sql`
    select contact_id from segment_members where tenant_id = ${tenantId} and segment_id = ${segmentId} and contact_id > ${after}
    order by contact_id limit ${PAGE}`,
  );
  return members.map((row) => row.contact_id);
}

/**
 * The running executions of an enrolment of which it is not known that they have a workflow: usually those of the page
 * that was under way. Not by their contacts: a merge may have moved them to contacts of any page.
 */
async function unstartedOf(
  tx: EntityManager,
  { tenantId, campaignId, id }: CampaignEnrolment,
): Promise<ExecutionStart[]> {
  return rows<ExecutionStart>(
    tx,
    sql`
    select ${EXECUTION_START} from campaign_executions e
    join campaigns c on c.tenant_id = e.tenant_id and c.id = e.campaign_id
    where e.tenant_id = ${tenantId} and e.campaign_id = ${campaignId} and e.enrolment_id = ${id}
      and e.status = 'RUNNING' and e.run_id is null
    order by e.id limit ${REPEATED}`,
  );
}
