import { setImmediate } from 'node:timers/promises';
import type { Context } from 'koa';
import type { TSchema } from 'typebox';
import { AppError, type Violation } from '../../lib/checks/errors.ts';
import type { Caller, Principal } from '../../domain/audit/principal.ts';
import type { Deps } from '../../runtime/deps.ts';
import { tenantEm, type EntityManager } from '../../db/orm.ts';
import {
  checkContent,
  coerceParameters,
  compileRequest,
  compileResponse,
  namesNotOneLine,
  partsOf,
} from '../../lib/checks/schema-check.ts';
import { createYielder } from '../../lib/async/turn.ts';
import { completeRefusal } from './complete-refusal.ts';
import { readBody, type ReadBody } from '../middleware/body.ts';
import type { BodyLimits } from '../middleware/body-size.ts';
import { idempotent } from '../middleware/idempotency.ts';
import { openUploadFolder } from '../middleware/uploads.ts';
import {
  bodySchema,
  MAX_VALUES,
  PUBLIC_BODY_BYTES,
  type Call,
  type Prepared,
  type Reply,
  type RouteSpec,
} from '../route/route.ts';

/** On public routes, tenant and actor are undefined and must not be read. */
function callerOf(ctx: Context, principal: Principal): Caller {
  return {
    tenantId: principal?.tenantId,
    actor: principal?.actor,
    requestId: ctx.state['requestId'] as string,
    address: ctx.ip,
  };
}

/** Parses a list of ETags (RFC 9110, 13.1.1). ETags in other formats match no version. */
function readIfMatch(header: string): number[] | null {
  if (header === '' || header === '*') return null;
  return header.split(',').flatMap((tag) => {
    const match = /^(?:W\/)?"([1-9]\d{0,14})"$/.exec(tag.trim());
    return match ? [Number(match[1])] : [];
  });
}

/**
 * Takes the fields out of a body that only the service sets. Of a PUT also a name that no name may be any more: like a
 * read-only field, the stored value is accepted, and so is unchanged.
 */
function splitReadOnly(schema: TSchema | undefined, method: string, body: unknown): Record<string, unknown> {
  const readOnly: Record<string, unknown> = {};
  if (typeof body !== 'object' || body === null) return readOnly;
  const fields = body as Record<string, unknown>;
  const old = method === 'PUT' ? namesNotOneLine(schema, fields) : [];
  for (const name of [...(partsOf(schema)['x-read-only'] ?? []), ...old]) {
    if (!Object.hasOwn(fields, name)) continue;
    readOnly[name] = fields[name];
    delete fields[name];
  }
  return readOnly;
}

/** The limits of a route's body. */
async function limitsOf(
  spec: RouteSpec,
  { ctx, deps, params }: { ctx: Context; deps: Deps; params: unknown },
): Promise<BodyLimits> {
  const isPublic = spec.access === 'public';
  const { BODY_MAX_BYTES } = deps.env;
  const usual = Math.min(spec.bodyLimit ?? (isPublic ? PUBLIC_BODY_BYTES : BODY_MAX_BYTES), BODY_MAX_BYTES);
  // A chunked body has no declared length.
  const isLarger = spec.largerBody !== undefined && (ctx.request.length === undefined || ctx.request.length > usual);
  const bytes = isLarger
    ? Math.max(usual, Math.min(await spec.largerBody!({ deps, params: params }), BODY_MAX_BYTES))
    : usual;
  return { bytes, values: isPublic ? MAX_VALUES.public : MAX_VALUES.others };
}

type RoutedContext = Context & { params: Record<string, string> };

/** What others call the parameters of pages, by our names. */
const PAGING: Record<string, readonly string[]> = {
  cursor: ['page', 'offset', 'skip', 'after', 'starting_after'],
  limit: ['per_page', 'perPage', 'pageSize', 'page_size', 'size', 'count'],
};
const HINTS = {
  cursor: 'use `cursor`, with `page.nextCursor` of the page before',
  limit: 'use `limit`, up to 200 per page',
};

/** The violations of a query, where unknown parameters for pages say what lists have instead. */
function pagingHints({ query }: RouteSpec, violations: Violation[]): Violation[] {
  const properties = partsOf(query).properties ?? {};
  return violations.map((violation) => {
    const ours = (['cursor', 'limit'] as const).find((name) => PAGING[name]!.includes(violation.path.slice(1)));
    return violation.code === 'unknown_field' && ours && Object.hasOwn(properties, ours)
      ? { ...violation, message: `is not a known parameter; ${HINTS[ours]}` }
      : violation;
  });
}

