import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Type } from 'typebox';
import { mayReadMetrics } from '../../config/metrics-token.ts';
import type { Deps } from '../../runtime/deps.ts';
import { asyncapi } from '../../transport/asyncapi.ts';
import { unauthorized } from '../../domain/auth/access/access-token.ts';
import { pagePolicy } from '../pages/html.ts';
import { openapi } from '../openapi/openapi.ts';
import { oneOf, strict } from '../route/schemas.ts';
import { errorsHtml } from './error-texts.ts';
import { eventsPage } from './events-page.ts';
import { checkHealth, healthAreas } from './health.ts';
import { route, type Call, type RouteSpec } from '../route/route.ts';

const status = oneOf(['UP', 'DEGRADED', 'DOWN']);
const HealthAnswer = strict({
  status,
  components: Type.Record(Type.String(), strict({ status, detail: Type.Optional(Type.String()) })),
});

function health(area: string, path: `/${string}`): RouteSpec {
  return route({
    method: 'GET',
    path,
    operationId: area === 'all' ? 'getHealth' : `get${area[0]!.toUpperCase()}${area.slice(1)}Health`,
    summary: area === 'all' ? 'Health of all components' : `Health of the area ${area}`,
    description: `${area === 'all' ? 'Every component' : 'Only the components that the area needs'}, each UP, DEGRADED (works with restrictions) or DOWN, and \`status\` is the worst of them. 503 with \`Retry-After\` if that is DOWN. Each is checked at most once a second, so it may be polled.`,
    access: 'public',
    openQuery: true,
    responses: {
      200: { schema: HealthAnswer, description: 'UP or DEGRADED' },
      503: { schema: HealthAnswer, description: 'DOWN' },
    },
    handler: async ({ deps }) => {
      const body = await checkHealth(deps, area);
      const headers = { 'Cache-Control': 'no-store' };
      return body.status === 'DOWN'
        ? { status: 503, body, headers: { ...headers, 'Retry-After': '5' } }
        : { body, headers };
    },
  });
}

/** A leaf, in a colour that can be seen on light and on dark. */
const favicon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#3a8f4d" d="M27 4C13 4 5 10 5 19c0 2 .5 4 1.6 5.7C10 17 15 13 21 11c-6 4-10.5 8.5-13 16l2.700 1c.5-1.600 1-3 1.700-4.300C22 25 28 18 27 4z"/></svg>';

const docsPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Perennial API</title>
<link rel="stylesheet" href="/docs/reference.css"><link rel="icon" href="/favicon.svg"><style>#error-codes{max-width:1420px;margin:1rem auto;padding:0 20px;font:1rem/1.5 sans-serif}#error-codes dt{margin-top:.8rem}#error-codes dd{margin:0}#error-codes :target{background:#fff3bf}</style></head>
<body>${errorsHtml}<div id="docs"></div><script src="/docs/reference.js"></script><script src="/docs/start.js"></script></body></html>`;
const docsScript = `SwaggerUIBundle({ url: '/api/v1/openapi.json', dom_id: '#docs', deepLinking: true, docExpansion: 'none', filter: true, defaultModelRendering: 'model', defaultModelsExpandDepth: 0, defaultModelExpandDepth: 3, requestSnippetsEnabled: true, displayRequestDuration: true, validatorUrl: null });
function showError() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const errors = document.getElementById('error-codes');
  if (!named || !errors.contains(named)) return;
  errors.open = true;
  named.scrollIntoView();
}
addEventListener('hashchange', showError);
showError();`;
const docsPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

/**
 * Returns a handler for content that is the same for everyone. It is created on first use and cached, because creating
 * some of it takes as long as a thousand other responses.
 */
function madeOnce(make: (deps: Deps) => string | Buffer, headers: Record<string, string>): RouteSpec['handler'] {
  const made = new WeakMap<Deps, string | Buffer>();
  return async ({ deps }) => {
    const body = made.get(deps) ?? make(deps);
    made.set(deps, body);
    return { body, headers };
  };
}

/** A file of the package that renders the documentation. */
function docsFile(path: `/${string}`, operationId: string, summary: string, file: string, type: string): RouteSpec {
  const source = fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`));
  return route({
    method: 'GET',
    path,
    operationId,
    summary,
    description: 'Loaded by `/docs`; it has no use of its own.',
    access: 'public',
    openQuery: true,
    responses: { 200: { contentType: type, description: 'A file' } },
    handler: madeOnce(() => readFileSync(source), {
      'Content-Type': `${type}; charset=utf-8`,
      'Cache-Control': 'public, max-age=86400',
    }),
  });
}

const json = { 'Content-Type': 'application/json; charset=utf-8' };

function checkMetricsToken({ ctx, deps }: Call<unknown, unknown, unknown>): void {
  if (!mayReadMetrics(deps.env.METRICS_TOKEN, ctx.get('authorization')))
    throw unauthorized('The metrics token is missing or invalid');
}

