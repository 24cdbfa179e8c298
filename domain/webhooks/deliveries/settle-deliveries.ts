import { preparedHint, rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { Disabling } from '../endpoints/disable-endpoints.ts';
import type { LaneKey } from './lanes.ts';

/** The outcome of an attempt. */
export interface Attempt {
  /** When it began. */
  at: Date;
  /** Of HTTP; null without an answer. */
  status: number | null;
  ms: number;
  error: string | null;
  /** The beginning of the answer's body. */
  response: string | null;
}

/** What came of a delivery's attempt. */
export interface Settlement extends LaneKey {
  sequence: number;
  day: string;
  /** How often it was tried before. */
  attempts: number;
  attempt: Attempt;
  /** Null: it is delivered. Else the seconds until it is tried again, if it may be. */
  delaySeconds: number | null;
  /**
   * It was tried again, and its endpoint has `ordering: contact`: deliveries about the same that wait until the next
   * attempt are due when it has ended.
   */
  isWaitedFor: boolean;
}

/** What the attempts of a batch tell about an endpoint. */
export interface HealthNote extends LaneKey {
  /** The last success among them. */
  successAt: Date | null;
  /** The failures after it. */
  failures: number;
  slow: boolean;
  /** It answered 410. */
  isGone: boolean;
  /** The endpoint's version at that attempt, else at the last one. */
  version: number;
}

/** What became of the deliveries of attempts, and of their endpoints. */
export interface Settled {
  /**
   * For each settlement, the seconds until its delivery is tried again: null if it has ended. Whatever it was when it was
   * sent: it may have been ended, or be open again, since.
   */
  againIn: (number | null)[];
  /** The endpoints to disable: they are gone, or keep failing. */
  toDisable: Disabling[];
}

/** Five days without a success, and at least so many failures, disable an endpoint. */
const FAILING_DAYS = 5;
const FAILING_ATTEMPTS = 20;

/**
 * Stores what came of attempts, in one engine transaction: repeated, it changes nothing. A delivery is DELIVERED
 * whoever reports it, for it is; a failure counts once per attempt.
 */
export async function settleDeliveries(
  em: EntityManager,
  settlements: readonly Settlement[],
  health: readonly HealthNote[],
): Promise<Settled> {
  return em.transactional(async (tx) => {
    const { delivered = [], failed = [] } = Object.groupBy(settlements, ({ delaySeconds }) =>
      delaySeconds === null ? 'delivered' : 'failed',
    );
    // By day, so that one partition is looked into.
    for (const [day, some] of Map.groupBy(delivered, (one) => one.day)) await markDelivered(tx, day, some);
    const waits = new Map<string, number>();
    for (const [day, some] of Map.groupBy(failed, (one) => one.day)) {
      await markFailed(tx, day, some);
      for (const { e, s, wait } of await waitsOf(tx, day, some)) waits.set(`${e}/${s}`, wait);
    }
    await keepOrder(tx, settlements);
    return {
      againIn: settlements.map(({ endpointId, sequence }) => waits.get(`${endpointId}/${sequence}`) ?? null),
      toDisable: health.length > 0 ? await noteHealth(tx, health) : [],
    };
  });
}

const rowOf = ({ endpointId, sequence, attempts, attempt, delaySeconds }: Settlement) => ({
  ...{ e: endpointId, s: sequence, n: attempts, at: attempt.at, status: attempt.status, ms: attempt.ms },
  ...{ error: attempt.error, response: attempt.response, delay: delaySeconds },
});
const record = sql`r(e bigint, s bigint, n int, at timestamptz, status int, ms int, error text, response text, delay float8)`;

const markDelivered = (tx: EntityManager, day: string, some: readonly Settlement[]) =>
  rows(
    tx,
    sql`${preparedHint}
    update webhook_deliveries d set status = 'DELIVERED', attempts = d.attempts + 1, next_attempt_at = null, reason = null,
      last_at = r.at, last_status = r.status, last_ms = r.ms,
      -- A receiver may repeat what was erased while the request was on its way.
      response = case when d.reason is distinct from 'erased' then r.response end
    from json_to_recordset(${JSON.stringify(some.map(rowOf))}::json) as ${record}
    where d.endpoint_id = r.e and d.sequence = r.s and d.day = ${day}::date and d.status <> 'DELIVERED'`,
  );

const markFailed = (tx: EntityManager, day: string, some: readonly Settlement[]) =>
  rows(
    tx,
    sql`${preparedHint}
    with changed as (
      update webhook_deliveries d set attempts = d.attempts + 1,
        status = case when d.attempts + 1 >= d.most_attempts then 'FAILED' else 'PENDING' end,
        reason = case when d.attempts + 1 >= d.most_attempts then 'attempts_exhausted' end,
        next_attempt_at = case when d.attempts + 1 < d.most_attempts then now() + make_interval(secs => r.delay) end,
        last_at = r.at, last_status = r.status, last_ms = r.ms
      from json_to_recordset(${JSON.stringify(some.map(rowOf))}::json) as ${record}
      where d.endpoint_id = r.e and d.sequence = r.s and d.day = ${day}::date and d.status in ('PENDING', 'SENDING') and d.attempts = r.n
      returning d.endpoint_id, d.sequence, d.day, d.tenant_id, d.attempts, r.at, r.status, r.ms, r.error, r.response
    )
    insert into webhook_attempts (endpoint_id, sequence, day, tenant_id, attempt, at, status, ms, error, response)
    select endpoint_id, sequence, day, tenant_id, attempts, at, status, ms, error, response from changed
    on conflict do nothing`,
  );

/** Those of the deliveries that are open, and the seconds until they are tried again. */
const waitsOf = (tx: EntityManager, day: string, some: readonly Settlement[]) =>
  rows<{ e: number; s: number; wait: number }>(
    tx,
    sql`${preparedHint}
    select r.e, r.s, greatest(0, coalesce(extract(epoch from d.next_attempt_at - now()), 0))::float8 as wait
    from json_to_recordset(${JSON.stringify(some.map(({ endpointId, sequence }) => ({ e: endpointId, s: sequence })))}::json) as r(e bigint, s bigint)
    join webhook_deliveries d on d.endpoint_id = r.e and d.sequence = r.s and d.day = ${day}::date
    where d.status in ('PENDING', 'SENDING')`,
  );

/** What waited for deliveries that have ended is due: what is about the same by now, for its contact may have been merged. */
async function keepOrder(tx: EntityManager, settlements: readonly Settlement[]): Promise<void> {
  const ended = settlements.flatMap(({ endpointId, sequence, day, isWaitedFor }) =>
    isWaitedFor ? [{ e: endpointId, s: sequence, d: day }] : [],
  );
  if (ended.length === 0) return;
  await rows(
    tx,
    sql`
    update webhook_deliveries d set next_attempt_at = now()
    from json_to_recordset(${JSON.stringify(ended)}::json) as r(e bigint, s bigint, d date)
    join webhook_deliveries f on f.endpoint_id = r.e and f.sequence = r.s and f.day = r.d
    where f.status not in ('PENDING', 'SENDING') and d.endpoint_id = r.e and d.subject = f.subject and d.next_attempt_at > now()`,
  );
}

async function noteHealth(tx: EntityManager, health: readonly HealthNote[]): Promise<Disabling[]> {
  const notes = health.map(({ tenantId, endpointId, successAt, failures, slow, isGone, version }) => ({
    ...{ t: tenantId, e: endpointId, at: successAt, n: failures, slow, gone: isGone, v: version },
  }));
  return rows<Disabling>(
    tx,
    sql`${preparedHint}
    with asked as materialized (
      select r.* from json_to_recordset(${JSON.stringify(notes)}::json) as r(t text, e bigint, at timestamptz, n int, slow boolean, gone boolean, v int)
      join webhook_health h on h.tenant_id = r.t and h.endpoint_id = r.e order by r.e for update of h
    ), noted as (
      update webhook_health h set
        last_success_at = greatest(h.last_success_at, a.at),
        failures = case when a.at is null then h.failures else 0 end + a.n,
        failing_since = case when a.n = 0 then null when a.at is null then coalesce(h.failing_since, now()) else now() end,
        slow = a.slow
      from asked a where h.tenant_id = a.t and h.endpoint_id = a.e
      returning h.*, a.gone, a.v
    )
    select tenant_id as "tenantId", endpoint_id as id, case when gone then 'gone' else 'failing' end as reason, v as version
    from noted where gone or (failures >= ${FAILING_ATTEMPTS} and failing_since <= now() - make_interval(days => ${FAILING_DAYS}))`,
  );
}

/** Stores successes of endpoints, if they are later than the last ones that are known. Runs an engine transaction. */
export async function noteSuccesses(em: EntityManager, notes: readonly (LaneKey & { at: Date })[]): Promise<void> {
  if (notes.length === 0) return;
  const asked = notes.map(({ tenantId, endpointId, at }) => ({ t: tenantId, e: endpointId, at }));
  await em.transactional((tx) =>
    rows(
      tx,
      sql`
      with asked as materialized (
        select r.* from json_to_recordset(${JSON.stringify(asked)}::json) as r(t text, e bigint, at timestamptz)
        join webhook_health h on h.tenant_id = r.t and h.endpoint_id = r.e order by r.e for update of h)
      update webhook_health h set last_success_at = greatest(h.last_success_at, a.at) from asked a
      where h.tenant_id = a.t and h.endpoint_id = a.e`,
    ),
  );
}

/** Shows deliveries as SENDING that have been on their way for a while. Runs an engine transaction. */
export async function markSending(
  em: EntityManager,
  deliveries: readonly Pick<Settlement, 'endpointId' | 'sequence' | 'day' | 'attempts'>[],
): Promise<void> {
  await em.transactional((tx) =>
    rows(
      tx,
      sql`
      update webhook_deliveries d set status = 'SENDING'
      from json_to_recordset(${JSON.stringify(deliveries.map((one) => ({ e: one.endpointId, s: one.sequence, d: one.day, n: one.attempts })))}::json)
        as r(e bigint, s bigint, d date, n int)
      where d.endpoint_id = r.e and d.sequence = r.s and d.day = r.d and d.status = 'PENDING' and d.attempts = r.n`,
    ),
  );
}

/** Makes deliveries of ordered endpoints wait for earlier ones with their subjects. Runs an engine transaction. */
export async function deferDeliveries(
  em: EntityManager,
  deliveries: readonly { endpointId: number; sequence: number; day: string; until: Date }[],
): Promise<void> {
  await em.transactional((tx) =>
    rows(
      tx,
      sql`
      update webhook_deliveries d set next_attempt_at = r.until
      from json_to_recordset(${JSON.stringify(deliveries.map((one) => ({ e: one.endpointId, s: one.sequence, d: one.day, until: one.until })))}::json)
        as r(e bigint, s bigint, d date, until timestamptz)
      where d.endpoint_id = r.e and d.sequence = r.s and d.day = r.d and d.status in ('PENDING', 'SENDING')`,
    ),
  );
}
