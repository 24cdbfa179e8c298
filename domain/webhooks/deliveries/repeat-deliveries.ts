import { rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import { touchOutbox } from '../../../events/outbox.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { AppError, notFound } from '../../../lib/checks/errors.ts';
import { lockEndpoint } from '../endpoints/endpoints.ts';
import { readDelivery, type DeliveryView } from './list-deliveries.ts';
import type { LaneKey } from './lanes.ts';
import { MOST_ATTEMPTS } from './schedule.ts';

/**
 * Makes deliveries due at once, with as many attempts as new ones; those that have ended are open again. `which` are
 * conditions on the delivery `d`, whose event must not have been erased. Returns how many.
 */
export async function reopen(
  tx: EntityManager,
  { tenantId, endpointId }: LaneKey,
  which: RawBuilder<unknown>,
): Promise<number> {
  const changed = await rows(
    tx,
    sql`
    with chosen as materialized (
      select d.* from webhook_deliveries d join webhook_events v on v.id = d.event and v.day = d.day and v.data is not null
      where d.tenant_id = ${tenantId} and d.endpoint_id = ${endpointId} and ${which} order by d.sequence for update of d
    ), kept as (
      -- The attempt that succeeded is in the row, which will have another one.
      insert into webhook_attempts (endpoint_id, sequence, day, tenant_id, attempt, at, status, ms, response)
      select endpoint_id, sequence, day, tenant_id, attempts, last_at, last_status, last_ms, response
      from chosen where status = 'DELIVERED' on conflict do nothing
    )
    update webhook_deliveries d set next_attempt_at = now(), most_attempts = d.attempts + ${MOST_ATTEMPTS}, reason = null, response = null,
      status = case when d.status in ('DELIVERED', 'FAILED') then 'PENDING' else d.status end
    from chosen c where d.endpoint_id = c.endpoint_id and d.sequence = c.sequence and d.day = c.day returning 1`,
  );
  if (changed.length > 0) await nudge(tx, { tenantId, endpointId });
  return changed.length;
}

/** Lets the holder of a lane, or who takes it, look for deliveries that are to be tried again. */
async function nudge(tx: EntityManager, { tenantId, endpointId }: LaneKey): Promise<void> {
  await rows(
    tx,
    sql`
    update webhook_lanes set nudges = nudges + 1, due_at = case when active and holder is null then now() else due_at end
    where tenant_id = ${tenantId} and endpoint_id = ${endpointId}`,
  );
  touchOutbox(tx, 'webhook_lanes');
}

/**
 * Sends a delivery again, or at once if it waits. With `ordering: contact`, so are earlier ones that wait and are about
 * the same. Throws 404, 409 `conflict` if its data was erased.
 */
export async function retryDelivery(
  em: EntityManager,
  author: Author,
  endpointId: number,
  sequence: number,
): Promise<DeliveryView> {
  return em.transactional(async (tx) => {
    const endpoint = await lockEndpoint(tx, endpointId);
    const { body } = await readDelivery(tx, endpointId, sequence);
    if (body === null) throw new AppError('conflict', 'The delivery was about a person who was erased');
    const lane = { tenantId: endpoint.tenantId, endpointId };
    if (endpoint.ordering === 'contact') {
      await rows(
        tx,
        sql`
        update webhook_deliveries d set next_attempt_at = now() from webhook_deliveries o
        where o.endpoint_id = ${endpointId} and o.sequence = ${sequence} and d.endpoint_id = ${endpointId} and d.sequence < ${sequence}
          and d.subject = o.subject and d.next_attempt_at > now()`,
      );
    }
    const reopened = await reopen(tx, lane, sql`d.sequence = ${sequence}`);
    if (reopened === 0) throw notFound('delivery', sequence);
    await appendAudit(tx, author, {
      action: 'webhook.delivery_retried',
      resourceType: 'webhook',
      resourceId: endpointId,
      after: { deliveryId: sequence },
    });
    return readDelivery(tx, endpointId, sequence);
  });
}
