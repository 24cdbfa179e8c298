import { FILTER_EVENTS, type FilterEvent } from '../../../events/contracts.ts';
import type { Violation } from '../../../lib/checks/errors.ts';
import type { CustomFieldType } from '../../contact-values/custom-values.ts';
import {
  type FieldOperator,
  type FieldSpec,
  OPERATORS_BY_TYPE,
  contactField,
  eventField,
  eventFieldNames,
  meantField,
} from './filter-fields.ts';
import { EVENT_OPERATORS, GROUP_OPERATORS, MAX_FILTER_DEPTH, MAX_FILTER_LEAVES, MAX_WHERE } from './filter.ts';
import { MAX_DAYS, checkValue } from './filter-values.ts';

const MAX_COUNT = 1_000_000;
/** A check stops after this many violations, which is enough to fix any filter written by a person. */
export const MAX_VIOLATIONS = 1000;

export interface FilterOptions {
  /** The tenant's custom fields of contacts by name. */
  customFields: ReadonlyMap<string, CustomFieldType>;
  /** Only in a campaign: the ids of its EMAIL steps, which `stepId` in `where` may name. */
  stepIds?: ReadonlySet<string>;
}

type Json = Record<string, unknown>;
interface Walk {
  violations: Violation[];
  leaves: number;
  options: FilterOptions;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Appends a member name to a JSON Pointer (RFC 6901). */
function member(path: string, key: string): string {
  return `${path}/${key.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function show(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 100)) : 'that';
}

function onlyKeys(node: Json, allowed: readonly string[], path: string): Violation[] {
  return Object.keys(node)
    .filter((key) => !allowed.includes(key))
    .slice(0, 10)
    .map((key) => ({
      path: member(path, key),
      code: 'unknown_field',
      message: `is not allowed here; allowed are ${allowed.join(', ')}`,
    }));
}

function oneOf(node: Json, key: string, allowed: readonly string[], path: string): Violation[] {
  if (allowed.includes(node[key] as string)) return [];
  const code = node[key] === undefined ? 'required' : 'enum';
  return [{ path: `${path}/${key}`, code, message: `${key} must be one of ${allowed.join(', ')}` }];
}

/** The fields that leaves may name, and the message about any other name. */
export interface Fields {
  spec: (name: string) => FieldSpec | undefined;
  unknown: (name: unknown) => string;
}

function checkLeaf(node: Json, path: string, fields: Fields): Violation[] {
  const violations = onlyKeys(node, ['field', 'operator', 'value'], path);
  const found = typeof node['field'] === 'string' ? fields.spec(node['field']) : undefined;
  if (!found) {
    const code = node['field'] === undefined ? 'required' : 'unknown_field';
    return [...violations, { path: `${path}/field`, code, message: fields.unknown(node['field']) }];
  }
  const operators: readonly FieldOperator[] = OPERATORS_BY_TYPE[found.type];
  const operator = operators.find((name) => name === node['operator']);
  if (!operator) {
    const code = node['operator'] === undefined ? 'required' : 'invalid_operator';
    const message = `operator of ${String(node['field'])} (${found.type}) must be one of ${operators.join(', ')}`;
    return [...violations, { path: `${path}/operator`, code, message }];
  }
  return [...violations, ...checkValue(found, operator, node['value'], `${path}/value`)];
}

function checkFieldLeaf(node: Json, path: string, { customFields }: FilterOptions): Violation[] {
  return checkLeaf(node, path, {
    spec: (name) => contactField(name, customFields),
    unknown: (name) => {
      const meant = typeof name === 'string' ? meantField(name, customFields) : null;
      return `there is no contact field ${show(name)}${meant === null ? '' : `; did you mean ${meant}?`}`;
    },
  });
}

/** The violations of a `where`: field leaves on the fields of an event. Like `checkFilter`. */
export function checkWhere(
  where: unknown,
  event: FilterEvent,
  path: string,
  { stepIds }: Pick<FilterOptions, 'stepIds'> = {},
): Violation[] {
  return checkLeaves(where, path, {
    spec: (name) => eventField(event, name, stepIds),
    unknown: (name) => {
      const names = eventFieldNames(event, stepIds !== undefined).join(', ') || 'none';
      return `${event} has no field ${show(name)}; its fields are ${names}`;
    },
  });
}

/** The violations of a list of field leaves on these fields. */
export function checkLeaves(where: unknown, path: string, fields: Fields): Violation[] {
  if (!Array.isArray(where) || where.length > MAX_WHERE) {
    return [{ path, code: 'type', message: `must be a list of up to ${MAX_WHERE} field leaves` }];
  }
  return where.flatMap((leaf: unknown, index) => {
    const at = `${path}/${index}`;
    if (isObject(leaf)) return checkLeaf(leaf, at, fields);
    return [{ path: at, code: 'type', message: 'must be a field leaf {field, operator, value}' }];
  });
}

function checkInteger(value: unknown, low: number, high: number, path: string, name: string): Violation[] {
  if (Number.isInteger(value) && (value as number) >= low && (value as number) <= high) return [];
  const code = value === undefined ? 'required' : 'out_of_range';
  return [{ path, code, message: `${name} must be a whole number, ${low} to ${high}` }];
}

function checkEventLeaf(node: Json, path: string, options: FilterOptions): Violation[] {
  const violations = [
    ...onlyKeys(node, ['event', 'operator', 'count', 'withinDays', 'where'], path),
    ...oneOf(node, 'event', FILTER_EVENTS, path),
    ...oneOf(node, 'operator', EVENT_OPERATORS, path),
  ];
  const { count, operator, where, withinDays } = node;
  if (operator === 'atMost' || (operator === 'atLeast' && count !== undefined)) {
    violations.push(...checkInteger(count, operator === 'atLeast' ? 1 : 0, MAX_COUNT, `${path}/count`, 'count'));
  }
  if (withinDays !== undefined) {
    violations.push(...checkInteger(withinDays, 1, MAX_DAYS, `${path}/withinDays`, 'withinDays'));
  }
  const event = FILTER_EVENTS.find((name) => name === node['event']);
  if (where !== undefined && event) violations.push(...checkWhere(where, event, `${path}/where`, options));
  return violations;
}

function checkGroup(node: Json, path: string, depth: number, walk: Walk): void {
  if (depth > MAX_FILTER_DEPTH) {
    walk.violations.push({
      path,
      code: 'too_deep',
      message: `groups must not be nested more than ${MAX_FILTER_DEPTH} deep`,
    });
    return;
  }
  walk.violations.push(...onlyKeys(node, ['op', 'conditions'], path), ...oneOf(node, 'op', GROUP_OPERATORS, path));
  const { conditions } = node;
  if (!Array.isArray(conditions) || conditions.length === 0) {
    const code = conditions === undefined ? 'required' : 'type';
    walk.violations.push({
      path: `${path}/conditions`,
      code,
      message: 'conditions must be a list of at least one filter',
    });
    return;
  }
  for (const [index, condition] of conditions.entries()) {
    if (walk.leaves > MAX_FILTER_LEAVES || walk.violations.length >= MAX_VIOLATIONS) return;
    checkNode(condition, `${path}/conditions/${index}`, depth + 1, walk);
  }
}

const FORMS = 'a group {op, conditions}, a field leaf {field, operator, value} or an event leaf {event, operator, …}';

function checkNode(node: unknown, path: string, depth: number, walk: Walk): void {
  const { violations, options } = walk;
  const isGroupNode = isObject(node) && (Object.hasOwn(node, 'op') || Object.hasOwn(node, 'conditions'));
  // Groups without conditions count too, so that a body full of them is not walked to its end.
  if (!isGroupNode || !Array.isArray(node['conditions']) || node['conditions'].length === 0) walk.leaves += 1;
  if (walk.leaves > MAX_FILTER_LEAVES) return;
  if (isGroupNode) checkGroup(node, path, depth, walk);
  else if (isObject(node) && Object.hasOwn(node, 'event')) violations.push(...checkEventLeaf(node, path, options));
  else if (isObject(node) && Object.hasOwn(node, 'field')) violations.push(...checkFieldLeaf(node, path, options));
  else violations.push({ path, code: 'type', message: `must be ${FORMS}` });
}

/**
 * All violations of a filter, with JSON Pointers (`path` points to the filter itself). Takes any JSON and never throws;
 * no violations means that `filter` is a valid `Filter`. At most 1000 leaves; stops after 1000 violations.
 */
export function checkFilter(filter: unknown, path: string, options: FilterOptions): Violation[] {
  const walk: Walk = { violations: [], leaves: 0, options };
  checkNode(filter, path, 1, walk);
  if (walk.leaves > MAX_FILTER_LEAVES) {
    walk.violations.push({ path, code: 'too_many', message: `a filter must have at most ${MAX_FILTER_LEAVES} leaves` });
  }
  return walk.violations.slice(0, MAX_VIOLATIONS);
}
