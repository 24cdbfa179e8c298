import type { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { Static, TSchema } from 'typebox';
import type { EntityManager } from '../../db/orm.ts';
import type { Caller, Principal } from '../../domain/audit/principal.ts';
import { AppError, assertValid, type ErrorCode, type Violation } from '../../domain/common/errors.ts';
import type { ValidPart } from '../../domain/common/valid-part.ts';
import type { Deps } from '../../runtime/deps.ts';
import { strict } from './schemas.ts';
import type { Env } from '../../config/env-schema.ts';

export type BodyType = 'json' | 'form' | 'multipart';

/** A file of a multipart request. It is there until the request ends. */
export interface UploadedFile {
  field: string;
  name: string;
  size: number;
  mimeType: string | null;
  /** Its bytes, from the first, or those up to `end` (exclusive). */
  read: (end?: number) => Readable;
}

/** Who may call: a permission `resource:action`, a user who is logged in (no API key), or anyone at all. */
export type Access = `${string}:${string}` | 'user' | 'public';

/** What an answer is: JSON by a schema, or other content types, or nothing. */
export type ResponseSpec =
  | { schema: TSchema; description?: string }
  | { contentType: string | readonly string[]; description: string }
  | { description: string };

export interface Call<P, Q, B> {
  ctx: Context;
  deps: Deps;
  /** Sees the caller's tenant; on public routes there is none (`deps` and the token at hand say which). */
  em: EntityManager;
  principal: Principal;
  /** The principal as commands and the audit log know it. */
  caller: Caller;
  requestId: string;
  params: P;
  query: Q;
  body: B;
  files: UploadedFile[];
  /** Read-only fields that came with the body: only their present values are accepted. */
  readOnly: Record<string, unknown>;
  /** The versions that If-Match names; null = any. */
  ifMatch: readonly number[] | null;
}

/** What a `prepare` has made. */
export interface Prepared<R> {
  value: R;
  /** Called where the request did not come to its end with it. */
  discard: () => void;
}

/** What a `check` is asked: the call, as far as there is nothing wrong with it. */
export interface Question<P, B> extends Pick<
  Call<unknown, unknown, unknown>,
  'deps' | 'caller' | 'readOnly' | 'files'
> {
  /** In the caller's tenant, in a transaction that leaves nothing behind; on public routes there is no tenant. */
  tx: EntityManager;
  /** Without the parameters where one of them is wrong. */
  params: Partial<P>;
  body: ValidPart<B>;
  /** The body's members as they came, also those that are wrong: what is not here was not given. */
  given: { readonly [K in keyof B]?: unknown };
}

export interface Reply {
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
  /** It shows what other resources say, and its version does not tell when they change: never answered by 304. */
  derived?: boolean;
}

export interface RouteSpec<
  P extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  B extends TSchema = TSchema,
  R = unknown,
> {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Under /api/v1 unless it starts with `//` (then at the root). Parameters in braces: `/contacts/{id}`. */
  path: `/${string}`;
  operationId: string;
  summary: string;
  description?: string;
  access: Access;
  params?: P;
  query?: Q;
  /** For what mail scanners and proxies call: unknown query parameters are ignored, and the handler judges whatever text comes. */
  openQuery?: boolean;
  body?: B;
  bodyTypes?: readonly BodyType[];
  /** Largest body in bytes, but for its file. Where it is not given, PUBLIC_BODY_BYTES without a token and BODY_MAX_BYTES with one; never more than the latter. */
  bodyLimit?: number;
  /** What this very resource can need beyond `bodyLimit`; only asked when a larger body comes. */
  largerBody?: (call: { deps: Deps; params: Static<P> }) => Promise<number>;
  /** Largest file of a multipart request. Where it is not given, files are read past and nothing is kept of them. */
  fileLimit?: (env: Env) => number;
  /** The body may be absent. */
  bodyOptional?: boolean;
  /** Status to answer; the first is what a plain return value gets. */
  responses: Record<number, ResponseSpec>;
  /** Error codes it can give beyond what every such route can. */
  errors?: readonly ErrorCode[];
  /** Of a page: what a browser gets instead of a problem. */
  errorPage?: (ctx: Context, error: AppError) => Reply;
  /**
   * Of a POST: done again, it leaves everything as doing it once does, so it needs no transaction around it. Under an
   * Idempotency-Key its answer is kept after its work instead of with it.
   */
  repeatable?: boolean;
  /**
   * What the domain has against a body beyond its schema. It is only asked when the request is refused already, so that one
   * answer tells of everything; what is let through the command judges itself.
   */
  check?: (question: Question<Static<P>, Static<B>>) => Violation[] | Promise<Violation[]>;
  /**
   * What takes long and can be thrown away, such as to keep a file elsewhere: it is done before the transaction that an
   * Idempotency-Key's request runs in, which holds a connection and its locks.
   */
  prepare?: (call: Call<Static<P>, Static<Q>, Static<B>>) => Promise<Prepared<R>>;
  /** `prepared` is what `prepare` has made. */
  handler: (call: Call<Static<P>, Static<Q>, Static<B>>, prepared: R) => Promise<Reply>;
}

/** Declares a route; its types come from its schemas. */
export function route<P extends TSchema, Q extends TSchema, B extends TSchema, R>(
  spec: RouteSpec<P, Q, B, R>,
): RouteSpec {
  return spec as unknown as RouteSpec;
}

/** Answers: 201 with Location, 202 with Location, 204. */
export const created = (location: string, body: unknown): Reply => ({
  status: 201,
  body,
  headers: { Location: `/api/v1${location}` },
});
export const accepted = (location: string, body: unknown): Reply => ({
  status: 202,
  body,
  headers: { Location: `/api/v1${location}` },
});
export const noContent: Reply = { status: 204 };

/** A violation for each read-only field whose value is not the present one. */
export function changedReadOnly(readOnly: Record<string, unknown>, current: object): Violation[] {
  const now = current as Record<string, unknown>;
  return Object.entries(readOnly)
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(now[name]))
    .map(([name]) => ({ path: `/${name}`, code: 'read_only', message: 'cannot be changed' }));
}

/** Refuses read-only fields whose value is not the present one. */
export function assertUnchanged(readOnly: Record<string, unknown>, current: object): void {
  assertValid(changedReadOnly(readOnly, current));
}

/** 412 unless If-Match is absent or names this version. */
export function assertIfMatch(ifMatch: readonly number[] | null, version: number): void {
  if (ifMatch !== null && !ifMatch.includes(version)) {
    throw new AppError('precondition_failed', `The current version is ${version}, which does not match If-Match`);
  }
}

/** Whoever has no token gets no further: a form's fields, a password, some texts. */
export const PUBLIC_BODY_BYTES = 64 * 1024;
/** Values and names: what is made into objects at once keeps everyone else waiting. A filter at its limits has 100,000 values. */
export const MOST_VALUES = { public: 10_000, others: 110_000 };

const noFields = strict({});

/** What the body must be. A POST of ours that takes none may have an empty one. */
export function bodySchema(spec: Pick<RouteSpec, 'method' | 'access' | 'body'>): TSchema | undefined {
  return spec.body ?? (spec.method === 'POST' && spec.access !== 'public' ? noFields : undefined);
}

export type KeyedSpec = Pick<RouteSpec, 'method' | 'path' | 'access' | 'repeatable'>;

/** Whether an operation takes an Idempotency-Key: any POST that needs a token, but those of /auth. */
export function takesIdempotencyKey({ method, path, access }: KeyedSpec): boolean {
  return method === 'POST' && access !== 'public' && !path.startsWith('/auth/');
}
