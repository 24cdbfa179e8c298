import { Type } from 'typebox';
import { FIELD_OPERATORS, FILTER_EVENTS, type FieldOperator, type FilterEvent } from './filter-fields.ts';

export const MAX_FILTER_DEPTH = 10;
export const MAX_FILTER_LEAVES = 1000;
export const MAX_WHERE = 20;
export const GROUP_OPERATORS = ['and', 'or', 'not'] as const;
export const EVENT_OPERATORS = ['atLeast', 'atMost', 'none'] as const;

/** Which contacts are meant: a tree of groups, field leaves and event leaves, judged by `checkFilter`. */
export type Filter = FilterGroup | FieldLeaf | EventLeaf;

/** `and`: every condition holds; `or`: at least one does; `not`: none of them does. Groups nest up to 10 deep. */
export interface FilterGroup {
  op: (typeof GROUP_OPERATORS)[number];
  conditions: Filter[];
}

export type FilterScalar = string | number | boolean;
export type FilterValue = FilterScalar | FilterScalar[];

/**
 * A field compared with a value. Which operators fit is `OPERATORS_BY_TYPE`; the type of `value` is the field's.
 *
 * A missing value (null, no company, a custom field that is not set, a set without members) fails every operator but
 * `ne`, `notIn` and `notExists`, which hold for it. `score` and `qualification` are never missing: a contact without
 * points has 0, `cold`. Texts are compared in NFC, in which contacts are stored.
 *
 * - `eq`, `in` (1 to 1000 values): exact, letter case included; `email` ignores case. `ne`, `notIn`: the opposites.
 * - `contains`, `startsWith`, `endsWith`: literal text (no wildcards), ignoring case.
 * - `gt gte lt lte`, `between` ([low, high], both inclusive): numbers, as numerics, and times.
 * - `before` = `lt`, `after` = `gt`. `withinLastDays` (N): not in the future and at most N × 24 h ago; of a `date`
 *   field: from today − N to today, today being the date in UTC.
 * - A `datetime` is compared with what its text stands for (`instantRange`): `eq`: from ≤ x < until; `gt`, `after`:
 *   x ≥ until; `gte`: x ≥ from; `lt`, `before`: x < from; `lte`: x < until; `between`: low.from ≤ x < high.until.
 * - `tags` and `membership` (`listId`, `segmentId`) are sets: `eq x`: x is in it; `ne x`: it is not; `in`: at least one
 *   is; `notIn`: none is; `contains x` (tags): a tag equals x ignoring case; `exists`: the set has a member.
 * - `exists`, `notExists`: no value (null and true are accepted and mean nothing).
 */
export interface FieldLeaf {
  field: string;
  operator: FieldOperator;
  value?: FilterValue | null;
}

/**
 * How often something happened to the contact: at least `count` (1 where absent), at most `count`, or not at all (`none`
 * ignores `count`). Counted are events that are not `automated`, within the last `withinDays` × 24 h where given; else, in
 * a segment, all there are, and in a campaign those since the execution's start. `where` are field leaves over the event's
 * fields (`eventField`), all of which must hold for an event to count; `stepId` means this execution's email of that step.
 */
export interface EventLeaf {
  event: FilterEvent;
  operator: (typeof EVENT_OPERATORS)[number];
  count?: number;
  withinDays?: number;
  where?: FieldLeaf[];
}

export function isGroup(filter: Filter): filter is FilterGroup {
  return Object.hasOwn(filter, 'op');
}

export function isEventLeaf(filter: Filter): filter is EventLeaf {
  return Object.hasOwn(filter, 'event');
}

const optional = Type.Optional;

/**
 * The filter as requests and responses describe it. One flat object and no recursion, on purpose: a union would answer a
 * slip with the complaints of every branch, and a recursive schema lets a hostile body nest until the stack ends. What
 * belongs together, and the tree below, is for `checkFilter` to say.
 */
