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

interface ParsedFile {
  filepath: string;
  originalFilename: string | null;
  size: number;
  mimetype: string | null;
}

function toAppError(error: Error & { status?: number; code?: number | string; httpCode?: number; type?: string }): AppError {
  const status = error.status ?? error.httpCode;
  if (status === 413) return new AppError('payload_too_large', 'The request is larger than this endpoint takes', { cause: error });
  if (error instanceof SyntaxError || error.type === 'entity.parse.failed') {
    return new AppError('malformed_json', error.message, { cause: error });
  }
  return new AppError('malformed_body', error.message, { cause: error });
}

/** The body of a request by its declared types: 415 for another type, 413 over the limit, 400 if it can not be read. */
export async function readBody(
  ctx: Context,
  spec: { bodyTypes?: readonly BodyType[]; bodyOptional?: boolean },
  maxBytes: number,
  maxFileBytes = maxBytes,
): Promise<{ body: unknown; files: UploadedFile[] }> {
  const types = spec.bodyTypes ?? ['json'];
  const hasBody = ctx.request.length !== undefined ? ctx.request.length > 0 : ctx.get('transfer-encoding') !== '';
  if (!hasBody && spec.bodyOptional) return { body: undefined, files: [] };
  const accepted = types.map((type) => contentTypes[type]);
  if (!ctx.is(accepted)) {
    if (!hasBody && ctx.get('content-type') === '') return { body: {}, files: [] };
    throw new AppError('unsupported_media_type', `Send ${accepted.join(' or ')}`);
  }
  try {
    await koaBody({
      json: types.includes('json'), urlencoded: types.includes('form'), multipart: types.includes('multipart'), text: false,
      jsonLimit: maxBytes, formLimit: maxBytes, jsonStrict: false, parsedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'] as never,
      formidable: { maxFileSize: maxFileBytes, maxTotalFileSize: maxFileBytes, maxFieldsSize: maxBytes, allowEmptyFiles: true, minFileSize: 0 },
      onError: (error) => { throw toAppError(error); },
    })(ctx as never, async () => {});
  } catch (error) {
    throw error instanceof AppError ? error : toAppError(error as Error);
  }
  const parsed = (ctx.request as unknown as { files?: Record<string, ParsedFile | ParsedFile[]> }).files ?? {};
  const files = Object.entries(parsed).flatMap(([field, given]) =>
    [given].flat().map((file) => ({ field, name: file.originalFilename ?? '', path: file.filepath, size: file.size, mimeType: file.mimetype })),
  );
  if (files.length > 0) {
    ctx.res.once('close', () => { for (const file of files) void unlink(file.path).catch(() => undefined); });
  }
  return { body: (ctx.request as unknown as { body: unknown }).body, files };
}
