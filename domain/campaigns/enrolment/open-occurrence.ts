import { CampaignEnrolment } from '../../../db/entities/campaigns.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { workflowId, type EnrolmentInput } from '../../../registry/workflows.ts';
import { isAnyoneDue, type DateTrigger } from './due-contacts.ts';
import { lockCampaigns, type OpenCampaign, readOpenCampaigns } from './lock-campaigns.ts';
import { CATCH_UP_MS } from './wanted-schedule.ts';

/** A moment that is longer past than this is missed: a birthday email two days late is wrong. */
export const LATEST_MS = 24 * 3_600_000;

export interface Occurrence {
  tenantId: string;
  campaignId: number;
  /** The nominal time of the firing (RFC 3339). */
  scheduledAt: string;
  /** The time now, in ms since the epoch. */
  at: number;
}

/** The enrolment of a firing, or why it has none. */
export type OpenedOccurrence = { enrolment: EnrolmentInput } | { skipped: string };

/** Whom an enrolment enters. */
type Members = { trigger: 'SCHEDULE'; segmentId: number } | { trigger: 'DATE'; dueAfter: Date; dueUntil: Date };

/**
 * Makes the enrolment of one firing of a campaign's schedule. A repeated call finds it. There is none if the campaign
 * is not ACTIVE or PAUSED or has another trigger now, if the firing is from before its activation or too late, or if no
 * contact's moment has come.
 */
export async function openOccurrence(em: EntityManager, occurrence: Occurrence): Promise<OpenedOccurrence> {
  const { tenantId, campaignId } = occurrence;
  const scheduledAt = new Date(occurrence.scheduledAt);
  // Clocks differ: it is never earlier than the nominal time.
  const now = new Date(Math.max(occurrence.at, scheduledAt.getTime()));
  const searched = await em.transactional((tx) => searchAhead(tx, { tenantId, campaignId }, now));
  return em.transactional(async (tx) => {
    const [campaign] = await lockCampaigns(tx, [{ tenantId, campaignId }]);
    if (!campaign) return { skipped: 'the campaign is not active' };
    const input = { tenantId, campaignId, campaignName: campaign.name };
    const known = await tx.findOne(CampaignEnrolment, { campaignId, scheduledAt });
    if (known) return { enrolment: { ...input, enrolmentId: known.id, campaignVersion: known.campaignVersion } };
    const members = await membersOf(tx, campaign, scheduledAt, now, searched);
    if ('skipped' in members) return members;
    // Get the enrolment's id first, because it is part of the workflow id.
    const [next] = await rows<{ id: number }>(tx, sql`select nextval('campaign_enrolments_id_seq') as id`);
    const enrolment = { ...input, enrolmentId: next!.id, campaignVersion: campaign.version };
    tx.create(CampaignEnrolment, {
      ...members,
      id: enrolment.enrolmentId,
      tenantId,
      campaignId,
      campaignVersion: campaign.version,
      scheduledAt,
      workflowId: workflowId('campaignEnrolment', enrolment),
    });
    await tx.flush();
    return { enrolment };
  });
}

async function membersOf(
  tx: EntityManager,
  campaign: OpenCampaign,
  scheduledAt: Date,
  now: Date,
  searched: Searched | null,
): Promise<Members | { skipped: string }> {
  const { trigger } = campaign.definition;
  if (trigger.type === 'DATE') return dueMembers(tx, campaign, { trigger, until: now, searched });
  if (trigger.type !== 'SCHEDULE') return { skipped: 'the campaign has another trigger' };
  if (scheduledAt < campaign.activatedAt) return { skipped: 'before the activation of the campaign' };
  if (now.getTime() - scheduledAt.getTime() > CATCH_UP_MS) return { skipped: 'more than an hour late' };
  return { trigger: 'SCHEDULE', segmentId: trigger.segmentId };
}

/** Whether a contact is due whose moment is later than `after`. */
interface Searched {
  after: Date;
  anyone: boolean;
}

/** The end of the moments that are taken or missed. */
const takenUntil = ({ activatedAt, datedUntil }: OpenCampaign, until: Date): Date =>
  new Date(Math.max(activatedAt.getTime(), datedUntil?.getTime() ?? 0, until.getTime() - LATEST_MS));

/**
 * Searches for contacts that are due, before the campaign is locked: among a million, that takes seconds. Null for
 * another trigger.
 */
async function searchAhead(
  tx: EntityManager,
  wanted: { tenantId: string; campaignId: number },
  until: Date,
): Promise<Searched | null> {
  const [campaign] = await readOpenCampaigns(tx, [wanted]);
  if (campaign?.definition.trigger.type !== 'DATE') return null;
  const { trigger } = campaign.definition;
  const after = takenUntil(campaign, until);
  if (after >= until) return null;
  return { after, anyone: await isAnyoneDue(tx, { tenantId: wanted.tenantId, trigger, after, until }) };
}

/** Takes all moments since the last time, and notes that they are taken. */
async function dueMembers(
  tx: EntityManager,
  campaign: OpenCampaign,
  { trigger, until, searched }: { trigger: DateTrigger; until: Date; searched: Searched | null },
): Promise<Members | { skipped: string }> {
  const { tenantId, campaignId } = campaign;
  const after = takenUntil(campaign, until);
  if (after >= until) return { skipped: 'its moments are entered already' };
  // Another trigger, or another firing, has changed `after`.
  const isSearched = searched?.after.getTime() === after.getTime();
  const anyone = isSearched ? searched.anyone : await isAnyoneDue(tx, { tenantId, trigger, after, until });
  await rows(tx, sql`update campaigns set dated_until = ${until} where tenant_id = ${tenantId} and id = ${campaignId}`);
  if (!anyone) return { skipped: 'no moment of a contact has come' };
  return { trigger: 'DATE', dueAfter: after, dueUntil: until };
}
