import type pg from 'pg';
import { rows, sql, tenantEm, type EntityManager, type Orm } from '../../../db/orm.ts';
import { ContactImport } from '../../../db/entities/contacts.ts';
import { appendEvents } from '../../../events/outbox.ts';
import { notFound } from '../../errors.ts';
import { customFieldTypes } from '../custom-field-types.ts';
import { importChunk, LastRowsLostError, type ChunkJob } from './import-chunk.ts';
import type { CsvInspection } from './inspect-csv.ts';
import { forgetLastRows, keepLastRows, lastRowsOf } from './last-rows.ts';
import { readRows, type CsvPosition } from './read-csv.ts';

/** Where the bytes of an import come from: from the store's block that holds `offset` on. */
export type OpenFile = (objectKey: string, offset: number) => { inputOffset: number; content: AsyncIterable<Uint8Array> };

export interface ImportProgress {
  phase: 'reading' | 'importing';
  rows: number;
  totalRows: number | null;
}

interface Run {
  orm: Orm;
  tenantId: string;
  importId: number;
  open: OpenFile;
  /** Told after each batch; throws to interrupt. */
  progress(progress: ImportProgress): void;
}

async function loadJob(em: EntityManager, run: Run): Promise<{ job: ChunkJob; row: ContactImport }> {
  return em.transactional(async (tx) => {
    const row = await tx.findOne(ContactImport, { id: run.importId });
    if (!row) throw notFound('import', run.importId);
    const options = row.options as ChunkJob['options'];
    return { row, job: { tenantId: run.tenantId, importId: run.importId, options, customFields: await customFieldTypes(tx, run.tenantId) } };
  });
}

/** Reads the whole file once: how many rows it has, and the last row of each address. */
async function readThrough(em: EntityManager, run: Run, job: ChunkJob, objectKey: string): Promise<number> {
  const inspection: CsvInspection = job.options.inspection;
  await forgetLastRows(em, run.importId);
  let total = 0;
  const { inputOffset, content } = run.open(objectKey, inspection.from.offset);
  for await (const batch of readRows(content, { format: inspection.format, columns: inspection.cells, from: inspection.from, inputOffset })) {
    await keepLastRows(em, run.tenantId, run.importId, lastRowsOf(batch, inspection, job.customFields));
    total += batch.rows.length;
    run.progress({ phase: 'reading', rows: total, totalRows: null });
  }
  await em.transactional((tx) => rows(tx, sql`update contact_imports set total_rows = ${total}, version = version + 1, updated_at = now() where id = ${run.importId}`));
  return total;
}

/** Where the first chunk starts that is not in the ledger. Chunks are done in order, so it follows the last one there. */
async function nextPosition(em: EntityManager, importId: number, inspection: CsvInspection): Promise<CsvPosition> {
  const [last] = await em.transactional((tx) => rows<{ chunk: number; end_offset: number; last_row: number }>(tx, sql`
    select chunk, end_offset, last_row from contact_import_chunks where import_id = ${importId} order by chunk desc limit 1`));
  return last ? { chunk: last.chunk + 1, row: last.last_row + 1, offset: last.end_offset } : inspection.from;
}

/**
 * Runs an import from wherever it stands to its last row. Safe to run again after any crash: a chunk is done whole or
 * not at all, and the ledger says which are done. Returns early when the import was cancelled.
 */
export async function runImport(run: Run): Promise<void> {
  const em = tenantEm(run.orm, run.tenantId);
  await em.transactional((tx) => rows(tx, sql`
    update contact_imports set status = 'RUNNING', started_at = coalesce(started_at, now()), version = version + 1, updated_at = now()
    where id = ${run.importId} and status = 'PENDING'`));
  const { job, row } = await loadJob(em, run);
  if (row.status !== 'RUNNING') return;
  const totalRows = row.totalRows ?? (await readThrough(em, run, job, row.objectKey));
  try {
    await importRest(em, run, job, row.objectKey, totalRows);
  } catch (error) {
    if (!(error instanceof LastRowsLostError)) throw error;
    await readThrough(em, run, job, row.objectKey);
    await importRest(em, run, job, row.objectKey, totalRows);
  }
}

async function importRest(em: EntityManager, run: Run, job: ChunkJob, objectKey: string, totalRows: number): Promise<void> {
  const { inspection } = job.options;
  const from = await nextPosition(em, run.importId, inspection);
  const { inputOffset, content } = run.open(objectKey, from.offset);
  const pool: pg.Pool = await run.orm.em.getConnection().getNativeClient();
  const client = await pool.connect();
  try {
    let done = 0;
    for await (const batch of readRows(content, { format: inspection.format, columns: inspection.cells, from, inputOffset })) {
      const counts = await importChunk(client, job, batch);
      if (counts === null) return;
      done += counts.processed;
      run.progress({ phase: 'importing', rows: done, totalRows });
    }
  } finally {
    client.release();
  }
}

/** Ends an import whose rows are all done: COMPLETED, IMPORT_COMPLETED. Answers the key of its file, to remove it. */
export async function completeImport(orm: Orm, tenantId: string, importId: number): Promise<string> {
  const em = tenantEm(orm, tenantId);
  await forgetLastRows(em, importId);
  return em.transactional(async (tx) => {
    const [ended] = await rows<{ created: number; updated: number; rejected: number }>(tx, sql`
      update contact_imports set status = 'COMPLETED', finished_at = now(), version = version + 1, updated_at = now()
      where id = ${importId} and status = 'RUNNING' returning created, updated, rejected`);
    if (ended) await appendEvents(tx, { tenantId, requestId: null }, [{ type: 'IMPORT_COMPLETED', entity: `import/${importId}`, data: { importId, ...ended } }]);
    return (await tx.findOneOrFail(ContactImport, { id: importId })).objectKey;
  });
}

/** Ends an import that can not go on; what is done stays. */
export async function failImport(orm: Orm, tenantId: string, importId: number, error: string): Promise<void> {
  await tenantEm(orm, tenantId).transactional((tx) => rows(tx, sql`
    update contact_imports set status = 'FAILED', error = ${error}, finished_at = now(), version = version + 1, updated_at = now()
    where id = ${importId} and status in ('PENDING', 'RUNNING')`));
}
