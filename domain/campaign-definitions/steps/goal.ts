import { Type } from 'typebox';
import { eventsThatChange } from '../../membership/filter/change-kinds.ts';
import { checkFilter } from '../../membership/filter/check-filter.ts';
import type { Filter } from '../../membership/filter/filter.ts';
import { filterResources } from '../filter-resources.ts';
import { named, namesOf } from '../names.ts';
import { stepKind } from './kind.ts';

/** A goal of the campaign: whoever meets it jumps here from any step, and counts as a conversion. */
export const goal = stepKind({
  // Validated by checkFilter instead of a schema; FilterSchema explains why.
  config: Type.Object(
    { if: Type.Unsafe<Filter>(Type.Unknown({ 'x-component': 'Filter' })) },
    { additionalProperties: false },
  ),
  about:
    '`GOAL {if: <filter>}`: as soon as the filter holds, the contact jumps here from wherever it is in the campaign, ' +
    'once; a conversion. Whoever comes here without having met the goal goes on to the next step',
  summary: (config, names) => named('goal', namesOf(filterResources(config.if, '/if'), names), 'goal'),
  plan: (config) => ({ effect: 'goal', filter: config.if }),
  goal: (config) => config.if,
  wokenBy: (config) => eventsThatChange(config.if),
  check: (config, { customFields, sendingStepIds }) =>
    checkFilter(config.if, '/if', { customFields, stepIds: sendingStepIds }),
  references: (config) => filterResources(config.if, '/if'),
});
