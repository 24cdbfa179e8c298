import type pg from 'pg';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { isViolation, normaliseEmail } from '../../common/fields.ts';
import type { CheckedRow } from './check-row.ts';
import type { CsvInspection } from './inspect-csv.ts';
import type { ParsedRow } from './csv/read-csv.ts';
import { BloomFilter } from './bloom-filter.ts';

interface Repeat {
  last: number;
  complete: number | null;
}

/**
 * Finds addresses that occur more than once, batch by batch through a whole file. Reports all usable rows of an
 * address except its first (rarely also a first row, which does no harm), so that little has to be stored.
 */
export function createRepeatFinder(
  inspection: CsvInspection,
  check: (row: ParsedRow) => CheckedRow,
): (batch: readonly ParsedRow[]) => Map<string, Repeat> {
  const seen = new BloomFilter();
  const emailCell = inspection.plan.columns.find(({ field }) => field === 'email')!.index;
  return (batch) => {
    const repeats = new Map<string, Repeat>();
    for (const row of batch) {
      const email = normaliseEmail(row.cells[emailCell] ?? '');
      if (isViolation(email) || !seen.add(email.emailKey)) continue;
      const checked = check(row);
      if ('violations' in checked) continue;
      const complete = checked.missing.length === 0 ? row.row : (repeats.get(email.emailKey)?.complete ?? null);
      repeats.set(email.emailKey, { last: row.row, complete });
    }
    return repeats;
  };
}

/** Adds a batch's repeated addresses to those of the import. */
export async function saveRepeats(
  em: EntityManager,
  tenantId: string,
  importId: number,
  repeats: Map<string, Repeat>,
): Promise<void> {
  if (repeats.size === 0) return;
  const kept = [...repeats].map(([key, { last, complete }]) => ({ key, last, complete }));
  await em.transactional((tx) =>
    rows(
      tx,
      sql`
    insert into contact_import_keys (tenant_id, import_id, email_key, last_row, complete_row)
    select ${tenantId}, ${importId}, key, last, complete
    from jsonb_to_recordset(${JSON.stringify(kept)}::jsonb) as r(key text, last int, complete int) order by key
    on conflict (tenant_id, import_id, email_key) do update
      set last_row = excluded.last_row, complete_row = coalesce(excluded.complete_row, contact_import_keys.complete_row)`,
    ),
  );
}

export async function deleteRepeats(em: EntityManager, importId: number): Promise<void> {
  await em.transactional((tx) => rows(tx, sql`delete from contact_import_keys where import_id = ${importId}`));
}

export async function hasRepeats(em: EntityManager, importId: number): Promise<boolean> {
  const [found] = await em.transactional((tx) =>
    rows(tx, sql`select 1 from contact_import_keys where import_id = ${importId} limit 1`),
  );
  return found !== undefined;
}

/** The staged rows that are replaced by another row of the file. */
export interface ReplacedRows {
  /** Rows whose address occurs again later. */
  duplicates: number[];
  /** Rows after the one that created the contact. They lack its names, so they could not create it themselves. */
  incomplete: number[];
}

/**
 * Determines which staged rows with a repeated address are replaced. The last row counts. But if the contact does not
 * exist yet, a row without names cannot create it and must not replace one that can: then the last complete row
 * counts. That choice is stored, because the contact will exist when the rows after it are checked.
 */
export async function findReplacedRows(
  client: pg.ClientBase,
  tenantId: string,
  importId: number,
  mode: 'upsert' | 'create' | 'update',
): Promise<ReplacedRows> {
  const { rows: staged } = await client.query<{
    row: number;
    key: string;
    complete: boolean;
    last: number;
    last_complete: number | null;
    exists: boolean;
  }>(
    `
    select s.row, s.email_key as key, s.complete, k.last_row as last, k.complete_row as last_complete, c.id is not null as exists
    from import_stage s
    join contact_import_keys k on k.tenant_id = $1 and k.import_id = $2 and k.email_key = s.email_key
    left join lateral (select id from contacts where tenant_id = $1 and email_key = s.email_key limit 1) c on true
    order by s.row`,
    [tenantId, importId],
  );
  const displaced: ReplacedRows = { duplicates: [], incomplete: [] };
  const chosen = new Map<string, number>();
  for (const { row, key, complete, last, last_complete, exists } of staged) {
    const counts = chosen.get(key) ?? last;
    const lastToMakeIt = complete && (last_complete === null || last_complete <= row);
    if (row < counts && lastToMakeIt && !exists && mode !== 'update') chosen.set(key, row);
    else if (row < counts) displaced.duplicates.push(row);
    else if (row > counts && !complete) displaced.incomplete.push(row);
  }
  if (chosen.size > 0) {
    await client.query(
      `
      update contact_import_keys k set last_row = c.row from unnest($3::text[], $4::int[]) c(key, row)
      where k.tenant_id = $1 and k.import_id = $2 and k.email_key = c.key`,
      [tenantId, importId, [...chosen.keys()], [...chosen.values()]],
    );
  }
  return displaced;
}
