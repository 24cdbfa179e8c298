import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { ContactValues } from './check-row.ts';

export interface StagedRow {
  row: number;
  values: ContactValues;
  companyId: number | null;
  /** The status that the address has by its suppression. */
  suppressed: string | null;
}

const COLUMNS = [
  'email_key', 'email', 'first_name', 'last_name', 'phone', 'phone_e164', 'job_title', 'company_id', 'suppressed', 'status', 'tags', 'custom',
  'timezone', 'locale', 'source',
] as const;

const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A value in COPY's text format. */
const field = (value: string | number | null | undefined): string =>
  value === null || value === undefined ? '\\N' : String(value).replace(/[\\\n\r\t]/g, (char) => escapes[char]!);

function line({ values, companyId, suppressed }: StagedRow): string {
  return [
    values.emailKey, values.email, values.firstName, values.lastName, values.phone, values.phoneE164, values.jobTitle,
    companyId, suppressed, values.status,
    values.tags && JSON.stringify(values.tags), values.customFields && JSON.stringify(values.customFields), values.timezone, values.locale, values.source,
  ].map(field).join('\t') + '\n';
}

/** Puts rows into the temporary table `import_stage` of the open transaction (COPY is refused on tables with row security). */
export async function stageRows(client: pg.ClientBase, staged: StagedRow[]): Promise<void> {
  await client.query(`
    create temporary table import_stage (
      email_key text, email text, first_name text, last_name text, phone text, phone_e164 text, job_title text, company_id bigint, suppressed text, status text,
      tags jsonb, custom jsonb, timezone text, locale text, source text
    ) on commit drop`);
  const copy = client.query(copyFrom(`copy import_stage (${COLUMNS.join(', ')}) from stdin`));
  await pipeline(Readable.from((function* () { for (const row of staged) yield line(row); })()), copy);
}
