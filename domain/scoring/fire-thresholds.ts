import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { changeListMembers } from '../contacts/change-list-members.ts';
import { enterCampaign } from '../campaigns/enter-campaign.ts';
import { AppError } from '../errors.ts';

/** What happens when a contact reaches a threshold. */
export type ThresholdAction =
  | { type: 'NONE' }
  | { type: 'ADD_TO_LIST'; listId: number }
  | { type: 'START_CAMPAIGN'; campaignId: number };

interface Reached {
  tenantId: string;
  contactId: number;
  total: number;
  eventId: string;
  requestId: string | null;
}

/**
 * Fires the thresholds that these new totals reach, in the engine transaction `tx`: once per contact and threshold for
 * ever (the hit row decides), with the action's effect in the same transaction.
 */
export async function fireThresholds(tx: EntityManager, reached: Reached[]): Promise<void> {
  if (reached.length === 0) return;
  const payload = JSON.stringify(reached.map((r, n) => ({ n, t: r.tenantId, c: r.contactId, total: r.total, e: r.eventId })));
  const hits = await rows<{ tenant_id: string; threshold_id: number; contact_id: number; event_id: string; action: ThresholdAction }>(tx, sql`
    with hit as (
      insert into score_threshold_hits (tenant_id, threshold_id, contact_id, event_id, at)
      select distinct on (s.tenant_id, s.id, r.c) s.tenant_id, s.id, r.c, r.e, now()
      from jsonb_to_recordset(${payload}::jsonb) as r(n int, t text, c bigint, total int, e uuid)
      join score_thresholds s on s.tenant_id = r.t and s.score <= r.total
      order by s.tenant_id, s.id, r.c, r.n
      on conflict do nothing
      returning tenant_id, threshold_id, contact_id, event_id)
    select hit.*, s.action from hit join score_thresholds s on s.tenant_id = hit.tenant_id and s.id = hit.threshold_id
    order by hit.tenant_id, hit.threshold_id, hit.contact_id`);
  for (const [, group] of Map.groupBy(hits, (hit) => `${hit.tenant_id}/${hit.threshold_id}`)) {
    const { tenant_id: tenantId, action } = group[0]!;
    if (action.type === 'ADD_TO_LIST') await addToList(tx, tenantId, action.listId, group.map((hit) => hit.contact_id));
    if (action.type === 'START_CAMPAIGN') {
      for (const hit of group) {
        const requestId = reached.find((r) => r.eventId === hit.event_id)?.requestId ?? null;
        await enterCampaign(tx, { tenantId, requestId }, { campaignId: action.campaignId, contactId: hit.contact_id, entryKey: hit.event_id, trigger: 'SCORE_REACHED' });
      }
    }
  }
}

/** A list that was deleted meanwhile takes no one; the points stand all the same. */
async function addToList(tx: EntityManager, tenantId: string, listId: number, contactIds: number[]): Promise<void> {
  try {
    await changeListMembers(tx, tenantId, listId, { add: contactIds });
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'not_found')) throw error;
  }
}
