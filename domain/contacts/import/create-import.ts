import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { ContactImport, type ImportOptions } from '../../../db/entities/contact-imports.ts';
import { Segment } from '../../../db/entities/contacts.ts';
import { appendJob, withdrawJob } from '../../../events/outbox.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { AppError, assertValid, notFound, type Violation } from '../../../lib/checks/errors.ts';
import { customFieldTypes } from '../../contact-values/custom-field-types.ts';
import type { CsvHead } from './csv/encoding.ts';
import { inspectCsv, type CsvInspection } from './inspect-csv.ts';
import { workflowId } from '../../../registry/workflows.ts';

export type ImportRequest = Omit<ImportOptions, 'inspection'>;

/** The violation if an import's target list does not exist. */
export const listViolations = async (tx: EntityManager, id: number): Promise<Violation[]> =>
  (await tx.findOne(Segment, { id, type: 'static' }))
    ? []
    : [{ path: '/listId', code: 'not_found', message: 'must be the id of a static list' }];

/** Inspects the head of a file to determine how to read it. Throws 400 `unsupported_file` with every violation. */
export async function inspectImport(
  em: EntityManager,
  tenantId: string,
  head: CsvHead,
  request: ImportRequest,
): Promise<CsvInspection> {
  return em.transactional(async (tx) => {
    if (request.listId !== undefined) assertValid(await listViolations(tx, request.listId));
    const found = inspectCsv(head, { ...request, customFields: await customFieldTypes(tx, tenantId) });
    if ('errors' in found) {
      throw new AppError('unsupported_file', 'The file cannot be imported', {
        errors: found.errors.map((error) => ({ path: '/file', ...error })),
      });
    }
    return found;
  });
}

/** Creates the import of the file stored under `objectKey`, and the start of its workflow. */
export async function createImport(
  em: EntityManager,
  author: Author,
  file: { fileName: string; objectKey: string },
  request: ImportRequest,
  inspection: CsvInspection,
): Promise<ContactImport> {
  const { tenantId } = author;
  const { mode, dryRun, listId } = request;
  return em.transactional(async (tx) => {
    const job = tx.create(ContactImport, {
      tenantId,
      ...file,
      options: { ...request, inspection },
      ignoredColumns: [...inspection.plan.ignoredColumns],
      warnings: [...inspection.warnings],
    });
    await tx.flush();
    const input = { tenantId, importId: job.id };
    job.workflowId = workflowId('contactImport', input);
    await tx.flush();
    // Without the file's name and columns, which may contain personal data.
    await appendAudit(tx, author, {
      action: 'contact_import.started',
      resourceType: 'contact_import',
      resourceId: job.id,
      after: { mode, dryRun, ...(listId === undefined ? {} : { listId }) },
    });
    await appendJob(tx, 'contactImport', input);
    return job;
  });
}

/** Cancels an import; chunks that are done stay. Throws 404, and 409 if the import has ended. */
export async function cancelImport(em: EntityManager, author: Author, id: number): Promise<ContactImport> {
  return em.transactional(async (tx) => {
    const [changed] = await rows<{ was: string }>(
      tx,
      sql`
      update contact_imports set status = 'CANCELLED', finished_at = now(), version = version + 1, updated_at = now()
      where id = ${id} and status in ('PENDING', 'RUNNING') returning old.status as was`,
    );
    const job = await tx.findOne(ContactImport, { id });
    if (!job) throw notFound('import', id);
    if (!changed) throw new AppError('conflict', `The import is ${job.status}`);
    await appendAudit(tx, author, {
      action: 'contact_import.cancelled',
      resourceType: 'contact_import',
      resourceId: id,
      before: { status: changed.was },
      after: { status: job.status },
    });
    await withdrawJob(tx, 'contactImport', { tenantId: author.tenantId, importId: id });
    return job;
  });
}
