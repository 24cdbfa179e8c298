import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { FieldOperator } from './filter-fields.ts';
import type { FieldLeaf, FilterScalar } from './filter.ts';
import { instantRange } from '../../../lib/time/instants.ts';
import { momentBefore, type Now } from './relative-time.ts';

export type Condition = RawBuilder<SqlBool>;

/** How a single value is stored: as text, bigint, numeric, `true`/`false`, `YYYY-MM-DD` or timestamptz. */
export type StoredAs = 'text' | 'bigint' | 'numeric' | 'boolean' | 'date' | 'instant';

/** The SQL value that a leaf tests; NULL means missing. */
export interface Operand {
  stored: StoredAs;
  value: RawBuilder<unknown>;
  /** Whether `value` is a bare column: comparisons are then written so that its index can be used. */
  column?: boolean;
  /** A value that `eq` and `in` compare instead, and the conversion of their operands (for an address: its key). */
  key?: { value: RawBuilder<unknown>; of: (text: string) => string };
}

const OPPOSITES: Partial<Record<FieldOperator, FieldOperator>> = { ne: 'eq', notIn: 'in', notExists: 'exists' };

/** The positive operator that a negative one negates: `eq` for `ne`, `in` for `notIn`, `exists` for `notExists`. */
export const oppositeOf = (operator: FieldOperator): FieldOperator | undefined => OPPOSITES[operator];

/** Converts to NFC, in which contacts are stored. */
export const nfc = (value: unknown): string => String(value).normalize('NFC');

/** One condition on an operand. It is true or false, never null, so that it can be negated. */
export function compareOperand(operand: Operand, leaf: Pick<FieldLeaf, 'operator' | 'value'>, now: Now): Condition {
  const { operator, value } = leaf;
  const opposite = oppositeOf(operator);
  if (opposite) return sql`not ${compareOperand(operand, { ...leaf, operator: opposite }, now)}`;
  if (operator === 'exists') return sql`(${operand.value} is not null)`;
  const { key } = operand;
  if (key && (operator === 'eq' || operator === 'in')) {
    return compareOperand(
      { stored: 'text', value: key.value, column: true },
      { operator, value: mapValues(value, key.of) },
      now,
    );
  }
  const held = test(operand, operator, value, now);
  return operand.column ? sql`(${operand.value} is not null and ${held})` : sql`coalesce(${held}, false)`;
}

function mapValues(value: FieldLeaf['value'], of: (text: string) => string): string | string[] {
  return Array.isArray(value) ? value.map((item) => of(String(item))) : of(String(value));
}

function test(operand: Operand, operator: FieldOperator, value: FieldLeaf['value'], now: Now): Condition {
  if (operator === 'withinLastDays') return withinLastDays(operand, Number(value), now);
  const values = (Array.isArray(value) ? value : [value]) as FilterScalar[];
  if (operand.stored === 'instant') return compareInstant(operand.value, operator, values);
  const [first, second] = values.map((item) => bind(operand.stored, item));
  const of = ordered(operand);
  switch (operator) {
    case 'eq':
      return sql`${operand.value} = ${first}`;
    case 'in':
      return sql`${operand.value} = any(${values.map((item) => asText(operand.stored, item))}::${sql.raw(TYPES[operand.stored])}[])`;
    case 'contains':
      return like(operand, `%${literal(values[0])}%`);
    case 'startsWith':
      return like(operand, `${literal(values[0])}%`);
    case 'endsWith':
      return like(operand, `%${literal(values[0])}`);
    case 'gt':
    case 'after':
      return sql`${of} > ${first}`;
    case 'gte':
      return sql`${of} >= ${first}`;
    case 'lt':
    case 'before':
      return sql`${of} < ${first}`;
    case 'lte':
      return sql`${of} <= ${first}`;
    case 'between':
      return sql`(${of} >= ${first} and ${of} <= ${second})`;
    default:
      throw new Error(`${operator} is no comparison`);
  }
}

const TYPES: Record<StoredAs, string> = {
  text: 'text',
  bigint: 'bigint',
  numeric: 'numeric',
  boolean: 'text',
  date: 'text',
  instant: 'timestamptz',
};

function asText(stored: StoredAs, value: FilterScalar): string {
  return stored === 'text' ? nfc(value) : String(value);
}

function bind(stored: StoredAs, value: FilterScalar): RawBuilder<unknown> {
  return sql`${asText(stored, value)}::${sql.raw(TYPES[stored])}`;
}

/** Dates are compared as text, byte by byte, independent of the database's collation. */
function ordered({ stored, value }: Operand): RawBuilder<unknown> {
  return stored === 'date' ? sql`${value} collate "C"` : value;
}

/** Escapes a text for literal use in a LIKE pattern. */
const literal = (value: unknown): string => nfc(value).replaceAll(/[\\%_]/g, '\\$&');

function like({ value }: Operand, pattern: string): Condition {
  return sql`lower(${value}) like lower(${pattern}::text)`;
}

function withinLastDays({ stored, value }: Operand, days: number, now: Now): Condition {
  if (stored === 'instant') {
    return sql`(${value} >= ${momentBefore(now, days, 'instant')}::timestamptz and ${value} <= ${momentBefore(now, 0, 'instant')}::timestamptz)`;
  }
  return sql`(${value} collate "C" >= ${momentBefore(now, days, 'day')}::text and ${value} collate "C" <= ${momentBefore(now, 0, 'day')}::text)`;
}

function compareInstant(value: RawBuilder<unknown>, operator: FieldOperator, values: FilterScalar[]): Condition {
  const ranges = values.map((item) => instantRange(String(item))!);
  const [first, last] = [ranges[0]!, ranges.at(-1)!];
  const at = (date: Date) => sql`${date}::timestamptz`;
  const all = (end: 'from' | 'until') => sql`${ranges.map((range) => range[end].toISOString())}::timestamptz[]`;
  switch (operator) {
    case 'eq':
      return sql`(${value} >= ${at(first.from)} and ${value} < ${at(first.until)})`;
    // Two arrays instead of two values per range, because a statement can have at most 65,535 values.
    case 'in':
      return sql`exists (select 1 from unnest(${all('from')}, ${all('until')}) r(a, b) where ${value} >= r.a and ${value} < r.b)`;
    case 'gt':
    case 'after':
      return sql`${value} >= ${at(first.until)}`;
    case 'gte':
      return sql`${value} >= ${at(first.from)}`;
    case 'lt':
    case 'before':
      return sql`${value} < ${at(first.from)}`;
    case 'lte':
      return sql`${value} < ${at(first.until)}`;
    case 'between':
      return sql`(${value} >= ${at(first.from)} and ${value} < ${at(last.until)})`;
    default:
      throw new Error(`${operator} is no comparison of times`);
  }
}
