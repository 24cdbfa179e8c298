import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { createRowCheck } from './check-row.ts';
import type { CsvInspection } from './inspect-csv.ts';
import type { RowBatch } from './read-csv.ts';
import type { CustomFields } from './map-header.ts';

/** Whole-file knowledge of a batch: the last row of each address among the rows that can be used. */
export function lastRowsOf(batch: RowBatch, inspection: CsvInspection, customFields: CustomFields): Map<string, number> {
  const check = createRowCheck(inspection.plan, { customFields });
  const last = new Map<string, number>();
  for (const row of batch.rows) {
    const checked = check(row);
    if ('values' in checked) last.set(checked.values.emailKey, row.row);
  }
  return last;
}

/** Adds a batch's last rows to the import's. */
export async function keepLastRows(em: EntityManager, tenantId: string, importId: number, last: Map<string, number>): Promise<void> {
  if (last.size === 0) return;
  const keys = [...last.keys()].sort();
  await em.transactional((tx) => rows(tx, sql`
    insert into contact_import_keys (tenant_id, import_id, email_key, last_row)
    select ${tenantId}, ${importId}, k, r from unnest(${keys}::text[], ${keys.map((key) => last.get(key)!)}::int[]) as u(k, r)
    on conflict (tenant_id, import_id, email_key) do update set last_row = greatest(contact_import_keys.last_row, excluded.last_row)`));
}

export async function forgetLastRows(em: EntityManager, importId: number): Promise<void> {
  await em.transactional((tx) => rows(tx, sql`delete from contact_import_keys where import_id = ${importId}`));
}
