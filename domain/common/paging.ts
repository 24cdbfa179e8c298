import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { AppError } from '../../lib/checks/errors.ts';

export interface ListQuery {
  limit?: number;
  cursor?: string;
  sort?: string;
  includeTotal?: boolean;
}

/** A field that a list can be sorted by: its SQL, which is never null, and the type its value is bound as. */
export interface SortField {
  column: RawBuilder<unknown>;
  type: 'bigint' | 'timestamptz' | 'text' | 'integer';
}

export interface Page<T> {
  data: T[];
  page: { limit: number; nextCursor: string | null; hasMore: boolean; total?: number };
}

interface Cursor {
  sort: string;
  value: string | number;
  id: number;
}

const INT4_MAX = 2 ** 31 - 1;

/** Only as it is written: an impossible day would be another day to JavaScript, and an error to Postgres. */
function isInstant(text: string): boolean {
  const at = new Date(text);
  return !Number.isNaN(at.getTime()) && at.getUTCFullYear() > 0 && at.toISOString() === text && text.length === 24;
}

/** Whether a value in a cursor has the form that this service writes for the type of the field. */
const isValueOf: Record<SortField['type'], (value: unknown) => boolean> = {
  bigint: Number.isSafeInteger,
  integer: (value) => Number.isSafeInteger(value) && Math.abs(value as number) <= INT4_MAX,
  timestamptz: (value) => typeof value === 'string' && isInstant(value),
  text: (value) => typeof value === 'string' && value.isWellFormed() && !value.includes('\0'),
};

const writeCursor = (sort: string, value: unknown, id: number): string =>
  Buffer.from(JSON.stringify([sort, value, id])).toString('base64url');

/** Throws `validation_failed` for a cursor that is not as this service writes it for the sort order. */
function readCursor(cursor: string, sort: string, type: SortField['type']): Cursor {
  try {
    const [from, value, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [
      string,
      string | number,
      number,
    ];
    const isOurs = from === sort && isValueOf[type](value) && Number.isSafeInteger(id);
    if (isOurs && writeCursor(from, value, id) === cursor) return { sort: from, value, id };
  } catch {
    // Falls through to the error below, the same for every invalid cursor.
  }
  throw new AppError('validation_failed', 'The cursor does not belong to this list and sort order', {
    errors: [{ path: '/cursor', code: 'invalid', message: 'does not belong to this list and sort order' }],
  });
}

/**
 * Keyset paging: the SQL pieces of one page, ordered by the sort field and then the id, so that the order is total and
 * stable under concurrent inserts. `sortable` maps API field names; it must contain `id`.
 *
 *   const page = keyset(query, { id: { column: sql`c.id`, type: 'bigint' }, … });
 *   const found = await rows<Row>(tx, sql`select …, ${page.sortValue} from … where ${page.where}
 *     order by ${page.orderBy} limit ${page.fetch}`);
 *   return page.toPage(found, present, total);
 *
 * Every row must have `id` and `sort_value` (`page.sortValue` selects it).
 */
export function keyset(query: ListQuery, sortable: Record<string, SortField> & { id: SortField }) {
  const limit = query.limit ?? 50;
  const sort = query.sort ?? '-id';
  const descending = sort.startsWith('-');
  const field = sortable[descending ? sort.slice(1) : sort]!;
  const { column } = field;
  const id = sortable.id.column;
  const cursor = query.cursor === undefined ? null : readCursor(query.cursor, sort, field.type);
  const comparison = descending ? sql`<` : sql`>`;
  const direction = descending ? sql`desc` : sql`asc`;
  return {
    where: cursor
      ? sql`(${column}, ${id}) ${comparison} (${cursor.value}::${sql.raw(field.type)}, ${cursor.id}::bigint)`
      : sql`true`,
    orderBy: sql`${column} ${direction}, ${id} ${direction}`,
    sortValue: sql`${column} as sort_value`,
    fetch: limit + 1,
    toPage<R extends { id: number; sort_value: unknown }, T>(
      found: R[],
      present: (row: R) => T,
      total?: number,
    ): Page<T> {
      const shown = found.slice(0, limit);
      const last = shown.at(-1);
      const hasMore = found.length > limit;
      const value = last?.sort_value instanceof Date ? last.sort_value.toISOString() : last?.sort_value;
      return {
        data: shown.map(present),
        page: {
          limit,
          nextCursor: hasMore && last ? writeCursor(sort, value, last.id) : null,
          hasMore,
          ...(total === undefined ? {} : { total }),
        },
      };
    },
  };
}
