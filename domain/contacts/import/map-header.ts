import type { CustomFieldType } from '../values/custom-values.ts';
import { OPTIONAL_NAMES } from '../values/optional-fields.ts';
import type { Violation } from '../../common/violation.ts';

export const MAX_COLUMNS = 200;

const IMPORTABLE = ['firstName', 'lastName', 'email', 'phone', 'company', 'status', 'tags', ...OPTIONAL_NAMES] as const;
const READ_ONLY = ['id', 'tenantId', 'createdAt', 'updatedAt', 'version', 'phoneE164', 'companyId', 'erasing'];
const CUSTOM = 'customFields.';

export type ImportField = (typeof IMPORTABLE)[number] | `customFields.${string}`;

export interface PlannedColumn {
  /** Index of the cell in a row. */
  readonly index: number;
  /** The column's header as in the file, trimmed. */
  readonly header: string;
  readonly field: ImportField;
}

/** The meaning of a file's columns; plain data, stored with the import. */
export interface ColumnPlan {
  /** All headers as in the file, trimmed. */
  readonly headers: readonly string[];
  readonly columns: readonly PlannedColumn[];
  /** Headers of the columns that are not imported; `(column 3)` for a column without a header. */
  readonly ignoredColumns: readonly string[];
}

export type CustomFields = ReadonlyMap<string, CustomFieldType>;

/** Header of the file → field, `customFields.x`, or null to ignore the column. */
export type HeaderMapping = Readonly<Record<string, string | null>>;

/**
 * Maps columns to fields. `mapping` has priority; then headers that are a field's name in any spelling (`firstName`,
 * `first_name`, `First Name`, `customFields.x`), then custom fields by their bare name. Ignores columns whose field
 * the mapping gives to another column, unknown and read-only ones (id, tenantId, createdAt, updatedAt, version,
 * phoneE164, companyId, erasing), and columns without a header.
 *
 * Violations, all at once: `too_many_columns` (over 200), `duplicate_column` (two columns for one field, or a mapped
 * header that occurs twice), `no_email_column`, and for the mapping `unknown_column`, `unknown_field`, `read_only`.
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
  const ignoredColumns: string[] = [];
  headers.forEach((name, index) => {
    const own = findField(name);
    const field = mapped.has(name) ? (mapped.get(name) ?? null) : taken.has(own) ? null : own;
    if (field === null) ignoredColumns.push(name === '' ? `(column ${index + 1})` : name);
    else columns.push({ index, header: name, field });
  });
  errors.push(...duplicates(columns));
  if (!columns.some(({ field }) => field === 'email')) {
    errors.push({
      code: 'no_email_column',
      message: 'the header has no email column: name one "email", or give a mapping',
    });
  }
  return errors.length > 0 ? { errors } : { headers, columns, ignoredColumns };
}

/** Only the letters and digits, in lower case: the same for all spellings of a name. */
const simplified = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]/gu, '');

/**
 * Finds the field of a header without a mapping; null for none, a read-only one, or a name that matches two custom
 * fields.
 */
function fieldFinder(customFields: CustomFields): (header: string) => ImportField | null {
  const standard = new Map<string, ImportField | null>();
  for (const field of IMPORTABLE) standard.set(simplified(field), field);
  for (const field of READ_ONLY) standard.set(simplified(field), null);
  const custom = new Map<string, ImportField | null>();
  for (const name of customFields.keys()) {
    for (const key of [simplified(name), simplified(CUSTOM + name)]) {
      custom.set(key, custom.has(key) ? null : `${CUSTOM}${name}`);
    }
  }
  return (header) => {
    const simple = simplified(header);
    if (standard.has(simple)) return standard.get(simple) ?? null;
    if (isImportField(CUSTOM + header, customFields)) return `${CUSTOM}${header}`;
    if (isImportField(header, customFields)) return header;
    return simple === '' ? null : (custom.get(simple) ?? null);
  };
}

function readMapping(
  headers: readonly string[],
  customFields: CustomFields,
  mapping: HeaderMapping,
  errors: Violation[],
): Map<string, ImportField | null> {
  const mapped = new Map<string, ImportField | null>();
  for (const [key, field] of Object.entries(mapping)) {
    const name = key.trim().normalize('NFC');
    const found = headers.filter((header) => header === name).length;
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
  return (IMPORTABLE as readonly string[]).includes(field);
}

function duplicates(columns: readonly PlannedColumn[]): Violation[] {
  const byField = Map.groupBy(columns, ({ field }) => field);
  return [...byField]
    .filter(([, same]) => same.length > 1)
    .map(([field, same]) => {
      const names = same.map(({ header, index }) => `"${header}" (column ${index + 1})`).join(', ');
      return { code: 'duplicate_column', message: `${same.length} columns map to ${field}: ${names}` };
    });
}
