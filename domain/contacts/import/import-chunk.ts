import type pg from 'pg';
import { isRetryable, retried } from '../../../db/errors.ts';
import type { ImportOptions } from '../../../db/entities/contact-imports.ts';
import { AppError } from '../../../lib/checks/errors.ts';
import { createYielder } from '../../../lib/async/turn.ts';
import { createRowCheck, type CellViolation, type CheckedRow } from './check-row.ts';
import type { DateOrders } from './date-orders.ts';
import type { CsvInspection } from './inspect-csv.ts';
import type { CustomFields } from './map-header.ts';
import { isDuplicateEmail } from '../../contact-values/insert-contact.ts';
import { createMerge, type Merged } from './merge-stage.ts';
import type { ParsedRow, RowBatch } from './csv/read-csv.ts';
import { replaceRepeats } from './repeats.ts';
import { createStager, fieldsOf, stageRows, type StagedRow } from './stage-rows.ts';
import { undoRecord } from './undo-record.ts';
import { mergeWarnings, NAMED_ROWS, type ImportWarning } from './warnings.ts';

export interface ChunkJob {
  tenantId: string;
  importId: number;
  options: ImportOptions & { inspection: CsvInspection; dateOrders?: DateOrders };
  customFields: CustomFields;
}

export interface ChunkCounts {
  processed: number;
  created: number;
  updated: number;
  unchanged: number;
  duplicates: number;
  rejected: number;
}

/** A chunk that is ready to be written to the database. */
export interface PreparedChunk {
  batch: RowBatch;
  /** The usable rows in COPY's text format. */
  lines: Buffer;
  /** Whether an address occurs twice within this chunk. */
  repeats: boolean;
  rejects: Reject[];
  /** The cells that were left out. */
  warnings: readonly ImportWarning[];
}

interface Reject {
  row: number;
  errors: CellViolation[];
  cells: readonly string[];
}

/** Prepares what all chunks of an import share. */
export function createChunks(job: ChunkJob) {
  const { tenantId, options } = job;
  const { plan } = options.inspection;
  const { dateOrders, onBadCell } = options;
  const check = createRowCheck(plan, { customFields: job.customFields, onBadCell, dateOrders });
  const stager = createStager(plan);
  const { mode, runTriggers, listId } = options;
  const fields = fieldsOf(plan);
  const haveStatus = fields.has('status');
  const merge = createMerge({ tenantId, mode, runTriggers, fields, listId });
  return {
    check,
    /** Checks the rows of a chunk, without blocking the event loop. */
    prepare: (batch: RowBatch): Promise<PreparedChunk> => prepareChunk(batch, check, (rows) => stager.lines(rows)),
    /**
     * Imports one chunk in one transaction on a separate client, whose session is the tenant's: stages the rows by COPY
     * and merges them as a set, with rejected rows, counters, list members, events and the chunk's ledger row. So a chunk is imported completely
     * or not at all, and a chunk in the ledger is never imported again. Returns `done` if another attempt has imported
     * it, `over` if the import has ended. Throws `not_found` if the import's list no longer exists.
     */
    async run(
      client: pg.ClientBase,
      chunk: PreparedChunk,
      hasRepeats: boolean,
    ): Promise<ChunkCounts | 'done' | 'over'> {
      return retried(async () => {
        await client.query('begin');
        try {
          const counts = await importInTransaction(client, job, chunk, {
            copy: stager.copy,
            merge,
            hasRepeats,
            haveStatus,
          });
          await client.query(typeof counts === 'string' ? 'rollback' : 'commit');
          return counts;
        } catch (error) {
          await client.query('rollback').catch(() => undefined);
          throw error;
        }
      }, isRetryable);
    },
  };
}

async function prepareChunk(
  batch: RowBatch,
  check: (row: ParsedRow) => CheckedRow,
  toLines: (rows: StagedRow[]) => Buffer,
): Promise<PreparedChunk> {
  const turn = createYielder();
  const staged: StagedRow[] = [];
  const rejects: Reject[] = [];
  const left: ImportWarning[] = [];
  const keys = new Set<string>();
  for (const row of batch.rows) {
    if (turn.isOver()) await turn.next();
    const checked = check(row);
    if ('violations' in checked) {
      rejects.push({ row: row.row, errors: [...checked.violations], cells: row.cells });
      continue;
    }
    for (const { column, message } of checked.skipped) {
      left.push({ code: 'cell_skipped', column, message: `left out: ${message}`, count: 1, rows: [row.row] });
    }
    keys.add(checked.values.emailKey);
    staged.push({ row: row.row, values: checked.values });
  }
  const warnings = mergeWarnings([], left);
  return { batch, lines: toLines(staged), repeats: keys.size < staged.length, rejects, warnings };
}

interface MergeContext {
  copy: string;
  merge: ReturnType<typeof createMerge>;
  hasRepeats: boolean;
  /** Whether the file says who may be mailed. */
  haveStatus: boolean;
}

