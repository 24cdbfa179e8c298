import { Type } from 'typebox';
import { downloadFormFile } from '../../domain/forms/files/form-files.ts';
import { servedType } from '../../domain/forms/files/media-types.ts';
import { streamed } from '../route/export.ts';
import { openKeptFile } from '../route/kept-file.ts';
import { route, type RouteSpec } from '../route/route.ts';
import { Id } from '../route/schemas.ts';

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
      const content = await openKeptFile(deps.nats, file.objectKey);
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
