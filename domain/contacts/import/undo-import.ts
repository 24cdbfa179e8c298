import { freshTransaction, rows, sql, tenantEm, type EntityManager, type Orm } from '../../../db/orm.ts';
import { ContactImport } from '../../../db/entities/contact-imports.ts';
import { appendJob } from '../../../events/outbox.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { AppError, notFound } from '../../../lib/checks/errors.ts';
import { forgetUndoneCompanies, undoChunk } from './undo-chunk.ts';
import type { UndoFigures } from './undo-record.ts';

/**
 * Stores that an import is to be undone, and the start of its workflow. Throws `not_found`, and `conflict` if it is
 * running, was a dry run, is undone or being undone, or has a chunk without an undo record.
 */
export async function startUndo(em: EntityManager, author: Author, id: number): Promise<ContactImport> {
  const { tenantId } = author;
  return em.transactional(async (tx) => {
    const [locked] = await rows<{ recorded: boolean }>(
      tx,
      sql`
      select not exists (select 1 from contact_import_chunks k where k.tenant_id = i.tenant_id and k.import_id = i.id and k.undo is null) as recorded
      from contact_imports i where i.id = ${id} for update`,
    );
    if (!locked) throw notFound('import', id);
    const job = await tx.findOneOrFail(ContactImport, { id }, { refresh: true });
    if (job.options.dryRun) throw new AppError('conflict', 'The import was a dry run; there is nothing to undo');
    if (job.undo)
      throw new AppError(
        'conflict',
        job.status === 'UNDONE' ? 'The import is already UNDONE' : 'The import is already being undone',
      );
    if (job.status === 'PENDING' || job.status === 'RUNNING')
      throw new AppError('conflict', `The import is ${job.status}: cancel it first`);
    if (!locked.recorded)
      throw new AppError('conflict', 'The import cannot be undone: it ran before undo was supported');
    job.undo = { removed: 0, restored: 0, kept: 0 };
    await tx.flush();
    await appendAudit(tx, author, {
      action: 'contact_import.undo_requested',
      resourceType: 'contact_import',
      resourceId: id,
    });
    await appendJob(tx, 'importUndo', { tenantId, importId: id });
    return job;
  });
}

/**
 * Undoes the last chunk that is not undone yet, in one transaction, so that a crash cannot leave it half undone. Once
 * no chunk is left, the import becomes UNDONE. Returns the figures so far, and whether it is over.
 */
export async function undoNextChunk(
  orm: Orm,
  tenantId: string,
  importId: number,
): Promise<UndoFigures & { over: boolean }> {
  return freshTransaction(tenantEm(orm, tenantId), async (tx) => {
    // Undos of a tenant can change the figures of each other's imports, so their chunks are undone one by one.
    await rows(tx, sql`select pg_advisory_xact_lock(hashtext('undo of imports'), hashtext(${tenantId}))`);
    // A second attempt waits here for the first, and then sees its result.
    const [job] = await rows<{ list_id: number | null; undo: UndoFigures }>(
      tx,
      sql`
      select (options ->> 'listId')::bigint as list_id, undo from contact_imports where id = ${importId} and undo is not null for update`,
    );
    if (!job) throw notFound('import', importId);
    const [next] = await rows<{ chunk: number }>(
      tx,
      sql`
      select chunk from contact_import_chunks where import_id = ${importId} and undo is not null order by chunk desc limit 1`,
    );
    if (!next) {
      await rows(
        tx,
        sql`
        update contact_imports set status = 'UNDONE', version = version + 1, updated_at = now() where id = ${importId} and status <> 'UNDONE'`,
      );
      await forgetUndoneCompanies(tx, tenantId);
      return { ...job.undo, over: true };
    }
    const done = await undoChunk(tx, { tenantId, importId, chunk: next.chunk, listId: job.list_id });
    const [undo] = await addFigures(tx, importId, done);
    return { ...undo!, over: false };
  });
}

/** Adds to the figures of imports. Returns those of the import `own`. */
const addFigures = (tx: EntityManager, own: number, more: Map<number, UndoFigures>): Promise<UndoFigures[]> => {
  const list = [...more].map(([id, figures]) => ({ id, ...figures }));
  return rows<UndoFigures>(
    tx,
    sql`
    with added as (
      update contact_imports i set version = i.version + 1, updated_at = now(), undo = jsonb_build_object(
        'removed', (i.undo ->> 'removed')::int + m.removed, 'restored', (i.undo ->> 'restored')::int + m.restored,
        'kept', (i.undo ->> 'kept')::int + m.kept)
      from jsonb_to_recordset(${JSON.stringify(list)}::jsonb) as m(id bigint, removed int, restored int, kept int)
      where i.id = m.id returning i.id, i.undo
    ) select (undo ->> 'removed')::int as removed, (undo ->> 'restored')::int as restored, (undo ->> 'kept')::int as kept
    from added where id = ${own}`,
  );
};
