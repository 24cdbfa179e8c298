import type { Context } from 'koa';
import { AppError } from '../../lib/checks/errors.ts';
import { createYielder, inBackground } from '../../lib/async/turn.ts';
import { formMeter, jsonMeter, tooLarge, tooMany, type BodyLimits, type Meter } from './body-size.ts';
import { Fields, type FieldValues } from './fields.ts';
import { readParts } from './multipart.ts';
import { FileTaker } from './file-taker.ts';
import type { BodyType, FileRules, UploadedFile } from '../route/route.ts';
import type { UploadFolder } from './uploads.ts';

const contentTypes: Record<BodyType, string> = {
  json: 'application/json',
  text: 'text/plain',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
};

/** The files that a multipart body may contain, and the folder for them. */
export interface FilesWanted {
  rules: () => Promise<FileRules>;
  folder: UploadFolder;
}

/** A parsed body. Its files exist until `close` is called. */
export interface ReadBody {
  body: unknown;
  files: UploadedFile[];
  close: () => Promise<void>;
}

/** No form has as many; a part costs ten times as much as a JSON value. */
const MAX_PARTS = 10_000;

const MISSING_ROOM = ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE'];
const noRoom = (error: unknown): unknown =>
  MISSING_ROOM.includes((error as NodeJS.ErrnoException).code ?? '')
    ? new AppError('unavailable', 'There is currently not enough space for the file; try again', {
        headers: { 'Retry-After': '60' },
        cause: error,
      })
    : error;

/** The pieces of a body. If it is too long, the stream stays open, so that the client can read the response. */
async function* pieces(ctx: Context, maxBytes: number): AsyncGenerator<Buffer> {
  if ((ctx.request.length ?? 0) > maxBytes) throw tooLarge();
  let left = maxBytes;
  try {
    for await (const piece of ctx.req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      left -= piece.length;
      if (left < 0) throw tooLarge();
      yield piece;
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    // The client has disconnected. Nobody waits for the response, and thousands may have disconnected at once.
    await new Promise<void>(inBackground);
    throw new AppError('malformed_body', 'The body is incomplete: the connection ended early', { cause: error });
  }
}

/** Reads a whole body. */
export async function readBytes(ctx: Context, maxBytes: number, meter?: Meter): Promise<Buffer> {
  const read: Buffer[] = [];
  const turn = createYielder();
  // Pieces that have already arrived are read in one go, without yielding to other work.
  for await (const piece of pieces(ctx, maxBytes)) {
    meter?.(piece);
    read.push(piece);
    if (turn.isOver()) await turn.next();
  }
  return Buffer.concat(read);
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

/** Parses application/x-www-form-urlencoded. */
async function parseForm(text: string): Promise<FieldValues> {
  const fields = new Fields();
  const turn = createYielder();
  for (const field of text.split('&')) {
    fields.addText(field);
    if (turn.isOver()) await turn.next();
  }
  return fields.toObject();
}

/** Reads fields and files. Without `wanted`, files are skipped and nothing is written. */
async function readMultipart(ctx: Context, limits: BodyLimits, wanted: FilesWanted | undefined): Promise<ReadBody> {
  const fields = new Fields();
  const rules = await wanted?.rules();
  const files = rules && new FileTaker(rules, wanted!.folder, fields);
  const most = Math.min(limits.values, MAX_PARTS);
  let parts = most;
  let fieldBytes = limits.bytes;
  let text: Buffer[] = [];
  let finish: () => void;
  let take: (piece: Buffer) => void | Promise<void>;
  const takeText = (piece: Buffer): void => {
    fieldBytes -= piece.length;
    if (fieldBytes < 0) throw tooLarge();
    text.push(piece);
  };
  try {
    // Nothing would be read from a connection that was closed meanwhile.
    if (ctx.req.destroyed) throw new AppError('malformed_body', 'The body is incomplete: the connection ended early');
    const bounds = { maxBytes: limits.bytes + (rules?.bytes ?? 0), withinMs: rules?.withinMs ?? Infinity };
    await readParts(ctx, bounds, {
      begin({ name, fileName, mimeType }) {
        if ((parts -= 1) < 0) throw tooMany(most);
        if (fileName === null) {
          text = [];
          take = takeText;
          finish = () => fields.add(name, decode(Buffer.concat(text)));
        } else {
          files?.begin({ field: name, name: fileName, mimeType });
          take = (piece) => files?.take(piece);
          finish = () => files?.end();
        }
      },
      take: (piece) => take(piece),
      end: () => finish(),
    });
  } catch (error) {
    await files?.close();
    throw noRoom(error);
  }
  return { body: fields.toObject(), files: files?.taken ?? [], close: async () => files?.close() };
}

const withoutFiles = (body: unknown): ReadBody => ({ body, files: [], close: async () => {} });

/**
 * Reads a request's body according to its declared types: 415 for another type, 413 over the limit, 400 if it has too
 * many values or cannot be parsed.
 */
export async function readBody(
  ctx: Context,
  spec: { bodyTypes?: readonly BodyType[]; bodyOptional?: boolean },
  limits: BodyLimits,
  wanted?: FilesWanted,
): Promise<ReadBody> {
  const types = spec.bodyTypes ?? ['json'];
  const type = types.find((known) => ctx.is(contentTypes[known]));
  const isUntyped = ctx.get('content-type') === '';
  const inChunks = ctx.request.length === undefined && ctx.get('transfer-encoding') !== '';
  const isEncoded = !['', 'identity'].includes(ctx.get('content-encoding'));
  // Some proxies send an empty body as a chunked body without chunks, which only shows when it is read.
  const chunks =
    inChunks && !isEncoded && (type === 'json' || isUntyped)
      ? await readBytes(ctx, limits.bytes, jsonMeter(limits))
      : null;
  const hasBody = chunks ? chunks.length > 0 : inChunks || (ctx.request.length ?? 0) > 0;
  if (!hasBody && spec.bodyOptional) return withoutFiles(undefined);
  if (!type) {
    if (!hasBody && isUntyped) return withoutFiles({});
    throw new AppError(
      'unsupported_media_type',
      `The content type must be ${types.map((known) => contentTypes[known]).join(' or ')}`,
    );
  }
  if (isEncoded)
    throw new AppError('unsupported_media_type', 'Content-Encoding is not supported: send the body unencoded');
  if (type === 'multipart') return readMultipart(ctx, limits, wanted);
  const isJson = type !== 'form';
  const meter = isJson ? jsonMeter(limits) : formMeter(limits);
  const bytes = chunks ?? (await readBytes(ctx, limits.bytes, meter));
  const turn = createYielder();
  const text = decode(bytes);
  if (turn.isOver()) await turn.next();
  const body = isJson ? parseJson(text) : await parseForm(text);
  if (turn.isOver()) await turn.next();
  return withoutFiles(body);
}