/** The result of validating a request against the schemas. */
interface Judged {
  query: Record<string, unknown>;
  /** All violations; `wrong` has those of the body only. */
  errors: Violation[];
  wrong: Violation[];
  /** The path parameters, or {} if one is invalid. */
  soundParams: Record<string, unknown>;
  /** Whether the body was shallow enough to be validated against its schema. */
  isReadable: boolean;
  given: object;
  readOnly: Record<string, unknown>;
}

/**
 * Compiles the schemas of routes, one route per iteration of the event loop. Otherwise the first request of a route
 * would wait up to a tenth of a second for it.
 */
export async function compileAhead(specs: readonly RouteSpec[]): Promise<void> {
  for (const spec of specs) {
    await setImmediate();
    for (const schema of [spec.params, spec.query, bodySchema(spec)]) if (schema) compileRequest(schema)({});
    for (const response of Object.values(spec.responses))
      if ('schema' in response) compileResponse(response.schema)({});
  }
}

/** Compiles a route's validators once and returns the Koa handler: parse, validate, call, filter, respond. */
export function guard(spec: RouteSpec, deps: Deps) {
  const checkParams = spec.params && compileRequest(spec.params);
  const checkQuery = spec.query && compileRequest(spec.query);
  const schema = bodySchema(spec);
  const bodyOptional = spec.bodyOptional ?? !spec.body;
  const checkBody = schema && compileRequest(schema);
  const filters = new Map(
    Object.entries(spec.responses).flatMap(([status, response]) =>
      'schema' in response ? [[Number(status), compileResponse(response.schema)] as const] : [],
    ),
  );
  const defaultStatus = Number(Object.keys(spec.responses)[0]);

  const judge = async (ctx: RoutedContext, params: Record<string, unknown>, body: unknown): Promise<Judged> => {
    const turn = createYielder();
    const query = coerceParameters(spec.query, ctx.query);
    const errors: Violation[] = checkParams?.(params) ?? [];
    if (!spec.openQuery) errors.push(...checkContent(params));
    const soundParams = errors.length === 0 ? params : {};
    if (!spec.openQuery) errors.push(...checkContent(query));
    if (checkQuery)
      errors.push(
        ...pagingHints(spec, checkQuery(query)).filter((e) => !(spec.openQuery && e.code === 'unknown_field')),
      );
    else if (!spec.openQuery) {
      errors.push(
        ...Object.keys(query).map((name) => ({
          path: `/${name}`,
          code: 'unknown_field',
          message: 'is not a known parameter',
        })),
      );
    }
    const wrong = checkContent(body);
    if (turn.isOver()) await turn.next();
    // The validator is recursive, so it must not get a body that is nested too deeply.
    const isReadable = wrong.every(({ code }) => code === 'invalid_character');
    // Spreading a string would make each character a property.
    const given = typeof body === 'object' ? { ...body } : {};
    const readOnly = splitReadOnly(schema, spec.method, body);
    if (checkBody && isReadable && !(bodyOptional && body === undefined)) wrong.push(...checkBody(body));
    if (turn.isOver()) await turn.next();
    errors.push(...wrong);
    if (spec.method === 'POST') {
      errors.push(
        ...Object.keys(readOnly).map((name) => ({
          path: `/${name}`,
          code: 'read_only',
          message: 'is set by the service',
        })),
      );
    }
    return { query, soundParams, errors, wrong, isReadable, given, readOnly };
  };

  /** The call that the handler gets; in the transaction of `em` if given. */
  const callOf = (
    ctx: RoutedContext,
    params: Record<string, unknown>,
    { body, files }: ReadBody,
    { query, readOnly }: Judged,
    em?: EntityManager,
  ): Call<unknown, unknown, unknown> => {
    const principal = ctx.state['principal'] as Principal;
    const caller = callerOf(ctx, principal);
    return {
      ctx,
      deps,
      get em() {
        return em ?? tenantEm(deps.orm, principal?.tenantId ?? '');
      },
      principal,
      caller,
      requestId: caller.requestId,
      params,
      query,
      body: body ?? {},
      files,
      readOnly,
      ifMatch: readIfMatch(ctx.get('if-match')),
    };
  };

  const handle = async (
    call: Call<unknown, unknown, unknown>,
    judged: Judged,
    prepared: () => unknown,
  ): Promise<void> => {
    const { ctx, caller, files, readOnly, body } = call;
    const { errors, wrong, soundParams, given } = judged;
    const check = judged.isReadable ? spec.check : undefined;
    /** The refusal, completed with the violations that the domain finds. */
    const completed = (told: Violation[]): Promise<AppError> =>
      completeRefusal(told, check, {
        em: call.em,
        deps,
        caller,
        readOnly,
        files,
        params: soundParams,
        given,
        body,
        wrong,
      });
    if (errors.length > 0) throw await completed(errors);

    const answer = async (): Promise<Reply> => spec.handler(call, prepared());
    const reply = await answer().catch(async (error: unknown) => {
      // A command may stop at its first violated rule, so add what `check` finds.
      const told =
        error instanceof AppError && error.code === 'validation_failed' && spec.check ? error.errors : undefined;
      const whole = told && (await completed(told));
      throw whole && whole.errors!.length > told.length ? whole : error;
    });

    const status = reply.status ?? defaultStatus;
    ctx.status = status;
    if (reply.headers) ctx.set(reply.headers);
    if (reply.derived) ctx.state['derived'] = true;
    // A page, because a browser asked for one: not filtered as JSON.
    const filter = reply.headers?.['Content-Type'] ? undefined : filters.get(status);
    if (filter) {
      const answer: unknown = JSON.parse(JSON.stringify(reply.body));
      const misfits = filter(answer);
      if (misfits.length > 0)
        throw new Error(`The response of ${spec.operationId} does not match its schema: ${JSON.stringify(misfits)}`);
      setEtag(ctx, answer);
      ctx.body = answer;
    } else if (reply.body !== undefined) {
      ctx.body = reply.body;
    } else if (status === 204) {
      ctx.body = null;
    }
  };

  const folder = spec.files && openUploadFolder(deps.env.UPLOAD_DIR);
  const read = async (ctx: RoutedContext, params: Record<string, unknown>): Promise<ReadBody> => {
    if (!schema) return { body: undefined, files: [], close: async () => {} };
    const isFor = !checkParams || checkParams(params).length === 0;
    const files = folder && isFor ? { folder, rules: async () => spec.files!.rules({ ctx, deps, params }) } : undefined;
    return readBody(ctx, { ...spec, bodyOptional }, await limitsOf(spec, { ctx, deps, params }), files);
  };

  return async (ctx: RoutedContext): Promise<void> => {
    if (deps.generation.held && spec.method !== 'GET' && !spec.whileHeld)
      throw new AppError(
        'unavailable',
        'The database was put back to an older copy: nothing can be changed until an operator has run `npm run restored`',
      );
    const params = coerceParameters(spec.params, ctx.params);
    const came = await read(ctx, params);
    let judging: Promise<Judged> | undefined;
    const judged = (): Promise<Judged> => (judging ??= judge(ctx, params, came.body));
    let prepared: PromiseSettledResult<Prepared<unknown>> | undefined;
    let isDone = false;
    const prepare =
      spec.prepare &&
      (async () => {
        const found = await judged();
        if (found.errors.length === 0)
          [prepared] = await Promise.allSettled([spec.prepare!(callOf(ctx, params, came, found) as never)]);
      });
    /** The value of `prepare`. Rethrows its error here, so that it is handled like any other response. */
    const value = (): unknown => {
      if (prepared?.status === 'rejected') throw prepared.reason;
      return prepared?.value.value;
    };
    const run = async (em?: EntityManager): Promise<void> => {
      const found = await judged();
      await handle(callOf(ctx, params, came, found, em), found, value);
      isDone = true;
    };
    try {
      await idempotent(ctx, spec, deps, came, { prepare, run });
    } finally {
      if (prepared?.status === 'fulfilled' && !isDone) prepared.value.discard();
      await came.close();
    }
  };
}

/**
 * The ETag of a resource is its version; for lists and responses without a version, @koa/etag computes it from the
 * body.
 */
function setEtag(ctx: Context, answer: unknown): void {
  const version = (answer as { version?: unknown } | null)?.version;
  if (typeof version === 'number' && ctx.status !== 202) ctx.set('ETag', `"${version}"`);
}
