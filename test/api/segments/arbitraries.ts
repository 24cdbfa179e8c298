import { FILTER_EVENTS, type FilterEvent } from '../../../events/contracts.ts';
import fc from 'fast-check';
import type { CustomFieldType } from '../../../domain/contact-values/custom-values.ts';
import {
  OPERATORS_BY_TYPE,
  contactField,
  eventField,
  eventFieldNames,
  type FieldSpec,
} from '../../../domain/membership/filter/filter-fields.ts';
import type { EventLeaf, FieldLeaf, Filter, FilterValue } from '../../../domain/membership/filter/filter.ts';
import type { ModelContact } from './model.ts';

export const NOW = new Date('2030-06-15T12:00:00.000Z');
export const CUSTOM: ReadonlyMap<string, CustomFieldType> = new Map<string, CustomFieldType>([
  ['plan', { type: 'string' }],
  ['level', { type: 'enum', options: ['low', 'high'] }],
  ['seats', { type: 'number' }],
  ['paid', { type: 'boolean' }],
  ['renewal', { type: 'date' }],
  [`o'dd "name"`, { type: 'string' }],
]);
export const STEP_IDS: ReadonlySet<string> = new Set(['welcome', 'reminder']);
/** Ids of the two lists and the segment that contacts are in, as an index into what the test has made. */
export const MEMBERSHIPS = [0, 1, 2] as const;

// Few letters, so that values meet; both cases, an umlaut, and what LIKE and its escape take for special.
const letters = ['a', 'A', 'b', 'ä', 'Ä', '%', '_', '\\', ' '];
const word = fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 3 }).map((list) => list.join(''));
/** Filters may come in another normal form than contacts are stored in. */
const given = word.chain((text) => fc.constantFrom(text, text.normalize('NFD')));
const maybe = <T>(arb: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arb, { freq: 3 });
const day = fc
  .integer({ min: -4, max: 4 })
  .map((days) => new Date(NOW.getTime() + days * 86_400_000).toISOString().slice(0, 10));
const instant = fc
  .constantFrom(-345_600_000, -172_800_000, -86_400_001, -86_400_000, -43_200_000, -1, 0, 1, 43_200_000, 86_400_000)
  .map((ms) => new Date(NOW.getTime() + ms));
const number = fc.constantFrom(-1, 0, 0.1, 0.3, 1, 2.5, 29, 30, 69, 70, 100);
const smallId = fc.integer({ min: 1, max: 3 });
const local = fc.constantFrom('ada', 'bob', 'a_b', 'zoë');

const activity = fc.record({
  type: fc.constantFrom(...FILTER_EVENTS),
  at: instant,
  automated: fc.boolean(),
  data: fc.record(
    {
      templateId: smallId,
      campaignId: smallId,
      emailId: smallId,
      formId: smallId,
      segmentId: smallId,
      url: word,
      executionId: fc.constantFrom(7, 8),
      stepId: fc.constantFrom(...STEP_IDS),
      status: fc.constantFrom('SENT', 'SENT', 'FAILED'),
    },
    { requiredKeys: [] },
  ),
});

export interface Sample extends Omit<ModelContact, 'id' | 'memberOf' | 'lists'> {
  memberships: number[];
  company: { name: string; domain: string | null; industry: string | null; employeeCount: number | null } | null;
}

/** Contacts to put into the database; `company.*` and `qualification` of the model follow from the rest. */
export const sample: fc.Arbitrary<Sample> = fc.record({
  fields: fc.record({
    firstName: maybe(word),
    lastName: maybe(word),
    email: local,
    phone: maybe(word),
    jobTitle: maybe(word),
    timezone: maybe(word),
    locale: maybe(word),
    source: maybe(word),
    status: fc.constantFrom('active', 'unsubscribed', 'bounced'),
    createdAt: instant,
    updatedAt: instant,
    score: fc.constantFrom(0, 0, 29, 30, 69, 70, 100, -1),
    'customFields.plan': maybe(word),
    'customFields.level': maybe(fc.constantFrom('low', 'high')),
    'customFields.seats': maybe(number),
    'customFields.paid': maybe(fc.boolean()),
    'customFields.renewal': maybe(day),
    [`customFields.o'dd "name"`]: maybe(word),
  }),
  tags: fc.uniqueArray(word, { maxLength: 3 }),
  memberships: fc.uniqueArray(fc.constantFrom(...MEMBERSHIPS), { maxLength: 3 }),
  events: fc.array(activity, { maxLength: 5 }),
  company: maybe(
    fc.record({
      name: word,
      domain: maybe(word),
      industry: maybe(word),
      employeeCount: maybe(fc.integer({ min: 0, max: 3 })),
    }),
  ),
});

