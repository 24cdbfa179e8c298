import { FILTER_EVENTS, type FilterEvent } from '../../../events/contracts.ts';
import { Type } from 'typebox';
import { eventFieldNames, FIELD_OPERATORS, type FieldOperator } from './filter-fields.ts';

export const MAX_FILTER_DEPTH = 10;
export const MAX_FILTER_LEAVES = 1000;
export const MAX_WHERE = 20;
export const GROUP_OPERATORS = ['and', 'or', 'not'] as const;
export const EVENT_OPERATORS = ['atLeast', 'atMost', 'none'] as const;

/** A condition on contacts: a tree of groups, field leaves and event leaves, validated by `checkFilter`. */
export type Filter = FilterGroup | FieldLeaf | EventLeaf;

/** `and`: every condition holds; `or`: at least one does; `not`: none of them does. Groups nest up to 10 deep. */
export interface FilterGroup {
  op: (typeof GROUP_OPERATORS)[number];
  conditions: Filter[];
}

export type FilterScalar = string | number | boolean;
export type FilterValue = FilterScalar | FilterScalar[];

/**
 * A field compared with a value. `OPERATORS_BY_TYPE` has the allowed operators; `value` has the field's type.
 *
 * A missing value (null, no company, an unset custom field, an empty set) fails every operator except `ne`, `notIn` and
 * `notExists`, which hold for it. `score` and `qualification` are never missing: a contact without points has 0 and
 * `cold`. Texts are compared in NFC, in which contacts are stored.
 *
 * - `eq`, `in` (1 to 1000 values): exact and case-sensitive, except `email`. `ne`, `notIn`: the opposites.
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
 * How often an event happened to the contact: at least `count` (default 1), at most `count`, or never (`none` ignores
 * `count`). Only events that are not `automated` count: with `withinDays`, those of the last `withinDays` × 24 h;
 * without, all events in a segment, and those since the execution's start in a campaign. All field leaves of `where`
 * (on the event's fields, `eventField`) must hold for an event to count; `stepId` means this execution's email of that
 * step.
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

/** The event fields that `where` can name, for the API description. */
const WHERE_FIELDS = FILTER_EVENTS.flatMap((event) => {
  const names = eventFieldNames(event, false);
  return names.length === 0 ? [] : [`${event}: ${names.map((name) => `\`${name}\``).join(', ')}`];
}).join('; ');

const NestedFilter = Type.Unsafe<Filter>(Type.Object({}, { 'x-component': 'Filter' }));
const ValueSchema = Type.Union(
  [
    Type.String(),
    Type.Number(),
    Type.Boolean(),
    Type.Array(Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
    Type.Null(),
  ],
  {
    description: 'Of the type of the field; a list for `in`, `notIn` and `between`; none for `exists` and `notExists`',
  },
);
const leaf = (title: string, field: string, description: string) =>
  Type.Object(
    {
      field: Type.String({ description: field }),
      operator: Type.Enum([...FIELD_OPERATORS]),
      value: optional(ValueSchema),
    },
    { additionalProperties: false, title, description },
  );

/** A leaf of `where`, for the API description; `checkFilter` validates it. */
const EventFieldLeaf = leaf(
  'EventFieldLeaf',
  `A field of the event. ${WHERE_FIELDS}. In campaigns, events of emails and messages also have \`stepId\`: the step of this execution that sent it`,
  'A condition on a field of an event',
);
export const WhereSchema = Type.Array(EventFieldLeaf, {
  maxItems: MAX_WHERE,
  description: 'All of them must hold for an event to count',
});

/** The three kinds of filters one by one, for the API description and the types of its clients. */
const FilterKinds = Type.Unsafe<Filter>({
  oneOf: [
    Type.Object(
      {
        op: Type.Enum([...GROUP_OPERATORS], { description: '`not`: none of the conditions holds' }),
        conditions: Type.Array(NestedFilter, {
          minItems: 1,
          description: `Groups nest up to ${MAX_FILTER_DEPTH} deep`,
        }),
      },
      { additionalProperties: false, title: 'FilterGroup', description: 'Conditions that are combined' },
    ),
    leaf(
      'FieldLeaf',
      'A contact field, `customFields.x`, `tags`, `company.x` (`name`, `domain`, `industry`, `address`, `employeeCount`), `score`, `qualification`, `listId`, `segmentId`',
      'A condition on a field of the contact. A missing value fails every operator but `ne`, `notIn` and `notExists`',
    ),
    Type.Object(
      {
        event: Type.Enum([...FILTER_EVENTS]),
        operator: Type.Enum([...EVENT_OPERATORS], { description: '`none` ignores `count`' }),
        count: optional(Type.Integer({ description: 'Default 1' })),
        withinDays: optional(Type.Integer({ description: 'Only events of the last `withinDays` × 24 hours' })),
        where: optional(WhereSchema),
      },
      {
        additionalProperties: false,
        title: 'EventLeaf',
        description: 'How often an event happened to the contact; automated opens and clicks do not count',
      },
    ),
  ],
});

/**
 * The schema of a filter in requests and responses. Deliberately one flat object without recursion: a union would
 * report the violations of every branch for one mistake, and a recursive schema would let a hostile body nest until the
 * stack overflows. `checkFilter` validates the combinations and the nested conditions; `FilterKinds` describes them.
 */
export const FilterSchema = Type.Unsafe<Filter>(
  Type.Object(
    {
      op: optional(Type.Enum([...GROUP_OPERATORS])),
      conditions: optional(Type.Array(Type.Object({}), { minItems: 1 })),
      field: optional(Type.String()),
      event: optional(Type.Enum([...FILTER_EVENTS])),
      operator: optional(Type.Enum([...FIELD_OPERATORS, ...EVENT_OPERATORS])),
      value: optional(Type.Unknown()),
      count: optional(Type.Integer()),
      withinDays: optional(Type.Integer()),
      where: optional(Type.Array(Type.Object({}))),
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
      'x-described-as': FilterKinds,
    },
  ),
);

const SET_OPERATORS: readonly string[] = ['eq', 'ne', 'in', 'notIn'];

/**
 * The segments and lists that a filter refers to (`listId` and `segmentId` leaves; one id space), with their JSON
 * Pointers. Takes any JSON and ignores invalid parts.
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

/** The ids that event leaves of a filter refer to in their `where`. Like `filterReferences`. */
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
