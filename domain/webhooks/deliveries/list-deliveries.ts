import type { DeliveryStatus, WebhookEndpoint } from '../../../db/entities/webhooks.ts';
import { rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import { notFound } from '../../../lib/checks/errors.ts';
import { instant, listPage } from '../../common/list-page.ts';
import type { ListQuery, Page } from '../../common/paging.ts';
import { bodyOf, type ToldEvent } from '../content/body.ts';
import { contactSubject } from '../content/subject.ts';
import { withinTime } from '../../common/within-time.ts';
import { findEndpoint } from '../endpoints/endpoints.ts';

/** An attempt as the API shows it. */
export interface AttemptView {
  at: string;
  status: number | null;
  durationMs: number;
  error: string | null;
  response: string | null;
}

/** A delivery with its body and attempts. Its id is its number. */
export interface DeliveryView {
  id: number;
  sequence: number;
  eventId: string;
  type: string;
  status: DeliveryStatus;
  reason: string | null;
  contactId: number | null;
  /** Null if it was about a person who was erased. */
  body: unknown;
  attempts: AttemptView[];
  /** Null if it is not to be tried. */
  nextAttemptAt: Date | null;
  createdAt: Date;
}

interface DeliveryQuery extends ListQuery {
  status?: string;
  type?: string;
  from?: string;
  to?: string;
  contactId?: number;
}

/**
 * The state of the delivery `d` of the lane `l`, in SQL: what is stored of an open one is PENDING, or SENDING, which holds
 * while the lane is leased.
 */
export const shownStatus = sql`case
  when d.status in ('DELIVERED', 'FAILED') then d.status
  when d.status = 'SENDING' and l.holder is not null and l.due_at > now() then 'SENDING'
  when l.active then 'PENDING' else 'HELD' end`;

/** The deliveries of an endpoint with their lane; `columns` are of `d` and `l`. */
export const deliveriesOf = (endpoint: WebhookEndpoint, columns: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
  select ${columns} from webhook_deliveries d
  join webhook_lanes l on l.tenant_id = d.tenant_id and l.endpoint_id = d.endpoint_id
  where d.tenant_id = ${endpoint.tenantId} and d.endpoint_id = ${endpoint.id}) t`;

/**
 * Conditions on the time of the delivery `alias`, and on its `day`, which is that of `at` in UTC, as in every session: so
 * that only the partitions of the period are read.
 */
export const isSince = (alias: 'd' | 't', from: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`${sql.ref(`${alias}.at`)} >= ${from} and ${sql.ref(`${alias}.day`)} >= (${from})::date`;
export const isBefore = (alias: 'd' | 't', to: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`${sql.ref(`${alias}.at`)} < ${to} and ${sql.ref(`${alias}.day`)} <= (${to})::date`;

/**
 * The condition that a delivery is shown with a status, such that it is found by an index if few are: what has failed has
 * a reason, and what is open was tried before, or comes after all that was tried.
 */
function hasStatus(status: string): RawBuilder<unknown> {
  const shown = sql`t.status = ${status}`;
  if (status === 'FAILED') return sql`t.reason is not null and ${shown}`;
  if (status === 'DELIVERED') return shown;
  return sql`(t.next_attempt_at is not null or t.id > t.tried) and ${shown}`;
}

const TOO_LONG = 'It takes too long to find these deliveries: ask for those of a shorter period, with `from` and `to`';

/**
 * A page of an endpoint's deliveries. Throws 404, 400 for a wrong cursor or time, and 503 if one of its queries takes too
 * long.
 */
export const listDeliveries = (
  em: EntityManager,
  endpointId: number,
  query: DeliveryQuery,
): Promise<Page<DeliveryView>> => withinTime(em, TOO_LONG, (tx) => pageOf(tx, endpointId, query));

async function pageOf(em: EntityManager, endpointId: number, query: DeliveryQuery): Promise<Page<DeliveryView>> {
  const endpoint = await findEndpoint(em, endpointId);
  return listPage(
    em,
    { read: (tx, ids) => readDeliveries(tx, endpoint, ids) },
    query,
    {
      from: deliveriesOf(
        endpoint,
        sql`d.sequence as id, d.type, d.subject, d.at, d.day, d.at as created_at, d.reason, d.next_attempt_at, l.cursor as tried, ${shownStatus} as status`,
      ),
      sortable: { id: { column: sql`t.id`, type: 'bigint' } },
      where: [
        query.status !== undefined && hasStatus(query.status),
        query.type !== undefined && sql`t.type = ${query.type}`,
        query.from !== undefined && isSince('t', instant('from', query.from)),
        query.to !== undefined && isBefore('t', instant('to', query.to)),
        query.contactId !== undefined && sql`t.subject = ${contactSubject(query.contactId)}`,
      ],
    },
    (found) => found,
  );
}

/** Throws 404. */
export async function readDelivery(em: EntityManager, endpointId: number, sequence: number): Promise<DeliveryView> {
  return em.transactional(async (tx) => {
    const [found] = await readDeliveries(tx, await findEndpoint(tx, endpointId), [sequence]);
    if (!found) throw notFound('delivery', sequence);
    return found;
  });
}

interface Row extends Omit<DeliveryView, 'body' | 'attempts' | 'sequence' | 'contactId'> {
  contact_id: number | null;
  tenant_id: string;
  time: Date;
  request_id: string | null;
  data: string | null;
  attempts: AttemptView[];
  last: AttemptView | null;
}

async function readDeliveries(
  tx: EntityManager,
  endpoint: WebhookEndpoint,
  sequences: readonly number[],
): Promise<DeliveryView[]> {
  const attempt = (at: string, status: string, ms: string, error: string, response: string) =>
    sql.raw(
      `jsonb_build_object('at', to_char(${at}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'status', ${status}, 'durationMs', ${ms}, 'error', ${error}, 'response', ${response})`,
    );
  const found = await rows<Row>(
    tx,
    sql`
    select d.sequence as id, v.event_id as "eventId", d.type, ${shownStatus} as status, d.reason, v.contact_id, d.at as "createdAt",
      case when d.status in ('PENDING', 'SENDING') and l.active then coalesce(d.next_attempt_at, d.at) end as "nextAttemptAt",
      d.tenant_id, v.time, v.request_id, v.data::text as data,
      coalesce((select jsonb_agg(${attempt('a.at', 'a.status', 'a.ms', 'a.error', 'a.response')} order by a.attempt)
        from webhook_attempts a where a.endpoint_id = d.endpoint_id and a.sequence = d.sequence and a.day = d.day), '[]') as attempts,
      -- A success is not stored a second time.
      case when d.status = 'DELIVERED' then ${attempt('d.last_at', 'd.last_status', 'd.last_ms', 'null::text', 'd.response')} end as last
    from webhook_deliveries d join webhook_events v on v.id = d.event and v.day = d.day
    join webhook_lanes l on l.tenant_id = d.tenant_id and l.endpoint_id = d.endpoint_id
    where d.tenant_id = ${endpoint.tenantId} and d.endpoint_id = ${endpoint.id} and d.sequence = any(${[...sequences]}::bigint[])`,
  );
  return found.map(({ tenant_id, time, request_id, data, contact_id, last, attempts, ...row }) => {
    const event: ToldEvent = {
      id: row.eventId,
      tenantId: tenant_id,
      type: row.type,
      time,
      requestId: request_id,
      data,
    };
    const format = endpoint.format ?? 'standard';
    return {
      ...row,
      sequence: row.id,
      contactId: contact_id,
      body: data === null ? null : (JSON.parse(bodyOf(event, { format, sequence: row.id })) as unknown),
      attempts: last ? [...attempts, last] : attempts,
    };
  });
}
