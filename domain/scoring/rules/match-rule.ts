import type { FieldLeaf } from '../../segments/filter/filter.ts';
import { nfc, oppositeOf } from '../../segments/filter/operand.ts';

/** A condition of a scoring rule on a field of the event, like a leaf in the `where` of a segment's event leaf. */
export type RuleCondition = FieldLeaf;

function holds({ field, operator, value }: RuleCondition, data: object): boolean {
  const opposite = oppositeOf(operator);
  if (opposite) return !holds({ field, operator: opposite, value }, data);
  const found: unknown = Object.hasOwn(data, field) ? (data as Record<string, unknown>)[field] : undefined;
  if (found === undefined || found === null) return false;
  const [actual, ...wanted] = [found, ...(Array.isArray(value) ? value : [value])].map(nfc) as [string, ...string[]];
  switch (operator) {
    case 'exists':
      return true;
    case 'eq':
    case 'in':
      return wanted.includes(actual);
    case 'contains':
      return actual.toLowerCase().includes(wanted[0]!.toLowerCase());
    case 'startsWith':
      return actual.toLowerCase().startsWith(wanted[0]!.toLowerCase());
    case 'endsWith':
      return actual.toLowerCase().endsWith(wanted[0]!.toLowerCase());
    default:
      return false;
  }
}

/**
 * Whether all conditions hold for the event's data. Ids are compared as their JSON text; a missing value fails every
 * operator except `ne`, `notIn` and `notExists`.
 */
export function matchesRule(conditions: readonly RuleCondition[], data: object): boolean {
  return conditions.every((condition) => holds(condition, data));
}

/** The level of a total: cold below `warm`, hot from `hot` on. */
export function qualificationOf(total: number, settings: { warm: number; hot: number }): 'cold' | 'warm' | 'hot' {
  if (total >= settings.hot) return 'hot';
  return total >= settings.warm ? 'warm' : 'cold';
}
