import { OPEN_STATUSES } from '../../../db/entities/campaigns.ts';
import { preparedHint, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { lockCampaigns } from '../../campaigns/enrolment/lock-campaigns.ts';
import { runThresholdActions, type ThresholdHit } from './run-threshold-actions.ts';
import type { ThresholdAction } from './threshold-action.ts';

interface NewTotal {
  tenantId: string;
  contactId: number;
  total: number;
  eventId: string;
  requestId: string | null;
}

interface Hit {
  tenant_id: string;
  threshold_id: number;
  contact_id: number;
  event_id: string;
  total: number;
  name: string;
  score: number;
  action: ThresholdAction;
}

/** In SQL, whether the threshold `s` has fired for the contact `r.c`. */
export const hasFired = sql`
  exists (select 1 from score_threshold_hits h where h.tenant_id = s.tenant_id and h.threshold_id = s.id and h.contact_id = r.c)`;

/**
 * In SQL, whether the threshold `s`, which the contact `r.c` has reached, fires: it has not, and if it starts a
 * campaign, that accepts entries.
 */
export const mayFire = sql`(not ${hasFired} and (s.action ->> 'type' <> 'START_CAMPAIGN' or exists (
  select 1 from campaigns p where p.tenant_id = s.tenant_id and p.id = (s.action ->> 'campaignId')::bigint
    and p.status = any(${OPEN_STATUSES}::text[]))))`;

/**
 * Fires the thresholds that these new totals reach, in the transaction `tx` of the tenant or the engine, which has
 * locked the contacts. Each fires only once per contact, ensured by the hit row, with its action in the same
 * transaction. A threshold that starts a campaign that does not accept entries fires at the contact's next score change
 * once it does. Returns what has fired.
 */
export async function fireThresholds(tx: EntityManager, totals: NewTotal[]): Promise<ThresholdHit[]> {
  if (totals.length === 0) return [];
  const payload = JSON.stringify(
    totals.map((r, n) => ({ n, t: r.tenantId, c: r.contactId, total: r.total, e: r.eventId })),
  );
  const due = await rows<Hit>(
    tx,
    sql`${preparedHint}
    select distinct on (s.tenant_id, s.id, r.c) s.tenant_id, s.id as threshold_id, r.c as contact_id,
      r.e as event_id, r.total, s.name, s.score, s.action
    from jsonb_to_recordset(${payload}::jsonb) as r(n int, t text, c bigint, total bigint, e uuid)
    join score_thresholds s on s.tenant_id = r.t and s.score <= r.total
    where ${mayFire}
    order by s.tenant_id, s.id, r.c, r.n`,
  );
  const requestIds = new Map(totals.map(({ eventId, requestId }) => [eventId, requestId]));
  const hits = (await insertHits(tx, await withOpenCampaigns(tx, due))).map(
    ({ tenant_id: tenantId, threshold_id: thresholdId, contact_id: contactId, event_id: eventId, ...hit }) => ({
      ...{ ...hit, tenantId, thresholdId, contactId, eventId },
      requestId: requestIds.get(eventId) ?? null,
    }),
  );
  await runThresholdActions(tx, hits);
  return hits;
}

/**
 * Locks the campaigns that are to be started, so that they still accept entries when the contacts enter. Omits hits
 * whose campaign was stopped until it was locked.
 */
async function withOpenCampaigns(tx: EntityManager, due: Hit[]): Promise<Hit[]> {
  const keyOf = (tenantId: string, campaignId: number): string => `${tenantId}/${campaignId}`;
  const wanted = due.flatMap(({ tenant_id: tenantId, action }) =>
    action.type === 'START_CAMPAIGN' ? [{ tenantId, campaignId: action.campaignId }] : [],
  );
  const open = new Set(
    (await lockCampaigns(tx, wanted)).map(({ tenantId, campaignId }) => keyOf(tenantId, campaignId)),
  );
  return due.filter(
    ({ tenant_id: tenantId, action }) =>
      action.type !== 'START_CAMPAIGN' || open.has(keyOf(tenantId, action.campaignId)),
  );
}

/** Inserts the hits, except those of thresholds deleted in the meantime. Returns the new ones. */
async function insertHits(tx: EntityManager, hits: Hit[]): Promise<Hit[]> {
  if (hits.length === 0) return [];
  const kept = await rows<{ threshold_id: number; contact_id: number }>(
    tx,
    sql`
    insert into score_threshold_hits (tenant_id, threshold_id, contact_id, event_id, at)
    select r.tenant_id, r.threshold_id, r.contact_id, r.event_id, now()
    from jsonb_to_recordset(${JSON.stringify(hits)}::jsonb) as r(tenant_id text, threshold_id bigint, contact_id bigint, event_id uuid)
    join score_thresholds s on s.tenant_id = r.tenant_id and s.id = r.threshold_id
    on conflict do nothing returning threshold_id, contact_id`,
  );
  const keys = new Set(kept.map((row) => `${row.threshold_id}/${row.contact_id}`));
  return hits.filter((hit) => keys.has(`${hit.threshold_id}/${hit.contact_id}`));
}
