import type { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { Static, TSchema } from 'typebox';
import type { EntityManager } from '../../db/orm.ts';
import type { Caller, Principal } from '../../domain/audit/principal.ts';
import { AppError, assertValid, type ErrorCode, type Violation } from '../../lib/checks/errors.ts';
import { notOneLine } from '../../lib/checks/schema-check.ts';
import type { ValidPart } from '../../lib/checks/valid-part.ts';
import type { Deps } from '../../runtime/deps.ts';
import { strict } from './schemas.ts';

/** `text` is JSON as text/plain: what `navigator.sendBeacon` sends to another origin without asking it first. */
export type BodyType = 'json' | 'text' | 'form' | 'multipart';

/** A file of a multipart request. It exists until the request ends. */
export interface UploadedFile {
  field: string;
  name: string;
  size: number;
  mimeType: string | null;
  /** Why the file was not taken, so that it cannot be read; only with `perPart`. */
  refused: 'too_large' | 'too_many' | null;
  /** The file's bytes, or those up to `end` (exclusive). */
  read: (end?: number) => Readable;
}

/** The files that a multipart request may contain. Others are skipped, and nothing of them is stored. */
export interface FileRules {
  /** The maximum size in bytes of a file in a part of this name; null = such a part is skipped. */
  limitOf: (part: string) => number | null;
  /** The maximum size in bytes of all files together, including skipped ones; a larger request is refused (413). */
  bytes: number;
  /**
   * Whether each part name has a file of its own. Then an empty file counts as none, and a file beyond its limit, or a
   * second one, is reported in `refused`. Otherwise the request has one file in all, and such a file refuses it.
   */
  perPart: boolean;
  /**
   * Whether nobody will read the files, by the fields that came before one. Then it is not written, and is refused as
   * too large.
   */
  areUnwanted?: (fieldBefore: (name: string) => unknown) => boolean;
  /** How long the body may take in all (else 408), however steadily it comes. */
  withinMs?: number;
  /**
   * Called before the first file is written, which waits for it. What it returns is called when the request is over, or
   * its body could not be read.
   */
  takePlace?: () => Promise<() => void>;
}

/** Who may call: a permission `resource:action`, a logged-in user (no API key), or anyone. */
export type Access = `${string}:${string}` | 'user' | 'public';

/** The content of a response: JSON with a schema, other content types, or nothing. */
export type ResponseSpec =
  | { schema: TSchema; description?: string }
  | { contentType: string | readonly string[]; description: string }
  | { description: string };

export interface Call<P, Q, B> {
  ctx: Context;
  deps: Deps;
  /** Limited to the caller's tenant; on public routes there is none (use `deps` and the request's token). */
  em: EntityManager;
  principal: Principal;
  /** The principal, as needed by commands and the audit log. */
  caller: Caller;
  requestId: string;
  params: P;
  query: Q;
  body: B;
  files: UploadedFile[];
  /** Read-only fields sent in the body: only their current values are accepted. */
  readOnly: Record<string, unknown>;
  /** The versions in If-Match; null = any. */
  ifMatch: readonly number[] | null;
}

/** The result of `prepare`. */
export interface Prepared<R> {
  value: R;
  /** Called if the request failed, to discard the value. */
  discard: () => void;
}

/** The input of `check`: the call, without its invalid parts. */
export interface Question<P, B> extends Pick<
  Call<unknown, unknown, unknown>,
  'deps' | 'caller' | 'readOnly' | 'files'
> {
  /** In the caller's tenant, in a transaction that will be rolled back; on public routes there is no tenant. */
  tx: EntityManager;
  /** Empty if one of them is invalid. */
  params: Partial<P>;
  body: ValidPart<B>;
  /** The body's members as sent, including invalid ones: what is missing here was not sent. */
  given: { readonly [K in keyof B]?: unknown };
}

export interface Reply {
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
  /** The response contains data of other resources, so its version does not change with them: never answered by 304. */
  derived?: boolean;
}

export interface RouteSpec<
  P extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  B extends TSchema = TSchema,
  R = unknown,
> {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Under /api/v1, unless it starts with `//` (then under the root). Parameters are in braces: `/contacts/{id}`. */
  path: `/${string}`;
  operationId: string;
  summary: string;
  description?: string;
  access: Access;
  /** On a public route: what a caller needs who sends a token nevertheless. Without a token there is no principal. */
  accessWithToken?: Access;
  params?: P;
  query?: Q;
  /**
   * For routes that mail scanners and proxies call: unknown query parameters are ignored, and the handler accepts any
   * text.
   */
  openQuery?: boolean;
  body?: B;
  bodyTypes?: readonly BodyType[];
  /**
   * The maximum body size in bytes, without files. Default: PUBLIC_BODY_BYTES on public routes and BODY_MAX_BYTES on
   * others; never more than the latter.
   */
  bodyLimit?: number;
  /** What this resource can need beyond `bodyLimit`; only called for a larger body. */
  largerBody?: (call: { deps: Deps; params: Static<P> }) => Promise<number>;
  /** The files that a multipart request may contain. Without it, files are skipped and nothing is stored. */
  files?: {
    /** Only called for a multipart request with valid parameters, before its body is read. It may refuse it. */
    rules: (call: { ctx: Context; deps: Deps; params: Static<P> }) => FileRules | Promise<FileRules>;
    /** The limits in words: "a file of up to …". */
    limits: string;
  };
  /** The body may be omitted. */
  bodyOptional?: boolean;
  /** The responses by status; the first is the default. */
  responses: Record<number, ResponseSpec>;
  /** Error codes beyond those that follow from the route's properties. */
  errors?: readonly ErrorCode[];
  /** The error page for browsers, instead of a problem document. */
  errorPage?: (ctx: Context, error: AppError) => Reply;
  /**
   * For a POST that is idempotent, so that it needs no transaction around it. With an Idempotency-Key, its response is
   * stored after the work instead of together with it.
   */
  repeatable?: boolean;
  /**
   * Whether it is taken although Postgres was put back to an older copy, as all GETs are: it can only stop emails and
   * messages, or tells what others did. Other changes would be lost, or get ids that were given before.
   */
  whileHeld?: boolean;
  /**
   * The domain's violations of a body, beyond its schema. Only called for requests that are rejected anyway, so that
   * one response reports all violations; for valid requests, the command itself checks.
   */
  check?: (question: Question<Static<P>, Static<B>>) => Violation[] | Promise<Violation[]>;
  /**
   * Slow work that can be discarded, such as storing a file: it is done before the transaction of a request with an
   * Idempotency-Key, which holds a connection and locks.
   */
  prepare?: (call: Call<Static<P>, Static<Q>, Static<B>>) => Promise<Prepared<R>>;
  /** `prepared` is the result of `prepare`. */
  handler: (call: Call<Static<P>, Static<Q>, Static<B>>, prepared: R) => Promise<Reply>;
}

/** Declares a route; the types follow from its schemas. */
export function route<P extends TSchema, Q extends TSchema, B extends TSchema, R>(
  spec: RouteSpec<P, Q, B, R>,
): RouteSpec {
  return spec as unknown as RouteSpec;
}

/** Replies: 201 with Location, 202 with Location, 204. */
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

/** A violation for each read-only field whose value is not the current one. */
export function changedReadOnly(readOnly: Record<string, unknown>, current: object): Violation[] {
  const now = current as Record<string, unknown>;
  return Object.entries(readOnly)
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(now[name]))
    .map(([name, value]) => ({ path: `/${name}`, ...(notOneLine(value) ?? READ_ONLY) }));
}

