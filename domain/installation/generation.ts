import type { Highest } from '../../db/entities/installation.ts';
import { rows, sql, type EntityManager } from '../../db/orm.ts';

/** What Postgres, JetStream and Temporal each keep of the generation of an installation. */
export interface Generation {
  id: string;
  counter: number;
  /** When the counter last moved in a process that had compared it with all others (RFC 3339). */
  movedAt: string;
  highest: Highest;
}

const columns = sql`id, counter, to_char(moved_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "movedAt", highest`;

/** The statement that reads the generation, as text: also for connections that are not the ORM's. */
export const READ_GENERATION = 'select id, counter from installation';

/** The generation that Postgres has. Engine `em`. */
export async function readGeneration(em: EntityManager): Promise<Generation> {
  const [found] = await em.transactional((tx) => rows<Generation>(tx, sql`select ${columns} from installation`));
  return found!;
}

/**
 * Moves the counter on, and notes what each sequence has given. The time moves only if this process has compared the
 * generation with all others: if one that was away knows better, the time is still that of the copy. Engine `em`.
 */
export async function moveGeneration(
  em: EntityManager,
  { allCompared }: { allCompared: boolean },
): Promise<Generation> {
  const [moved] = await em.transactional((tx) =>
    rows<Generation>(
      tx,
      sql`
      update installation set counter = counter + 1, moved_at = case when ${allCompared} then now() else moved_at end, highest = ${highestNow}
      returning ${columns}`,
    ),
  );
  return moved!;
}

/** What each sequence has given; one that has given nothing is left out. */
export const highestNow = sql`(
  select coalesce(jsonb_object_agg(sequencename, last_value), '{}')
  from pg_sequences where schemaname = 'public' and last_value is not null)`;

/**
 * Why nothing may leave with the generation `own` of Postgres while another part has `other`; null if all is well. A
 * part that is behind was not reached by the last move, or is new.
 */
export function reasonToHold(own: Generation, other: Generation, part: string): string | null {
  if (own.id !== other.id) return `${part} belongs to another installation than Postgres`;
  if (own.counter >= other.counter) return null;
  return `Postgres was put back to an older copy: it is of ${own.movedAt}, ${part} knows of ${other.movedAt}`;
}
