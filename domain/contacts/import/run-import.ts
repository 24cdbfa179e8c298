import type pg from 'pg';
import { TENANT_VARIABLE } from '../../../db/entities/base.ts';
import { connectionTurnsOf, poolOf, rows, sql, tenantEm, type EntityManager, type Orm } from '../../../db/orm.ts';
import { ContactImport } from '../../../db/entities/contact-imports.ts';
import { appendEvents } from '../../../events/outbox.ts';
import { notFound } from '../../../lib/checks/errors.ts';
import { customFieldTypes } from '../../contact-values/custom-field-types.ts';
import { oneAhead } from '../../../lib/async/one-ahead.ts';
import { createOrderFinder, hasDates, type DateOrders } from './date-orders.ts';
import { createChunks, type ChunkJob, type PreparedChunk } from './import-chunk.ts';
import type { CsvInspection } from './inspect-csv.ts';
import { CHUNK_BYTES, readRows, type CsvPosition, type RowBatch } from './csv/read-csv.ts';
import { createRepeatFinder, deleteRepeats, hasRepeats, saveRepeats } from './repeats.ts';
import { createStage } from './stage-rows.ts';
import { mergeWarnings, type ImportWarning } from './warnings.ts';

/** Opens the file of an import. `content` starts with the stored block that contains `offset`, at `inputOffset`. */
export type OpenFile = (
  objectKey: string,
  offset: number,
) => { inputOffset: number; content: AsyncIterable<Uint8Array> };

export interface ImportProgress {
  phase: 'reading' | 'importing';
  rows: number;
  totalRows: number | null;
}

/**
 * Runs after chunks 1, 4, 16 and so on: autovacuum is up to a minute late, and until then the planner takes the
 * tenant for empty and sorts all its contacts for each page that is read.
 */
const ANALYZE = 'select analyze_people()';

type Chunks = ReturnType<typeof createChunks>;

interface Run {
  orm: Orm;
  tenantId: string;
  importId: number;
  open: OpenFile;
  /** Called after each batch; may throw to interrupt. */
  progress: (progress: ImportProgress) => void;
  /** Called after each chunk; true leaves the rest to the next run. */
  isSliceOver?: () => boolean;
}

/** The state of an import after a run. It is not over only if `isSliceOver` returned true. */
export interface ImportResult {
  over: boolean;
  rows: number;
  totalRows: number | null;
}

async function loadJob(em: EntityManager, run: Run): Promise<{ job: ChunkJob; row: ContactImport }> {
  return em.transactional(async (tx) => {
    const row = await tx.findOne(ContactImport, { id: run.importId });
    if (!row) throw notFound('import', run.importId);
    const options = row.options as ChunkJob['options'];
    return {
      row,
      job: {
        tenantId: run.tenantId,
        importId: run.importId,
        options,
        customFields: await customFieldTypes(tx, run.tenantId),
      },
    };
  });
}

/** The result of reading the whole file. */
interface FileRows {
  total: number;
  /** All rows, if the file is no larger than a chunk, so that it is not parsed twice. Else null. */
  batches: RowBatch[] | null;
}

/** Reads the whole file once, to count its rows and to find repeated addresses. */
async function scanFile(
  em: EntityManager,
  run: Run,
  { options: { inspection } }: ChunkJob,
  chunks: Chunks,
  objectKey: string,
): Promise<FileRows> {
  await deleteRepeats(em, run.importId);
  const findRepeats = createRepeatFinder(inspection, chunks.check);
  let total = 0;
  let batches: RowBatch[] | null = [];
  for await (const batch of batchesFrom(run, inspection, objectKey, inspection.from)) {
    await saveRepeats(em, run.tenantId, run.importId, findRepeats(batch.rows));
    total += batch.rows.length;
    if (batch.endOffset > CHUNK_BYTES) batches = null;
    batches?.push(batch);
    run.progress({ phase: 'reading', rows: total, totalRows: null });
  }
  await em.transactional((tx) =>
    rows(
      tx,
      sql`update contact_imports set total_rows = ${total}, version = version + 1, updated_at = now() where id = ${run.importId}`,
    ),
  );
  return { total, batches };
}

/**
 * Reads the whole file for the order of its dates, before the other passes, because whether a row is usable depends on
 * it. Stores it, with a warning that tells how the dates are read.
 */
