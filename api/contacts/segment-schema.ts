import { Type } from 'typebox';
import type { Explanation } from '../../domain/membership/members/explain-membership.ts';
import { FilterSchema, type Filter } from '../../domain/membership/filter/filter.ts';
import { SEGMENT_LIMITS } from '../../domain/segments/segments.ts';
import { periodOf, periodQuery, series } from '../route/period-schema.ts';
import { Id, listQuery, nameOf, nullable, oneOf, strict, Timestamp, Version, writable } from '../route/schemas.ts';
import { Contact } from './schema.ts';

const { Optional } = Type;
const exampleFilter: Filter = { field: 'status', operator: 'eq', value: 'active' };
const name = nameOf(SEGMENT_LIMITS.name, { minLength: 0, examples: ['Active customers'] });
const description = Optional(nullable(Type.String({ maxLength: SEGMENT_LIMITS.description })));
const type = oneOf(['dynamic', 'static'], {
  description: '`dynamic`: the contacts that match `filter`; `static`: a list of added contacts',
});
const doubleOptIn = Type.Boolean({
  description: 'For static lists: a form that adds contacts to the list asks them to confirm their address first',
});
const ContactIds = Type.Array(Id, { maxItems: 10_000, examples: [[1, 2]] });

export const Segment = strict({
  id: Id,
  name: Type.String(),
  description: nullable(Type.String()),
  type,
  filter: Type.Unsafe<Filter | null>({
    type: ['object', 'null'],
    'x-nullable': FilterSchema,
    examples: [exampleFilter],
  }),
  status: oneOf(['BUILDING', 'READY']),
  count: Type.Integer({ minimum: 0, description: 'Number of contacts in it' }),
  doubleOptIn,
  tenantId: Type.String(),
  version: Version,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export const segmentReadOnly = [
  'id',
  'type',
  'status',
  'count',
  'tenantId',
  'version',
  'createdAt',
  'updatedAt',
] as const;
const createReadOnly = segmentReadOnly.filter((field) => field !== 'type');
export const SegmentCreate = writable(
  {
    name,
    description,
    type,
    filter: Optional(nullable(FilterSchema)),
    contactIds: Optional(ContactIds),
    doubleOptIn: Optional(doubleOptIn),
  },
  createReadOnly,
  { examples: [{ name: 'Active customers', type: 'dynamic', filter: exampleFilter }] },
);
/** The same without a required type: it is dynamic if it has a filter. */
export const SegmentCreateUntyped = writable(
  {
    name,
    description,
    type: Optional(
      oneOf(['dynamic', 'static'], { description: 'By default `dynamic` with a `filter`, and `static` without one' }),
    ),
    filter: Optional(nullable(FilterSchema)),
    contactIds: Optional(ContactIds),
    doubleOptIn: Optional(doubleOptIn),
  },
  createReadOnly,
  { examples: [{ name: 'Active customers', type: 'dynamic', filter: exampleFilter }] },
);
export const ListCreate = writable(
  { name, description, contactIds: Optional(ContactIds), doubleOptIn: Optional(doubleOptIn) },
  segmentReadOnly,
);
export const SegmentUpdate = writable(
  {
    name: Optional(name),
    description,
    doubleOptIn: Optional(doubleOptIn),
    // Null for a static segment; the tree is validated by `checkFilter`.
    filter: Optional(
      Type.Unsafe<Filter | null>({
        type: ['object', 'null'],
        'x-nullable': FilterSchema,
        examples: [exampleFilter],
      }),
    ),
  },
  segmentReadOnly,
);
export const SegmentQuery = listQuery(['id', 'name', 'createdAt', 'updatedAt'], { type: Optional(type) });
export const ListQuery = listQuery(['id', 'name', 'createdAt', 'updatedAt'], {});

export const MembersChange = strict({
  contactIds: Type.Array(Id, { minItems: 1, maxItems: 10_000, examples: [[1, 2]] }),
});
export const Added = strict({
  added: Type.Integer({ description: 'Number of contacts that were not members before' }),
  count: Type.Integer(),
});
export const Removed = strict({
  removed: Type.Integer({ description: 'Number of contacts that were members before' }),
  count: Type.Integer(),
});
export const Rebuilt = strict({
  differed: Type.Integer({ description: 'Number of memberships that differed from the filter' }),
  added: Type.Integer(),
  removed: Type.Integer(),
  count: Type.Integer(),
});
export const HistoryQuery = strict(periodQuery);
export const History = strict({
  period: periodOf(
    'What the series covers: the period that was asked for, extended to whole 5-minute windows. It begins when it is first known who was in the segment, if that is later; a segment has no members before it was created',
  ),
  series: series({
    count: Type.Integer({ description: 'Members at the beginning of the interval, or of the period if that is later' }),
    entered: Type.Integer({ description: 'Contacts that became members; one that came twice counts twice' }),
    left: Type.Integer({ description: 'Contacts that ceased to be members, also by being deleted' }),
  }),
});
export const Preview = strict({ filter: FilterSchema });
export const PreviewAnswer = strict({
  count: Type.Integer(),
  sample: Type.Array(Contact, { description: 'Up to ten matching contacts' }),
});

export const MembershipQuery = listQuery(['id', 'name', 'createdAt'], {
  explain: Optional(
    Type.Boolean({
      default: false,
      description: 'Lists every dynamic segment, whether or not it contains the contact, and explains why',
    }),
  ),
});
const explanation = {
  op: 'and',
  holds: false,
  conditions: [
    { filter: { field: 'status', operator: 'eq', value: 'active' }, value: 'active', holds: true },
    { filter: { event: 'EMAIL_OPENED', operator: 'atLeast', count: 3, withinDays: 30 }, value: 1, holds: false },
  ],
};
export const Membership = strict({
  id: Id,
  name: Type.String(),
  type,
  addedAt: nullable(Timestamp),
  member: Optional(Type.Boolean({ description: 'With explain=true: whether the contact is a member' })),
  build: Optional(
    nullable(
      strict(
        { beganAt: Timestamp, endedAt: nullable(Timestamp) },
        {
          title: 'EntryBuild',
          description:
            'With explain=true: the build of the segment (when it was created, or its filter was changed) that made the contact a member; builds write no SEGMENT_ENTERED and fire no triggers. Null if a change brought the contact in',
        },
      ),
    ),
  ),
  explanation: Optional(
    Type.Unsafe<Explanation | null>({
      type: ['object', 'null'],
      examples: [explanation],
      description:
        'With explain=true, for dynamic segments: the evaluated filter as a tree. A group is `{op, holds, conditions}`; a leaf is `{filter, value, holds}`, where ' +
        '`value` is the value of the contact (null = missing; a list for `tags`, `listId` and `segmentId`); for an event leaf it is the number of events',
    }),
  ),
});
