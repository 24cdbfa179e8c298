import type { TSchema } from 'typebox';
import { OPTIONAL_FIELDS, OPTIONAL_NAMES } from '../../domain/contact-values/optional-fields.ts';

interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  format?: string;
  minimum?: number;
  minLength?: number;
  minItems?: number;
  readOnly?: boolean;
}

const FORMATS: Record<string, string> = {
  'date-time': '2030-01-31T09:30:00.000Z',
  date: '2030-01-31',
  uuid: '0190d2a4-7b1c-4c5e-9f3a-2b6d8e4f1a90',
  uri: 'https://example.com/',
  email: 'ada@example.com',
};

/** Example texts for fields of these names. */
const NAMES: Record<string, string> = {
  firstName: 'Ada',
  lastName: 'Byron',
  name: 'Example',
  email: 'ada@example.com',
  to: 'ada@example.com',
  tenantId: 'default',
  phone: '+44 20 7946 0958',
  phoneE164: '+442079460958',
  ...Object.fromEntries(OPTIONAL_NAMES.map((name) => [name, OPTIONAL_FIELDS[name].example])),
  domain: 'example.com',
  stepId: 'step-1',
  url: 'https://example.com/',
  description: 'What it is for',
  requestId: '0190d2a4-7b1c-4c5e-9f3a-2b6d8e4f1a90',
  tags: 'vip',
  ip: '192.0.2.7',
  ipAddress: '192.0.2.7',
  subject: 'Hello Ada',
};

function objectOf({ properties = {}, required = [] }: Schema, all: boolean): Record<string, unknown> {
  const writable = Object.entries(properties).filter(([, property]) => all || !property.readOnly);
  const wanted = writable.filter(([name]) => all || required.includes(name));
  // An example that changes nothing would explain nothing.
  const shown = wanted.length > 0 ? wanted : writable.slice(0, 1);
  return Object.fromEntries(shown.map(([name, property]) => [name, valueOf(property, all, name)]));
}

function valueOf(schema: Schema, all: boolean, name = ''): unknown {
  if (schema.examples) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return valueOf(schema.anyOf[0]!, all, name);
  switch ([schema.type].flat()[0]) {
    // Conditions define which fields go together, so only the required fields are shown.
    case 'object':
      return objectOf(schema, all && !schema.allOf);
    case 'array':
      return schema.items && (all || schema.minItems) ? [valueOf(schema.items, all, name)] : [];
    case 'string':
      return FORMATS[schema.format ?? ''] ?? NAMES[name] ?? 'text'.padEnd(schema.minLength ?? 0, '.');
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 0, 0);
    case 'boolean':
      return true;
    default:
      return null;
  }
}

/**
 * A request that matches the schema: its required fields, or one optional field, with their own examples where they
 * have any.
 */
export const requestExample = (schema: TSchema): unknown => valueOf(schema, false);

/** A response with every field of the schema. */
export const responseExample = (schema: TSchema): unknown => valueOf(schema, true);
