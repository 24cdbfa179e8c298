import { preparedHint, rows, sql, type EntityManager } from '../../db/orm.ts';
import { addToListIfThere } from '../segments/membership/change-list-members.ts';
import { enterCampaign } from '../campaigns/enrolment/enter-campaign.ts';
import { lockCampaigns } from '../campaigns/enrolment/lock-campaigns.ts';

/** The action when a contact reaches a threshold. */
export type ThresholdAction =
  { type: 'NONE' } | { type: 'ADD_TO_LIST'; listId: number } | { type: 'START_CAMPAIGN'; campaignId: number };

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
  action: ThresholdAction;
}

/**
 * Fires the thresholds that these new totals reach, in the engine transaction `tx`, which has locked the contacts.
 * Each fires only once per contact, ensured by the hit row, with its action in the same transaction. A threshold that
 * starts a campaign that does not accept entries fires at the contact's next score change once it does.
 */
export async function fireThresholds(tx: EntityManager, totals: NewTotal[]): Promise<void> {
  if (totals.length === 0) return;
  const payload = JSON.stringify(
    totals.map((r, n) => ({ n, t: r.tenantId, c: r.contactId, total: r.total, e: r.eventId })),
  );
  const due = await rows<Hit>(
    tx,
    sql`${preparedHint}
    select distinct on (s.tenant_id, s.id, r.c) s.tenant_id, s.id as threshold_id, r.c as contact_id, r.e as event_id, s.action
    from jsonb_to_recordset(${payload}::jsonb) as r(n int, t text, c bigint, total bigint, e uuid)
    join score_thresholds s on s.tenant_id = r.t and s.score <= r.total
    where not exists (select 1 from score_threshold_hits h where h.tenant_id = s.tenant_id and h.threshold_id = s.id and h.contact_id = r.c)
    order by s.tenant_id, s.id, r.c, r.n`,
  );
  const hits = await insertHits(tx, await withOpenCampaigns(tx, due));
  for (const [, group] of Map.groupBy(hits, (hit) => `${hit.tenant_id}/${hit.threshold_id}`)) {
    const { tenant_id: tenantId, action } = group[0]!;
    const causeOf = (hit: Hit): string | null => totals.find((r) => r.eventId === hit.event_id)?.requestId ?? null;
    if (action.type === 'ADD_TO_LIST') {
      for (const [requestId, some] of Map.groupBy(group, causeOf)) {
        const contactIds = some.map((hit) => hit.contact_id);
        await addToListIfThere(tx, tenantId, action.listId, contactIds, { requestId });
      }
    }
    if (action.type === 'START_CAMPAIGN') {
      for (const hit of group) {
        await enterCampaign(
          tx,
          { tenantId, requestId: causeOf(hit) },
          {
            campaignId: action.campaignId,
            contactId: hit.contact_id,
            entryKey: hit.event_id,
            trigger: 'SCORE_REACHED',
          },
        );
      }
    }
  }
}

/**
 * Omits hits whose campaign does not accept entries. Locks the campaigns, so that they still accept them when the
 * contacts enter.
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
