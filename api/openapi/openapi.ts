import { partsOf } from '../../lib/checks/schema-check.ts';
import type { TSchema } from 'typebox';
import { errorCatalogue } from '../../lib/checks/errors.ts';
import { createAnswers, headers } from '../guard/answers.ts';
import { createComponents } from './components.ts';
import { requestExample } from '../route/examples.ts';
import { Problem } from '../route/schemas.ts';
import { MAX_VALUES, type RouteSpec, takesIdempotencyKey } from '../route/route.ts';

const contentTypes = {
  json: 'application/json',
  text: 'text/plain',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
} as const;

const description = `The following applies to every operation.

**Authentication.** \`Authorization: Bearer\` with the access token from a login, or with an API key. Public operations are marked as such.

**Errors** are RFC 9457 problem details (\`application/problem+json\`): branch on \`code\`; \`errors\` lists every violation with a JSON Pointer.

**Lists** return \`{data, page}\`; pass \`page.nextCursor\` as \`cursor\` while \`page.hasMore\`. Ids are integers, times RFC 3339 in UTC.

**Updates.** PUT replaces the given fields: an absent field is unchanged, null clears a field. \`If-Match\` with the \`version\` prevents lost updates.

**Bodies** are limited to the size given at the 413 of each operation, and to ${MAX_VALUES.others.toLocaleString('en')} values and names (${MAX_VALUES.public.toLocaleString('en')} without a token).

**Retries.** A POST with an \`Idempotency-Key\` is executed once: its first answer is repeated for 24 hours, a refusal too, so a corrected request needs another key. Only 401, 429 and 5xx are not kept. A key belongs to one caller and one operation. On 429 and 503, wait as many seconds as \`Retry-After\` says.

**Events** are published on NATS: [how to consume them](/docs/events).

## Error codes

| Code | Status | Meaning |
|---|---|---|
${Object.entries(errorCatalogue)
  .map(([code, [status, title]]) => `| \`${code}\` | ${status} | ${title} |`)
  .join('\n')}`;

const tags: Record<string, string> = {
  auth: 'Accounts, sessions, users, roles, API keys and the audit log',
  contacts: 'Contacts, companies, segments, lists and imports',
  segments: 'Segments and lists, who was in them, and how many over time',
  emails: 'Templates, sending, tracking and unsubscribing',
  campaigns: 'Automation campaigns (journeys) and their executions',
  forms: 'Forms, their pages and submissions',
  scoring: 'Rules, scores and thresholds',
  analytics: 'Statistics over time',
  channels: 'Text messages and pushes, consents and preferences',
  webhooks: 'Events sent to other systems, and whether they have arrived',
  system: 'Health, API descriptions and metrics',
};

/** The area of an operation; `system` if it has none. */
function tagOf(spec: RouteSpec): string {
  const first = spec.path.replace(/^\/+/, '').split('/')[0]!;
  if (first in tags) return first;
  return /^(reset-password|verify-email|accept-invitation)$/.test(first) ? 'auth' : 'system';
}

/** Header parameters, by component name. */
const headerParameters = {
  'Idempotency-Key': {
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]([ -~]*[!-~])?$' },
    example: 'order-4711',
    description:
      'Repeating a request with the same key within 24 hours returns the first response, with `Idempotency-Replayed: true`; a refusal too, unless it was 401, 429 or 5xx',
  },
  'If-Match': {
    schema: { type: 'string' },
    example: '"1"',
    description:
      'The ETag of the version to change, in quotes; if the resource has another version, the response is 412',
  },
  'If-None-Match': {
    schema: { type: 'string' },
    example: '"1"',
    description: 'The ETag of your copy; the response is 304 if it is still current',
  },
};

function headersOf(spec: RouteSpec): (keyof typeof headerParameters)[] {
  const conditional = spec.method === 'PUT' || (spec.errors?.includes('precondition_failed') ?? false);
  if (takesIdempotencyKey(spec)) return conditional ? ['Idempotency-Key', 'If-Match'] : ['Idempotency-Key'];
  if (conditional) return ['If-Match'];
  return spec.method === 'GET' && spec.access !== 'public' ? ['If-None-Match'] : [];
}

function parameters(spec: RouteSpec, write: (schema: unknown) => unknown) {
  const of = (place: 'path' | 'query', schema: TSchema | undefined) => {
    const { properties = {}, required = [] } = (schema ?? {}) as {
      properties?: Record<string, { description?: string }>;
      required?: string[];
    };
    return Object.entries(properties).map(([name, property]) => ({
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      schema: write(property),
      ...(property.description ? { description: property.description } : {}),
    }));
  };
  return [
    ...of('path', spec.params),
    ...of('query', spec.query),
    ...headersOf(spec).map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
}

function security({ access, accessWithToken }: RouteSpec): object[] {
  if (access === 'public') return accessWithToken ? [{}, { accessToken: [] }, { apiKey: [] }] : [];
  return access === 'user' ? [{ accessToken: [] }] : [{ accessToken: [] }, { apiKey: [] }];
}

/** The description, with the permission that a caller needs. */
function describe({ description: text, access }: RouteSpec): { description?: string } {
  const parts = [text, access.includes(':') ? `Permission: \`${access}\`.` : undefined].filter((part) => part);
  return parts.length > 0 ? { description: parts.join('\n\n') } : {};
}

/** If no field is required, the JSON body may be omitted: a PUT that changes nothing. */
const needsBody = ({ body, bodyTypes }: RouteSpec): boolean =>
  bodyTypes !== undefined || (partsOf(body).required ?? []).length > 0;

/** Creates the OpenAPI 3.1 document of the routes, from the schemas that validate requests. */
export function openapi(routes: readonly RouteSpec[], publicUrl: string) {
  const { schemas, write, request } = createComponents(routes);
  const answers = createAnswers(write);
  write(Problem);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const spec of routes) {
    const path = spec.path.startsWith('//') ? spec.path.slice(1) : `/api/v1${spec.path}`;
    const content =
      spec.body &&
      Object.fromEntries(
        (spec.bodyTypes ?? ['json']).map((type) => [
          contentTypes[type],
          { schema: request(spec), example: requestExample(spec.body!) },
        ]),
      );
    (paths[path] ??= {})[spec.method.toLowerCase()] = {
      operationId: spec.operationId,
      summary: spec.summary,
      ...describe(spec),
      tags: [tagOf(spec)],
      security: security(spec),
      ...(spec.access.includes(':') ? { 'x-permission': spec.access } : {}),
      parameters: parameters(spec, write),
      ...(content ? { requestBody: { required: !spec.bodyOptional && needsBody(spec), content } } : {}),
      responses: answers.of(spec),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Perennial',
      version: '1.0.0',
      summary: 'Marketing automation: contacts, email, journeys, forms, scoring and analytics',
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags: Object.entries(tags).map(([name, text]) => ({ name, description: text })),
    paths,
    components: {
      securitySchemes: {
        accessToken: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'The access token from a login',
        },
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The key returned by POST /auth/api-keys, also sent as Bearer; not accepted by operations that require a user login',
        },
      },
      parameters: Object.fromEntries(
        Object.entries(headerParameters).map(([name, parameter]) => [
          name,
          { name, in: 'header', required: false, ...parameter },
        ]),
      ),
      headers,
      responses: answers.shared,
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
}
