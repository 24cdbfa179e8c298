import type { CountryCode } from 'libphonenumber-js/max';
import { parseCustomText, type CustomFieldType, type CustomValue } from '../../contact-values/custom-values.ts';
import { isOptionalField, OPTIONAL_FIELDS, type OptionalFieldName } from '../../contact-values/optional-fields.ts';
import { parseTags } from '../../contact-values/tags-text.ts';
import { unescapeFormula } from '../../export/formula.ts';
import * as fields from '../../common/fields.ts';
import { isViolation, type Violation } from '../../../lib/checks/violation.ts';
import {
  decidesStatus,
  isConsentField,
  readConsent,
  readStatus,
  stricter,
  type ImportedStatus,
  type ReadStatus,
} from './consent.ts';
import { parseDate, type DateOrders } from './date-orders.ts';
import { cellOf, type ColumnPlan, type CustomFields, type PlannedColumn } from './map-header.ts';
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
  status?: ImportedStatus;
  tags?: string[];
  customFields?: Record<string, CustomValue>;
}

export interface CellViolation extends Violation {
  /** The column's header in the file; the field's name if the file has no such column; null for the row as a whole. */
  readonly column: string | null;
}

export type CheckedRow =
  | {
      readonly values: ContactValues;
      /** Cells that were left out because of their violation. */
      readonly skipped: readonly CellViolation[];
    }
  | { readonly violations: readonly CellViolation[] };

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

export interface RowCheckOptions {
  readonly customFields: CustomFields;
  readonly defaultCountry?: CountryCode | undefined;
  /** What happens to a row with a wrong cell in a column that it can do without. Default `reject`. */
  readonly onBadCell?: 'reject' | 'skip' | undefined;
  readonly dateOrders?: DateOrders | undefined;
}

const NONE_SKIPPED: readonly CellViolation[] = [];

/**
 * Creates the check of the rows of one file, which returns normalised values or every violation of the row. Codes:
 * those of the row's faults, `required` (email), those of the fields' normalisers, `invalid_status`. Tags are
 * separated as in `parseTags`, and replace the contact's tags. With `onBadCell: skip` a cell with a violation is left
 * out, unless it is the email or says whether the person may be mailed.
 */
export function createRowCheck(plan: ColumnPlan, options: RowCheckOptions): (row: ParsedRow) => CheckedRow {
  const columns = plan.columns.map((column) => ({
    column,
    check: checkOf(column, options),
    canSkip: options.onBadCell === 'skip' && !isIndispensable(column),
  }));
  const emailColumn = plan.columns.find(({ field }) => field === 'email');
  const emailHeader = emailColumn?.header ?? 'email';
  const emailHeaders = [emailHeader, ...(emailColumn?.others ?? []).map((index) => plan.headers[index]!)];

  return ({ cells, faults }) => {
    const violations = faults.map(({ cell, code }) => ({
      column: cell === null ? null : (plan.headers[cell] ?? null),
      code,
      message: FAULTS[code],
    })) as CellViolation[];
    if (faults.some(({ cell }) => cell === null)) return { violations };

    const values: Partial<ContactValues> = {};
    let skipped = NONE_SKIPPED;
    for (const { column, check, canSkip } of columns) {
      const { index, cell } = cellOf(column, cells);
      if (cell === '' || faults.some((fault) => fault.cell === index)) continue;
      const violation = check(unescapeFormula(cell), values);
      if (violation === null) continue;
      const found = { column: plan.headers[index]!, ...violation };
      if (canSkip) skipped = [...skipped, found];
      else violations.push(found);
    }
    if (
      values.email === undefined &&
      !violations.some(({ column }) => column !== null && emailHeaders.includes(column))
    ) {
      violations.push({ column: emailHeader, ...REQUIRED });
    }
    return violations.length === 0 ? { values: values as ContactValues, skipped } : { violations };
  };
}

const isIndispensable = ({ field }: PlannedColumn): boolean => field === 'email' || decidesStatus(field);

/** Stores a cell's value in the row's values. Returns a violation, or null. */
type CellCheck = (cell: string, values: Partial<ContactValues>) => Violation | null;

function checkOf(column: PlannedColumn, { customFields, defaultCountry, dateOrders }: RowCheckOptions): CellCheck {
  const { field } = column;
  if (isConsentField(field)) return (cell, values) => keepStatus(readConsent(field, cell), values);
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
      return (cell, values) =>
        store(
          inOneLine(cell, (text) => cleanText(text, CONTACT_LIMITS[field])),
          (text) => (values[field] = text),
        );
    case 'phone':
      return (cell, values) =>
        store(
          inOneLine(cell, (text) => cleanText(text, CONTACT_LIMITS.phone)),
          (phone) => {
            values.phone = phone;
            values.phoneE164 = fields.phoneE164(phone, defaultCountry);
          },
        );
    case 'status':
      return (cell, values) => (cell.trim() === '' ? null : keepStatus(readStatus(cell), values));
    case 'tags':
      return (cell, values) => {
        const tags = fields.normaliseTags(parseTags(cell));
        return store(isViolation(tags) || tags.length > 0 ? tags : null, (some) => (values.tags = some));
      };
    default: {
      if (isOptionalField(field)) {
        const { normalise } = OPTIONAL_FIELDS[field];
        return (cell, values) => store(inOneLine(cell, normalise), (text) => (values[field] = text));
      }
      const name = field.slice('customFields.'.length);
      const type = customFields.get(name);
      if (type === undefined) return () => null;
      const parse = customParser(type, dateOrders?.[column.index]);
      return (cell, values) =>
        store(parse(cell), (value) => {
          // Without a prototype, so that a field named __proto__ is an ordinary field.
          values.customFields ??= Object.create(null) as Record<string, CustomValue>;
          values.customFields[name] = value;
        });
    }
  }
}

function customParser(
  type: CustomFieldType,
  order: DateOrders[number] | undefined,
): (cell: string) => CustomValue | null | Violation {
  if (type.type !== 'date') return (cell) => parseCustomText(type, cell);
  return (cell) => {
    const date = parseCustomText(type, cell);
    return isViolation(date) ? parseDate(cell, order) : date;
  };
}

const BREAKS = /[\t\r\n\v\f\u0085]+/g;

/** Normalises a text for one line: of one with control characters, tabs and line breaks become spaces. */
function inOneLine(cell: string, normalise: (text: string) => string | null | Violation): string | null | Violation {
  const text = normalise(cell);
  // Few cells have breaks, so they are looked for only where the normaliser refuses.
  return isViolation(text) && text.code === 'invalid_character' ? normalise(cell.replace(BREAKS, ' ')) : text;
}

function keepStatus(status: ReadStatus | Violation, values: Partial<ContactValues>): Violation | null {
  if (isViolation(status)) return status;
  if (status !== null) values.status = stricter(values.status, status);
  return null;
}

function store<T>(value: T | null | Violation, keep: (value: T) => void): Violation | null {
  if (isViolation(value)) return value;
  if (value !== null) keep(value);
  return null;
}
