import type { CustomFieldType } from '../../contact-values/custom-values.ts';
import { OPTIONAL_NAMES } from '../../contact-values/optional-fields.ts';
import type { Violation } from '../../../lib/checks/violation.ts';
import { decidesStatus, isConsentField, type ConsentField } from './consent.ts';
import { headerKey, knownHeader, speaksOfConsent } from './header-names.ts';
import type { ImportWarning } from './warnings.ts';

export const MAX_COLUMNS = 200;

const IMPORTABLE = ['firstName', 'lastName', 'email', 'phone', 'company', 'status', 'tags', ...OPTIONAL_NAMES] as const;
const READ_ONLY = ['id', 'tenantId', 'createdAt', 'updatedAt', 'version', 'phoneE164', 'companyId', 'erasing'];
const CUSTOM = 'customFields.';

export type ImportField = (typeof IMPORTABLE)[number] | ConsentField | `customFields.${string}`;

export interface PlannedColumn {
  /** Index of the cell in a row. */
  readonly index: number;
  /** The column's header as in the file, trimmed. */
  readonly header: string;
  readonly field: ImportField;
  /** The columns whose cell is taken where this one's is empty, in order. */
  others?: readonly number[];
}

/** The cell of a row that counts for a column, and its index. */
export function cellOf({ index, others }: PlannedColumn, cells: readonly string[]): { index: number; cell: string } {
  const cell = cells[index] ?? '';
  if (others === undefined || cell.trim() !== '') return { index, cell };
  const other = others.find((at) => (cells[at] ?? '').trim() !== '');
  return other === undefined ? { index, cell } : { index: other, cell: cells[other]! };
}

/** The meaning of a file's columns; plain data, stored with the import. */
export interface ColumnPlan {
  /** All headers as in the file, trimmed. */
  readonly headers: readonly string[];
  readonly columns: readonly PlannedColumn[];
  /** Headers of the columns that are not imported; `(column 3)` for a column without a header. */
  readonly ignoredColumns: readonly string[];
  readonly warnings: readonly ImportWarning[];
}

export type CustomFields = ReadonlyMap<string, CustomFieldType>;

/** Header of the file → field, `customFields.x`, or null to ignore the column. */
export type HeaderMapping = Readonly<Record<string, string | null>>;

/**
 * Maps columns to fields. `mapping` has priority; then headers that are a field's name in any spelling (`firstName`,
 * `first_name`, `First Name`, `customFields.x`), then custom fields by their bare name, then the names that other
 * programs give a field (`header-names.ts`). Ignores columns whose field another column has already, unknown and
 * read-only ones (id, tenantId, createdAt, updatedAt, version, phoneE164, companyId, erasing), and columns without a
 * header. Several columns may be about consent: the strictest of them counts, mapped or not. Of several addresses or
 * telephones, the best column that has a value in the row counts.
 *
 * Violations, all at once: `too_many_columns` (over 200), `duplicate_column` (two columns with a field's own name, or a
 * mapped header that occurs twice), `no_email_column`, and for the mapping `unknown_column`, `unknown_field`,
 * `read_only`. Warnings: `column_not_used` for columns that another one replaces, `column_second` for those that count
 * only where another one is empty, `consent_not_imported` for columns that are not imported although their name speaks
 * of consent.
 */
export function mapHeader(
  header: readonly string[],
  customFields: CustomFields,
  mapping: HeaderMapping = {},
): ColumnPlan | { readonly errors: readonly Violation[] } {
  const headers = header.map((cell) => cell.trim().normalize('NFC'));
  while (headers.at(-1) === '') headers.pop();
  if (headers.length > MAX_COLUMNS) {
    const message = `the header has ${headers.length} columns; at most ${MAX_COLUMNS} are allowed`;
    return { errors: [{ code: 'too_many_columns', message }] };
  }
  const errors: Violation[] = [];
  const mapped = readMapping(headers, customFields, mapping, errors);
  const taken = new Set(mapped.values());
  const findField = fieldFinder(customFields);

  const columns: PlannedColumn[] = [];
  const known: KnownColumn[] = [];
  headers.forEach((name, index) => {
    const own = findField(name);
    const isTaken = own !== null && taken.has(own.field) && !decidesStatus(own.field);
    const field = mapped.has(name) ? (mapped.get(name) ?? null) : isTaken ? null : own?.field;
    if (field == null) return;
    if (own?.rank === undefined || mapped.has(name)) columns.push({ index, header: name, field });
    else known.push({ index, header: name, field, rank: own.rank });
  });
  const warnings = addKnown(columns, known, mapped, headers);
  columns.sort((a, b) => a.index - b.index);
  errors.push(...duplicates(columns));
  if (!columns.some(({ field }) => field === 'email')) errors.push(noEmailColumn(headers));
  if (errors.length > 0) return { errors };
  const used = new Set(columns.flatMap(({ index, others = [] }) => [index, ...others]));
  const ignoredColumns = headers.flatMap((name, index) =>
    used.has(index) ? [] : [name === '' ? `(column ${index + 1})` : name],
  );
  const unsaid = headers
    .filter((name, index) => !used.has(index) && !mapped.has(name) && speaksOfConsent(name))
    .map((column) => ({ code: 'consent_not_imported', column, message: CONSENT_NOT_IMPORTED }));
  return { headers, columns, ignoredColumns, warnings: [...warnings, ...unsaid] };
}

/** A column that has one of the names other programs give its field. */
interface KnownColumn extends PlannedColumn {
  readonly rank: number;
}

const CONSENT_NOT_IMPORTED =
  'is not imported, and may say who does not want to be mailed: map it to optedOut (yes means no mail), subscribed (no means no mail) or status, or to null if it says nothing of that';

