import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { settleByHits } from '../ledger/settle-by-evidence.ts';
import { appendHitEvents, type HitRow } from './hit-events.ts';
import { scannerClicks } from './scanner-bursts.ts';

const BATCH = 1000;
/**
 * An advisory lock: only one process classifies at a time, so that at most one hit becomes the "first open" of an
 * email.
 */
const LOCK = 0x7065_7266;

interface PendingRow extends HitRow {
  id: number;
  link_count: number | null;
}

interface AroundRow {
  id: number;
  email_id: number;
  at: Date;
  url: string;
}

/**
 * Classifies hits received at least `afterSeconds` ago as automated or not, and writes their events. By then all links
 * that a scanner followed within the same second are stored, whichever process received them. Returns how many hits it
 * classified. Engine transaction.
 */
export async function classifyHits(em: EntityManager, afterSeconds: number): Promise<number> {
  return em.transactional(async (tx) => {
    const [lock] = await rows<{ taken: boolean }>(tx, sql`select pg_try_advisory_xact_lock(${LOCK}) as taken`);
    if (!lock?.taken) return 0;
    const pending = await rows<PendingRow>(
      tx,
      sql`
      select v.id, v.tenant_id, v.email_id, v.type, v.at, v.url, e.link_count, e.contact_id, e.template_id, e.campaign_id, e.external_id
      from email_events v join emails e on e.tenant_id = v.tenant_id and e.id = v.email_id
      where v.automated is null and v.received_at <= now() - make_interval(secs => ${afterSeconds})
      order by v.received_at, v.id limit ${BATCH}`,
    );
    if (pending.length === 0) return 0;
    const scanned = await findScanned(tx, pending);
    const known = await knownFirsts(tx, pending);
    pending.sort((a, b) => a.at.getTime() - b.at.getTime());
    for (const hit of pending) {
      const key = `${hit.email_id} ${hit.type}`;
      hit.automated = scanned.has(hit.id);
      hit.first = !hit.automated && !known.has(key);
      if (hit.first) known.add(key);
    }
    const verdicts = JSON.stringify(pending.map(({ id, automated, first }) => ({ id, automated, first })));
    await rows(
      tx,
      sql`
      update email_events v set automated = d.automated, first = d.first
      from jsonb_to_recordset(${verdicts}::jsonb) as d(id bigint, automated boolean, first boolean) where v.id = d.id`,
    );
    await settleByHits(
      tx,
      pending.filter((hit) => !hit.automated).map((hit) => ({ tenantId: hit.tenant_id, id: hit.email_id })),
    );
    await appendHitEvents(tx, pending);
    return pending.length;
  });
}

/**
 * Ids of pending clicks that are part of a scanner's burst, considering all clicks of their emails at around that
 * time.
 */
async function findScanned(tx: EntityManager, pending: readonly PendingRow[]): Promise<Set<number>> {
  const clicks = pending.filter((hit) => hit.type === 'CLICK' && (hit.link_count ?? 0) >= 2);
  if (clicks.length === 0) return new Set();
  const emails = new Map(clicks.map((hit) => [hit.email_id, hit]));
  const times = clicks.map((hit) => hit.at.getTime());
  const around = await rows<AroundRow>(
    tx,
    sql`
    select v.id, v.email_id, v.at, v.url from email_events v
    where (v.tenant_id, v.email_id) in (${sql.join([...emails.values()].map((hit) => sql`(${hit.tenant_id}, ${hit.email_id}::bigint)`))})
      and v.type = 'CLICK' and v.at between ${new Date(Math.min(...times) - 1000)} and ${new Date(Math.max(...times) + 1000)}`,
  );
  const found = new Set<number>();
  for (const [emailId, group] of Map.groupBy(around, (click) => click.email_id)) {
    const burst = scannerClicks(
      group.map(({ id, at, url }) => ({ id, at: at.getTime(), url })),
      emails.get(emailId)!.link_count,
    );
    for (const click of burst) found.add(click.id);
  }
  return found;
}

/** `emailId type` for emails that already have their first hit of that type. */
async function knownFirsts(tx: EntityManager, pending: readonly PendingRow[]): Promise<Set<string>> {
  const ids = [...new Set(pending.map((hit) => hit.email_id))];
  const tenants = [...new Set(pending.map((hit) => hit.tenant_id))];
  const found = await rows<{ email_id: number; type: string }>(
    tx,
    sql`
    select email_id, type from email_events where tenant_id = any(${tenants}::text[]) and email_id = any(${ids}::bigint[]) and first`,
  );
  return new Set(found.map((row) => `${row.email_id} ${row.type}`));
}