async function findDateOrders(em: EntityManager, run: Run, job: ChunkJob, row: ContactImport): Promise<DateOrders> {
  const { inspection } = job.options;
  const finder = createOrderFinder(inspection.plan, job.customFields);
  let rowsRead = 0;
  for await (const batch of batchesFrom(run, inspection, row.objectKey, inspection.from)) {
    finder.add(batch.rows);
    rowsRead += batch.rows.length;
    run.progress({ phase: 'reading', rows: rowsRead, totalRows: null });
  }
  const orders = finder.orders();
  const found = Object.entries(orders).flatMap(([index, order]): ImportWarning[] => {
    if (order !== 'day_first' && order !== 'month_first') return [];
    const column = inspection.plan.headers[Number(index)]!;
    const message = `dates are read with the ${order === 'day_first' ? 'day' : 'month'} first`;
    return [{ code: 'date_order', column, message }];
  });
  const warnings = mergeWarnings(row.warnings, found);
  await em.transactional((tx) =>
    rows(
      tx,
      sql`
      update contact_imports set options = options || ${JSON.stringify({ dateOrders: orders })}::jsonb, warnings = ${JSON.stringify(warnings)}::jsonb,
        version = version + 1, updated_at = now() where id = ${run.importId}`,
    ),
  );
  return orders;
}

function batchesFrom(
  run: Run,
  { format, cells: columns }: CsvInspection,
  objectKey: string,
  from: CsvPosition,
): AsyncGenerator<RowBatch> {
  const { inputOffset, content } = run.open(objectKey, from.offset);
  return readRows(content, { format, columns, from, inputOffset });
}

/**
 * Where the first chunk starts that is not in the ledger. Chunks are imported in order, so it follows the last one
 * there.
 */
async function nextPosition(client: pg.ClientBase, importId: number, inspection: CsvInspection): Promise<CsvPosition> {
  const found = await client.query<{ chunk: number; end_offset: number; last_row: number }>(
    'select chunk, end_offset, last_row from contact_import_chunks where import_id = $1 order by chunk desc limit 1',
    [importId],
  );
  const last = found.rows[0];
  return last ? { chunk: last.chunk + 1, row: last.last_row + 1, offset: last.end_offset } : inspection.from;
}

/**
 * Runs an import from its current position to its last row. Safe to run again after any crash: a chunk is imported
 * completely or not at all, and the ledger contains the completed ones. Returns early if the import was cancelled or
 * `isSliceOver` returns true. Throws `not_found` if the import or its list no longer exists, and what `open` throws.
 */
export async function runImport(run: Run): Promise<ImportResult> {
  const em = tenantEm(run.orm, run.tenantId);
  await em.transactional((tx) =>
    rows(
      tx,
      sql`
    update contact_imports set status = 'RUNNING', started_at = coalesce(started_at, now()), version = version + 1, updated_at = now()
    where id = ${run.importId} and status = 'PENDING'`,
    ),
  );
  const { job, row } = await loadJob(em, run);
  const result: ImportResult = { over: false, rows: row.processedRows, totalRows: row.totalRows ?? null };
  if (row.status !== 'RUNNING') return { ...result, over: true };
  if (!job.options.dateOrders && hasDates(job.options.inspection.plan, job.customFields))
    job.options.dateOrders = await findDateOrders(em, run, job, row);
  const chunks = createChunks(job);
  let parsed: RowBatch[] | null = null;
  if (result.totalRows === null) {
    const found = await scanFile(em, run, job, chunks, row.objectKey);
    result.totalRows = found.total;
    parsed = found.batches;
  }
  // All else of the import is done on this connection: it is in the tenant's turn, and whoever waits for another turn in
  // one of their own may wait for ever.
  await connectionTurnsOf(run.orm).run(run.tenantId, () =>
    importOnClient(run, job, chunks, parsed, row.objectKey, result),
  );
  return result;
}

async function importOnClient(
  run: Run,
  job: ChunkJob,
  chunks: Chunks,
  parsed: readonly RowBatch[] | null,
  objectKey: string,
  result: ImportResult,
): Promise<void> {
  const client = await (await poolOf(run.orm)).connect();
  // A lost connection rejects the current statement; without a listener it would also end the process.
  client.on('error', () => {});
  try {
    await client.query('select set_config($1, $2, false)', [TENANT_VARIABLE, run.tenantId]);
    await createStage(client);
    while (!(await importRest(run, job, chunks, client, parsed, objectKey, result)));
  } finally {
    // Destroy the connection, with its temporary table and cached plans, instead of returning it to the pool.
    client.release(true);
  }
}

