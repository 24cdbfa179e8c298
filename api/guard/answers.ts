import { errorCatalogue, type ErrorCode } from '../../lib/checks/errors.ts';
import { responseExample } from '../route/examples.ts';
import {
  bodySchema,
  PUBLIC_BODY_BYTES,
  type ResponseSpec,
  type RouteSpec,
  takesIdempotencyKey,
} from '../route/route.ts';

const text = (description: string, extra: object = {}) => ({ description, schema: { type: 'string' }, ...extra });
const whole = (description: string) => ({ description, schema: { type: 'integer', minimum: 0 } });

/** Response headers, by component name. */
export const headers = {
  ETag: text(
    'The version of a resource, for If-Match and If-None-Match; for other responses a digest, for If-None-Match',
    { example: '"1"' },
  ),
  'Idempotency-Replayed': text(
    '`true`: the stored response of the first request with this Idempotency-Key; nothing was executed again',
    {
      schema: { type: 'string', enum: ['true'] },
    },
  ),
  Location: text('URL of the resource, the job or the next page'),
  'RateLimit-Limit': whole('Maximum burst of requests'),
  'RateLimit-Remaining': whole('Requests currently remaining'),
  'RateLimit-Reset': whole('Seconds until the full burst is available again'),
  'Retry-After': whole('Seconds to wait before retrying the request'),
  'X-Request-Id': text('From the request, or generated; appears in the logs of the service', { required: true }),
};

