import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'koa';
import type { Deps } from '../../runtime/deps.ts';
import { tenantEm, type EntityManager } from '../../db/orm.ts';
import type { Principal } from '../../domain/audit/principal.ts';
import { AppError, assertValid } from '../../lib/checks/errors.ts';
import {
  findAnswer,
  lockKey,
  storeAnswer,
  type Answer,
  type StoredAnswer,
  type KeyUse,
} from '../../domain/idempotency/answers.ts';
import { openSecret, sealSecret, type BoxSecrets } from '../../lib/text/secret-box.ts';
import { hashRequest } from '../../domain/idempotency/hash-request.ts';
import { asAppError, writeProblem } from './problem.ts';
import { takesIdempotencyKey, type KeyedSpec, type UploadedFile } from '../route/route.ts';

/** How long a request waits for a concurrent one with the same key before it gets a 409. */
const WAIT_MS = 10_000;
/** Polling pauses grow up to this. */
const MAX_PAUSE_MS = 250;
/** Longer responses are not stored. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** The column's length. The rest of a longer path is covered by the request's hash. */
const MAX_OPERATION = 400;
const KEPT_HEADERS = ['Content-Type', 'ETag', 'Location', 'Cache-Control'];

const isKept = (status: number): boolean => status < 500 && status !== 401 && status !== 429;

/** The body as sent; null if it cannot be stored. */
function textOf(body: unknown): string | null {
  if (body === null || body === undefined) return '';
  if (body instanceof Readable || Buffer.isBuffer(body)) return null;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return Buffer.byteLength(text) > MAX_ANSWER_BYTES ? null : text;
}

/** Encrypts stored bodies that contain secrets. */
interface Box {
  seal: (body: string) => string;
  /** Null if the LINK_SECRET with which it was encrypted is gone. */
  open: (sealed: string) => string | null;
}

function boxOf(secrets: BoxSecrets, { tenantId, caller, operation, key }: KeyUse): Box {
  const owner = `answer:${JSON.stringify([tenantId, caller, operation, key])}`;
  return {
    seal: (body) => sealSecret(secrets, owner, Buffer.from(body)),
    open: (sealed) => {
      try {
        return openSecret(secrets, owner, sealed).secret.toString();
      } catch {
        return null;
      }
    },
  };
}

/** A response that no cache may store contains a secret. */
const hasSecret = ({ headers, body }: Answer): boolean =>
  Boolean(body) && (headers['Cache-Control'] ?? '').includes('no-store');

function answerOf(ctx: Context, { seal }: Box): Answer {
  const headers = KEPT_HEADERS.map((name) => [name, ctx.response.get(name)] as const).filter(([, value]) => value);
  const answer = { status: ctx.status, headers: Object.fromEntries(headers), body: textOf(ctx.body) };
  return hasSecret(answer) ? { ...answer, body: seal(answer.body!) } : answer;
}

/** Replays the stored response. Throws 409 if the response was not stored, because the work must not be repeated. */
function replay(ctx: Context, answer: Answer, { open }: Box): void {
  const { status, headers } = answer;
  const body = hasSecret(answer) ? open(answer.body!) : answer.body;
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

/**
 * Runs `work`, which writes its response to `ctx`; a refusal that is stored is written to `ctx` too. Throws errors that
 * are not stored.
 */
async function answered(ctx: Context, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const refusal = asAppError(error);
    if (!refusal || !isKept(refusal.status)) throw error;
    writeProblem(ctx, refusal);
  }
}

/** What puts the response back to what it is now. */
function responseOf(ctx: Context): () => void {
  const { res } = ctx;
  // Koa answers a body with 200 unless somebody has set the status, which it notes here.
  const response = ctx.response as typeof ctx.response & { _explicitStatus?: boolean | undefined };
  const { body, _explicitStatus: isSet } = response;
  const [status, headers] = [res.statusCode, { ...res.getHeaders() }];
  return () => {
    response.body = body;
    for (const name of res.getHeaderNames()) res.removeHeader(name);
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value!);
    res.statusCode = status;
    response._explicitStatus = isSet;
  };
}

/**
 * Runs the request and stores its response in the same transaction, so that a crash leaves both or neither. A refusal
 * rolls back the request's changes and is stored as its response; errors that are not stored (401, 429, 5xx) roll back
 * everything.
 */
async function runOnce(
  ctx: Context,
  em: EntityManager,
  use: KeyUse,
  box: Box,
  run: (em: EntityManager) => Promise<void>,
): Promise<StoredAnswer | 'busy'> {
  const untouched = responseOf(ctx);
  return em.transactional(async (tx) => {
    // A transaction that met another one is repeated: what its first attempt answered is not answered.
    untouched();
    const known = await lockKey(tx, use);
    if (known !== 'new') return known;
    await answered(ctx, () => tx.transactional(run));
    if (!(await storeAnswer(tx, use, answerOf(ctx, box))))
      throw new Error('a response was stored under an idempotency key that this transaction holds');
    return 'new';
  });
}

/**
 * Runs a repeatable request in its own transactions and stores its response afterwards; concurrent requests with the
 * same key all return the response that was stored first.
 */
async function runFreely(
  ctx: Context,
  em: EntityManager,
  use: KeyUse,
  box: Box,
  run: (em: EntityManager) => Promise<void>,
): Promise<StoredAnswer> {
  const known = await em.transactional((tx) => findAnswer(tx, use));
  if (known !== 'new') return known;
  await answered(ctx, () => run(em.fork()));
  return em.transactional(async (tx) =>
    (await storeAnswer(tx, use, answerOf(ctx, box))) ? 'new' : findAnswer(tx, use),
  );
}

/**
 * Runs the request, or replays its stored response. While a concurrent request holds the key, polls without holding a
 * connection.
 */
async function runOrReplay(ctx: Context, box: Box, attempt: () => Promise<StoredAnswer | 'busy'>): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  for (let pause = 20; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    const known = await attempt();
    if (known === 'new') return;
    if (known === 'reused') throw new AppError('idempotency_key_reused');
    if (known !== 'busy') return replay(ctx, known, box);
    if (performance.now() > deadline)
      throw new AppError('idempotency_conflict', 'The same request is still in progress', {
        headers: { 'Retry-After': '1' },
      });
    await sleep(pause);
  }
}

/**
 * The work of a request: `run` writes its response to `ctx`. `prepare` is called before it, outside its transaction,
 * and is skipped if a response is already stored.
 */
export interface Work {
  prepare?: (() => Promise<void>) | undefined;
  run: (em?: EntityManager) => Promise<void>;
}

/**
 * Runs `run`, which writes to `ctx`, once per Idempotency-Key of a caller and operation. A repeated request gets the
 * first response; a different request with the same key gets 422; one that waits too long for a concurrent request gets
 * 409. Throws 400 for an invalid key.
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
  const box = boxOf(deps.env, use);
  const runIn = spec.repeatable ? runFreely : runOnce;
  try {
    if (prepare && (await em.transactional((tx) => findAnswer(tx, use))) === 'new') await prepare();
    await runOrReplay(ctx, box, () => runIn(ctx, em, use, box, run));
  } catch (error) {
    // The response may have been written before the commit failed; its headers describe work that was rolled back.
    for (const name of KEPT_HEADERS) ctx.remove(name);
    throw error;
  }
}