/**
 * Imports from the end of the ledger to the end of the file, or until the import is over. Returns false if an earlier
 * attempt that was considered dead has committed a chunk in the meantime; then the ledger must be read again.
 */
async function importRest(
  run: Run,
  job: ChunkJob,
  chunks: Chunks,
  client: pg.ClientBase,
  parsed: readonly RowBatch[] | null,
  objectKey: string,
  result: ImportResult,
): Promise<boolean> {
  const { inspection } = job.options;
  const repeats = await hasRepeats(client, run.importId);
  const from = await nextPosition(client, run.importId, inspection);
  const batches =
    parsed && from.offset === inspection.from.offset ? parsed : batchesFrom(run, inspection, objectKey, from);
  async function* prepared(): AsyncGenerator<PreparedChunk> {
    for await (const batch of batches) yield await chunks.prepare(batch);
  }
  // The next chunk is read and checked while the database merges.
  for await (const chunk of oneAhead(prepared())) {
    const counts = await chunks.run(client, chunk, repeats);
    if (counts === 'done') return false;
    if (counts === 'over') break;
    result.rows += counts.processed;
    run.progress({ phase: 'importing', rows: result.rows, totalRows: result.totalRows });
    if (Number.isInteger(Math.log2(chunk.batch.chunk + 1) / 2)) await client.query(ANALYZE);
    if (run.isSliceOver?.()) return true;
  }
  result.over = true;
  return true;
}

/**
 * Sets an import with all rows done to COMPLETED and writes IMPORT_COMPLETED, or to FAILED if every row was rejected.
 * Returns the object key of its file, for deleting it.
 */
export async function completeImport(orm: Orm, tenantId: string, importId: number): Promise<string> {
  const em = tenantEm(orm, tenantId);
  await deleteRepeats(em, importId);
  return em.transactional(async (tx) => {
    const job = await tx.findOneOrFail(ContactImport, { id: importId });
    const error = job.processedRows > 0 && job.rejected === job.processedRows ? await whyAllRejected(tx, job) : null;
    const [ended] = await rows<{ created: number; updated: number; rejected: number }>(
      tx,
      sql`
      update contact_imports set status = ${error === null ? 'COMPLETED' : 'FAILED'}, error = ${error}, finished_at = now(), version = version + 1, updated_at = now()
      where id = ${importId} and status = 'RUNNING' returning created, updated, rejected`,
    );
    if (ended && error === null)
      await appendEvents(tx, { tenantId, requestId: null }, [
        { type: 'IMPORT_COMPLETED', data: { importId, ...ended } },
      ]);
    return job.objectKey;
  });
}

/** How many rejected rows are looked at for the most frequent reasons, and how many of these are told. */
const REJECTS_LOOKED_AT = 10_000;
const REASONS_TOLD = 3;

async function whyAllRejected(tx: EntityManager, { id, rejected }: ContactImport): Promise<string> {
  const reasons = await rows<{ column: string | null; code: string; message: string; n: number }>(
    tx,
    sql`
    select e ->> 'column' as column, e ->> 'code' as code, e ->> 'message' as message, count(*)::int as n
    from (select errors from contact_import_rejects where import_id = ${id} order by row limit ${REJECTS_LOOKED_AT}) r, jsonb_array_elements(errors) e
    group by 1, 2, 3 order by n desc, 1, 2, 3 limit ${REASONS_TOLD}`,
  );
  const told = reasons.map(
    ({ column, code, message }) => `${column === null ? 'the row' : `"${column}"`} ${message} (${code})`,
  );
  const every = rejected === 1 ? 'The only row was rejected' : `All ${rejected} rows were rejected`;
  return `${every}: ${told.join('; ')}`;
}

/** Sets an import that cannot continue to FAILED; completed chunks stay. */
export async function failImport(orm: Orm, tenantId: string, importId: number, error: string): Promise<void> {
  const em = tenantEm(orm, tenantId);
  await deleteRepeats(em, importId);
  await em.transactional((tx) =>
    rows(
      tx,
      sql`
    update contact_imports set status = 'FAILED', error = ${error}, finished_at = now(), version = version + 1, updated_at = now()
    where id = ${importId} and status in ('PENDING', 'RUNNING')`,
    ),
  );
}
