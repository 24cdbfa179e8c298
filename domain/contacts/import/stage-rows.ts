import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { companyNameKey } from '../../contact-values/find-or-create-company.ts';
import { OPTIONAL_FIELDS, OPTIONAL_NAMES, optionalSql } from '../../contact-values/optional-fields.ts';
import type { ContactValues } from './check-row.ts';
import { isConsentField } from './consent.ts';
import type { ColumnPlan, ImportField } from './map-header.ts';

/** A usable row to stage. */
export interface StagedRow {
  row: number;
  values: ContactValues;
}

type Cell = string | null | undefined;

/** How fields are staged: columns of `import_stage` and their values as text. */
const STAGED: Record<string, Record<string, (values: ContactValues) => Cell>> = {
  firstName: { first_name: (values) => values.firstName },
  lastName: { last_name: (values) => values.lastName },
  phone: { phone: (values) => values.phone, phone_e164: (values) => values.phoneE164 },
  company: {
    company: (values) => values.company,
    company_key: (values) => values.company && companyNameKey(values.company),
  },
  status: { status: (values) => values.status },
  // A Postgres array literal: quoted elements have the same escapes as JSON strings, except for control characters,
  // which tags cannot contain.
  tags: { tags: (values) => values.tags && `{${values.tags.map((tag) => JSON.stringify(tag)).join(',')}}` },
  customFields: { custom: (values) => values.customFields && JSON.stringify(values.customFields) },
  ...Object.fromEntries(
    OPTIONAL_NAMES.map((name) => [name, { [OPTIONAL_FIELDS[name].column]: (values: ContactValues) => values[name] }]),
  ),
};

/** The contact fields in a file's columns, by API name; all custom fields count as one. */
export function fieldsOf({ columns }: ColumnPlan): Set<string> {
  return new Set(
    columns.map(({ field }: { field: ImportField }) =>
      field.startsWith('customFields.') ? 'customFields' : isConsentField(field) ? 'status' : field,
    ),
  );
}

const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const SPECIAL = /[\\\n\r\t]/;

/** A value in COPY's text format. */
function copyField(value: Cell): string {
  if (value === null || value === undefined) return '\\N';
  return SPECIAL.test(value) ? value.replace(/[\\\n\r\t]/g, (char) => escapes[char]!) : value;
}

/** Creates the COPY statement and its input for rows of a file with this plan. */
export function createStager(plan: ColumnPlan) {
  const cells = Object.entries(STAGED).flatMap(([name, columns]) =>
    fieldsOf(plan).has(name) ? Object.entries(columns) : [],
  );
  const copy = `copy import_stage (${['row', 'email_key', 'email', ...cells.map(([column]) => column)].join(', ')}) from stdin`;
  const valuesOf = cells.map(([, valueOf]) => valueOf);
  return {
    copy,
    lines(staged: readonly StagedRow[]): Buffer {
      let text = '';
      for (const { row, values } of staged) {
        text += `${row}\t${copyField(values.emailKey)}\t${copyField(values.email)}`;
        for (const valueOf of valuesOf) text += `\t${copyField(valueOf(values))}`;
        text += '\n';
      }
      return Buffer.from(text);
    },
  };
}

/**
 * Creates the connection's temporary table for rows to merge, which every commit empties. Temporary, because COPY is
 * not allowed on tables with row-level security.
 */
export async function createStage(client: pg.ClientBase): Promise<void> {
  await client.query(`
    create temporary table import_stage (
      row int not null, email_key text not null, email text not null, first_name text, last_name text, phone text, phone_e164 text,
      company text, company_key text, company_id bigint, status text, tags text[], custom jsonb, ${optionalSql((column) => `${column} text`)},
      contact_id bigint, suppressed text, differs boolean not null default false
    ) on commit delete rows`);
}

export async function stageRows(client: pg.ClientBase, copy: string, lines: Buffer): Promise<void> {
  await pipeline(Readable.from([lines]), client.query(copyFrom(copy)));
}
