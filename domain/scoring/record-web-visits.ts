import { createHash } from 'node:crypto';
import { preparedHint, rows, sql, type EntityManager } from '../../db/orm.ts';
import { appendEventsOfTenants } from '../../events/outbox.ts';
import { keptPage, type VisitedPage } from './visited-page.ts';

/** A page that is visited again within this time after a visit that counted does not count. */
const REPEATED_SECONDS = 10;
/** The most pages of one contact that count within a minute. */
const MOST_PER_MINUTE = 60;

/** A visit that the script of a website told of, by a valid token of the contact. */
export interface WebVisit {
  tenantId: string;
  contactId: number;
  page: VisitedPage & { url: string };
  requestId: string;
}

/**
 * Writes WEBSITE_VISITED for visits that came at about the same time, in a transaction of the engine. Visits of
 * contacts that do not exist, repeated ones and those beyond the limit of a contact are not kept.
 */
export async function recordWebVisits(em: EntityManager, visits: readonly WebVisit[]): Promise<void> {
  const kept = visits.map(({ page, ...visit }) => ({ ...visit, page: keptPage(page) }));
  const keyed = kept.map((visit) => ({
    ...visit,
    key: createHash('sha256').update(visit.page.url!).digest('base64url'),
  }));
  await em.transactional(async (tx) => {
    const counted = await noteVisits(tx, keyed);
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
 * Notes when contacts visited pages, and returns the visits that count. The contacts are locked against deletion, so
 * that an erasure comes either before the visit or finds its event.
 */
async function noteVisits<Visit extends { tenantId: string; contactId: number; key: string }>(
  tx: EntityManager,
  visits: readonly Visit[],
): Promise<Visit[]> {
  const payload = JSON.stringify(visits.map(({ tenantId: t, contactId: c, key: p }, n) => ({ n, t, c, p })));
  const counted = await rows<{ n: number }>(
    tx,
    sql`${preparedHint}
    with asked as (
      select distinct on (t, c, p) n, t, c, p from jsonb_to_recordset(${payload}::jsonb) as r(n int, t text, c bigint, p text)
      order by t, c, p, n
    ), known as materialized (
      select x.tenant_id, x.id from contacts x where (x.tenant_id, x.id) in (select t, c from asked)
      order by x.tenant_id, x.id for key share
    ), numbered as (
      select a.*, row_number() over (partition by a.t, a.c order by a.n) + (
        select count(*) from recent_visits v
        where v.tenant_id = a.t and v.contact_id = a.c and v.at > now() - interval '1 minute') as nth
      from asked a join known k on k.tenant_id = a.t and k.id = a.c
    ), noted as (
      insert into recent_visits as v (tenant_id, contact_id, page, at)
      select t, c, p, now() from numbered where nth <= ${MOST_PER_MINUTE} order by t, c, p
      on conflict (tenant_id, contact_id, page) do update set at = excluded.at
      where v.at <= excluded.at - make_interval(secs => ${REPEATED_SECONDS})
      returning v.tenant_id, v.contact_id, v.page
    )
    select a.n from noted v join asked a on (a.t, a.c, a.p) = (v.tenant_id, v.contact_id, v.page) order by a.n`,
  );
  return counted.map(({ n }) => visits[n]!);
}

/** Deletes notes of visits that say nothing any more. Engine `em`. */
export async function deleteOldVisits(em: EntityManager): Promise<void> {
  await em.transactional((tx) => rows(tx, sql`delete from recent_visits where at < now() - interval '1 minute'`));
}
