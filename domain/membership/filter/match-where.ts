import type { FieldLeaf } from './filter.ts';
import { nfc, oppositeOf } from './operand.ts';

function holds({ field, operator, value }: FieldLeaf, data: object): boolean {
  const opposite = oppositeOf(operator);
  if (opposite) return !holds({ field, operator: opposite, value }, data);
  const found: unknown = Object.hasOwn(data, field) ? (data as Record<string, unknown>)[field] : undefined;
  if (found === undefined || found === null) return false;
  if (Array.isArray(found)) return holdsForSome(operator, value, found);
  const wanted = [value].flat();
  if (typeof found === 'number' && ORDER.has(operator)) return isInOrder(operator, found, wanted.map(Number));
  const [actual, ...texts] = [found, ...wanted].map(nfc) as [string, ...string[]];
  switch (operator) {
    case 'exists':
      return true;
    case 'eq':
    case 'in':
      return texts.includes(actual);
    case 'contains':
      return actual.toLowerCase().includes(texts[0]!.toLowerCase());
    case 'startsWith':
      return actual.toLowerCase().startsWith(texts[0]!.toLowerCase());
    case 'endsWith':
      return actual.toLowerCase().endsWith(texts[0]!.toLowerCase());
    default:
      return false;
  }
}

const ORDER: ReadonlySet<string> = new Set(['gt', 'gte', 'lt', 'lte', 'between']);

function isInOrder(operator: FieldLeaf['operator'], found: number, [first = NaN, last = NaN]: number[]): boolean {
  if (operator === 'between') return found >= first && found <= last;
  return { gt: found > first, gte: found >= first, lt: found < first, lte: found <= first }[operator as 'gt'];
}

/** A set of texts: `contains` finds a member as a whole, ignoring case, as for tags. An empty one is missing. */
function holdsForSome(operator: FieldLeaf['operator'], value: FieldLeaf['value'], found: unknown[]): boolean {
  const fold = (text: unknown): string => (operator === 'contains' ? nfc(text).toLowerCase() : nfc(text));
  const wanted = [value].flat().map(fold);
  return operator === 'exists' ? found.length > 0 : found.some((member) => wanted.includes(fold(member)));
}

/**
 * Whether all field leaves hold for the data of an event, as in the `where` of an event leaf. Ids are compared as their
 * JSON text; a missing value fails every operator except `ne`, `notIn` and `notExists`.
 */
export const matchesWhere = (where: readonly FieldLeaf[], data: object): boolean =>
  where.every((leaf) => holds(leaf, data));