/** Fields of which somebody has several. The names of others are less sure: a `Title` may be a job or a Dr. */
const HAS_SECOND: readonly ImportField[] = ['email', 'phone'];

/** Adds the best column for each field that has none yet, with the others behind it. Returns warnings about those. */
function addKnown(
  columns: PlannedColumn[],
  known: readonly KnownColumn[],
  mapped: ReadonlyMap<string, ImportField | null>,
  headers: readonly string[],
): ImportWarning[] {
  const warnings: ImportWarning[] = [];
  const byField = new Map<ImportField, PlannedColumn>(columns.map((column) => [column.field, column]));
  for (const { rank: _, ...column } of known.toSorted((a, b) => a.rank - b.rank || a.index - b.index)) {
    const first = decidesStatus(column.field) ? undefined : byField.get(column.field);
    if (first === undefined) {
      byField.set(column.field, column);
      columns.push(column);
    } else {
      const isSecond = HAS_SECOND.includes(column.field);
      if (isSecond) first.others = [...(first.others ?? []), column.index];
      const message = isSecond
        ? `counts only where the column "${first.header}" is empty: both mean ${column.field}`
        : `is not imported: ${column.field} is taken from the column "${first.header}"`;
      warnings.push({ code: isSecond ? 'column_second' : 'column_not_used', column: column.header, message });
    }
  }
  // Beside one of the names, "name" is the other, as in German and Dutch exports.
  const index = headers.findIndex((header) => ['name', 'naam'].includes(headerKey(header)));
  const other = byField.has('firstName') ? 'lastName' : byField.has('lastName') ? 'firstName' : null;
  if (index !== -1 && other !== null && !byField.has(other) && !mapped.has(headers[index]!)) {
    columns.push({ index, header: headers[index]!, field: other });
  }
  return warnings;
}

/** How many headers an error names, and how many characters of each. */
const NAMED_HEADERS = 30;
const NAMED_CHARACTERS = 60;

function noEmailColumn(headers: readonly string[]): Violation {
  const found = headers.filter((header) => header !== '');
  const names = found.slice(0, NAMED_HEADERS).map((header) => `"${[...header].slice(0, NAMED_CHARACTERS).join('')}"`);
  const rest = found.length > names.length ? ` and ${found.length - names.length} more` : '';
  const list = names.length === 0 ? 'none' : names.join(', ') + rest;
  const hint = found.some((header) => header.includes('@')) ? '; the first line must be the header' : '';
  const message = `the header has no email column: name one "email", or give a mapping; found: ${list}${hint}`;
  return { code: 'no_email_column', message };
}

interface FoundField {
  readonly field: ImportField;
  /** Present if the header is not the field's own name, see `knownHeader`. */
  readonly rank?: number;
}

/**
 * Finds the field of a header without a mapping; null for none, a read-only one, or a name that matches two custom
 * fields.
 */
function fieldFinder(customFields: CustomFields): (header: string) => FoundField | null {
  const standard = new Map<string, ImportField | null>();
  for (const field of IMPORTABLE) standard.set(headerKey(field), field);
  for (const field of READ_ONLY) standard.set(headerKey(field), null);
  const custom = new Map<string, ImportField | null>();
  for (const name of customFields.keys()) {
    for (const key of [headerKey(name), headerKey(CUSTOM + name)]) {
      custom.set(key, custom.has(key) ? null : `${CUSTOM}${name}`);
    }
  }
  const ownField = (header: string, key: string): ImportField | null | undefined => {
    if (standard.has(key)) return standard.get(key);
    if (isImportField(CUSTOM + header, customFields)) return `${CUSTOM}${header}`;
    if (header.startsWith(CUSTOM) && isImportField(header, customFields)) return header;
    return key === '' ? null : custom.get(key);
  };
  return (header) => {
    const own = ownField(header, headerKey(header));
    if (own !== undefined) return own === null ? null : { field: own };
    return (knownHeader(header) as FoundField | undefined) ?? null;
  };
}

function readMapping(
  headers: readonly string[],
  customFields: CustomFields,
  mapping: HeaderMapping,
  errors: Violation[],
): Map<string, ImportField | null> {
  const mapped = new Map<string, ImportField | null>();
  for (const [key, asked] of Object.entries(mapping)) {
    const name = key.trim().normalize('NFC');
    const found = headers.filter((header) => header === name).length;
    const field =
      asked !== null && customFields.has(asked) && !isImportField(asked, customFields) ? `${CUSTOM}${asked}` : asked;
    if (found === 0) errors.push({ code: 'unknown_column', message: `mapping: the file has no column "${name}"` });
    if (found > 1)
      errors.push({ code: 'duplicate_column', message: `mapping: the file has ${found} columns "${name}"` });
    if (field === null || isImportField(field, customFields)) {
      if (found > 0) mapped.set(name, field);
    } else if (READ_ONLY.includes(field)) {
      errors.push({ code: 'read_only', message: `mapping: ${field} cannot be imported` });
    } else {
      errors.push({ code: 'unknown_field', message: `mapping: there is no field "${field}"` });
    }
  }
  return mapped;
}

function isImportField(field: string, customFields: CustomFields): field is ImportField {
  if (field.startsWith(CUSTOM)) return customFields.has(field.slice(CUSTOM.length));
  return (IMPORTABLE as readonly string[]).includes(field) || isConsentField(field);
}

function duplicates(columns: readonly PlannedColumn[]): Violation[] {
  const byField = Map.groupBy(columns, ({ field }) => field);
  return [...byField]
    .filter(([field, same]) => same.length > 1 && !decidesStatus(field))
    .map(([field, same]) => {
      const names = same.map(({ header, index }) => `"${header}" (column ${index + 1})`).join(', ');
      return { code: 'duplicate_column', message: `${same.length} columns map to ${field}: ${names}` };
    });
}
