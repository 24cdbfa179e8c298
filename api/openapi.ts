import type { TSchema } from 'typebox';
import { errorCatalogue, type ErrorCode } from '../domain/errors.ts';
import { requestExample, responseExample } from './examples.ts';
import { Problem } from './schemas.ts';
import type { RouteSpec } from './guard.ts';

const contentTypes = { json: 'application/json', form: 'application/x-www-form-urlencoded', multipart: 'multipart/form-data' } as const;

/** Codes that a route can give because of what it is. */
function generalErrors(spec: RouteSpec): ErrorCode[] {
  const codes: ErrorCode[] = ['internal', 'unavailable'];
  if (spec.params || spec.query || spec.body || !spec.openQuery) codes.push('validation_failed');
  if (spec.params) codes.push('not_found');
  if (spec.body) codes.push('malformed_json', 'payload_too_large', 'unsupported_media_type');
  if (spec.access !== 'public') codes.push('unauthorized', 'forbidden');
  if (spec.method === 'PUT') codes.push('precondition_failed');
  return codes;
}

function requestContent(spec: RouteSpec, body: TSchema) {
  return Object.fromEntries((spec.bodyTypes ?? ['json']).map((type) => [contentTypes[type], { schema: body, example: requestExample(body) }]));
}

/** The area that an operation belongs to; what is not of one is `system`. */
function tagOf(spec: RouteSpec): string {
  const first = spec.path.replace(/^\/+/, '').split('/')[0]!;
  return /^(health|docs|metrics|openapi\.json|asyncapi\.json)$/.test(first) ? 'system' : first;
}

function parameters(spec: RouteSpec) {
  const of = (place: 'path' | 'query', schema: TSchema | undefined) => {
    const { properties = {}, required = [] } = (schema ?? {}) as { properties?: Record<string, { description?: string }>; required?: string[] };
    return Object.entries(properties).map(([name, property]) => ({
      name, in: place, required: place === 'path' || required.includes(name), schema: property, ...(property.description ? { description: property.description } : {}),
    }));
  };
  return [...of('path', spec.params), ...of('query', spec.query)];
}

function responses(spec: RouteSpec) {
  const answers: Record<string, unknown> = {};
  for (const [status, response] of Object.entries(spec.responses)) {
    answers[status] = {
      description: response.description ?? 'Done',
      ...('schema' in response ? { content: { 'application/json': { schema: response.schema, example: responseExample(response.schema) } } } : {}),
      ...('contentType' in response ? { content: { [response.contentType]: { schema: { type: 'string' } } } } : {}),
    };
  }
  const codes = [...new Set([...generalErrors(spec), ...(spec.errors ?? [])])];
  for (const [status, group] of Map.groupBy(codes, (code) => errorCatalogue[code][0])) {
    if (String(status) in answers) continue;
    answers[status] = {
      description: group.map((code) => `\`${code}\`: ${errorCatalogue[code][1]}`).join('; '),
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    };
  }
  return answers;
}

/** OpenAPI 3.1 of the routes, made from the schemas that validate. */
export function openapi(routes: readonly RouteSpec[], publicUrl: string) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const spec of routes) {
    const path = spec.path.startsWith('//') ? spec.path.slice(1) : `/api/v1${spec.path}`;
    (paths[path] ??= {})[spec.method.toLowerCase()] = {
      operationId: spec.operationId,
      summary: spec.summary,
      ...(spec.description ? { description: spec.description } : {}),
      tags: [tagOf(spec)],
      security: spec.access === 'public' ? [] : [{ bearer: [] }],
      ...(spec.access.includes(':') ? { 'x-permission': spec.access } : {}),
      parameters: parameters(spec),
      ...(spec.body
        ? { requestBody: { required: !spec.bodyOptional, content: requestContent(spec, spec.body) } }
        : {}),
      responses: responses(spec),
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Perennial', version: '1.0.0', summary: 'Marketing automation: contacts, email, journeys, forms, scoring and analytics', license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: publicUrl }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      schemas: { Problem: { ...Problem, $id: undefined } },
    },
  };
}
