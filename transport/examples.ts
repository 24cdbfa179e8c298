import { eventContracts, type EventType } from '../events/contracts.ts';

interface Schema {
  properties: Record<string, { type?: string; format?: string; enum?: string[]; anyOf?: { type?: string }[] }>;
}

/** An example of the data of an event, made from its schema. */
export const exampleData = (type: EventType): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries((eventContracts[type] as unknown as Schema).properties).map(([name, schema]) => [
      name,
      exampleValue(name, schema),
    ]),
  );

function exampleValue(name: string, { type, format, enum: values, anyOf }: Schema['properties'][string]): unknown {
  if (values) return values[0];
  if (name === 'tenantId') return 'default';
  if (name === 'email') return 'ada@example.com';
  if (format === 'date-time') return '2030-01-31T12:00:00.000Z';
  const of = {
    integer: 7,
    boolean: false,
    array: ['firstName'],
    string: name === 'url' ? 'https://www.example.com/guide' : 'text',
  };
  return of[(type ?? anyOf?.[0]?.type ?? 'string') as keyof typeof of];
}
