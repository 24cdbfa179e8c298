import { sql, type RawBuilder } from 'kysely';
import { normaliseEmail } from '../../../lib/addresses/email.ts';
import { isViolation } from '../../../lib/checks/violation.ts';
import type { CustomFieldType } from '../../contact-values/custom-values.ts';
import { contactField } from '../filter/filter-fields.ts';
import type { FieldLeaf } from '../filter/filter.ts';
import type { Now } from '../filter/relative-time.ts';
import { compareOperand, nfc, oppositeOf, type Condition, type Operand, type StoredAs } from '../filter/operand.ts';
import type { Sources } from './sources.ts';
import { OPTIONAL_FIELDS, OPTIONAL_NAMES } from '../../contact-values/optional-fields.ts';

export interface FieldContext {
  /** The alias of the `contacts` row for which the filter is evaluated. */
  alias: string;
  sources: Sources;
  customFields: ReadonlyMap<string, CustomFieldType>;
  now: Now;
}

const COLUMNS: Record<string, [string, StoredAs]> = {
  id: ['id', 'bigint'],
  phone: ['phone', 'text'],
  phoneE164: ['phone_e164', 'text'],
  companyId: ['company_id', 'bigint'],
  status: ['status', 'text'],
  ...Object.fromEntries(
    OPTIONAL_NAMES.map((name): [string, [string, StoredAs]] => [name, [OPTIONAL_FIELDS[name].column, 'text']]),
  ),
  createdAt: ['created_at', 'instant'],
  updatedAt: ['updated_at', 'instant'],
};
const COMPANY_COLUMNS: Record<string, [string, StoredAs]> = {
  'company.name': ['name', 'text'],
  'company.domain': ['domain', 'text'],
  'company.industry': ['industry', 'text'],
  'company.address': ['address', 'text'],
  'company.employeeCount': ['employee_count', 'numeric'],
};
const STORED_CUSTOM: Record<CustomFieldType['type'], { stored: StoredAs; json: string }> = {
  string: { stored: 'text', json: 'string' },
  enum: { stored: 'text', json: 'string' },
  date: { stored: 'date', json: 'string' },
  number: { stored: 'numeric', json: 'number' },
  boolean: { stored: 'boolean', json: 'boolean' },
};

/** Compiles a field leaf to SQL that is true or false (never null) for every contact. */
export function compileField(leaf: FieldLeaf, context: FieldContext): Condition {
  const { field } = leaf;
  if (field === 'tags') return compareTags(leaf, context);
  if (field === 'listId' || field === 'segmentId') return compareMembership(leaf, context);
  return compareOperand(operandOf(field, context), leaf, context.now);
}

/** The SQL operand of a single-valued field. */
export function operandOf(field: string, context: FieldContext): Operand {
  const at = (column: string) => sql.ref(`${context.alias}.${column}`);
  const column = COLUMNS[field];
  if (column) return { stored: column[1], value: at(column[0]), column: true };
  // A contact created by a form has empty names if the form does not ask for them.
  if (field === 'firstName') return { stored: 'text', value: sql`nullif(${at('first_name')}, '')` };
  if (field === 'lastName') return { stored: 'text', value: sql`nullif(${at('last_name')}, '')` };
  if (field === 'email') {
    return { stored: 'text', value: at('email'), column: true, key: { value: at('email_key'), of: emailKey } };
  }
  const ofCompany = COMPANY_COLUMNS[field];
  if (ofCompany) return { stored: ofCompany[1], value: context.sources.company(ofCompany[0]) };
  if (field === 'score') return { stored: 'numeric', value: context.sources.score() };
  if (field === 'qualification') return { stored: 'text', value: context.sources.qualification() };
  return customField(field, at('custom_fields'), context.customFields);
}

/** Addresses are compared by their keys. An invalid address equals none. */
function emailKey(text: string): string {
  const normalised = normaliseEmail(text);
  return isViolation(normalised) ? nfc(text).toLowerCase() : normalised.emailKey;
}

/** A custom field. A value of the wrong type, or of a field that is no longer defined, counts as missing. */
function customField(
  field: string,
  json: RawBuilder<unknown>,
  customFields: ReadonlyMap<string, CustomFieldType>,
): Operand {
  const spec = contactField(field, customFields);
  const name = field.slice('customFields.'.length);
  const type = spec && customFields.get(name)?.type;
  if (!type) return { stored: 'text', value: sql`null::text` };
  const { stored, json: jsonType } = STORED_CUSTOM[type];
  const cast = stored === 'numeric' ? sql`::numeric` : sql``;
  const value = sql`(
    case when jsonb_typeof(${json} -> ${name}::text) = ${sql.lit(jsonType)} then (${json} ->> ${name}::text)${cast} end)`;
  return { stored, value };
}

function compareTags(leaf: FieldLeaf, context: FieldContext): Condition {
  const { operator, value } = leaf;
  const opposite = oppositeOf(operator);
  if (opposite) return sql`not ${compareTags({ ...leaf, operator: opposite }, context)}`;
  const tags = sql.ref(`${context.alias}.tags`);
  switch (operator) {
    case 'exists':
      return sql`(cardinality(${tags}) > 0)`;
    case 'contains':
      return sql`exists (select 1 from unnest(${tags}) g where lower(g) = lower(${nfc(value)}::text))`;
    default:
      return sql`(${tags} && ${(Array.isArray(value) ? value : [value]).map(nfc)}::text[])`;
  }
}

/**
 * `segmentId` means all segments and lists of the contact; `listId` differs only in `exists`, which means static lists.
 */
function compareMembership(leaf: FieldLeaf, context: FieldContext): Condition {
  const { field, operator, value } = leaf;
  const opposite = oppositeOf(operator);
  if (opposite) return sql`not ${compareMembership({ ...leaf, operator: opposite }, context)}`;
  if (operator === 'exists') return context.sources.memberOfAny(field === 'listId' ? 'list' : 'all');
  return context.sources.memberOf((Array.isArray(value) ? value : [value]) as number[]);
}
