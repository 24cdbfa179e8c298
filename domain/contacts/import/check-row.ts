import type { CountryCode } from 'libphonenumber-js/max';
import { parseCustomText, type CustomValue } from '../values/custom-values.ts';
import { isOptionalField, OPTIONAL_FIELDS, type OptionalFieldName } from '../values/optional-fields.ts';
import { unescapeFormula } from '../../export/formula.ts';
import * as fields from '../../common/fields.ts';
import { isViolation, type Violation } from '../../common/violation.ts';
import type { ColumnPlan, CustomFields, ImportField } from './map-header.ts';
import type { ParsedRow, RowFault } from './csv/read-csv.ts';

const { CONTACT_LIMITS, cleanText } = fields;

/**
 * A row's values. A field whose cell is empty or missing is absent, because it leaves the contact's value unchanged.
 */
export interface ContactValues extends Partial<Record<OptionalFieldName, string>> {
  email: string;
  emailKey: string;
  firstName?: string;
  lastName?: string;
  phone?: string;
  /** Present with `phone`; null if the phone cannot be parsed. */
  phoneE164?: string | null;
  /** The company's name. */
  company?: string;
  /** `active` in a file is omitted: new contacts are active anyway, and an import does not reactivate contacts. */
  status?: 'unsubscribed' | 'archived';
  tags?: string[];
  customFields?: Record<string, CustomValue>;
}

export interface CellViolation extends Violation {
  /** The column's header in the file; the field's name if the file has no such column; null for the row as a whole. */
  readonly column: string | null;
}

export type CheckedRow =
  | { readonly values: ContactValues; readonly missing: readonly RequiredName[] }
  | { readonly violations: readonly CellViolation[] };

/** Names that a row lacks: no problem for an existing contact, but `nameViolations` if a contact would be created. */
export type RequiredName = 'firstName' | 'lastName';

const FAULTS: Record<RowFault['code'], string> = {
  surplus_cells: 'the row has more cells than the header',
  invalid_encoding: 'contains bytes that cannot be decoded; check the encoding of the file',
  invalid_character: 'contains a NUL character',
  cell_too_long: 'a cell must be at most 64 KiB',
  row_too_long: 'a row must be at most 1 MiB',
  malformed_quote: 'a quote is not closed, or not followed by a delimiter; quotes inside a cell must be doubled',
  unclosed_quote: 'a quote is not closed',
};

const REQUIRED: Violation = { code: 'required', message: 'must not be empty' };

/**
 * Creates the check of the rows of one file, which returns normalised values or every violation of the row. Codes:
 * those of the row's faults, `required` (email), those of the fields' normalisers, `invalid_status`. Tags are
 * separated by semicolons and replace the contact's tags.
 */
export function createRowCheck(
  plan: ColumnPlan,
  options: { readonly customFields: CustomFields; readonly defaultCountry?: CountryCode | undefined },
): (row: ParsedRow) => CheckedRow {
  const columns = plan.columns.map((column) => ({ column, check: checkOf(column.field, options) }));
  const emailHeader = plan.columns.find(({ field }) => field === 'email')?.header ?? 'email';

  return ({ cells, faults }) => {
    const violations = faults.map(({ cell, code }) => ({
      column: cell === null ? null : (plan.headers[cell] ?? null),
      code,
      message: FAULTS[code],
    })) as CellViolation[];
    if (faults.some(({ cell }) => cell === null)) return { violations };

    const values: Partial<ContactValues> = {};
    for (const { column, check } of columns) {
      const cell = cells[column.index];
      if (cell === undefined || cell === '' || faults.some((fault) => fault.cell === column.index)) continue;
      const violation = check(unescapeFormula(cell), values);
      if (violation !== null) violations.push({ column: column.header, ...violation });
    }
    if (values.email === undefined && !violations.some(({ column }) => column === emailHeader)) {
      violations.push({ column: emailHeader, ...REQUIRED });
    }
    return violations.length === 0
      ? { values: values as ContactValues, missing: missingNames(values) }
      : { violations };
  };
}

/** The violations of a row that would create a contact without its required names. */
export function nameViolations(missing: readonly RequiredName[], plan: ColumnPlan): CellViolation[] {
  return missing.map((name) => ({
    column: plan.columns.find(({ field }) => field === name)?.header ?? name,
    ...REQUIRED,
  }));
}

const NONE_MISSING: readonly RequiredName[] = [];

function missingNames({ firstName, lastName }: Partial<ContactValues>): readonly RequiredName[] {
  if (firstName !== undefined && lastName !== undefined) return NONE_MISSING;
  const missing: RequiredName[] = [];
  if (firstName === undefined) missing.push('firstName');
  if (lastName === undefined) missing.push('lastName');
  return missing;
}

/** Stores a cell's value in the row's values. Returns a violation, or null. */
type CellCheck = (cell: string, values: Partial<ContactValues>) => Violation | null;

const STATUSES = new Map([
  ['active', null],
  ['unsubscribed', 'unsubscribed'],
  ['archived', 'archived'],
] as const);
const INVALID_STATUS: Violation = { code: 'invalid_status', message: 'must be active, unsubscribed or archived' };

function checkOf(
  field: ImportField,
  { customFields, defaultCountry }: { customFields: CustomFields; defaultCountry?: CountryCode | undefined },
): CellCheck {
  switch (field) {
    case 'email':
      return (cell, values) => {
        if (cell.trim() === '') return null;
        const email = fields.normaliseEmail(cell);
        if (isViolation(email)) return email;
        values.email = email.email;
        values.emailKey = email.emailKey;
        return null;
      };
    case 'firstName':
    case 'lastName':
    case 'company':
      return (cell, values) => store(cleanText(cell, CONTACT_LIMITS[field]), (text) => (values[field] = text));
    case 'phone':
      return (cell, values) =>
        store(cleanText(cell, CONTACT_LIMITS.phone), (phone) => {
          values.phone = phone;
          values.phoneE164 = fields.phoneE164(phone, defaultCountry);
        });
    case 'status':
      return (cell, values) => {
        const text = cell.trim().toLowerCase();
        const status = STATUSES.get(text as 'active');
        if (status) values.status = status;
        return text === '' || status !== undefined ? null : INVALID_STATUS;
      };
    case 'tags':
      return (cell, values) => {
        const tags = fields.normaliseTags(cell.split(';'));
        return store(isViolation(tags) || tags.length > 0 ? tags : null, (some) => (values.tags = some));
      };
    default: {
      if (isOptionalField(field)) {
        const { normalise } = OPTIONAL_FIELDS[field];
        return (cell, values) => store(normalise(cell), (text) => (values[field] = text));
      }
      const name = field.slice('customFields.'.length);
      const type = customFields.get(name);
      if (type === undefined) return () => null;
      return (cell, values) =>
        store(parseCustomText(type, cell), (value) => {
          // Without a prototype, so that a field named __proto__ is an ordinary field.
          values.customFields ??= Object.create(null) as Record<string, CustomValue>;
          values.customFields[name] = value;
        });
    }
  }
}

function store<T>(value: T | null | Violation, keep: (value: T) => void): Violation | null {
  if (isViolation(value)) return value;
  if (value !== null) keep(value);
  return null;
}