/** Health, API descriptions, documentation and metrics; `all` are the routes to describe, including these. */
export const systemRoutes = (all: () => readonly RouteSpec[]): RouteSpec[] => [
  health('all', '/health'),
  ...healthAreas.map((area) => health(area, `/${area}/health`)),
  route({
    method: 'GET',
    path: '/openapi.json',
    operationId: 'getOpenapi',
    summary: 'OpenAPI 3.1 document of this API',
    description:
      'Made from the schemas that validate requests, so it says what this release of the service accepts and answers. The same for every caller.',
    access: 'public',
    openQuery: true,
    responses: { 200: { contentType: 'application/json', description: 'An OpenAPI 3.1 document' } },
    handler: madeOnce(({ env }) => JSON.stringify(openapi(all(), env.PUBLIC_URL)), json),
  }),
  route({
    method: 'GET',
    path: '/asyncapi.json',
    operationId: 'getAsyncapi',
    summary: 'AsyncAPI 3 document of the events',
    description:
      'The events that the service publishes on NATS: their subjects, streams and fields. `/docs/events` shows it as a page.',
    access: 'public',
    openQuery: true,
    responses: { 200: { contentType: 'application/json', description: 'An AsyncAPI 3 document' } },
    handler: madeOnce(({ env }) => JSON.stringify(asyncapi(env)), json),
  }),
  route({
    method: 'GET',
    path: '//',
    operationId: 'getRoot',
    summary: 'Redirect to the documentation',
    description: 'Who opens the address of the service in a browser gets to `/docs`.',
    access: 'public',
    openQuery: true,
    responses: { 302: { description: 'Redirect to `/docs`' } },
    handler: async () => ({ headers: { Location: '/docs' } }),
  }),
  route({
    method: 'GET',
    path: '//favicon.svg',
    operationId: 'getFavicon',
    summary: 'Icon of the pages that have no logo',
    description: 'Loaded by the pages of the service; it has no use of its own.',
    access: 'public',
    openQuery: true,
    responses: { 200: { contentType: 'image/svg+xml', description: 'A picture' } },
    handler: async () => ({
      body: favicon,
      headers: { 'Content-Type': 'image/svg+xml', 'Cache-Control': 'public, max-age=86400' },
    }),
  }),
  route({
    method: 'GET',
    path: '//docs',
    operationId: 'getDocs',
    summary: 'API documentation page',
    description:
      'Shows `/api/v1/openapi.json`; after `Authorize` with a token, operations can be tried. The `type` of a problem leads here: `/docs#validation_failed` shows what that error code means.',
    access: 'public',
    openQuery: true,
    responses: { 200: { contentType: 'text/html', description: 'The API documentation' } },
    handler: async () => ({
      body: docsPage,
      headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': docsPolicy },
    }),
  }),
  route({
    method: 'GET',
    path: '//docs/events',
    operationId: 'getEventsDocs',
    summary: 'Event documentation page',
    description: 'Shows `/api/v1/asyncapi.json` as a page without scripts.',
    access: 'public',
    openQuery: true,
    responses: { 200: { contentType: 'text/html', description: 'The documentation of the events' } },
    handler: madeOnce(({ env }) => eventsPage(asyncapi(env)), {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': pagePolicy(),
    }),
  }),
  route({
    method: 'GET',
    path: '//docs/start.js',
    operationId: 'getDocsStart',
    summary: 'Start script of the documentation page',
    description: 'Loaded by `/docs`; it has no use of its own.',
    access: 'public',
    openQuery: true,
    responses: { 200: { contentType: 'text/javascript', description: 'A script' } },
    handler: async () => ({ body: docsScript, headers: { 'Content-Type': 'text/javascript; charset=utf-8' } }),
  }),
  docsFile(
    '//docs/reference.js',
    'getDocsScript',
    'Script of the documentation page',
    'swagger-ui-bundle.js',
    'text/javascript',
  ),
  docsFile(
    '//docs/reference.css',
    'getDocsStyle',
    'Stylesheet of the documentation page',
    'swagger-ui.css',
    'text/css',
  ),
  route({
    method: 'GET',
    path: '//metrics',
    operationId: 'getMetrics',
    summary: 'Prometheus metrics',
    description:
      'The figures of this API process; each worker has its own, on the port `WORKER_HEALTH_PORT`. If `METRICS_TOKEN` is set, the request needs it as a Bearer token, or gets 401.',
    access: 'public',
    openQuery: true,
    errors: ['unauthorized'],
    responses: { 200: { contentType: 'text/plain', description: 'Prometheus text format' } },
    handler: async (call) => {
      checkMetricsToken(call);
      const { registry } = call.deps.metrics;
      return { body: await registry.metrics(), headers: { 'Content-Type': registry.contentType } };
    },
  }),
];
