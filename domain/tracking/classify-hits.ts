import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { emailHits } from './email-hits.ts';
import type { HitLedger, PendingHit } from './hit-ledger.ts';
import { messageHits } from './message-hits.ts';
import { scannerClicks } from './scanner-bursts.ts';

const BATCH = 1000;

interface AroundRow {
  id: number;
  subject: number;
  at: Date;
  url: string;
}

/**
 * Classifies hits received at least `afterSeconds` ago as automated or not, and writes their events. By then all links
 * that a scanner followed within the same second are stored, whichever process received them. A click by a
 * person implies an open, where there was none by a person before. Returns how many hits it classified. Engine `em`.
 */
export async function classifyHits(em: EntityManager, afterSeconds: number): Promise<number> {
  return (await classify(em, emailHits, afterSeconds)) + (await classify(em, messageHits, afterSeconds));
}

async function classify<Row extends PendingHit>(
  em: EntityManager,
  ledger: HitLedger<Row>,
  afterSeconds: number,
): Promise<number> {
  return em.transactional(async (tx) => {
    const [lock] = await rows<{ taken: boolean }>(tx, sql`select pg_try_advisory_xact_lock(${ledger.lock}) as taken`);
    if (!lock?.taken) return 0;
    const pending = await ledger.readPending(tx, afterSeconds, BATCH);
    if (pending.length === 0) return 0;
    const scanned = await findScanned(tx, ledger, pending);
    const known = await knownFirsts(tx, ledger, pending);
    const implying: Row[] = [];
    for (const hit of pending.sort(inOrder)) {
      hit.automated = scanned.has(hit.id);
      hit.first = !hit.automated && isFirst(known, hit.subject, hit.type);
      const implies = ledger.inferOpens && hit.type === 'CLICK' && !hit.automated;
      if (implies && isFirst(known, hit.subject, 'OPEN')) implying.push(hit);
    }
    const verdicts = JSON.stringify(pending.map(({ id, automated, first }) => ({ id, automated, first })));
    await rows(
      tx,
      sql`
      update ${ledger.table} v set automated = d.automated, first = d.first
      from jsonb_to_recordset(${verdicts}::jsonb) as d(id bigint, automated boolean, first boolean) where v.id = d.id`,
    );
    await ledger.settle(
      tx,
      pending.filter((hit) => !hit.automated),
    );
    const opens = implying.length > 0 ? await ledger.inferOpens!(tx, implying) : [];
    await ledger.tell(tx, [...opens, ...pending].sort(inOrder));
    return pending.length;
  });
}

/** By time; of an open and a click at the same time, the open comes first. */
const inOrder = (a: PendingHit, b: PendingHit): number =>
  a.at.getTime() - b.at.getTime() || Number(a.type === 'CLICK') - Number(b.type === 'CLICK');

/** Whether there was no hit of this type before; from then on there was one. */
function isFirst(known: Set<string>, subject: number, type: PendingHit['type']): boolean {
  const key = `${subject} ${type}`;
  const isNew = !known.has(key);
  known.add(key);
  return isNew;
}

/**
 * Ids of pending clicks that are part of a scanner's burst, considering all clicks of their emails or messages at around
 * that time.
 */
async function findScanned<Row extends PendingHit>(
  tx: EntityManager,
  { table, subject, type }: HitLedger<Row>,
  pending: readonly Row[],
): Promise<Set<number>> {
  const clicks = pending.filter((hit) => hit.type === 'CLICK' && (hit.link_count ?? 0) >= 2);
  if (clicks.length === 0) return new Set();
  const subjects = new Map(clicks.map((hit) => [hit.subject, hit]));
  const times = clicks.map((hit) => hit.at.getTime());
  const around = await rows<AroundRow>(
    tx,
    sql`
    select v.id, ${subject} as subject, v.at, v.url from ${table} v
    where (v.tenant_id, ${subject}) in (${sql.join([...subjects.values()].map((hit) => sql`(${hit.tenant_id}, ${hit.subject}::bigint)`))})
      and ${type} = 'CLICK' and v.at between ${new Date(Math.min(...times) - 1000)} and ${new Date(Math.max(...times) + 1000)}`,
  );
  const found = new Set<number>();
  for (const [id, group] of Map.groupBy(around, (click) => click.subject)) {
    const burst = scannerClicks(
      group.map((click) => ({ id: click.id, at: click.at.getTime(), url: click.url })),
      subjects.get(id)!.link_count,
    );
    for (const click of burst) found.add(click.id);
  }
  return found;
}

/** `subject type` for what already has its first hit of that type. */
async function knownFirsts<Row extends PendingHit>(
  tx: EntityManager,
  { table, subject, type }: HitLedger<Row>,
  pending: readonly Row[],
): Promise<Set<string>> {
  const ids = [...new Set(pending.map((hit) => hit.subject))];
  const tenants = [...new Set(pending.map((hit) => hit.tenant_id))];
  const found = await rows<{ subject: number; type: string }>(
    tx,
    sql`
    select ${subject} as subject, ${type} as type from ${table} v
    where v.tenant_id = any(${tenants}::text[]) and ${subject} = any(${ids}::bigint[]) and v.first`,
  );
  return new Set(found.map((row) => `${row.subject} ${row.type}`));
}