const READ_ONLY = { code: 'read_only', message: 'cannot be changed' };

/** Rejects read-only fields whose value is not the current one. */
export function assertUnchanged(readOnly: Record<string, unknown>, current: object): void {
  assertValid(changedReadOnly(readOnly, current));
}

/** Throws 412 unless If-Match is absent or contains this version. */
export function assertIfMatch(ifMatch: readonly number[] | null, version: number): void {
  if (ifMatch !== null && !ifMatch.includes(version)) {
    throw new AppError(
      'precondition_failed',
      `The current version is ${version}, which does not match If-Match: send If-Match: "${version}", with the quotes`,
    );
  }
}

/** The Idempotency-Key of a call as its caller's own; null if there is none. */
export function callKeyOf(ctx: Context, { actor }: Principal): string | null {
  const key = ctx.get('idempotency-key');
  return key === '' ? null : `${actor.type}/${actor.id} ${key}`;
}

/** The limit for public routes: enough for a form's fields, a password, some texts. */
export const PUBLIC_BODY_BYTES = 64 * 1024;
/**
 * The maximum number of JSON values and names, because parsing them blocks the event loop. A filter at its limits has
 * 100,000 values.
 */
export const MAX_VALUES = { public: 10_000, others: 110_000 };

const noFields = strict({});

/** The schema of the body. Non-public POSTs without one accept an empty object. */
export function bodySchema(spec: Pick<RouteSpec, 'method' | 'access' | 'body'>): TSchema | undefined {
  return spec.body ?? (spec.method === 'POST' && spec.access !== 'public' ? noFields : undefined);
}

export type KeyedSpec = Pick<RouteSpec, 'method' | 'path' | 'access' | 'repeatable'>;

/** Whether an operation accepts an Idempotency-Key: any POST that needs a token, except those of /auth. */
export function takesIdempotencyKey({ method, path, access }: KeyedSpec): boolean {
  return method === 'POST' && access !== 'public' && !path.startsWith('/auth/');
}
