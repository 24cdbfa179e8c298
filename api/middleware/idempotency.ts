import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'koa';
import type { Deps } from '../../runtime/deps.ts';
import { tenantEm, type EntityManager } from '../../db/orm.ts';
import type { Principal } from '../../domain/audit/principal.ts';
import { AppError, assertValid } from '../../domain/common/errors.ts';
import {
  findAnswer,
  lockKey,
  storeAnswer,
  type Answer,
  type StoredAnswer,
  type KeyUse,
} from '../../domain/idempotency/answers.ts';
import { hashRequest } from '../../domain/idempotency/hash-request.ts';
import { asAppError, writeProblem } from './problem.ts';
import { takesIdempotencyKey, type KeyedSpec, type UploadedFile } from '../route/route.ts';

/** How long a request waits for its twin before it gets a 409. */
const WAIT_MS = 10_000;
/** Pauses between two looks at the twin's row grow up to this. */
const MAX_PAUSE_MS = 250;
/** Longer answers are not kept. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** The column's length. What a path has beyond it is in the request's hash. */
const MAX_OPERATION = 400;
const KEPT_HEADERS = ['Content-Type', 'ETag', 'Location'];

const isKept = (status: number): boolean => status < 500 && status !== 401 && status !== 429;

/** The body as it is sent; null for what is not kept. */
function textOf(body: unknown): string | null {
  if (body === null || body === undefined) return '';
  if (body instanceof Readable || Buffer.isBuffer(body)) return null;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return Buffer.byteLength(text) > MAX_ANSWER_BYTES ? null : text;
}

function answerOf(ctx: Context): Answer {
  const headers = KEPT_HEADERS.map((name) => [name, ctx.response.get(name)] as const).filter(([, value]) => value);
  return { status: ctx.status, headers: Object.fromEntries(headers), body: textOf(ctx.body) };
}

/** Answers as the first time. Throws 409 where that answer was not kept: what was done is not done again. */
function replay(ctx: Context, { status, headers, body }: Answer): void {
  if (body === null) {
    const { Location } = headers;
    throw new AppError(
      'idempotency_conflict',
      `The first request with this key returned ${status}; its response was not stored and cannot be replayed`,
      Location ? { headers: { Location } } : {},
    );
  }
  ctx.body = body === '' ? null : body;
  ctx.status = status;
  ctx.set({ ...headers, 'Idempotency-Replayed': 'true' });
}

/** Does the work, which writes its answer to `ctx`, as a refusal that is kept is written too. Throws what is not kept. */
async function answered(ctx: Context, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const refusal = asAppError(error);
    if (!refusal || !isKept(refusal.status)) throw error;
    writeProblem(ctx, refusal);
  }
}

/**
 * Runs the request and keeps its answer in the same transaction: a process that dies leaves both or none. A refusal undoes
 * what the request did, and is an answer too; what is not kept (401, 429, 5xx) undoes all.
 */
async function runOnce(
  ctx: Context,
  em: EntityManager,
  use: KeyUse,
  run: (em: EntityManager) => Promise<void>,
): Promise<StoredAnswer | 'busy'> {
  return em.transactional(async (tx) => {
    const known = await lockKey(tx, use);
    if (known !== 'new') return known;
    await answered(ctx, () => tx.transactional(run));
    if (!(await storeAnswer(tx, use, answerOf(ctx))))
      throw new Error('a response was stored under an idempotency key that this transaction holds');
    return 'new';
  });
}

/** Runs what may run again, in transactions of its own, and keeps its answer afterwards; of twins all give the one that was kept. */
async function runFreely(
  ctx: Context,
  em: EntityManager,
  use: KeyUse,
  run: (em: EntityManager) => Promise<void>,
): Promise<StoredAnswer> {
  const known = await em.transactional((tx) => findAnswer(tx, use));
  if (known !== 'new') return known;
  await answered(ctx, () => run(em.fork()));
  return em.transactional(async (tx) => ((await storeAnswer(tx, use, answerOf(ctx))) ? 'new' : findAnswer(tx, use)));
}

/** Runs the request, or answers as the first time. While a twin runs it is asked for again, and no connection is held in between. */
async function runOrReplay(ctx: Context, attempt: () => Promise<StoredAnswer | 'busy'>): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  for (let pause = 20; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    const known = await attempt();
    if (known === 'new') return;
    if (known === 'reused') throw new AppError('idempotency_key_reused');
    if (known !== 'busy') return replay(ctx, known);
    if (performance.now() > deadline)
      throw new AppError('idempotency_conflict', 'The same request is still in progress', {
        headers: { 'Retry-After': '1' },
      });
    await sleep(pause);
  }
}

/** A request's work: `run` writes its answer to `ctx`. `prepare` comes before it, outside of its transaction, and is not asked for a request that was answered. */
export interface Work {
  prepare?: (() => Promise<void>) | undefined;
  run: (em?: EntityManager) => Promise<void>;
}

/**
 * Does `run`, which writes to `ctx`, once for each Idempotency-Key of a caller and operation. A repetition gets the first
 * answer; one with another request 422; one whose twin takes too long 409. Throws 400 for what is no key.
 */
export async function idempotent(
  ctx: Context & { params: Record<string, string> },
  spec: KeyedSpec,
  deps: Deps,
  { body, files }: { body: unknown; files: UploadedFile[] },
  { prepare, run }: Work,
): Promise<void> {
  const key = ctx.headers['idempotency-key'];
  if (key === undefined || !takesIdempotencyKey(spec)) {
    await prepare?.();
    return run();
  }
  if (typeof key !== 'string' || !/^[ -~]{1,255}$/.test(key)) {
    assertValid([{ path: '/Idempotency-Key', code: 'format', message: 'must be 1 to 255 printable ASCII characters' }]);
  }
  const { tenantId, actor } = ctx.state['principal'] as Principal;
  const path = spec.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ctx.params[name]!);
  const use: KeyUse = {
    tenantId,
    caller: `${actor.type}/${actor.id}`,
    operation: `${spec.method} ${path}`.slice(0, MAX_OPERATION),
    key: key as string,
    requestHash: await hashRequest({ params: ctx.params, query: ctx.query, body, files }),
  };
  const em = tenantEm(deps.orm, tenantId);
  const runIn = spec.repeatable ? runFreely : runOnce;
  try {
    if (prepare && (await em.transactional((tx) => findAnswer(tx, use))) === 'new') await prepare();
    await runOrReplay(ctx, () => runIn(ctx, em, use, run));
  } catch (error) {
    // It may have been written before the commit failed, and is of what was not done.
    for (const name of KEPT_HEADERS) ctx.remove(name);
    throw error;
  }
}
