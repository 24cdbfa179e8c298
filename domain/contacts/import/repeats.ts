import type pg from 'pg';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { isViolation, normaliseEmail } from '../../common/fields.ts';
import type { CheckedRow } from './check-row.ts';
import { IMPORTED_STATUSES } from './consent.ts';
import { cellOf } from './map-header.ts';
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
  const emailColumn = inspection.plan.columns.find(({ field }) => field === 'email')!;
  return (batch) => {
    const repeats = new Map<string, number>();
    for (const row of batch) {
      const email = normaliseEmail(cellOf(emailColumn, row.cells).cell);
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

const STATUSES = `array['${IMPORTED_STATUSES.join("', '")}']`;
const stricterSql = (a: string, than: string): string =>
  `array_position(${STATUSES}, ${a}) > coalesce(array_position(${STATUSES}, ${than}), 0)`;

/**
 * Deletes the staged rows whose address occurs again in a later usable row of the file. That row counts, but with the
 * strictest status of all rows of the address (docs/decisions/0075-consent-in-a-file.md). `rowsRepeat`: an address occurs
 * twice among the staged rows; `haveStatus`: the file says who may be mailed. Returns how many rows were deleted, and
 * those that got the status of another row.
 */
export async function replaceRepeats(
  client: pg.ClientBase,
  { tenantId, importId, haveStatus }: { tenantId: string; importId: number; haveStatus: boolean },
  rowsRepeat: boolean,
): Promise<{ deleted: number; restricted: number[] }> {
  const values = [tenantId, importId];
  const keys = 'k.tenant_id = $1 and k.import_id = $2 and k.email_key = s.email_key';
  if (haveStatus)
    await client.query(
      `
    update contact_import_keys t set status = r.status from (
      select distinct on (s.email_key) s.email_key, s.status from import_stage s join contact_import_keys k on ${keys}
      where k.last_row > s.row and ${stricterSql('s.status', 'k.status')}
      order by s.email_key, array_position(${STATUSES}, s.status) desc) r
    where t.tenant_id = $1 and t.import_id = $2 and t.email_key = r.email_key`,
      values,
    );
  const replaced = await client.query(
    `delete from import_stage s using contact_import_keys k where ${keys} and k.last_row > s.row`,
    values,
  );
  const restricted = haveStatus
    ? await client.query<{ row: number }>(
        `
    update import_stage s set status = k.status from contact_import_keys k
    where ${keys} and k.last_row <= s.row and ${stricterSql('k.status', 's.status')} returning s.row`,
        values,
      )
    : null;
  // Nothing is left to delete, unless rows are usable now that were not in the first pass (a custom field was
  // changed).
  const left = rowsRepeat
    ? await client.query(
        'delete from import_stage s using import_stage later where later.email_key = s.email_key and later.row > s.row',
      )
    : null;
  return {
    deleted: (replaced.rowCount ?? 0) + (left?.rowCount ?? 0),
    restricted: (restricted?.rows ?? []).map(({ row }) => row).sort((a, b) => a - b),
  };
}
