import { eventContracts, eventTypes, type EventType, FILTER_EVENTS } from '../../../events/contracts.ts';
import { checkLeaves } from '../../membership/filter/check-filter.ts';
import { eventField, eventFieldNames, type FieldSpec } from '../../membership/filter/filter-fields.ts';
import type { Violation } from '../../../lib/checks/errors.ts';

interface Property {
  type?: string;
  enum?: string[];
  anyOf?: Property[];
}

/** How a property of an event's data is compared; undefined: not at all. */
function specOf(name: string, { type, enum: values, anyOf }: Property): FieldSpec | undefined {
  if (anyOf) return specOf(name, anyOf[0]!);
  if (values) return { type: 'enum', values };
  if (type === 'integer') return { type: name.endsWith('Id') ? 'id' : 'number' };
  return { string: { type: 'string' }, boolean: { type: 'boolean' }, array: { type: 'tags' } }[type ?? ''] as
    FieldSpec | undefined;
}

const LEFT_OUT: readonly string[] = ['tenantId', 'timestamp'];

/** The fields that a filter can name, by event type: those of its data, and those of its email or message. */
const FIELDS = new Map<EventType, ReadonlyMap<string, FieldSpec>>(
  eventTypes.map((type) => {
    const { properties } = eventContracts[type] as unknown as { properties: Record<string, Property> };
    const own = Object.entries(properties).flatMap(([name, property]) => {
      const spec = LEFT_OUT.includes(name) ? undefined : specOf(name, property);
      return spec ? [[name, spec] as const] : [];
    });
    const event = FILTER_EVENTS.find((one) => one === type);
    const others = event ? eventFieldNames(event, false).map((name) => [name, eventField(event, name)!] as const) : [];
    return [type, new Map([...own, ...others])];
  }),
);

/**
 * The violations of an endpoint's filter, which is like the `where` of an event leaf: each field must be one of at least
 * one of the types. Events that lack it have a missing value.
 */
export function filterViolations(filter: unknown, types: readonly string[], path: string): Violation[] {
  const among = types.includes('*') ? eventTypes : eventTypes.filter((type) => types.includes(type));
  return checkLeaves(filter, path, {
    spec: (name) => among.map((type) => FIELDS.get(type)!.get(name)).find((spec) => spec !== undefined),
    unknown: () => {
      const names = [...new Set(among.flatMap((type) => [...FIELDS.get(type)!.keys()]))].sort();
      return `must be a field of an event that the webhook gets: ${names.join(', ') || 'none'}`;
    },
  });
}
