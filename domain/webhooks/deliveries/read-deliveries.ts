import { preparedHint, rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { ToldEvent } from '../content/body.ts';
import type { LaneKey } from './lanes.ts';

/** A delivery to be made. */
export interface DueDelivery {
  endpointId: number;
  sequence: number;
  day: string;
  /** What it is about; endpoints with `ordering: contact` get what concerns one subject one by one. */
  subject: string | null;
  /** How often it was tried so far, and may be. */
  attempts: number;
  mostAttempts: number;
  /** It was tried before, or waited for one that was. */
  isAgain: boolean;
  /**
   * The last of the earlier ones with its subject that are to be tried again, and when. Only for endpoints with
   * `ordering: contact`.
   */
  waitsFor: number | null;
  waitsUntil: Date | null;
  /** The contact that the event names. */
  contactId: number | null;
  event: ToldEvent;
}

interface DueRow extends Omit<DueDelivery, 'event' | 'isAgain'> {
  next_attempt_at: Date | null;
  event_id: string;
  tenant_id: string;
  type: string;
  time: Date;
  request_id: string | null;
  data: string | null;
}

/** Which deliveries of a lane to read. */
export interface LaneRead extends LaneKey {
  /** Only those from this number on, and not from before this day. */
  from: number;
  day: string | null;
  isOrdered: boolean;
  limit: number;
  /** The last number that was known before the read: it sees everything up to there. */
  last: number;
}

const lanesOf = (reads: readonly LaneRead[], more: (read: LaneRead) => object = () => ({})) =>
  sql`json_to_recordset(${JSON.stringify(
    reads.map((read) => ({
      e: read.endpointId,
      f: read.from,
      d: read.day ?? '-infinity',
      o: read.isOrdered,
      n: read.limit,
      ...more(read),
    })),
  )}::json) as r(e bigint, f bigint, d date, o boolean, n int, x bigint[])`;

const columns = sql`
  d.endpoint_id as "endpointId", d.sequence, d.day, d.subject, d.attempts, d.most_attempts as "mostAttempts", d.next_attempt_at,
  w.sequence as "waitsFor", w.next_attempt_at as "waitsUntil",
  v.event_id, d.tenant_id, d.type, v.time, v.request_id, v.contact_id as "contactId", v.data::text as data`;

const before = sql`
  left join lateral (
    select w.sequence, w.next_attempt_at from webhook_deliveries w
    where r.o and w.endpoint_id = d.endpoint_id and w.subject = d.subject and w.sequence < d.sequence and w.next_attempt_at is not null
    order by w.sequence desc limit 1) w on true`;

const isOpen = sql`d.status in ('PENDING', 'SENDING')`;

const presented = (found: readonly DueRow[]): DueDelivery[] =>
  found.map(({ next_attempt_at, event_id, tenant_id, type, time, request_id, data, ...delivery }) => ({
    ...delivery,
    isAgain: next_attempt_at !== null,
    event: { id: event_id, tenantId: tenant_id, type, time, requestId: request_id, data },
  }));

/** Deliveries that were not tried yet, in the order of their numbers. Reads in an engine transaction. */
export async function readFresh(em: EntityManager, reads: readonly LaneRead[]): Promise<DueDelivery[]> {
  const found = await em.transactional((tx) =>
    rows<DueRow>(
      tx,
      sql`${preparedHint}
      select ${columns} from ${lanesOf(reads)} cross join lateral (
        select * from webhook_deliveries d
        where d.endpoint_id = r.e and d.sequence >= r.f and d.day >= r.d and ${isOpen} and d.next_attempt_at is null
        order by d.sequence limit r.n) d
      join webhook_events v on v.id = d.event and v.day = d.day ${before} order by d.endpoint_id, d.sequence`,
    ),
  );
  return presented(found);
}

/**
 * Deliveries that are to be tried again and are due, but not those with the numbers in `known`. For an endpoint with
 * `ordering: contact` only those before `from`: what is between may be about the same. Reads in an engine transaction.
 */
export async function readRetries(
  em: EntityManager,
  reads: readonly (LaneRead & { known: readonly number[] })[],
): Promise<DueDelivery[]> {
  const known = new Map(reads.map((read) => [read.endpointId, read.known]));
  const found = await em.transactional((tx) =>
    rows<DueRow>(
      tx,
      sql`${preparedHint}
      select ${columns} from ${lanesOf(reads, ({ endpointId }) => ({ x: known.get(endpointId) }))} cross join lateral (
        select * from webhook_deliveries d
        where d.endpoint_id = r.e and d.next_attempt_at <= now() and ${isOpen} and d.sequence <> all(r.x) and (not r.o or d.sequence < r.f)
        order by d.next_attempt_at, d.sequence limit r.n) d
      join webhook_events v on v.id = d.event and v.day = d.day ${before} order by d.endpoint_id, d.sequence`,
    ),
  );
  return presented(found);
}
