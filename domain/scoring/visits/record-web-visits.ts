import { createHash } from 'node:crypto';
import { preparedHint, freshTransaction, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendEventsOfTenants } from '../../../events/outbox.ts';
import { isOfToken } from '../../addresses/tokens.ts';
import { isBeingErased } from '../../contact-values/being-erased.ts';
import { keptPage, type VisitedPage } from './visited-page.ts';

/** A page that is visited again within this time after a visit that counted does not count. */
const REPEATED_SECONDS = 10;
/** The most visits of one contact that count within a minute, which begins with the first of them. */
const MOST_PER_MINUTE = 60;

/** A visit that the script of a website told of, by a valid token of the contact. */
export interface WebVisit {
  tenantId: string;
  contactId: number;
  /** When the token was made. */
  madeAt: Date;
  page: VisitedPage & { url: string };
  requestId: string;
}

interface KeyedVisit {
  tenantId: string;
  contactId: number;
  madeAt: Date;
  /** Stands for the page. */
  key: string;
}

/**
 * Writes WEBSITE_VISITED for visits that came at about the same time, in a transaction of the engine. Visits of
 * contacts that do not exist or are being erased, repeated ones and those beyond the limit of a contact are not kept.
 */
export async function recordWebVisits(em: EntityManager, visits: readonly WebVisit[]): Promise<void> {
  const kept = visits.map(({ page, ...visit }) => ({ ...visit, page: keptPage(page) }));
  const keyed = kept.map((visit) => ({
    ...visit,
    key: createHash('sha256').update(visit.page.url!).digest('base64url'),
  }));
  // Retried, because one deadlock would lose the visits of everybody in the batch.
  await freshTransaction(em, async (tx) => {
    const counted = await noteVisits(tx, await lockContactsOf(tx, keyed));
    await appendEventsOfTenants(
      tx,
      counted.map(({ tenantId, contactId, page, requestId }) => ({
        tenantId,
        event: { type: 'WEBSITE_VISITED', requestId, data: { contactId, ...page } },
      })),
    );
  });
}

/**
 * Locks the contacts of the visits, and returns the visits of those that exist, and are of their tokens. From here on, a
 * request for an erasure waits, and the erasure finds the events.
 */
async function lockContactsOf<Visit extends KeyedVisit>(tx: EntityManager, visits: readonly Visit[]): Promise<Visit[]> {
  const found = await rows<{ tenantId: string; contactId: number; createdAt: Date }>(
    tx,
    sql`${preparedHint}
    select tenant_id as "tenantId", id as "contactId", created_at as "createdAt" from contacts
    where (tenant_id, id) in (select t, c from jsonb_to_recordset(${payloadOf(visits)}::jsonb) as r(t text, c bigint))
    order by tenant_id, id for key share`,
  );
  const keyOf = ({ tenantId, contactId }: { tenantId: string; contactId: number }): string =>
    `${tenantId}/${contactId}`;
  const known = new Map(found.map((contact) => [keyOf(contact), contact]));
  return visits.filter((visit) => {
    const contact = known.get(keyOf(visit));
    return contact !== undefined && isOfToken(contact, visit.madeAt);
  });
}

/**
 * Notes when contacts, which are locked, visited pages, and returns the visits that count. The row of `visit_counts`
 * keeps processes that get visits of the same contact apart, so none of them goes beyond the limit.
 */
async function noteVisits<Visit extends KeyedVisit>(tx: EntityManager, visits: readonly Visit[]): Promise<Visit[]> {
  const counted = await rows<{ n: number }>(
    tx,
    sql`${preparedHint}
    with asked as (
      select distinct on (t, c, p) n, t, c, p
      from jsonb_to_recordset(${payloadOf(visits)}::jsonb) as r(n int, t text, c bigint, p text)
      order by t, c, p, n
    ), fresh as materialized (
      select a.*, row_number() over (partition by a.t, a.c order by a.n) as nth from asked a
      where not ${isBeingErased(sql`a.t`, sql`a.c`)} and not exists (
        select 1 from recent_visits v
        where v.tenant_id = a.t and v.contact_id = a.c and v.page = a.p and v.at > now() - make_interval(secs => ${REPEATED_SECONDS}))
    ), tallied as (
      insert into visit_counts as v (tenant_id, contact_id, since, visits)
      select t, c, now(), least(count(*), ${MOST_PER_MINUTE}) from fresh group by t, c order by t, c
      on conflict (tenant_id, contact_id) do update set
        since = case when ${isCounting} then v.since else excluded.since end,
        visits = least(case when ${isCounting} then v.visits else 0 end + excluded.visits, ${MOST_PER_MINUTE})
      returning new.tenant_id, new.contact_id, case when old.since = new.since then old.visits else 0 end as before
    ), noted as (
      insert into recent_visits as v (tenant_id, contact_id, page, at)
      select f.t, f.c, f.p, now() from fresh f join tallied b on b.tenant_id = f.t and b.contact_id = f.c
      where b.before + f.nth <= ${MOST_PER_MINUTE} order by f.t, f.c, f.p
      on conflict (tenant_id, contact_id, page) do update set at = excluded.at
      where v.at <= excluded.at - make_interval(secs => ${REPEATED_SECONDS})
      returning v.tenant_id, v.contact_id, v.page
    )
    select a.n from noted v join asked a on (a.t, a.c, a.p) = (v.tenant_id, v.contact_id, v.page) order by a.n`,
  );
  return counted.map(({ n }) => visits[n]!);
}

/** Whether the minute of a row of visit_counts goes on at the visit that is counted. */
const isCounting = sql`v.since > excluded.since - interval '1 minute'`;

const payloadOf = (visits: readonly KeyedVisit[]): string =>
  JSON.stringify(visits.map(({ tenantId: t, contactId: c, key: p }, n) => ({ n, t, c, p })));

/**
 * Deletes notes and counts of visits that say nothing any more. Skips what is locked, because visits lock rows in
 * another order, and next time is soon enough. Engine `em`.
 */
export async function deleteOldVisits(em: EntityManager): Promise<void> {
  await em.transactional(async (tx) => {
    await rows(
      tx,
      sql`
      delete from recent_visits where (tenant_id, contact_id, page) in (
        select tenant_id, contact_id, page from recent_visits where at < now() - interval '1 minute' for update skip locked)`,
    );
    await rows(
      tx,
      sql`
      delete from visit_counts where (tenant_id, contact_id) in (
        select tenant_id, contact_id from visit_counts where since < now() - interval '1 minute' for update skip locked)`,
    );
  });
}
