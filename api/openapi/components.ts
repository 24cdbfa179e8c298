import type { TSchema } from 'typebox';
import { ONE_LINE } from '../../lib/checks/schema-check.ts';
import type { RouteSpec } from '../route/route.ts';

interface Plain extends Record<string, unknown> {
  title?: string;
  type?: string | string[];
  properties?: Record<string, Plain>;
  patternProperties?: Record<string, Plain>;
  required?: string[];
  items?: Plain;
}

const capital = (text: string): string => text[0]!.toUpperCase() + text.slice(1);
/** Schema keywords for internal use. */
const INTERNAL = ['x-read-only', 'x-nullable', 'x-form'];

/**
 * Creates the document's component schemas, so that generated clients get named types. A schema's name is its `title`
 * (and `x-component` in a schema that contains itself), or else follows from the operation: `getContact` returns a
 * `Contact`, `listContacts` a `ContactList`, `startTotp` a `StartTotpAnswer` and accepts a `StartTotpRequest`. A schema
 * that only keeps its violations short, because the domain checks more, names the exact one in `x-described-as`.
 */
export function createComponents(routes: readonly RouteSpec[]) {
  const names = new Map<object, string>();
  const schemas: Record<string, unknown> = {};
  const claim = (schema: unknown, name: string): void => {
    if (!names.has(schema as object)) names.set(schema as object, (schema as Plain).title ?? name);
  };

  let isGiven = false;

  /** Converts a schema to plain JSON, with references to named schemas. */
  function write(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map(write);
    if (typeof schema !== 'object' || schema === null) return schema;
    const itself = (schema as Plain)['x-component'];
    if (itself) return { $ref: `#/components/schemas/${itself as string}` };
    const present = (schema as Plain)['x-nullable'] as Plain | undefined;
    if (present?.title) return { anyOf: [write(present), { type: 'null' }] };
    const name = names.get(schema) ?? (schema as Plain).title;
    if (name === undefined) return inline(schema as Plain);
    const written = inline(schema as Plain);
    if (name in schemas && JSON.stringify(schemas[name]) !== JSON.stringify(written))
      throw new Error(`Two schemas have the name ${name}`);
    schemas[name] = written;
    return { $ref: `#/components/schemas/${name}` };
  }

  function inline({ title: _title, 'x-described-as': described, ...whole }: Plain): Record<string, unknown> {
    const { description, examples } = whole;
    const schema = (
      described
        ? { ...described, title: undefined, ...(description ? { description } : {}), ...(examples ? { examples } : {}) }
        : whole
    ) as Plain;
    const written: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(schema)) {
      if (INTERNAL.includes(key) || value === undefined) continue;
      if (!isGiven && key === 'pattern' && value === ONE_LINE) continue;
      written[key] =
        key === 'properties'
          ? Object.fromEntries(Object.entries(value as object).map(([field, one]) => [field, write(one)]))
          : ['examples', 'example', 'default', 'enum', 'const', 'required'].includes(key)
            ? value
            : write(value);
    }
    // `additionalProperties` is understood by every tool: any names, with values like this.
    const [pattern, ...others] = Object.entries(written['patternProperties'] ?? {});
    if (pattern && others.length === 0 && ['^.*$', '^(.*)$'].includes(pattern[0])) {
      delete written['patternProperties'];
      written['additionalProperties'] = pattern[1];
    } else if ([schema.type].flat().includes('object') && !schema.properties && !('additionalProperties' in written)) {
      written['additionalProperties'] = true;
    }
    return written;
  }

  const answers = routes.flatMap((spec) =>
    Object.entries(spec.responses).flatMap(([status, response]) =>
      'schema' in response ? [{ spec, status, schema: response.schema as unknown as Plain }] : [],
    ),
  );
  for (const { spec, status, schema } of answers) {
    const [, what] = /^get(.+)$/.exec(spec.operationId) ?? [];
    if (what && status === '200') claim(schema, what);
  }
  for (const { spec, status, schema } of answers) {
    const item = schema.properties?.['data']?.items;
    if (item && schema.properties?.['page']) {
      claim(item, `${capital(spec.operationId)}Item`);
      claim(schema, `${names.get(item)}List`);
    } else if (Number(status) < 300) claim(schema, `${capital(spec.operationId)}Answer`);
  }
  const bodies = new Map(
    routes.flatMap((spec) => (spec.body ? [[spec, requestSchema(spec, spec.body)] as const] : [])),
  );
  for (const [spec, body] of bodies) claim(body, `${capital(spec.operationId)}Request`);

  /** What is given: only it must have the pattern of names, because older ones are stored as they are. */
  const request = (spec: RouteSpec): unknown => {
    isGiven = true;
    try {
      return write(bodies.get(spec));
    } finally {
      isGiven = false;
    }
  };
  return { schemas, write, request };
}

/** The schema of a request body: without the service-set fields on POST, and with file parts required. */
function requestSchema({ method }: RouteSpec, body: TSchema): TSchema {
  const { properties = {}, required = [], ...schema } = body as unknown as Plain;
  const readOnly = method === 'POST' ? ((schema['x-read-only'] as string[] | undefined) ?? []) : [];
  const files = Object.keys(properties).filter((name) => properties[name]!['format'] === 'binary');
  if (readOnly.length === 0 && files.length === 0) return body;
  const shown = Object.fromEntries(Object.entries(properties).filter(([name]) => !readOnly.includes(name)));
  return { ...schema, properties: shown, required: [...required, ...files] };
}
