import { unlink } from 'node:fs/promises';
import { koaBody } from 'koa-body';
import type { Context } from 'koa';
import { AppError } from '../../domain/errors.ts';

export type BodyType = 'json' | 'form' | 'multipart';

/** A file of a multipart request, in a temporary file that is removed when the request ends. */
export interface UploadedFile {
  field: string;
  name: string;
  path: string;
  size: number;
  mimeType: string | null;
}

const contentTypes: Record<BodyType, string> = {
  json: 'application/json', form: 'application/x-www-form-urlencoded', multipart: 'multipart/form-data',
};

/** Gives a file its default type (RFC 7578): without a Content-Type the parser would take it for a text field. */
function typeFile(part: { originalFilename: string | null; mimetype: string | null }, handle: (part: never) => void): void {
  if (part.originalFilename && !part.mimetype) part.mimetype = 'application/octet-stream';
  handle(part as never);
}

interface ParsedFile {
  filepath: string;
  originalFilename: string | null;
  size: number;
  mimetype: string | null;
}

/** A file's name as the database takes it and a page can show it: without control characters, of at most 255 characters. */
const keptName = (given: string): string => [...given.replace(/[\x00-\x1f\x7f-\x9f]/g, '')].slice(0, 255).join('');

const tooLarge = (cause?: unknown): AppError => new AppError('payload_too_large', 'The request is larger than this endpoint takes', { cause });

/** Every byte of the body. The stream stays open when it is too long, so that the client gets to read the answer. */
export async function readBytes(ctx: Context, maxBytes: number): Promise<Buffer> {
  if ((ctx.request.length ?? 0) > maxBytes) throw tooLarge();
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of ctx.req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxBytes) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts, size);
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new AppError('malformed_body', 'The body is not valid UTF-8', { cause: error });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError('malformed_json', (error as Error).message, { cause: error });
  }
}

/** A browser's form: a name that comes again makes a list. */
function parseForm(text: string): Record<string, string | string[]> {
  const fields = new URLSearchParams(text);
  return Object.fromEntries([...new Set(fields.keys())].map((name) => {
    const values = fields.getAll(name);
    return [name, values.length > 1 ? values : values[0]!];
  }));
}

async function readMultipart(ctx: Context, maxFileBytes: number, maxFieldsBytes: number): Promise<{ body: unknown; files: UploadedFile[] }> {
  const failed = (error: Error & { httpCode?: number }): never => {
    throw error.httpCode === 413 ? tooLarge(error) : new AppError('malformed_body', error.message, { cause: error });
  };
  const parse = koaBody({
    json: false, urlencoded: false, text: false, multipart: true, parsedMethods: ['POST', 'PUT'] as never, onError: failed,
    formidable: {
      maxFileSize: maxFileBytes, maxTotalFileSize: maxFileBytes, maxFieldsSize: maxFieldsBytes, allowEmptyFiles: true, minFileSize: 0, onPart: typeFile as never,
    },
  });
  await parse(ctx as never, async () => {});
  const { body, files: parsed = {} } = ctx.request as unknown as { body: unknown; files?: Record<string, ParsedFile | ParsedFile[]> };
  const files = Object.entries(parsed).flatMap(([field, given]) =>
    [given].flat().map((file) => ({ field, name: keptName(file.originalFilename ?? ''), path: file.filepath, size: file.size, mimeType: file.mimetype })),
  );
  if (files.length > 0) {
    ctx.res.once('close', () => { for (const file of files) void unlink(file.path).catch(() => undefined); });
  }
  return { body, files };
}

/** The body of a request by its declared types: 415 for another type, 413 over the limit, 400 if it can not be read. */
export async function readBody(
  ctx: Context,
  spec: { bodyTypes?: readonly BodyType[]; bodyOptional?: boolean },
  maxBytes: number,
  maxFileBytes = maxBytes,
): Promise<{ body: unknown; files: UploadedFile[] }> {
  const types = spec.bodyTypes ?? ['json'];
  const type = types.find((known) => ctx.is(contentTypes[known]));
  const isUntyped = ctx.get('content-type') === '';
  const inChunks = ctx.request.length === undefined && ctx.get('transfer-encoding') !== '';
  // Some proxies send no body as no chunks: only who reads it sees that.
  const chunks = inChunks && (type === 'json' || isUntyped) ? await readBytes(ctx, maxBytes) : null;
  const hasBody = chunks ? chunks.length > 0 : inChunks || (ctx.request.length ?? 0) > 0;
  if (!hasBody && spec.bodyOptional) return { body: undefined, files: [] };
  if (!type) {
    if (!hasBody && isUntyped) return { body: {}, files: [] };
    throw new AppError('unsupported_media_type', `Send ${types.map((known) => contentTypes[known]).join(' or ')}`);
  }
  if (!['', 'identity'].includes(ctx.get('content-encoding'))) throw new AppError('unsupported_media_type', 'Send the body without a Content-Encoding');
  if (type === 'multipart') return readMultipart(ctx, maxFileBytes, maxBytes);
  const text = decode(chunks ?? await readBytes(ctx, maxBytes));
  return { body: type === 'json' ? parseJson(text) : parseForm(text), files: [] };
}
