import { Type, type Static } from 'typebox';
import { checkFilter } from '../../membership/filter/check-filter.ts';
import type { Filter } from '../../membership/filter/filter.ts';
import { filterResources } from '../filter-resources.ts';
import { TargetSchema } from '../schemas.ts';
import { named, namesOf } from '../names.ts';
import { type Reference, stepKind } from './kind.ts';

const MAX_BRANCHES = 20;
// Validated by checkFilter instead of a schema; FilterSchema explains why.
const FilterJson = Type.Unsafe<Filter>(Type.Unknown({ 'x-component': 'Filter' }));

const ConfigSchema = Type.Object(
  {
    if: FilterJson,
    then: Type.Optional(TargetSchema),
    branches: Type.Optional(
      Type.Array(Type.Object({ if: FilterJson, next: Type.Optional(TargetSchema) }, { additionalProperties: false }), {
        maxItems: MAX_BRANCHES,
      }),
    ),
    else: Type.Optional(TargetSchema),
  },
  { additionalProperties: false },
);
type Config = Static<typeof ConfigSchema>;

/** What the filters refer to. */
function references(config: Config): Reference[] {
  return [
    { filter: config.if, path: '/if' },
    ...(config.branches ?? []).map((branch, index) => ({ filter: branch.if, path: `/branches/${index}/if` })),
  ].flatMap(({ filter, path }) => filterResources(filter, path));
}

/** If, else-if, else. An omitted target means the step's `next` or, if that is absent, the following step. */
export const condition = stepKind({
  config: ConfigSchema,
  about:
    '`CONDITION {if: <filter>, then?, branches?: [{if, next?}], else?}` goes to `then` if the filter holds, else to the ' +
    '`next` of the first branch whose filter holds, else to `else`; an omitted target is the following step, null the end',
  summary: (config, names) => {
    const { branches = [] } = config;
    const what = branches.length === 0 ? 'condition' : `condition with ${branches.length + 1} branches`;
    return named(what, namesOf(references(config), names), what);
  },
  plan: (config) => ({
    effect: 'evaluate',
    filters: [config.if, ...(config.branches ?? []).map((branch) => branch.if)],
  }),
  exits: (config) => [
    { path: '/then', to: config.then },
    ...(config.branches ?? []).map((branch, index) => ({ path: `/branches/${index}/next`, to: branch.next })),
    { path: '/else', to: config.else },
  ],
  mayMatchNothing: true,
  check: (config, { customFields, sendingStepIds }) => {
    const options = { customFields, stepIds: sendingStepIds };
    return [
      ...checkFilter(config.if, '/if', options),
      ...(config.branches ?? []).flatMap((branch, index) => checkFilter(branch.if, `/branches/${index}/if`, options)),
    ];
  },
  references,
});
