import type pg from 'pg';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { isViolation, normaliseEmail } from '../../common/fields.ts';
import type { CheckedRow } from './check-row.ts';
import type { CsvInspection } from './inspect-csv.ts';
import type { ParsedRow } from './csv/read-csv.ts';
import { BloomFilter } from './bloom-filter.ts';

/**
 * Finds addresses that occur more than once, batch by batch through a whole file. Reports the last usable row
 * of an address that has one besides its first (rarely also of others, which does no harm), so that little has to be
 * stored.
 */
export function createRepeatFinder(
  inspection: CsvInspection,
  check: (row: ParsedRow) => CheckedRow,
): (batch: readonly ParsedRow[]) => Map<string, number> {
  const seen = new BloomFilter();
  const emailCell = inspection.plan.columns.find(({ field }) => field === 'email')!.index;
  return (batch) => {
    const repeats = new Map<string, number>();
    for (const row of batch) {
      const email = normaliseEmail(row.cells[emailCell] ?? '');
      if (isViolation(email) || !seen.add(email.emailKey)) continue;
      if (!('violations' in check(row))) repeats.set(email.emailKey, row.row);
    }
    return repeats;
  };
}

/** Adds a batch's repeated addresses to those of the import. */
export async function saveRepeats(
  em: EntityManager,
  tenantId: string,
  importId: number,
  repeats: Map<string, number>,
): Promise<void> {
  if (repeats.size === 0) return;
  const kept = [...repeats].map(([key, last]) => ({ key, last }));
  await em.transactional((tx) =>
    rows(
      tx,
      sql`
    insert into contact_import_keys (tenant_id, import_id, email_key, last_row)
    select ${tenantId}, ${importId}, key, last
    from jsonb_to_recordset(${JSON.stringify(kept)}::jsonb) as r(key text, last int) order by key
    on conflict (tenant_id, import_id, email_key) do update set last_row = excluded.last_row`,
    ),
  );
}

export async function deleteRepeats(em: EntityManager, importId: number): Promise<void> {
  await em.transactional((tx) => rows(tx, sql`delete from contact_import_keys where import_id = ${importId}`));
}

export async function hasRepeats(client: pg.ClientBase, importId: number): Promise<boolean> {
  const { rowCount } = await client.query('select 1 from contact_import_keys where import_id = $1 limit 1', [importId]);
  return rowCount === 1;
}

/** Deletes the staged rows whose address occurs again in a later usable row of the file. Returns their number. */
export async function deleteReplacedRows(client: pg.ClientBase, tenantId: string, importId: number): Promise<number> {
  const { rowCount } = await client.query(
    `
    delete from import_stage s using contact_import_keys k
    where k.tenant_id = $1 and k.import_id = $2 and k.email_key = s.email_key and k.last_row > s.row`,
    [tenantId, importId],
  );
  return rowCount ?? 0;
}
