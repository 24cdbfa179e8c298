import type { Highest } from '../../db/entities/installation.ts';
import { rows, sql, type EntityManager } from '../../db/orm.ts';

/**
 * How far sequences are raised beyond what the others know: more ids than can be given between two moves of the
 * counter, also while JetStream and Temporal do not answer for minutes.
 */
const MARGIN = 10_000_000;

/** Raises all sequences beyond what others know of them. Returns how many were. Repeated, it changes nothing. */
export async function raiseSequences(tx: EntityManager, known: readonly Highest[]): Promise<number> {
  const beyond: Highest = {};
  for (const highest of known)
    for (const [name, value] of Object.entries(highest)) beyond[name] = Math.max(beyond[name] ?? 0, value);
  const [raised] = await rows<{ count: number }>(
    tx,
    sql`select raise_sequences(${JSON.stringify(beyond)}::jsonb, ${MARGIN}::bigint) as count`,
  );
  return raised!.count;
}

/** Whether and when Postgres is released: its counter passes those of the others. Engine `tx`. */
export async function passGenerations(tx: EntityManager, counters: readonly number[]): Promise<void> {
  await rows(
    tx,
    sql`update installation set counter = greatest(counter, ${Math.max(0, ...counters)}::bigint) + 1, restored_at = now()`,
  );
}
