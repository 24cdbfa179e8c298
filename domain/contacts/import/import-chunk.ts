import type pg from 'pg';
import type { ImportOptions } from '../../../db/entities/contacts.ts';
import { outboxRows, type NewEvent } from '../../../events/outbox.ts';
import { companyNameKey } from '../find-or-create-company.ts';
import { createRowCheck, nameViolations, type CellViolation, type ContactValues, type RequiredName } from './check-row.ts';
import { findOrCreateCompanies } from './companies.ts';
import type { CsvInspection } from './inspect-csv.ts';
import type { CustomFields } from './map-header.ts';
import { mergeStage } from './merge-stage.ts';
import type { ParsedRow, RowBatch } from './read-csv.ts';
import { stageRows, type StagedRow } from './stage-rows.ts';

export interface ChunkJob {
  tenantId: string;
  importId: number;
  options: ImportOptions & { inspection: CsvInspection };
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

/** The last rows of the file's addresses are not there (a crash empties unlogged tables): they must be read again. */
export class LastRowsLostError extends Error {
  override readonly name = 'LastRowsLostError';
}

interface Reject {
  row: number;
  errors: CellViolation[];
  cells: readonly string[];
}

/**
 * Imports one chunk in one transaction on a client of its own: rows staged by COPY, judged as a set, merged; rejected
 * rows, counters, list members, events and the chunk's ledger row with them. So a chunk is done whole or not at all, and
 * one that is in the ledger is never done again. Answers null when the chunk is done already or the import is over.
 */
export async function importChunk(client: pg.ClientBase, job: ChunkJob, batch: RowBatch): Promise<ChunkCounts | null> {
  await client.query('begin');
  try {
    await client.query(`select set_config('app.tenant_id', $1, true)`, [job.tenantId]);
    const counts = await importInTransaction(client, job, batch);
    await client.query(counts ? 'commit' : 'rollback');
    return counts;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function importInTransaction(client: pg.ClientBase, job: ChunkJob, batch: RowBatch): Promise<ChunkCounts | null> {
  const { tenantId, importId, options } = job;
  const running = await client.query(`select 1 from contact_imports where id = $1 and status = 'RUNNING' for update`, [importId]);
  if (running.rowCount === 0) return null;
  const ledger = await client.query(
    `insert into contact_import_chunks (tenant_id, import_id, chunk, end_offset, last_row) values ($1, $2, $3, $4, $5) on conflict do nothing`,
    [tenantId, importId, batch.chunk, batch.endOffset, batch.rows.at(-1)!.row]);
  if (ledger.rowCount === 0) return null;

  const rejects: Reject[] = [];
  const usable = checkRows(job, batch.rows, rejects);
  const { last, duplicates } = await dropDuplicates(client, job, usable);
  const accepted = await dropByMode(client, job, last, rejects);
  const emailKeys = accepted.map(({ values }) => values.emailKey);
  await client.query('savepoint merged');
  await stageRows(client, await withReferences(client, tenantId, accepted));
  const merged = await mergeStage(client, tenantId, emailKeys);
  const created = merged.filter((contact) => contact.inserted).length;
  if (options.dryRun) {
    await client.query('rollback to savepoint merged');
  } else {
    if (options.listId !== undefined) await addToList(client, tenantId, options.listId, emailKeys);
    await writeEvents(client, job, merged.map((contact): NewEvent => contact.inserted
      ? { type: 'CONTACT_CREATED', entity: `contact/${contact.id}`, data: { contactId: contact.id, email: contact.email, runTriggers: options.runTriggers } }
      : { type: 'CONTACT_UPDATED', entity: `contact/${contact.id}`, data: { contactId: contact.id, version: contact.version, changed: contact.changed } }));
  }
  const counts = {
    processed: batch.rows.length, created, updated: merged.length - created, unchanged: accepted.length - merged.length, duplicates, rejected: rejects.length,
  };
  await writeOutcome(client, job, rejects, counts);
  return counts;
}

interface Usable {
  row: ParsedRow;
  values: ContactValues;
  missing: readonly RequiredName[];
}

function checkRows(job: ChunkJob, rows: readonly ParsedRow[], rejects: Reject[]): Usable[] {
  const check = createRowCheck(job.options.inspection.plan, { customFields: job.customFields });
  return rows.flatMap((row) => {
    const checked = check(row);
    if (!('violations' in checked)) return [{ row, ...checked }];
    rejects.push({ row: row.row, errors: [...checked.violations], cells: row.cells });
    return [];
  });
}

// The lookups go by arrays of keys, so that they use the index whatever the planner knows of the tables.

/** Leaves out the rows whose address comes again later in the file. */
async function dropDuplicates(client: pg.ClientBase, { tenantId, importId }: ChunkJob, usable: Usable[]): Promise<{ last: Usable[]; duplicates: number }> {
  const { rows } = await client.query<{ email_key: string; last_row: number }>(
    'select email_key, last_row from contact_import_keys where tenant_id = $1 and import_id = $2 and email_key = any($3::text[])',
    [tenantId, importId, [...new Set(usable.map(({ values }) => values.emailKey))]]);
  const lastRow = new Map(rows.map((row) => [row.email_key, row.last_row]));
  const last = usable.filter(({ row, values }) => {
    const known = lastRow.get(values.emailKey);
    if (known === undefined || known < row.row) throw new LastRowsLostError('the last rows of the file are not known');
    return known === row.row;
  });
  return { last, duplicates: usable.length - last.length };
}

/** Rejects what the mode does not take, and rows that would make a contact without its names. */
async function dropByMode(client: pg.ClientBase, { tenantId, options }: ChunkJob, last: Usable[], rejects: Reject[]): Promise<Usable[]> {
  const asked = options.mode === 'upsert' ? last.filter(({ missing }) => missing.length > 0) : last;
  const { rows } = await client.query<{ email_key: string }>(
    'select email_key from contacts where tenant_id = $1 and email_key = any($2::text[])', [tenantId, asked.map(({ values }) => values.emailKey)]);
  const existing = new Set(rows.map((row) => row.email_key));
  const { plan } = options.inspection;
  const column = plan.columns.find(({ field }) => field === 'email')?.header ?? 'email';
  return last.filter(({ row, values, missing }) => {
    const exists = existing.has(values.emailKey);
    const errors: CellViolation[] = [];
    if (options.mode === 'create' && exists) errors.push({ column, code: 'email_taken', message: 'a contact with this address exists' });
    if (options.mode === 'update' && !exists) errors.push({ column, code: 'not_found', message: 'there is no contact with this address' });
    if (options.mode !== 'update' && !exists) errors.push(...nameViolations(missing, plan));
    if (errors.length > 0) rejects.push({ row: row.row, errors, cells: row.cells });
    return errors.length === 0;
  });
}

/** The rows with the ids of their companies, made where there is none yet, and the statuses of suppressed addresses. */
async function withReferences(client: pg.ClientBase, tenantId: string, accepted: Usable[]): Promise<StagedRow[]> {
  const companies = await findOrCreateCompanies(client, tenantId, accepted.flatMap(({ values }) => values.company ?? []));
  const { rows } = await client.query<{ email_key: string; status: string }>(`
    select email_key, case reason when 'manual' then 'unsubscribed' else reason end as status from suppressions
    where tenant_id = $1 and email_key = any($2::text[])`, [tenantId, accepted.map(({ values }) => values.emailKey)]);
  const suppressed = new Map(rows.map((row) => [row.email_key, row.status]));
  return accepted.map(({ row, values }) => ({
    row: row.row, values,
    companyId: values.company === undefined ? null : companies.get(companyNameKey(values.company))!,
    suppressed: suppressed.get(values.emailKey) ?? null,
  }));
}

async function addToList(client: pg.ClientBase, tenantId: string, listId: number, emailKeys: string[]): Promise<void> {
  await client.query(`
    insert into segment_members (tenant_id, segment_id, contact_id)
    select tenant_id, $2, id from contacts where tenant_id = $1 and email_key = any($3::text[]) order by id
    on conflict do nothing`, [tenantId, listId, emailKeys]);
}

async function writeEvents(client: pg.ClientBase, { tenantId }: ChunkJob, events: NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const { rows } = outboxRows({ tenantId, requestId: null }, events);
  await client.query(`
    insert into outbox_events (tenant_id, shard, type, occurred_at, events)
    select $1, r.shard, r.type, r.at, r.events from jsonb_to_recordset($2::jsonb) as r(shard int, type text, at timestamptz, events jsonb)`,
    [tenantId, JSON.stringify(rows)]);
}

async function writeOutcome(client: pg.ClientBase, { tenantId, importId }: ChunkJob, rejects: Reject[], counts: ChunkCounts): Promise<void> {
  if (rejects.length > 0) {
    await client.query(`
      insert into contact_import_rejects (tenant_id, import_id, row, errors, cells)
      select $1, $2, r.row, r.errors, r.cells from jsonb_to_recordset($3::jsonb) as r(row int, errors jsonb, cells jsonb)`,
      [tenantId, importId, JSON.stringify(rejects).replaceAll('\\u0000', '\\ufffd')]);
  }
  await client.query(`
    update contact_imports set processed_rows = processed_rows + $2, created = created + $3, updated = updated + $4, unchanged = unchanged + $5,
      duplicates = duplicates + $6, rejected = rejected + $7, version = version + 1, updated_at = now() where id = $1`,
    [importId, counts.processed, counts.created, counts.updated, counts.unchanged, counts.duplicates, counts.rejected]);
}
