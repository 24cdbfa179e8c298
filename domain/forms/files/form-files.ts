import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { FormFile } from '../../../db/entities/forms.ts';
import { appendAudit } from '../../audit/audit.ts';
import type { Caller } from '../../audit/principal.ts';
import { claimFiles } from '../../common/kept-files.ts';
import { notFound } from '../../../lib/checks/errors.ts';

/** A file of a submission, in the store under `objectKey`. */
export interface StoredFile {
  field: string;
  fileName: string;
  mediaType: string;
  /** In bytes. */
  size: number;
  sha256: string;
  objectKey: string;
}

/** A file that a transaction refers to. */
export type ClaimedFile = StoredFile & { id: number };

/** The value of a file field in `submissionData`. */
export interface FileValue {
  fileId: number;
  fileName: string;
  mediaType: string;
  size: number;
}

/** Gives ids to files that were stored for this transaction, and claims them. Throws `unavailable` if it is too late. */
export async function claimFormFiles(
  tx: EntityManager,
  tenantId: string,
  files: readonly StoredFile[],
): Promise<ClaimedFile[]> {
  if (files.length === 0) return [];
  await claimFiles(
    tx,
    tenantId,
    files.map(({ objectKey }) => objectKey),
  );
  const ids = await rows<{ id: number }>(
    tx,
    sql`select nextval('form_files_id_seq') as id from generate_series(1, ${files.length}::int)`,
  );
  return files.map((file, index) => ({ ...file, id: ids[index]!.id }));
}

/** The values of claimed files, by field. */
export const fileValues = (files: readonly ClaimedFile[]): Record<string, FileValue> =>
  Object.fromEntries(
    files.map(({ id, field, fileName, mediaType, size }) => [field, { fileId: id, fileName, mediaType, size }]),
  );

/** Writes the rows of claimed files. */
export async function insertFormFiles(
  tx: EntityManager,
  { tenantId, formId, submissionId }: { tenantId: string; formId: number; submissionId: number },
  files: readonly ClaimedFile[],
): Promise<void> {
  for (const { id, field, fileName, mediaType, size, sha256, objectKey } of files) {
    await rows(
      tx,
      sql`
      insert into form_files (id, tenant_id, form_id, submission_id, field, file_name, media_type, size, sha256, object_key)
      values (${id}, ${tenantId}, ${formId}, ${submissionId}, ${field}, ${fileName}, ${mediaType}, ${size}, ${sha256}, ${objectKey})`,
    );
  }
}

/** The bytes of all files of a tenant. */
export async function bytesOfFormFiles(em: EntityManager, tenantId: string): Promise<number> {
  const [sum] = await em.transactional((tx) =>
    rows<{ bytes: number }>(
      tx,
      sql`select coalesce(sum(size), 0)::bigint as bytes from form_files where tenant_id = ${tenantId}`,
    ),
  );
  return sum!.bytes;
}

/** Finds a file for its download, which is recorded in the audit log. Throws `not_found`. */
export async function downloadFormFile(
  em: EntityManager,
  caller: Caller,
  ids: { formId: number; submissionId: number; fileId: number },
): Promise<FormFile> {
  const { formId, submissionId, fileId } = ids;
  return em.transactional(async (tx) => {
    const file = await tx.findOne(FormFile, { id: fileId, formId, submissionId });
    if (!file) throw notFound('file', fileId);
    await appendAudit(tx, caller, {
      action: 'form.file_downloaded',
      resourceType: 'form',
      resourceId: formId,
      after: { submissionId, fileId },
    });
    return file;
  });
}
