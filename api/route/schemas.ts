import { Type, type Static, type TObject, type TProperties, type TSchema } from 'typebox';
import { errorCatalogue } from '../../lib/checks/errors.ts';
import { ONE_LINE } from '../../lib/checks/schema-check.ts';

/** Ids are JSON integers from 1 to 2^53-1. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, examples: [1] });
export const IdParams = Type.Object({ id: Id });
export const Timestamp = Type.String({ format: 'date-time', examples: ['2030-01-31T09:30:00.000Z'] });
export const Version = Type.Integer({ minimum: 1, description: 'For optimistic concurrency; the ETag of reads' });

/** The schema, with null allowed. Uses a type list instead of a union, so that a wrong value causes a single error. */
export function nullable<T extends TSchema>(schema: T) {
  const plain = schema as unknown as { type?: string; enum?: unknown[] };
  if (!plain.type) return Type.Unsafe<Static<T> | null>({ anyOf: [schema, { type: 'null' }] });
  return Type.Unsafe<Static<T> | null>({
    ...plain,
    type: [plain.type, 'null'],
    ...(plain.enum ? { enum: [...plain.enum, null] } : {}),
    'x-nullable': schema,
  });
}

/** One of these strings. */
export function oneOf<const T extends readonly string[]>(values: T, options: object = {}) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options });
}

/**
 * The name of a thing: one line, without control characters. A stored name of an earlier release that has some can be
 * put back unchanged, see the guard.
 */
export const nameOf = (maxLength: number, options: object = {}) =>
  Type.String({ minLength: 1, maxLength, pattern: ONE_LINE, ...options });

/** An object without additional fields: rejected in requests, removed from responses. */
export function strict<T extends TProperties>(properties: T, options: object = {}): TObject<T> {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

export const Page = strict(
  {
    limit: Type.Integer({ examples: [50] }),
    nextCursor: nullable(Type.String({ description: 'The cursor of the next page; null on the last page' })),
    hasMore: Type.Boolean(),
    total: Type.Optional(Type.Integer({ description: 'Only with includeTotal=true' })),
  },
  { title: 'Page' },
);

/** The response of a list. */
export function listOf<T extends TSchema>(item: T) {
  return strict({ data: Type.Array(item), page: Page });
}

/**
 * The query parameters of every list: `sortable` are the fields that `sort` accepts; a `-` before one means descending.
 */
export function listQuery<T extends TProperties>(sortable: readonly string[], filters: T, defaultSort = '-id') {
  return strict({
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Maximum number of items per page' }),
    ),
    cursor: Type.Optional(Type.String({ maxLength: 2048, description: 'The nextCursor of the previous page' })),
    sort: Type.Optional(
      oneOf([...sortable, ...sortable.map((field) => `-${field}`)], {
        default: defaultSort,
        description: 'The field to sort by; prefix `-` for descending order',
      }),
    ),
    includeTotal: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether to return the total count in `page.total`' }),
    ),
    ...filters,
  });
}

/**
 * The request body of a resource: its writable fields, and its read-only fields, which are accepted if unchanged, so
 * that a GET response can be PUT back. The guard passes the latter separately, in `call.readOnly`.
 */
export function writable<T extends TProperties>(
  properties: T,
  readOnly: readonly string[] = ['id', 'tenantId', 'version', 'createdAt', 'updatedAt'],
  options: object = {},
): TObject<T> {
  const shown = Object.fromEntries(
    readOnly.map((name) => [name, Type.Optional(Type.Unsafe<unknown>({ readOnly: true }))]),
  );
  return strict({ ...properties, ...shown }, { 'x-read-only': readOnly, ...options });
}

const ErrorCode = oneOf(Object.keys(errorCatalogue), {
  title: 'ErrorCode',
  description: 'Stable error code; branch on this',
});
export const Problem = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: ErrorCode,
    requestId: Type.String(),
    errors: Type.Optional(
      Type.Array(
        Type.Object(
          {
            path: Type.String({ description: 'JSON Pointer into the request part' }),
            code: Type.String(),
            message: Type.String(),
          },
          { title: 'Violation' },
        ),
      ),
    ),
  },
  { title: 'Problem', description: 'RFC 9457' },
);