async function importInTransaction(
  client: pg.ClientBase,
  job: ChunkJob,
  chunk: PreparedChunk,
  context: MergeContext,
): Promise<ChunkCounts | 'done' | 'over'> {
  const { tenantId, importId, options } = job;
  const { batch } = chunk;
  const {
    rows: [running],
  } = await client.query<{ any_erased: boolean; warnings: ImportWarning[] }>(
    `
    select warnings, exists (select 1 from erased_addresses where tenant_id = $2) as any_erased
    from contact_imports where id = $1 and status = 'RUNNING' for update`,
    [importId, tenantId],
  );
  if (!running) return 'over';
  const ledger = await client.query(
    `insert into contact_import_chunks (tenant_id, import_id, chunk, end_offset, last_row) values ($1, $2, $3, $4, $5) on conflict do nothing`,
    [tenantId, importId, batch.chunk, batch.endOffset, batch.rows.at(-1)!.row],
  );
  if (ledger.rowCount === 0) return 'done';
  if (options.listId !== undefined) await lockList(client, tenantId, options.listId);

  await stageRows(client, context.copy, chunk.lines);
  const repeats = context.hasRepeats
    ? await replaceRepeats(client, { tenantId, importId, haveStatus: context.haveStatus }, chunk.repeats)
    : { deleted: 0, restricted: [] };
  const warnings = mergeWarnings(chunk.warnings, restrictions(repeats.restricted));
  await client.query('savepoint merged');
  const merged = await mergeWithRetry(client, context.merge, running.any_erased);
  if (options.dryRun) await client.query('rollback to savepoint merged');

  const rejects = [...chunk.rejects, ...refusals(job, chunk, merged.refused)];
  const { created, updated, unchanged } = merged;
  const counts = {
    processed: batch.rows.length,
    created,
    updated,
    unchanged,
    duplicates: repeats.deleted,
    rejected: rejects.length,
  };
  await writeOutcome(client, job, batch.chunk, {
    rejects,
    counts,
    undo: options.dryRun ? null : undoRecord(merged.undo),
    warnings: warnings.length === 0 ? null : mergeWarnings(running.warnings, warnings),
  });
  return counts;
}

/**
 * Runs the merge, and runs it again as long as other transactions create contacts of its rows; they have committed by
 * the time it fails.
 */
async function mergeWithRetry(
  client: pg.ClientBase,
  merge: MergeContext['merge'],
  anyErased: boolean,
): Promise<Merged> {
  for (;;) {
    try {
      return await merge(client, anyErased);
    } catch (error) {
      if (!isDuplicateEmail(error)) throw error;
      await client.query('rollback to savepoint merged');
    }
  }
}

/** Locks the import's list against deletion. */
async function lockList(client: pg.ClientBase, tenantId: string, listId: number): Promise<void> {
  const list = await client.query(
    `select 1 from segments where tenant_id = $1 and id = $2 and type = 'static' for key share`,
    [tenantId, listId],
  );
  if (list.rowCount === 0) throw new AppError('not_found', `The list ${listId} no longer exists`);
}

/** The warning about rows that got the status of another row of their address. */
const restrictions = (rows: readonly number[]): ImportWarning[] =>
  rows.length === 0
    ? []
    : [
        {
          code: 'status_of_another_row',
          column: null,
          message:
            'another row of this address has a stricter status (unsubscribed, not confirmed or the like), and that counts',
          count: rows.length,
          rows: rows.slice(0, NAMED_ROWS),
        },
      ];

function refusals({ options }: ChunkJob, { batch }: PreparedChunk, refused: Merged['refused']): Reject[] {
  if (refused.length === 0) return [];
  const { plan } = options.inspection;
  const column = plan.columns.find(({ field }) => field === 'email')?.header ?? 'email';
  const messages = {
    erased: 'the data of this person was erased, so the address cannot be imported again',
    email_taken: 'a contact with this address exists',
    not_found: 'there is no contact with this address',
  };
  const cellsOf = new Map(batch.rows.map(({ row, cells }) => [row, cells]));
  return refused.map(({ row, code }) => ({
    // Erased data must not come back as a rejected row.
    row,
    cells: code === 'erased' ? [] : cellsOf.get(row)!,
    errors: [{ column, code, message: messages[code] }],
  }));
}

interface Outcome {
  rejects: Reject[];
  counts: ChunkCounts;
  undo: string | null;
  /** All warnings of the import so far; null if there are no new ones. */
  warnings: readonly ImportWarning[] | null;
}

async function writeOutcome(
  client: pg.ClientBase,
  { tenantId, importId }: ChunkJob,
  chunk: number,
  { rejects, counts, undo, warnings }: Outcome,
): Promise<void> {
  if (rejects.length > 0) {
    await client.query(
      `
      insert into contact_import_rejects (tenant_id, import_id, row, errors, cells)
      select $1, $2, r.row, r.errors, r.cells from jsonb_to_recordset($3::jsonb) as r(row int, errors jsonb, cells jsonb)`,
      [tenantId, importId, JSON.stringify(rejects)],
    );
  }
  await client.query(
    `
    with ledger as (update contact_import_chunks set undo = $9::jsonb where tenant_id = $8 and import_id = $1 and chunk = $10)
    update contact_imports set processed_rows = processed_rows + $2, created = created + $3, updated = updated + $4, unchanged = unchanged + $5,
      duplicates = duplicates + $6, rejected = rejected + $7, warnings = coalesce($11::jsonb, warnings), version = version + 1, updated_at = now() where id = $1`,
    [
      importId,
      counts.processed,
      counts.created,
      counts.updated,
      counts.unchanged,
      counts.duplicates,
      counts.rejected,
      tenantId,
      undo,
      chunk,
      warnings && JSON.stringify(warnings),
    ],
  );
}
