/** The progress of undoing an import: contacts deleted, restored, and kept unchanged. */
export interface UndoFigures {
  removed: number;
  restored: number;
  kept: number;
}

/**
 * The data in a chunk's ledger row for undoing the chunk. Ids of new rows are stored as ranges, because they are close
 * together; changed contacts by id, so that an erasure can find and remove them.
 */
export interface UndoRecord {
  /** Created contacts, at version 1 then: [first, last] of each range of ids. */
  made?: [number, number][];
  /** Changed contacts: their version after the change, and the previous values of the changed columns. */
  updated?: Record<string, { v: number; was: Record<string, unknown> }>;
  /** Contacts added to the import's list, as ranges. */
  listed?: [number, number][];
  suppressed?: number[];
  companies?: number[];
}

/** The record while the chunk is merged: the large parts as JSON text that the database builds. */
export interface UndoParts {
  made?: string;
  updated?: string;
  listed?: string;
  suppressed: number[];
  companies: number[];
}

/** The record as JSON. */
export function undoRecord({ suppressed, companies, ...texts }: UndoParts): string {
  const lists = Object.entries({ suppressed, companies })
    .filter(([, ids]) => ids.length > 0)
    .map(([name, ids]) => [name, JSON.stringify(ids)]);
  return `{${[...Object.entries(texts), ...lists].map(([name, text]) => `"${name}":${text}`).join(',')}}`;
}

/** SQL for the ranges of `contact_id` in a table expression, as JSON text; null if it is empty. */
export function idRanges(source: string): string {
  return `(
    select '[' || string_agg('[' || low || ',' || high || ']', ',') || ']' from (
      select min(contact_id) as low, max(contact_id) as high
      from (select contact_id, contact_id - row_number() over (order by contact_id) as run from ${source}) numbered group by run
    ) runs)`;
}

/** The JSON texts of two lists of ranges as one. */
export const joinRanges = (a: string | undefined, b: string | undefined): string | undefined =>
  a && b ? `${a.slice(0, -1)},${b.slice(1)}` : (a ?? b);

/**
 * SQL for one member of `updated`, from the contact before (`old`) and after the change (`new`). As text, because
 * building jsonb piece by piece takes twice as long.
 */
export function beforeImage(columns: readonly string[]): string {
  const members = columns.map(
    (column) =>
      `case when new.${column} is distinct from old.${column} then '"${column}":' || coalesce(to_json(old.${column})::text, 'null') end`,
  );
  return `'"' || new.id || '":{"v":' || new.version || ',"was":{' || concat_ws(',', ${members.join(', ')}) || '}}'`;
}

/** Expands ranges to ids. */
export function idsOfRanges(ranges: readonly [number, number][] = []): number[] {
  return ranges.flatMap(([low, high]) => Array.from({ length: high - low + 1 }, (_, n) => low + n));
}
