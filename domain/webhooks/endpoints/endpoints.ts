import { LockMode } from '@mikro-orm/core';
import { WebhookEndpoint, WebhookHealth } from '../../../db/entities/webhooks.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { byName, commonSort, listPage, type Present } from '../../common/list-page.ts';
import type { ListQuery, Page } from '../../common/paging.ts';
import { notFound } from '../../../lib/checks/errors.ts';

/** An endpoint with what changes by itself. */
export interface EndpointView {
  endpoint: WebhookEndpoint;
  lastSuccessAt: Date | null;
}

interface EndpointQuery extends ListQuery {
  active?: boolean;
  type?: string;
}

/** A page of the tenant's endpoints; `type`: those that want such events. Throws 400 for a wrong cursor. */
export const listEndpoints = <T>(
  em: EntityManager,
  query: EndpointQuery,
  present: (view: EndpointView) => T,
): Promise<Page<T>> => {
  const presentAll: Present<WebhookEndpoint, T> = async (found, tx) => {
    const health = await tx.find(WebhookHealth, { endpointId: { $in: found.map(({ id }) => id) } });
    const successes = new Map(health.map((row) => [row.endpointId, row.lastSuccessAt ?? null]));
    return found.map((endpoint) => present({ endpoint, lastSuccessAt: successes.get(endpoint.id) ?? null }));
  };
  return listPage(
    em,
    WebhookEndpoint,
    query,
    {
      from: sql`webhook_endpoints t`,
      sortable: { ...commonSort, name: byName },
      where: [
        query.active !== undefined && sql`t.active = ${query.active}`,
        query.type !== undefined && sql`t.types && ${[query.type, '*']}::text[]`,
      ],
    },
    presentAll,
  );
};

/** Throws 404. */
export async function readEndpoint(em: EntityManager, id: number): Promise<EndpointView> {
  return em.transactional(async (tx) => viewOf(tx, await findEndpoint(tx, id)));
}

export async function viewOf(tx: EntityManager, endpoint: WebhookEndpoint): Promise<EndpointView> {
  const health = await tx.findOne(WebhookHealth, { endpointId: endpoint.id }, { refresh: true });
  return { endpoint, lastSuccessAt: health?.lastSuccessAt ?? null };
}

/** Throws 404. */
export async function findEndpoint(tx: EntityManager, id: number): Promise<WebhookEndpoint> {
  const endpoint = await tx.findOne(WebhookEndpoint, { id });
  if (!endpoint) throw notFound('webhook', id);
  return endpoint;
}

/** Locks an endpoint until the end of the transaction. Throws 404. */
export async function lockEndpoint(tx: EntityManager, id: number): Promise<WebhookEndpoint> {
  const endpoint = await tx.findOne(WebhookEndpoint, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });
  if (!endpoint) throw notFound('webhook', id);
  return endpoint;
}

/**
 * Notes that endpoints of the tenant change, so that no cache of them is used any more. Locks out other changes until
 * the end of the transaction.
 */
export async function noteChange(tx: EntityManager, tenantId: string): Promise<void> {
  await rows(
    tx,
    sql`
    insert into webhook_tenants (tenant_id) values (${tenantId})
    on conflict (tenant_id) do update set version = webhook_tenants.version + 1`,
  );
}