const emailValue = fc
  .tuple(local, fc.integer({ min: 0, max: 59 }))
  .map(([name, n]) => `${name}${n}@Example.com`)
  .chain((address) =>
    fc.constantFrom(address, address.toUpperCase(), address.normalize('NFD'), 'no address', '@example.com', 'a'),
  );

function scalar(spec: FieldSpec, ids: readonly number[]): fc.Arbitrary<string | number | boolean> {
  if (spec.values) return fc.constantFrom(...spec.values);
  switch (spec.type) {
    case 'email':
      return emailValue;
    case 'number':
      return number;
    case 'boolean':
      return fc.boolean();
    case 'date':
      return day;
    case 'datetime':
      return fc.oneof(
        day,
        instant.chain((at) => fc.constantFrom(at.toISOString(), at.toISOString().replace('Z', '+00:00'))),
      );
    case 'id':
      return smallId;
    case 'membership':
      return fc.constantFrom(...ids);
    default:
      return given;
  }
}

/** A leaf over a field of this kind, with a value that fits its operator. */
function leaf(field: string, spec: FieldSpec, ids: readonly number[]): fc.Arbitrary<FieldLeaf> {
  const one = scalar(spec, ids);
  return fc.constantFrom(...OPERATORS_BY_TYPE[spec.type]).chain((operator): fc.Arbitrary<FieldLeaf> => {
    const values: fc.Arbitrary<FilterValue> | null =
      operator === 'exists' || operator === 'notExists'
        ? null
        : operator === 'in' || operator === 'notIn'
          ? fc.array(one, { minLength: 1, maxLength: 3 })
          : operator === 'withinLastDays'
            ? fc.integer({ min: 1, max: 5 })
            : operator === 'between'
              ? fc.tuple(one, one).map((pair) => pair.sort((a, b) => (order(a) < order(b) ? -1 : 1)))
              : one;
    return values ? values.map((value) => ({ field, operator, value })) : fc.constant({ field, operator });
  });
}

const order = (value: string | number | boolean): number =>
  typeof value === 'string' ? Date.parse(value) : Number(value);

const CONTACT_FIELDS = [
  'firstName',
  'lastName',
  'email',
  'phone',
  'jobTitle',
  'companyId',
  'status',
  'tags',
  'timezone',
  'locale',
  'source',
  'createdAt',
  'updatedAt',
  'company.name',
  'company.domain',
  'company.industry',
  'company.employeeCount',
  'score',
  'qualification',
  'listId',
  'segmentId',
  ...[...CUSTOM.keys()].map((name) => `customFields.${name}`),
];

/** A filter that `checkFilter` finds sound; `ids` are the segments and lists there are. */
export function filterArbitrary(ids: readonly number[], inCampaign: boolean): fc.Arbitrary<Filter> {
  const fieldLeaf = fc.constantFrom(...CONTACT_FIELDS).chain((field) => leaf(field, contactField(field, CUSTOM)!, ids));
  const where = (event: FilterEvent): fc.Arbitrary<FieldLeaf[]> => {
    const names = eventFieldNames(event, inCampaign);
    if (names.length === 0) return fc.constant([]);
    const one = fc
      .constantFrom(...names)
      .chain((name) => leaf(name, eventField(event, name, inCampaign ? STEP_IDS : undefined)!, ids));
    return fc.array(one, { maxLength: 2 });
  };
  const eventLeaf = fc
    .constantFrom(...FILTER_EVENTS)
    .chain((event) =>
      fc.record({
        event: fc.constant(event),
        operator: fc.constantFrom('atLeast', 'atMost', 'none'),
        count: fc.integer({ min: 1, max: 3 }),
        withinDays: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
        where: where(event),
      }),
    )
    .map(({ withinDays, ...rest }): EventLeaf => ({ ...rest, ...(withinDays === undefined ? {} : { withinDays }) }));
  return fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 3, arbitrary: fieldLeaf },
      { weight: 2, arbitrary: eventLeaf },
      {
        weight: 2,
        arbitrary: fc.record({
          op: fc.constantFrom('and', 'or', 'not'),
          conditions: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
        }),
      },
    ),
  })).filter;
}