const refer = (names: (keyof typeof headers)[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Whether a route has a rate limit per caller; other routes have a much larger one per address. */
const hasOwnRate = ({ access, path }: RouteSpec): boolean => access !== 'public' || path.startsWith('/auth/');

/** The error codes that a route can return because of its properties. */
export function generalErrors(spec: RouteSpec): ErrorCode[] {
  const codes: ErrorCode[] = ['internal', 'unavailable', 'too_many_requests'];
  if (spec.params || spec.query || spec.body || !spec.openQuery) codes.push('validation_failed');
  if (spec.params) codes.push('not_found');
  // Returned by Node itself, for long cursors or filters in the URL.
  if (spec.params || spec.query) codes.push('headers_too_large');
  if (bodySchema(spec))
    codes.push('validation_failed', 'malformed_json', 'malformed_body', 'payload_too_large', 'unsupported_media_type');
  if (spec.access !== 'public') codes.push('unauthorized', 'token_expired', 'token_revoked', 'forbidden');
  if (spec.method === 'PUT') codes.push('precondition_failed');
  if (takesIdempotencyKey(spec)) codes.push('idempotency_conflict', 'idempotency_key_reused');
  return codes;
}

/** An example of an error response. */
function problemExample(code: ErrorCode) {
  const [status, title] = errorCatalogue[code];
  return {
    type: `/docs#${code}`,
    title,
    status,
    detail: title,
    code,
    requestId: '0190d2a4-7b1c-4c5e-9f3a-2b6d8e4f1a90',
    ...(code === 'validation_failed'
      ? { detail: '1 problem in the request', errors: [{ path: '/email', code: 'required', message: 'is required' }] }
      : {}),
  };
}

const hasVersion = (response: ResponseSpec): boolean =>
  'schema' in response && 'version' in ((response.schema as { properties?: object }).properties ?? {});

function answerHeaders(spec: RouteSpec, status: number, response: ResponseSpec) {
  const isRead = spec.method === 'GET' && status === 200 && ('schema' in response || 'contentType' in response);
  return refer([
    'X-Request-Id',
    ...(isRead || (status < 300 && status !== 202 && hasVersion(response)) ? ['ETag' as const] : []),
    ...(status === 201 || (status === 202 && 'schema' in response) || (status > 300 && status < 400)
      ? ['Location' as const]
      : []),
    ...(hasOwnRate(spec)
      ? ['RateLimit-Limit' as const, 'RateLimit-Remaining' as const, 'RateLimit-Reset' as const]
      : []),
    ...(takesIdempotencyKey(spec) ? ['Idempotency-Replayed' as const] : []),
  ]);
}

function answerContent(response: ResponseSpec, write: (schema: unknown) => unknown) {
  const content: Record<string, unknown> = {};
  if ('schema' in response)
    content['application/json'] = { schema: write(response.schema), example: responseExample(response.schema) };
  for (const type of 'contentType' in response ? [response.contentType].flat() : [])
    content[type] = { schema: schemaOf(type) };
  return Object.keys(content).length > 0 ? { content } : {};
}

/** The schema of a non-JSON response: a document, text, or bytes. */
function schemaOf(contentType: string): object {
  if (contentType === 'application/json') return { type: 'object', additionalProperties: true };
  return { type: 'string', ...(/^text\/|ndjson$/.test(contentType) ? {} : { format: 'binary' }) };
}

const problemContent = (codes: readonly ErrorCode[]) => ({
  'application/problem+json': {
    schema: { $ref: '#/components/schemas/Problem' },
    examples: Object.fromEntries(codes.map((code) => [code, { value: problemExample(code) }])),
  },
});

/** The size limits of a route's body, in words. */
function limitOf({ access, bodyLimit, largerBody, files }: RouteSpec): string {
  const bytes = bodyLimit ?? (access === 'public' ? PUBLIC_BODY_BYTES : null);
  const body = bytes === null ? '`BODY_MAX_BYTES` (default 5 MiB)' : `${(bytes / 1024).toLocaleString('en')} KiB`;
  return `up to ${body}${largerBody ? ', or more if the form fields require it' : ''}${files ? `, and ${files.limits}` : ''}`;
}

const describe = (codes: readonly ErrorCode[], spec: RouteSpec): string =>
  codes
    .map(
      (code) =>
        `\`${code}\`: ${errorCatalogue[code][1]}${code === 'payload_too_large' ? `; a body can have ${limitOf(spec)}` : ''}`,
    )
    .join('; ');

/**
 * Creates the OpenAPI responses of routes. Errors are written once per set of codes, to `shared` (the document's
 * component responses), and referred to by these codes.
 */
export function createAnswers(write: (schema: unknown) => unknown) {
  const shared: Record<string, unknown> = {};

  function refusal(spec: RouteSpec, status: number, codes: readonly ErrorCode[]) {
    const rated = hasOwnRate(spec) && status === 429;
    const description = describe(codes, spec);
    const limit = codes.includes('payload_too_large') ? `.${limitOf(spec).match(/\w+/g)!.join('_')}` : '';
    const name = `${codes.toSorted().join('.')}${rated ? '.rated' : ''}${limit}`;
    shared[name] ??= {
      description,
      headers: refer([
        'X-Request-Id',
        ...(status === 429 || status === 503 ? ['Retry-After' as const] : []),
        ...(rated ? ['RateLimit-Limit' as const, 'RateLimit-Remaining' as const, 'RateLimit-Reset' as const] : []),
      ]),
      content: problemContent(codes),
    };
    return { $ref: `#/components/responses/${name}` };
  }

  return {
    shared,
    of(spec: RouteSpec): Record<string, unknown> {
      const answers: Record<string, { $ref?: string; description?: string; headers?: object; content?: object }> = {};
      for (const [status, response] of Object.entries(spec.responses)) {
        answers[status] = {
          description: response.description ?? 'Done',
          headers: answerHeaders(spec, Number(status), response),
          ...answerContent(response, write),
        };
      }
      if (spec.method === 'GET' && '200' in answers) {
        answers['304'] ??= {
          description: 'Not modified: If-None-Match matches the current state',
          headers: refer(['X-Request-Id']),
        };
      }
      const codes = [...new Set([...generalErrors(spec), ...(spec.errors ?? [])])];
      for (const [status, group] of Map.groupBy(codes, (code) => errorCatalogue[code][0])) {
        const own = answers[status];
        // A page or a response of its own kind also gets the errors that every operation has.
        if (own)
          Object.assign(own, {
            description: `${own.description}; ${describe(group, spec)}`,
            content: { ...own.content, ...problemContent(group) },
          });
        else answers[status] = refusal(spec, status, group);
      }
      return answers;
    },
  };
}
