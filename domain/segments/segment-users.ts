import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { campaignsUsing } from '../campaign-definitions/in-use/campaigns-using.ts';
import { emailCampaignsUsing } from '../campaign-definitions/in-use/email-campaigns-using.ts';
import type { Referrer } from '../../lib/checks/errors.ts';
import { dynamicSegments } from '../membership/members/dynamic-segments.ts';

/** Running campaigns, unfinished enrolments and imports, forms, thresholds and segments that refer to a segment. */
export async function segmentUsers(tx: EntityManager, tenantId: string, segmentId: number): Promise<Referrer[]> {
  return [
    ...(await campaignsUsing(
      tx,
      tenantId,
      ({ segmentIds, listIds }) => segmentIds.has(segmentId) || listIds.has(segmentId),
    )),
    ...(await emailCampaignsUsing(tx, tenantId, { segmentId })),
    ...(await jobs(tx, tenantId, segmentId)),
    ...(await formsAndThresholds(tx, tenantId, segmentId)),
    ...(await segments(tx, tenantId, segmentId)),
  ];
}

/** Enrolments that are reading the members page by page, and imports that are adding members. */
async function jobs(tx: EntityManager, tenantId: string, segmentId: number): Promise<Referrer[]> {
  return rows<Referrer>(
    tx,
    sql`
    select 'enrolment' as kind, e.id, c.name from campaign_enrolments e
    join campaigns c on c.tenant_id = e.tenant_id and c.id = e.campaign_id
    where e.tenant_id = ${tenantId} and e.segment_id = ${segmentId} and e.status in ('PENDING', 'RUNNING')
    union all
    select 'import', id, file_name from contact_imports
    where tenant_id = ${tenantId} and options ->> 'listId' = ${String(segmentId)} and status in ('PENDING', 'RUNNING')
    order by 1, 2`,
  );
}

async function formsAndThresholds(tx: EntityManager, tenantId: string, segmentId: number): Promise<Referrer[]> {
  return rows<Referrer>(
    tx,
    sql`
    select 'form' as kind, id, name from forms where tenant_id = ${tenantId} and list_id = ${segmentId}
    union all
    select 'threshold', id, name from score_thresholds where tenant_id = ${tenantId} and action ->> 'listId' = ${String(segmentId)}
    order by 1, 2`,
  );
}

async function segments(tx: EntityManager, tenantId: string, segmentId: number): Promise<Referrer[]> {
  const all = await dynamicSegments(tx, tenantId);
  return all
    .filter((segment) => segment.id !== segmentId && segment.causes.has(`member:${segmentId}`))
    .map(({ id, name }) => ({ kind: 'segment', id, name }));
}
