import type { Form, FormField } from '../../db/entities/forms.ts';
import { fileLimit } from '../../domain/forms/files/check-file.ts';
import { judgeFiles } from '../../domain/forms/files/judge-files.ts';
import type { SubmissionFiles } from '../../domain/forms/submit-form.ts';
import type { Deps } from '../../runtime/deps.ts';
import { discardFiles, keepFiles } from '../../runtime/kept-files.ts';
import { takeRoom } from './file-room.ts';
import type { FileRules, UploadedFile } from '../route/route.ts';

/**
 * Files may take this long in all, or longer if a line of 1 Mbit/s needs it for the largest ones; but never longer than
 * the script waits for an answer.
 */
const WITHIN_MS = 5 * 60_000;
const LONGEST_MS = 9 * 60_000;
const SLOW_BYTES_PER_MS = 125;

/** The limits of a form's file fields, by name. */
const limitsOf = (fields: readonly FormField[], maxFileBytes: number): Map<string, number> =>
  new Map(
    fields.filter(({ type }) => type === 'file').map((field) => [field.name, fileLimit(field, maxFileBytes)] as const),
  );

/**
 * The files that a submission of a form may contain: one for each file field. A request may have twice what they allow,
 * so that a file that is too large is reported for its field, with the other errors.
 */
export function fileRules(fields: readonly FormField[], maxFileBytes: number): FileRules {
  const limits = limitsOf(fields, maxFileBytes);
  const allowed = [...limits.values()].reduce((sum, limit) => sum + limit, 0);
  const withinMs = Math.min(LONGEST_MS, Math.max(WITHIN_MS, allowed / SLOW_BYTES_PER_MS));
  return { limitOf: (part) => limits.get(part) ?? null, bytes: 2 * allowed, perPart: true, withinMs };
}

/** The files of a submission: judged now, stored when the submission asks for it. */
export async function submissionFiles(
  deps: Deps,
  { tenantId, fields }: Form,
  uploads: readonly UploadedFile[],
): Promise<SubmissionFiles> {
  const limits = limitsOf(fields, deps.env.FORM_FILE_MAX_BYTES);
  // The form may have changed since the body was read.
  const known = uploads.filter(({ field }) => limits.has(field));
  const judged = await judgeFiles(known, (field) => limits.get(field)!);
  return {
    sent: judged,
    async store() {
      if (judged.length === 0) return [];
      await takeRoom(
        deps,
        tenantId,
        judged.reduce((sum, { size }) => sum + size, 0),
      );
      const keys = await keepFiles(
        deps,
        tenantId,
        judged.map(({ read }) => read()),
      );
      return judged.map(({ field, fileName, mediaType, size, sha256 }, index) => ({
        field,
        fileName,
        mediaType: mediaType!,
        size,
        sha256: sha256!,
        objectKey: keys[index]!,
      }));
    },
    discard(stored) {
      if (stored.length === 0) return;
      discardFiles(
        deps,
        tenantId,
        stored.map(({ objectKey }) => objectKey),
      );
    },
  };
}
