import { partsOf } from '../../../lib/checks/schema-check.ts';
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { requestExample } from '../../../api/route/examples.ts';
import { routes } from '../../../api/routes.ts';
import { startApiProcess, type ApiProcess } from '../api-process.ts';
import { formBodies, jsonBodies, multipartBodies, type Body } from './body-shapes.ts';
import { startService, type Service } from '../service.ts';
import { bodySchema, type RouteSpec } from '../../../api/route/route.ts';
import { SEED } from '../seed.ts';

/** The longest that a single request may block all others (ms of the thread's CPU time). */
const MAX_MS = 100;
export const PUBLIC_BYTES = 64 * 1024;
/** Within what the fields of the form below allow. */
export const FORM_BYTES = 700_000;
/** The first is kept: it once found a fault. */
export const SEEDS = [20_260_101, SEED].filter((seed, n, all) => all.indexOf(seed) === n);

export interface Request {
  what: string;
  method: string;
  path: string;
  body?: string;
  type?: string;
  headers?: Record<string, string>;
}
interface Still {
  ms: number;
  from: number;
  to: number;
}

/** An API process whose event loop is watched, with a form (`formId`) that has fields of every type. */
export interface Watched {
  service: Service;
  api: ApiProcess;
  formId: number;
  /** Returns the status. Fails on a 500, and on a response that is too long. */
  send: (request: Request) => Promise<number>;
  stills: () => Still[];
  /** How long the process was blocked during `work` (ms). */
  stillDuring: (work: () => Promise<unknown>) => Promise<number>;
  /**
   * Sends the requests one after the other and fails if one blocks the process. A request counts only if it blocks it
   * twice, so that a garbage collection does not.
   */
  check: (requests: readonly Request[]) => Promise<void>;
  /** Bodies of all types, for the public routes or for all others, `count` of each up to its limit. */
  bodies: (access: 'public' | 'others', count: number, seed: number) => Request[];
  stop: () => Promise<void>;
}

const FIELD_TYPES = [
  'text',
  'email',
  'textarea',
  'number',
  'phone',
  'url',
  'date',
  'time',
  'datetime',
  'country',
  'rating',
  'hidden',
  'checkbox',
  'consent',
];
const CONTENT_TYPES = {
  json: 'application/json',
  text: 'text/plain',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data; boundary=b',
};

async function makeForm(service: Service): Promise<number> {
  const options = Array.from({ length: 500 }, (_, n) => ({ value: `v${n}`, label: `L${n}` }));
  const form = await service.api('POST', '/forms', {
    name: 'Still',
    fields: [
      ...FIELD_TYPES.map((type) => ({ name: type === 'email' ? 'email' : `a_${type}`, label: type, type })),
      { name: 'many', label: 'Many', type: 'multiselect', options },
      ...Array.from({ length: 8 }, (_, n) => ({
        name: `pattern${n}`,
        label: 'P',
        type: 'textarea',
        validationRegex: '([a-z]+[.])*[a-z]{1,20}x',
        maxLength: 1000,
      })),
    ],
  });
  assert.equal(form.status, 201, JSON.stringify(form.body));
  return form.body.id;
}

