import { FILTER_EVENTS } from '../../../events/contracts.ts';
import { Type, type Static } from 'typebox';
import { checkFilter } from '../../membership/filter/check-filter.ts';
import { WhereSchema, type EventLeaf, type FieldLeaf } from '../../membership/filter/filter.ts';
import { duration } from '../duration.ts';
import { filterResources } from '../filter-resources.ts';
import { MAX_MINUTES, TargetSchema } from '../schemas.ts';
import { named, namesOf } from '../names.ts';
import { stepKind } from './kind.ts';

const MINUTE_MS = 60_000;

const ConfigSchema = Type.Object(
  {
    event: Type.Enum([...FILTER_EVENTS]),
    // Validated by checkFilter, like the `where` of a CONDITION.
    where: Type.Optional(Type.Unsafe<FieldLeaf[]>(Type.Unknown({ 'x-described-as': WhereSchema }))),
    timeoutMinutes: Type.Integer({ minimum: 0, maximum: MAX_MINUTES }),
    onTimeout: Type.Optional(TargetSchema),
  },
  { additionalProperties: false },
);

const leafOf = ({ event, where }: Static<typeof ConfigSchema>): EventLeaf => ({
  event,
  operator: 'atLeast',
  ...(where === undefined ? {} : { where }),
});

/** Waits until the contact does something, or until the time is over. */
export const waitForEvent = stepKind({
  config: ConfigSchema,
  about:
    '`WAIT_FOR_EVENT {event, where?, timeoutMinutes, onTimeout?}` goes to `next` as soon as the event happens that all ' +
    'leaves of `where` fit, and to `onTimeout` if it does not within `timeoutMinutes` (0 to 5,256,000); an omitted ' +
    '`onTimeout` is the following step, null the end. Events count from the moment when the step was reached',
  summary: (config, names) => {
    const what = `wait for ${config.event}, at most ${duration(config.timeoutMinutes)}`;
    return named(what, namesOf(filterResources(leafOf(config), ''), names), what);
  },
  due: ({ timeoutMinutes }, _entry, { now }) => new Date(now.getTime() + timeoutMinutes * MINUTE_MS),
  endsEarly: true,
  plan: (config, _entry, _moment, until) => ({ effect: 'await', event: leafOf(config), until }),
  wokenBy: ({ event }) => [event],
  exits: ({ onTimeout }) => [
    { path: '', to: undefined },
    { path: '/onTimeout', to: onTimeout },
  ],
  check: (config, { customFields, sendingStepIds }) =>
    checkFilter(leafOf(config), '', { customFields, stepIds: sendingStepIds }),
  references: (config) => filterResources(leafOf(config), ''),
});
