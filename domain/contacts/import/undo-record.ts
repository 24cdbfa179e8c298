/** What undoing an import has done so far: contacts removed, restored, and left as they are. */
export interface UndoFigures {
  removed: number;
  restored: number;
  kept: number;
}

/**
 * What a chunk's ledger row keeps so that the chunk can be undone. Ids are kept as ranges, for the new ones of a chunk lie
 * close together; contacts by their id, so that an erasure finds and removes one.
 */
export interface UndoRecord {
  /** Contacts that it made: [first, last] of each run of ids. It left them at version 1. */
  made?: [number, number][];
  /** Contacts that it changed: the version it left them at, and what the columns that it changed held before. */
  updated?: Record<string, { v: number; was: Record<string, unknown> }>;
  /** Contacts that it added to the import's list, as `made`. */
  listed?: [number, number][];
  suppressed?: number[];
  companies?: number[];
}

/** The record while the chunk is merged: the large parts as the JSON text that the database makes of them. */
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

/** SQL for the JSON text of the runs of `contact_id` in a table expression; null when it is empty. */
export function idRanges(source: string): string {
  return `(
    select '[' || string_agg('[' || low || ',' || high || ']', ',') || ']' from (
      select min(contact_id) as low, max(contact_id) as high
      from (select contact_id, contact_id - row_number() over (order by contact_id) as run from ${source}) numbered group by run
    ) runs)`;
}

/**
 * SQL for one member of `updated`, of the contact as it was (`old`) and as it is now (`new`). Text, because jsonb built up
 * piece by piece takes twice as long.
 */
export function beforeImage(columns: readonly string[]): string {
  const members = columns.map(
    (column) =>
      `case when new.${column} is distinct from old.${column} then '"${column}":' || coalesce(to_json(old.${column})::text, 'null') end`,
  );
  return `'"' || new.id || '":{"v":' || new.version || ',"was":{' || concat_ws(',', ${members.join(', ')}) || '}}'`;
}

/** The ids of ranges. */
export function idsOfRanges(ranges: readonly [number, number][] = []): number[] {
  return ranges.flatMap(([low, high]) => Array.from({ length: high - low + 1 }, (_, n) => low + n));
}
