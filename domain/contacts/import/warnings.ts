/** What may not be meant in a file, though it was imported. */
export interface ImportWarning {
  readonly code: string;
  /** The column's header; null for the file as a whole. */
  readonly column: string | null;
  readonly message: string;
  /** In how many rows, and the numbers of the first of them; absent if it is not about rows. */
  readonly count?: number;
  readonly rows?: readonly number[];
}

/** How many row numbers a warning has at most. */
export const NAMED_ROWS = 10;
/** How many warnings about rows an import has at most. */
const MAX_ROW_WARNINGS = 400;

/** Adds warnings about rows to those of an import. Warnings that differ only in their rows are one. */
export function mergeWarnings(
  before: readonly ImportWarning[],
  found: readonly ImportWarning[],
): readonly ImportWarning[] {
  const merged = [...before];
  const places = new Map(before.map((warning, index) => [keyOf(warning), index]));
  for (const warning of found) {
    const place = places.get(keyOf(warning));
    if (place !== undefined) {
      const { count = 0, rows = [], ...rest } = merged[place]!;
      const more = [...rows, ...(warning.rows ?? [])].slice(0, NAMED_ROWS);
      merged[place] = { ...rest, count: count + (warning.count ?? 0), rows: more };
    } else if (merged.length < MAX_ROW_WARNINGS) {
      places.set(keyOf(warning), merged.length);
      merged.push({ ...warning });
    }
  }
  return merged;
}

const keyOf = ({ code, column, message }: ImportWarning): string => JSON.stringify([code, column, message]);