export const FilterSchema = Type.Unsafe<Filter>(
  Type.Object(
    {
      op: optional(
        Type.Enum([...GROUP_OPERATORS], { description: 'Marks a group; `not` = none of its conditions holds' }),
      ),
      conditions: optional(
        Type.Array(Type.Object({}, { description: 'A nested filter', 'x-component': 'Filter' }), {
          minItems: 1,
          description: `For a group; nested up to ${MAX_FILTER_DEPTH} deep`,
        }),
      ),
      field: optional(
        Type.String({
          description:
            'Marks a field leaf: a contact field, `customFields.x`, `tags`, `company.x`, `score`, `qualification`, ' +
            '`listId`, `segmentId`',
        }),
      ),
      event: optional(Type.Enum([...FILTER_EVENTS], { description: 'Marks an event leaf' })),
      operator: optional(
        Type.Enum([...FIELD_OPERATORS, ...EVENT_OPERATORS], {
          description: 'For a field leaf; for an event leaf `atLeast`, `atMost` or `none`',
        }),
      ),
      value: optional(
        Type.Unknown({
          description: 'For a field leaf: a string, number or boolean; a list for `in`, `notIn` and `between`',
        }),
      ),
      count: optional(Type.Integer({ description: 'For an event leaf: the number of events' })),
      withinDays: optional(Type.Integer({ description: 'For an event leaf: only events of the last `withinDays` days' })),
      where: optional(Type.Array(Type.Object({}, { description: 'A field leaf on the fields of the event' }))),
    },
    {
      description:
        'A group `{op, conditions}`, a field leaf `{field, operator, value}`, or an event leaf ' +
        '`{event, operator, count, withinDays, where}`',
      examples: [
        {
          op: 'and',
          conditions: [
            { field: 'status', operator: 'eq', value: 'active' },
            { event: 'EMAIL_OPENED', operator: 'atLeast', count: 1, withinDays: 30 },
          ],
        },
      ],
      additionalProperties: false,
      title: 'Filter',
    },
  ),
);

const SET_OPERATORS: readonly string[] = ['eq', 'ne', 'in', 'notIn'];

/**
 * The segments and lists that a filter names (`listId`, `segmentId` leaves; one id space), with the JSON Pointer of each.
 * Takes any JSON: what is no sound filter names nothing.
 */
export function filterReferences(filter: unknown, path: string, depth = 1): { id: number; path: string }[] {
  if (typeof filter !== 'object' || filter === null || depth > MAX_FILTER_DEPTH + 1) return [];
  const { conditions, field, operator, value } = filter as Record<string, unknown>;
  if (Array.isArray(conditions)) {
    return conditions.flatMap((condition, index) =>
      filterReferences(condition, `${path}/conditions/${index}`, depth + 1),
    );
  }
  if ((field !== 'listId' && field !== 'segmentId') || !SET_OPERATORS.includes(String(operator))) return [];
  return namedIds(value, path);
}

function namedIds(value: unknown, path: string): { id: number; path: string }[] {
  const named = Array.isArray(value)
    ? value.map((id: unknown, index) => ({ id, path: `${path}/value/${index}` }))
    : [{ id: value, path: `${path}/value` }];
  return named.filter((reference): reference is { id: number; path: string } => Number.isSafeInteger(reference.id));
}

const NAMED_BY_EVENTS = ['templateId', 'campaignId', 'formId', 'segmentId'] as const;

/** What the event leaves of a filter name in their `where`, as `filterReferences` tells it. */
export function eventReferences(
  filter: unknown,
  path: string,
  depth = 1,
): { field: (typeof NAMED_BY_EVENTS)[number]; id: number; path: string }[] {
  if (typeof filter !== 'object' || filter === null || depth > MAX_FILTER_DEPTH + 1) return [];
  const { conditions, where } = filter as Record<string, unknown>;
  if (Array.isArray(conditions)) {
    return conditions.flatMap((condition, index) =>
      eventReferences(condition, `${path}/conditions/${index}`, depth + 1),
    );
  }
  return (Array.isArray(where) ? (where as unknown[]) : []).flatMap((leaf, index) => {
    const { field, operator, value } = (leaf ?? {}) as Record<string, unknown>;
    const known = NAMED_BY_EVENTS.find((name) => name === field);
    if (!known || !SET_OPERATORS.includes(String(operator))) return [];
    return namedIds(value, `${path}/where/${index}`).map((reference) => ({ field: known, ...reference }));
  });
}
