import { setTimeout as delay } from 'node:timers/promises';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { touchOutbox } from '../../../events/outbox.ts';
import { LANE_LEASE_SECONDS, type LaneKey } from './lanes.ts';
import type { DueDelivery } from './read-deliveries.ts';

const POLL_MS = 100;
/** Longer than any request, and than a lease. */
const GIVE_UP_MS = 120_000;

/** Someone has data in memory that was erased, or is sending it. */
export class WebhookUnderwayError extends Error {
  override readonly name = 'WebhookUnderwayError';
}

/**
 * Call after the commit of an erasure. Resolves when no process has data of the tenant in memory that was erased by then:
 * the holders of its lanes have dropped it, or their leases are over. Throws WebhookUnderwayError after two minutes.
 */
export async function untilForgotten(em: EntityManager, tenantId: string): Promise<void> {
  const asked = await askToForget(em, tenantId);
  const giveUp = performance.now() + GIVE_UP_MS;
  while (await isHeld(em, tenantId, asked)) {
    if (performance.now() > giveUp) throw new WebhookUnderwayError('a webhook about the person is being sent');
    await delay(POLL_MS);
  }
}

interface Asked {
  endpoint_id: number;
  erasures: number;
}

async function askToForget(em: EntityManager, tenantId: string): Promise<Asked[]> {
  return em.transactional(async (tx) => {
    touchOutbox(tx, 'webhook_lanes');
    return rows<Asked>(
      tx,
      sql`
      with held as materialized (
        select endpoint_id from webhook_lanes where tenant_id = ${tenantId} and holder is not null order by endpoint_id for update)
      update webhook_lanes l set erasures = l.erasures + 1 from held h
      where l.tenant_id = ${tenantId} and l.endpoint_id = h.endpoint_id returning l.endpoint_id, l.erasures`,
    );
  });
}

/** Whether a lane is still held by who held it when it was asked, and has not forgotten. */
async function isHeld(em: EntityManager, tenantId: string, asked: readonly Asked[]): Promise<boolean> {
  if (asked.length === 0) return false;
  const held = await em.transactional((tx) =>
    rows(
      tx,
      sql`
      select 1 from json_to_recordset(${JSON.stringify(asked)}::json) as r(endpoint_id bigint, erasures int)
      join webhook_lanes l on l.tenant_id = ${tenantId} and l.endpoint_id = r.endpoint_id
      where l.holder is not null and l.forgotten < r.erasures
        -- The lane of an endpoint that was deleted is never due.
        and coalesce(l.due_at, l.deleted_at + make_interval(secs => ${LANE_LEASE_SECONDS})) > now() limit 1`,
    ),
  );
  return held.length > 0;
}

/** Those of the deliveries whose data is not there any more. Runs an engine transaction. */
export async function erasedAmong(
  em: EntityManager,
  deliveries: readonly Pick<DueDelivery, 'endpointId' | 'sequence' | 'day'>[],
): Promise<{ endpointId: number; sequence: number }[]> {
  return em.transactional(async (tx) => {
    const erased: { endpointId: number; sequence: number }[] = [];
    // By day, so that one partition is looked into.
    for (const [day, some] of Map.groupBy(deliveries, (one) => one.day)) {
      const asked = some.map(({ endpointId, sequence }) => ({ e: endpointId, s: sequence }));
      erased.push(
        ...(await rows<{ endpointId: number; sequence: number }>(
          tx,
          sql`
          select r.e as "endpointId", r.s as sequence from json_to_recordset(${JSON.stringify(asked)}::json) as r(e bigint, s bigint)
          left join webhook_deliveries d on d.endpoint_id = r.e and d.sequence = r.s and d.day = ${day}::date
          left join webhook_events v on v.id = d.event and v.day = ${day}::date
          where v.data is null`,
        )),
      );
    }
    return erased;
  });
}

/** Notes that the holder has nothing in memory any more of what these erasures erased. Runs an engine transaction. */
export async function noteForgotten(
  em: EntityManager,
  holder: string,
  lanes: readonly (LaneKey & { erasures: number })[],
): Promise<void> {
  if (lanes.length === 0) return;
  const noted = lanes.map(({ tenantId, endpointId, erasures }) => ({ t: tenantId, e: endpointId, n: erasures }));
  await em.transactional((tx) =>
    rows(
      tx,
      sql`
      with mine as materialized (
        select l.tenant_id, l.endpoint_id, r.n from json_to_recordset(${JSON.stringify(noted)}::json) as r(t text, e bigint, n int)
        join webhook_lanes l on l.tenant_id = r.t and l.endpoint_id = r.e
        where l.holder = ${holder} order by l.endpoint_id for update of l)
      update webhook_lanes l set forgotten = greatest(l.forgotten, m.n) from mine m
      where l.tenant_id = m.tenant_id and l.endpoint_id = m.endpoint_id`,
    ),
  );
}
