import type { Violation } from '../errors.ts';

/** A condition of a scoring rule on a field of the event's data. */
export interface RuleCondition {
  field: string;
  operator: 'eq' | 'ne' | 'in' | 'contains' | 'startsWith' | 'exists';
  value?: unknown;
}

const tests: Record<RuleCondition['operator'], (actual: unknown, wanted: unknown) => boolean> = {
  eq: (actual, wanted) => actual === wanted,
  ne: (actual, wanted) => actual !== wanted,
  in: (actual, wanted) => Array.isArray(wanted) && wanted.includes(actual),
  contains: (actual, wanted) => String(actual).toLowerCase().includes(String(wanted).toLowerCase()),
  startsWith: (actual, wanted) => String(actual).toLowerCase().startsWith(String(wanted).toLowerCase()),
  exists: () => true,
};

/** Whether all conditions hold for the event's data; a missing value fails every operator but `ne`. */
export function matchesRule(conditions: readonly RuleCondition[], data: object): boolean {
  return conditions.every(({ field, operator, value }) => {
    const actual: unknown = Object.hasOwn(data, field) ? (data as Record<string, unknown>)[field] : undefined;
    if (actual === undefined || actual === null) return operator === 'ne';
    return tests[operator](actual, value);
  });
}

/** Everything in conditions that could never hold, by JSON Pointer; `fields` are those that the event has. */
export function checkConditions(conditions: readonly RuleCondition[], fields: readonly string[]): Violation[] {
  return conditions.flatMap(({ field, operator, value }, index) => {
    const errors: Violation[] = [];
    const at = (name: string) => `/conditions/${index}/${name}`;
    if (!fields.includes(field)) errors.push({ path: at('field'), code: 'enum', message: `is not a field of the event: ${fields.join(', ')}` });
    if (operator === 'exists') return errors;
    if (value === undefined) errors.push({ path: at('value'), code: 'required', message: 'is required' });
    else if (operator === 'in' ? !Array.isArray(value) : typeof value === 'object') {
      errors.push({ path: at('value'), code: 'type', message: operator === 'in' ? 'must be a list' : 'must be a text, a number or a boolean' });
    }
    return errors;
  });
}

/** Level of a total: cold below `warm`, hot from `hot` on. */
export function qualificationOf(total: number, settings: { warm: number; hot: number }): 'cold' | 'warm' | 'hot' {
  if (total >= settings.hot) return 'hot';
  return total >= settings.warm ? 'warm' : 'cold';
}
