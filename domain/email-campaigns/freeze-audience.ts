import type { EmailCampaign } from '../../db/entities/email-campaigns.ts';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { lockSegment } from '../membership/members/lock-segment.ts';
import { gateJoins, refusal } from '../emails/ledger/gates.ts';
import { insertCampaignEmails } from '../emails/ledger/email-batches.ts';
import { lockEmailCampaign } from './find-email-campaign.ts';
import { dueAt } from './schedule.ts';
import { placeOf, PLACES, shares, type Share } from './variants.ts';

const PAGE = 5_000;

export type Frozen = { state: 'page' | 'building' | 'failed' | 'done' | 'stale' };

/**
 * Writes the next page of the audience to the ledger, in the order of contact ids: one email per contact, even if
 * repeated; SUPPRESSED if a gate already refuses it, else waiting to be requested. `building`: the segment is not
 * ready. `failed`: the segment was deleted, so the campaign FAILED. `stale`: there is nothing (more) to freeze.
 */
export async function freezePage(em: EntityManager, campaignId: number): Promise<Frozen> {
  return em.transactional(async (tx): Promise<Frozen> => {
    const campaign = await lockEmailCampaign(tx, campaignId);
    if (campaign.status !== 'SENDING' || campaign.frozenTo == null) return { state: 'stale' };
    const { tenantId, segmentId } = campaign;
    const segment = segmentId == null ? null : await lockSegment(tx, tenantId, segmentId);
    if (!segment) {
      Object.assign(campaign, {
        status: 'FAILED',
        error: 'The segment was deleted before its members were read',
        finishedAt: new Date(),
      });
      return { state: 'failed' };
    }
    if (segment.status === 'BUILDING') return { state: 'building' };
    const [page] = await rows<{ n: number; last: number | null }>(
      tx,
      sql`
      select count(*) as n, max(contact_id) as last from (
        select contact_id from segment_members where tenant_id = ${tenantId} and segment_id = ${segmentId} and contact_id > ${campaign.frozenTo}
        order by contact_id limit ${PAGE}) p`,
    );
    if (page!.last !== null) await insertPage(tx, campaign, page!.last);
    const done = page!.n < PAGE;
    campaign.frozenTo = done ? null : page!.last;
    return { state: done ? 'done' : 'page' };
  });
}

/**
 * Inserts emails for the members after `frozenTo` up to `last`, each with its variant and, for local times, its due
 * time.
 */
async function insertPage(tx: EntityManager, campaign: EmailCampaign, last: number): Promise<void> {
  const { tenantId, id, run, segmentId, frozenTo } = campaign;
  const dealt = campaign.variants ? shares(campaign.variants, campaign.winner ?? null) : [wholeAudience(campaign)];
  const before = dealt.length > 1 ? await countFrozen(tx, campaign) : 0;
  const times = await localTimes(tx, campaign, last);
  await rows(
    tx,
    sql`
    with members as (
      select contact_id, ${before}::bigint + row_number() over (order by contact_id) - 1 as n from segment_members
      where tenant_id = ${tenantId} and segment_id = ${segmentId} and contact_id > ${frozenTo} and contact_id <= ${last}
    ), dealt as (
      select m.contact_id, s.variant, s.template_id from members m
      join jsonb_to_recordset(${JSON.stringify(dealt.map(({ templateId, ...share }) => ({ ...share, template_id: templateId })))}::jsonb)
        as s("from" int, "to" int, variant text, template_id bigint)
        on ${sql.raw(placeOf('m.n'))} >= s."from" and ${sql.raw(placeOf('m.n'))} < s."to"
    ), asked as (
      select ${tenantId}::text as tenant_id, contact_id, variant, template_id, null::bigint as campaign_id, null::bigint as execution_id, null::text as to_key from dealt
    ), judged as (
      select e.contact_id, e.variant, e.template_id, ${refusal} as reason, c.timezone from asked e ${gateJoins}
    )
    ${insertCampaignEmails(
      sql`(
      select ${tenantId}::text as tenant_id, ${`email-campaign:${id}:${run}:`} || j.contact_id as send_key, j.template_id, j.contact_id, ${id}::bigint as campaign_id,
             j.variant, d.due as due_at, j.reason
      from judged j
      left join jsonb_to_recordset(${JSON.stringify(times)}::jsonb) as d(timezone text, due timestamptz) on d.timezone = coalesce(j.timezone, ''))`,
      campaign.restoredRun === run,
    )}`,
  );
}

const wholeAudience = ({ templateId }: EmailCampaign): Share => ({
  from: 0,
  to: PLACES,
  variant: null,
  templateId: templateId!,
});

async function countFrozen(tx: EntityManager, { tenantId, id, run }: EmailCampaign): Promise<number> {
  const [found] = await rows<{ n: number }>(
    tx,
    sql`
    select count(*) as n from emails where tenant_id = ${tenantId} and campaign_id = ${id} and lane = 'bulk'
      and send_key like ${`email-campaign:${id}:${run}:%`}`,
  );
  return found!.n;
}

/**
 * When the campaign's local time comes in each timezone of the page; empty if all recipients get it at the same time.
 */
async function localTimes(
  tx: EntityManager,
  campaign: EmailCampaign,
  last: number,
): Promise<{ timezone: string; due: Date }[]> {
  if (campaign.scheduleType !== 'recipient_local_time') return [];
  const { tenantId, segmentId, frozenTo, timezone = null, scheduledAt } = campaign;
  const zones = await rows<{ timezone: string | null }>(
    tx,
    sql`
    select distinct c.timezone from segment_members m join contacts c on c.tenant_id = m.tenant_id and c.id = m.contact_id
    where m.tenant_id = ${tenantId} and m.segment_id = ${segmentId} and m.contact_id > ${frozenTo} and m.contact_id <= ${last}`,
  );
  return zones.map((zone) => ({
    timezone: zone.timezone ?? '',
    due: dueAt({ scheduledAt: scheduledAt!, timezone }, zone.timezone),
  }));
}
