import { sql, type RawBuilder } from 'kysely';
import { normaliseEmail } from '../contacts/email.ts';
import { isViolation } from '../contacts/violation.ts';
import type { CustomFieldType } from '../contacts/custom-values.ts';
import { DEFAULT_LEVELS } from '../scoring/levels.ts';
import { contactField } from './filter-fields.ts';
import type { FieldLeaf } from './filter.ts';
import { compareOperand, nfc, oppositeOf, type Condition, type Operand, type StoredAs } from './operand.ts';

export interface FieldContext {
  /** Alias of the row of `contacts` that is judged. */
  alias: string;
  customFields: ReadonlyMap<string, CustomFieldType>;
  now: Date;
}

const COLUMNS: Record<string, [string, StoredAs]> = {
  phone: ['phone', 'text'],
  jobTitle: ['job_title', 'text'],
  companyId: ['company_id', 'bigint'],
  status: ['status', 'text'],
  timezone: ['timezone', 'text'],
  locale: ['locale', 'text'],
  source: ['source', 'text'],
  createdAt: ['created_at', 'instant'],
  updatedAt: ['updated_at', 'instant'],
};
const COMPANY_COLUMNS: Record<string, [string, StoredAs]> = {
  'company.name': ['name', 'text'],
  'company.domain': ['domain', 'text'],
  'company.industry': ['industry', 'text'],
  'company.employeeCount': ['employee_count', 'numeric'],
};
const STORED_CUSTOM: Record<CustomFieldType['type'], { stored: StoredAs; json: string }> = {
  string: { stored: 'text', json: 'string' },
  enum: { stored: 'text', json: 'string' },
  date: { stored: 'date', json: 'string' },
  number: { stored: 'numeric', json: 'number' },
  boolean: { stored: 'boolean', json: 'boolean' },
};

/** A leaf over a contact's fields as SQL that is true or false for every contact. */
export function compileField(leaf: FieldLeaf, context: FieldContext): Condition {
  const { field } = leaf;
  if (field === 'tags') return compareTags(leaf, context);
  if (field === 'listId' || field === 'segmentId') return compareMembership(leaf, context);
  return compareOperand(operandOf(field, context), leaf, context.now);
}

function operandOf(field: string, context: FieldContext): Operand {
  const at = (column: string) => sql.ref(`${context.alias}.${column}`);
  const column = COLUMNS[field];
  if (column) return { stored: column[1], value: at(column[0]), column: true };
  // A contact that a form made has empty names where the form did not ask for them.
  if (field === 'firstName') return { stored: 'text', value: sql`nullif(${at('first_name')}, '')` };
  if (field === 'lastName') return { stored: 'text', value: sql`nullif(${at('last_name')}, '')` };
  if (field === 'email') {
    return { stored: 'text', value: at('email'), column: true, key: { value: at('email_key'), of: emailKey } };
  }
  const ofCompany = COMPANY_COLUMNS[field];
  if (ofCompany) {
    const value = sql`(
      select k.${sql.ref(ofCompany[0])} from companies k where k.tenant_id = ${at('tenant_id')} and k.id = ${at('company_id')})`;
    return { stored: ofCompany[1], value };
  }
  if (field === 'score') return { stored: 'numeric', value: scoreOf(at) };
  if (field === 'qualification') return { stored: 'text', value: qualificationOf(at) };
  return customField(field, at('custom_fields'), context.customFields);
}

/** Addresses are compared as they are kept apart: by their key. What is no address equals none. */
function emailKey(text: string): string {
  const normalised = normaliseEmail(text);
  return isViolation(normalised) ? nfc(text).toLowerCase() : normalised.emailKey;
}

type At = (column: string) => RawBuilder<unknown>;

function scoreOf(at: At): RawBuilder<unknown> {
  return sql`coalesce((select t.total from score_totals t
    where t.tenant_id = ${at('tenant_id')} and t.subject = 'contact' and t.subject_id = ${at('id')}), 0)`;
}

function qualificationOf(at: At): RawBuilder<unknown> {
  const level = (name: 'warm' | 'hot') => sql`coalesce(
    (select s.${sql.ref(name)} from scoring_settings s where s.tenant_id = ${at('tenant_id')}), ${sql.lit(DEFAULT_LEVELS[name])})`;
  return sql`(select case when q.score >= q.hot then 'hot' when q.score >= q.warm then 'warm' else 'cold' end
    from (select ${scoreOf(at)} as score, ${level('warm')} as warm, ${level('hot')} as hot) q)`;
}

/** A value of another type than the definition says, or of a field that is not defined any more, is missing. */
function customField(field: string, json: RawBuilder<unknown>, customFields: ReadonlyMap<string, CustomFieldType>): Operand {
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
    case 'exists': return sql`(cardinality(${tags}) > 0)`;
    case 'contains': return sql`exists (select 1 from unnest(${tags}) g where lower(g) = lower(${nfc(value)}::text))`;
    default: return sql`(${tags} && ${(Array.isArray(value) ? value : [value]).map(nfc)}::text[])`;
  }
}

/** `segmentId` is the set of all segments and lists that the contact is in; of `listId`, `exists` means static ones only. */
function compareMembership(leaf: FieldLeaf, context: FieldContext): Condition {
  const { field, operator, value } = leaf;
  const opposite = oppositeOf(operator);
  if (opposite) return sql`not ${compareMembership({ ...leaf, operator: opposite }, context)}`;
  const at = (column: string) => sql.ref(`${context.alias}.${column}`);
  const member = sql`from segment_members m where m.tenant_id = ${at('tenant_id')} and m.contact_id = ${at('id')}`;
  if (operator !== 'exists') {
    const ids = Array.isArray(value) ? value : [value];
    return sql`exists (select 1 ${member} and m.segment_id = any(${ids}::bigint[]))`;
  }
  if (field === 'segmentId') return sql`exists (select 1 ${member})`;
  return sql`exists (select 1 ${member} and exists (
    select 1 from segments s where s.tenant_id = m.tenant_id and s.id = m.segment_id and s.type = 'static'))`;
}
