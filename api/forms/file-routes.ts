import { Type } from 'typebox';
import { downloadFormFile } from '../../domain/forms/files/form-files.ts';
import { servedType } from '../../domain/forms/files/media-types.ts';
import { AppError } from '../../domain/common/errors.ts';
import { FileGoneError, KEPT, readFile } from '../../events/file-store.ts';
import type { Nats } from '../../events/nats.ts';
import { streamed } from '../route/export.ts';
import { route, type RouteSpec } from '../route/route.ts';
import { Id } from '../route/schemas.ts';

/** The content of a file, of which the first part has been read, so that a missing file is still an error. */
async function openFile(nats: Nats, key: string): Promise<AsyncGenerator<Uint8Array>> {
  const { content } = readFile(nats, key, 0, KEPT);
  const first = await content.next().catch((error: unknown) => {
    throw error instanceof FileGoneError ? new AppError('not_found', 'The file is no longer stored') : error;
  });
  async function* whole(): AsyncGenerator<Uint8Array> {
    if (!first.done) yield first.value;
    yield* content;
  }
  return whole();
}

export const formFileRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/forms/{id}/submissions/{submissionId}/files/{fileId}',
    operationId: 'downloadFormFile',
    summary: 'Download a file of a submission',
    access: 'forms:read',
    description:
      'Always an attachment. The Content-Type is what the file is by its content; what a browser or another program might run (HTML, SVG, XML, programs) is application/octet-stream. ' +
      'Anybody can send files with a form, and they are not scanned for malware. Each download is recorded in the audit log.',
    params: Type.Object({ id: Id, submissionId: Id, fileId: Id }),
    responses: {
      200: { contentType: ['application/octet-stream', 'text/plain'], description: 'The file; any other type, too' },
    },
    handler: async ({ ctx, deps, em, caller, params: { id: formId, submissionId, fileId } }) => {
      const file = await downloadFormFile(em, caller, { formId, submissionId, fileId });
      const content = await openFile(deps.nats, file.objectKey);
      // RFC 6266: a name that is not ASCII also as `filename*` (RFC 8187), because clients disagree on its encoding.
      ctx.attachment(file.fileName, { fallback: file.fileName.replace(/[^\x20-\x7e]/gu, '?') });
      return {
        body: streamed(ctx, content),
        headers: {
          'Content-Type': servedType(file.mediaType),
          'Content-Length': String(file.size),
          'X-Content-Type-Options': 'nosniff',
          'Content-Security-Policy': "sandbox; default-src 'none'",
          'Cache-Control': 'private, no-store',
        },
      };
    },
  }),
];
