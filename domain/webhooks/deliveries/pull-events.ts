import type { WebhookEndpoint } from '../../../db/entities/webhooks.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { keyset, type ListQuery, type Page } from '../../common/paging.ts';
import { bodyOf } from '../content/body.ts';
import { contactsNow } from '../content/contact-now.ts';
import { findEndpoint } from '../endpoints/endpoints.ts';

interface PullQuery extends Pick<ListQuery, 'limit' | 'cursor'> {
  afterSequence?: number;
}

interface PulledRow {
  id: number;
  sort_value: number;
  event_id: string;
  type: string;
  time: Date;
  request_id: string | null;
  contact_id: number | null;
  data: string | null;
}

/** The bodies of an endpoint's deliveries in the order of their numbers, whatever became of them. Throws 404. */
export async function pullEvents(
  em: EntityManager,
  endpointId: number,
  { afterSequence = 0, limit, cursor }: PullQuery,
): Promise<Page<unknown>> {
  const endpoint = await findEndpoint(em, endpointId);
  const { tenantId, format = 'standard' } = endpoint;
  const query = { sort: 'id', ...(limit === undefined ? {} : { limit }), ...(cursor === undefined ? {} : { cursor }) };
  const page = keyset(query, { id: { column: sql`d.sequence`, type: 'bigint' } });
  const found = await em.transactional((tx) =>
    rows<PulledRow>(
      tx,
      sql`
      select d.sequence as id, ${page.sortValue}, v.event_id, d.type, v.time, v.request_id, v.contact_id, v.data::text as data
      from webhook_deliveries d join webhook_events v on v.id = d.event and v.day = d.day
      where d.tenant_id = ${tenantId} and d.endpoint_id = ${endpointId} and d.sequence > ${afterSequence} and ${page.where}
      order by ${page.orderBy} limit ${page.fetch}`,
    ),
  );
  const contacts = await contactsOf(em, endpoint, found);
  return page.toPage(found, ({ id: sequence, event_id: id, type, time, request_id: requestId, contact_id, data }) => {
    const contact = contacts && contact_id !== null ? (contacts.get(contact_id) ?? 'null') : undefined;
    return JSON.parse(bodyOf({ id, tenantId, type, time, requestId, data }, { format, sequence }, contact)) as unknown;
  });
}

async function contactsOf(
  em: EntityManager,
  { tenantId, include }: WebhookEndpoint,
  found: readonly PulledRow[],
): Promise<Map<number, string> | null> {
  if (!include?.includes('contact')) return null;
  const ids = found.flatMap(({ contact_id }) => contact_id ?? []);
  return contactsNow(em, tenantId, [...new Set(ids)]);
}
