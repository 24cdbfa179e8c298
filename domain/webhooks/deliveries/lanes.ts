import type { WebhookEndpoint } from '../../../db/entities/webhooks.ts';
import { preparedHint, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { pickInTurn } from '../../delivery/pick-in-turn.ts';

/** How long a lane is held without renewal. Short: what a process that dies had in hand waits for as long. */
export const LANE_LEASE_SECONDS = 15;

/** Identifies a lane. */
export interface LaneKey {
  tenantId: string;
  endpointId: number;
}

/** An endpoint as a holder of its lane needs it. */
export type HeldEndpoint = Pick<
  WebhookEndpoint,
  | 'tenantId'
  | 'id'
  | 'version'
  | 'url'
  | 'format'
  | 'signature'
  | 'ordering'
  | 'include'
  | 'headers'
  | 'maxInFlight'
  | 'timeoutMs'
  | 'key'
  | 'previousKey'
  | 'previousExpiresAt'
>;

/** What a holder sees of a lane that changes. */
export interface LaneNews extends LaneKey {
  lastSequence: number;
  nudges: number;
  version: number;
  /** When the endpoint was activated, if what was not tried since has to be made due; 1970: only what was never tried. */
  hurriedAt: Date | null;
}

/** A lane that is held, with the erasures after which its holder has to drop what it has read, and has done so. */
export interface WatchedLane extends LaneNews {
  erasures: number;
  forgotten: number;
}

/** A lane that this holder has leased. */
export interface LeasedLane extends LaneNews {
  cursor: number;
  cursorDay: string | null;
  endpoint: HeldEndpoint;
  /** How the endpoint has answered before. */
  failures: number;
  slow: boolean;
  hasSucceeded: boolean;
}

const endpointColumns = sql`
  e.tenant_id as "tenantId", e.id, e.version, e.url, e.format, e.signature, e.ordering, e.include, e.headers,
  e.max_in_flight as "maxInFlight", e.timeout_ms as "timeoutMs", e.key, e.previous_key as "previousKey", e.previous_expires_at as "previousExpiresAt"`;

/**
 * Leases up to `limit` lanes in which something is due, an equal number from every tenant that has some, the longest due
 * first; not from the tenants in `except`, no slow ones from those in `exceptSlow`, and not those of the endpoints in
 * `held`, which this holder still has in hand: leased again after its lease, what is on its way there would be sent a
 * second time. Runs an engine transaction.
 */
export async function leaseLanes(
  em: EntityManager,
  {
    holder,
    limit,
    except,
    exceptSlow = [],
    held = [],
  }: {
    holder: string;
    limit: number;
    except: readonly string[];
    exceptSlow?: readonly string[];
    held?: readonly number[];
  },
): Promise<LeasedLane[]> {
  const due = {
    name: 'webhook_lanes',
    key: 'endpoint_id',
    isWaiting: sql`l.due_at is not null`,
    // A lane whose endpoint was deactivated stays due if its holder died.
    isFree: sql`
      l.active and l.due_at <= now() and l.endpoint_id <> all(${[...held]}::bigint[]) and (
        l.tenant_id <> all(${[...exceptSlow]}::text[]) or not exists (
          select 1 from webhook_health h
          where h.tenant_id = l.tenant_id and h.endpoint_id = l.endpoint_id and (h.slow or h.failures > 0)))`,
    order: sql`l.due_at`,
  } as const;
  const found = await em.transactional((tx) =>
    rows<Omit<LeasedLane, 'endpoint'> & HeldEndpoint>(
      tx,
      sql`${preparedHint}
      with recursive ${pickInTurn(due, { limit, except })}, leased as (
        update webhook_lanes l set holder = ${holder}, due_at = now() + make_interval(secs => ${LANE_LEASE_SECONDS}), forgotten = l.erasures
        from picked p where l.tenant_id = p.tenant_id and l.endpoint_id = p.endpoint_id
        returning l.*
      )
      select l.tenant_id as "tenantId", l.endpoint_id as "endpointId", l.last_sequence as "lastSequence", l.cursor, l.cursor_day as "cursorDay",
        l.nudges, l.hurried_at as "hurriedAt", h.failures, h.slow, h.last_success_at is not null as "hasSucceeded", ${endpointColumns}
      from leased l join webhook_endpoints e on e.tenant_id = l.tenant_id and e.id = l.endpoint_id
      join webhook_health h on h.tenant_id = l.tenant_id and h.endpoint_id = l.endpoint_id`,
    ),
  );
  return found.map((row) => {
    const {
      endpointId,
      lastSequence,
      cursor,
      cursorDay,
      nudges,
      hurriedAt,
      failures,
      slow,
      hasSucceeded,
      ...endpoint
    } = row;
    const { tenantId, version } = endpoint;
    return {
      ...{ tenantId, endpointId, lastSequence, cursor, cursorDay, nudges, hurriedAt, failures, slow, hasSucceeded },
      ...{ version, endpoint },
    };
  });
}

const asked = (lanes: readonly LaneKey[]) =>
  sql`json_to_recordset(${JSON.stringify(lanes.map(({ tenantId, endpointId }) => ({ t: tenantId, e: endpointId })))}::json) as r(t text, e bigint)`;

/**
 * Renews the leases of lanes; returns those that this holder still has. One that is over is not renewed, even if nobody has
 * taken the lane since: an erasure no longer waits for its holder. Runs an engine transaction.
 */
export async function renewLanes(em: EntityManager, holder: string, lanes: readonly LaneKey[]): Promise<number[]> {
  const held = await em.transactional((tx) =>
    rows<{ endpoint_id: number }>(
      tx,
      sql`
      with mine as materialized (
        select l.tenant_id, l.endpoint_id from ${asked(lanes)} join webhook_lanes l on l.tenant_id = r.t and l.endpoint_id = r.e
        where l.holder = ${holder} and l.active and l.due_at > now() order by l.endpoint_id for update of l)
      update webhook_lanes l set due_at = now() + make_interval(secs => ${LANE_LEASE_SECONDS}) from mine m
      where l.tenant_id = m.tenant_id and l.endpoint_id = m.endpoint_id returning l.endpoint_id`,
    ),
  );
  return held.map((row) => row.endpoint_id);
}

/** What is new in lanes that this holder has; those that it has no more, or whose endpoint is not active, are missing. */
export async function lookAtLanes(
  em: EntityManager,
  holder: string,
  lanes: readonly LaneKey[],
): Promise<WatchedLane[]> {
  return em.transactional((tx) =>
    rows<WatchedLane>(
      tx,
      sql`${preparedHint}
      select l.tenant_id as "tenantId", l.endpoint_id as "endpointId", l.last_sequence as "lastSequence", l.nudges,
        l.hurried_at as "hurriedAt", l.erasures, l.forgotten, e.version
      from ${asked(lanes)} join webhook_lanes l on l.tenant_id = r.t and l.endpoint_id = r.e
      join webhook_endpoints e on e.tenant_id = l.tenant_id and e.id = l.endpoint_id
      where l.holder = ${holder} and l.active`,
    ),
  );
}

const PAGE = 1000;

/**
 * Makes a page of the deliveries due that were not tried since their endpoint was activated (`hurriedAt`). Call it until
 * it returns true: then it was the last page. Runs an engine transaction.
 */
export async function hurryRetries(em: EntityManager, lane: LaneKey, hurriedAt: Date): Promise<boolean> {
  return em.transactional(async (tx) => {
    const hurried = await rows(
      tx,
      sql`
      update webhook_deliveries d set next_attempt_at = now() from (
        select sequence, day from webhook_deliveries
        where endpoint_id = ${lane.endpointId} and next_attempt_at > now() and coalesce(last_at < ${hurriedAt}::timestamptz, true)
        limit ${PAGE}) p
      where d.endpoint_id = ${lane.endpointId} and d.sequence = p.sequence and d.day = p.day returning 1`,
    );
    if (hurried.length === PAGE) return false;
    await rows(
      tx,
      sql`
      update webhook_lanes set hurried_at = null
      where tenant_id = ${lane.tenantId} and endpoint_id = ${lane.endpointId} and hurried_at <= ${hurriedAt}::timestamptz`,
    );
    return true;
  });
}

/** The endpoints of lanes, as they are now. */
export async function readHeldEndpoints(em: EntityManager, lanes: readonly LaneKey[]): Promise<HeldEndpoint[]> {
  return em.transactional((tx) =>
    rows<HeldEndpoint>(
      tx,
      sql`select ${endpointColumns} from ${asked(lanes)} join webhook_endpoints e on e.tenant_id = r.t and e.id = r.e`,
    ),
  );
}

/** Up to where a lane's deliveries were tried, and the day of the last of them. */
export interface Progress extends LaneKey {
  cursor: number;
  cursorDay: string | null;
}

const progressRows = (lanes: readonly Progress[]) =>
  sql`json_to_recordset(${JSON.stringify(lanes.map((lane) => ({ t: lane.tenantId, e: lane.endpointId, c: lane.cursor, d: lane.cursorDay })))}::json) as r(t text, e bigint, c bigint, d date)`;

/** Locks those of the lanes that this holder has. */
async function lockMine(tx: EntityManager, holder: string, lanes: readonly LaneKey[]): Promise<void> {
  await rows(
    tx,
    sql`
    select 1 from ${asked(lanes)} join webhook_lanes l on l.tenant_id = r.t and l.endpoint_id = r.e
    where l.holder = ${holder} order by l.endpoint_id for update of l`,
  );
}

/** Stores how far the lanes are; only a hint, from where the next holder reads. Runs an engine transaction. */
export async function saveProgress(em: EntityManager, holder: string, lanes: readonly Progress[]): Promise<void> {
  await em.transactional(async (tx) => {
    await lockMine(tx, holder, lanes);
    await rows(
      tx,
      sql`
      update webhook_lanes l set cursor = r.c, cursor_day = r.d from ${progressRows(lanes)}
      where l.tenant_id = r.t and l.endpoint_id = r.e and l.holder = ${holder}`,
    );
  });
}

/**
 * Gives lanes back: they are due at once if there are deliveries after `cursor`, or what waits has to be made due, else
 * when the next one is to be tried again. Runs an engine transaction.
 */
export async function releaseLanes(em: EntityManager, holder: string, lanes: readonly Progress[]): Promise<void> {
  await em.transactional(async (tx) => {
    await lockMine(tx, holder, lanes);
    // A statement of its own, which sees what was committed before the lanes were locked.
    await rows(
      tx,
      sql`
      update webhook_lanes l set holder = null, cursor = r.c, cursor_day = r.d, due_at = case
        when not l.active then null
        when l.last_sequence > r.c or l.hurried_at is not null then now()
        else (select min(next_attempt_at) from webhook_deliveries d where d.endpoint_id = l.endpoint_id and d.next_attempt_at is not null) end
      from ${progressRows(lanes)} where l.tenant_id = r.t and l.endpoint_id = r.e and l.holder = ${holder}`,
    );
  });
}

/**
 * Makes lanes due in which something waits although nobody takes them: their times are of before a step of the clock.
 * Runs an engine transaction.
 */
export async function wakeForgottenLanes(em: EntityManager): Promise<void> {
  await em.transactional((tx) =>
    rows(
      tx,
      sql`
      update webhook_lanes set due_at = now() where (tenant_id, endpoint_id) in (
        select tenant_id, endpoint_id from webhook_lanes
        where active and (holder is not null or last_sequence > cursor or hurried_at is not null) and (due_at is null or due_at > now() + interval '1 minute')
        for update skip locked)`,
    ),
  );
}

/** Throws if nobody has taken a lane for a minute in which something is due. */
export async function assertDelivering(em: EntityManager): Promise<void> {
  const late = await em.transactional((tx) =>
    rows(tx, sql`select 1 from webhook_lanes where active and due_at < now() - interval '1 minute' limit 1`),
  );
  if (late.length > 0) throw new Error('webhooks are due, and nobody delivers them');
}