export async function startWatched(): Promise<Watched> {
  const service = await startService();
  const watch = pathToFileURL(resolve('test/support/attacks/loop-watch.ts')).href;
  const api = await startApiProcess(service, {
    NODE_OPTIONS: `--import ${watch}`,
    WEBHOOK_POSTMARK_SECRET: 'user:password',
  });
  const formId = await makeForm(service);
  const formToken = (await service.api('GET', `/forms/${formId}/token`)).body.token as string;
  const contact = await service.api('POST', '/contacts', { firstName: 'A', lastName: 'B', email: 'still@example.com' });
  const unsubscribeToken = service.deps.links.unsubscribeToken({
    tenantId: 'default',
    contactId: contact.body.id,
    emailId: 1,
    address: null,
  });
  const longest = { what: 'nothing', ms: 0 };

  const stills = (): Still[] =>
    api
      .log()
      .split('\n')
      .filter((line) => line.includes('stood still'))
      .map((line) => JSON.parse(line) as Still);
  const stillBetween = (from: number, to: number): number =>
    Math.max(
      0,
      ...stills()
        .filter((still) => still.from <= to && still.to >= from)
        .map((still) => still.ms),
    );
  /** A turn is reported when the next one begins, so this waits for one more. */
  const settle = async (): Promise<void> => {
    for (let n = 0; n < 2; n += 1) await (await fetch(`${api.url}/api/v1/emails/tracking/open/x`)).arrayBuffer();
  };
  const stillDuring = async (work: () => Promise<unknown>): Promise<number> => {
    const from = Date.now();
    await work();
    await settle();
    return stillBetween(from, Date.now());
  };

  async function send({ method, path, body, type, headers = {} }: Request): Promise<number> {
    const response = await fetch(api.url + path, {
      method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${service.admin.token}`,
        ...(type ? { 'content-type': type } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const bytes = (await response.arrayBuffer()).byteLength;
    assert.ok(bytes < 8 * 1024 * 1024, `${path} answered ${bytes} bytes`);
    assert.notEqual(response.status, 500, path);
    return response.status;
  }

  async function check(requests: readonly Request[]): Promise<void> {
    assert.ok(requests.length > 0);
    const sent: { request: Request; from: number; to: number }[] = [];
    for (const request of requests) {
      const from = Date.now();
      await send(request);
      sent.push({ request, from, to: Date.now() });
    }
    await settle();
    const faults: string[] = [];
    for (const { request, from, to } of sent) {
      const about = `${request.method} ${request.path.slice(0, 100)}: ${request.what}`;
      let ms = stillBetween(from, to);
      for (let tries = 0; tries < 2 && ms > MAX_MS; tries += 1) ms = await stillDuring(() => send(request));
      if (ms > longest.ms) Object.assign(longest, { what: about, ms });
      if (ms > MAX_MS) faults.push(`${about} stood still for ${ms} ms`);
    }
    assert.deepEqual(faults, [], `seed ${SEED}`);
  }

  const pathOf = ({ path }: RouteSpec): string => {
    const given = path
      .replace('{id}', String(path.startsWith('/forms/') ? formId : 1))
      .replace('{token}', unsubscribeToken)
      .replace('{provider}', 'postmark')
      .replaceAll(/\{\w+\}/g, '1');
    return given.startsWith('//') ? given.slice(1) : `/api/v1${given}`;
  };
  function bodiesOf(route: RouteSpec, count: number, seed: number): Request[] {
    const [isSubmit, isWebhook] = [route.operationId === 'submitForm', route.operationId === 'receiveWebhook'];
    const limit = isSubmit
      ? FORM_BYTES
      : (route.bodyLimit ?? (route.access === 'public' ? PUBLIC_BYTES : service.deps.env.BODY_MAX_BYTES));
    const valid = route.body ? (requestExample(route.body) as Record<string, unknown>) : {};
    const names = isSubmit
      ? [...FIELD_TYPES.map((type) => `a_${type}`), 'email', 'many', 'pattern1']
      : Object.keys(partsOf(route.body).properties ?? {});
    return (isWebhook ? ['json' as const] : (route.bodyTypes ?? ['json' as const])).flatMap((type) => {
      const arbitrary: fc.Arbitrary<Body> =
        type === 'json' || type === 'text'
          ? jsonBodies(limit, names, valid)
          : type === 'form'
            ? formBodies(limit, isSubmit ? `_token=${formToken}&` : '')
            : multipartBodies(limit);
      return fc.sample(arbitrary, { numRuns: count, seed }).map(({ what, text }) => ({
        what: `${type}, ${what}`,
        method: route.method,
        path: pathOf(route),
        body: text,
        type: CONTENT_TYPES[type],
        // A request is hashed only if it has a key.
        headers: {
          'idempotency-key': `${seed}-${what}`,
          ...(isWebhook ? { 'x-webhook-secret': 'user:password' } : {}),
        },
      }));
    });
  }

  return {
    service,
    api,
    formId,
    send,
    stills,
    stillDuring,
    check,
    bodies: (access, count, seed) =>
      routes
        .filter(
          (route) =>
            (route.access === 'public') === (access === 'public') &&
            (bodySchema(route) !== undefined || route.operationId === 'receiveWebhook'),
        )
        .flatMap((route) => bodiesOf(route, count, seed)),
    async stop() {
      process.stderr.write(`It stood still for ${longest.ms} ms at most: ${longest.what}; seed ${SEED}\n`);
      await api.end('SIGKILL');
      await service.stop();
    },
  };
}
