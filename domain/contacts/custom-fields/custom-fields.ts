import { LockMode } from '@mikro-orm/core';
import { CustomField } from '../../../db/entities/contacts.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendEvents, type Origin } from '../../../events/outbox.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { assertValid, notFound, type Violation } from '../../../lib/checks/errors.ts';
import { lockCustomFields, type CustomFieldEntity } from '../../contact-values/custom-field-types.ts';
import { assertFieldUnused } from './custom-field-users.ts';
import type { CustomFieldType } from '../../contact-values/custom-values.ts';
import { cleanText, isViolation } from '../../common/fields.ts';
import { blockSegmentBuilds } from '../../contact-values/lock-contacts.ts';
import { OPTIONAL_NAMES } from '../../contact-values/optional-fields.ts';

/** Maximum lengths in characters; `options` is a number of options. */
export const CUSTOM_FIELD_LIMITS = { name: 100, description: 2000, option: 255, options: 500 } as const;
export const CUSTOM_FIELD_NAME = '^[A-Za-z][A-Za-z0-9_]{0,99}$';

export interface CustomFieldInput {
  options?: string[] | null;
  description?: string | null;
}
export type NewCustomField = CustomFieldInput & {
  entity: CustomFieldEntity;
  name: string;
  type: CustomFieldType['type'];
};

/** The number of contacts or companies per transaction when the values of a deleted field are removed. */
const PAGE = 1000;

/** Creates a definition. Throws `validation_failed`, `name_taken`. */
export async function createCustomField(
  em: EntityManager,
  origin: Origin,
  input: NewCustomField,
): Promise<CustomField> {
  const { tenantId } = origin;
  const { entity, name, type } = input;
  assertValid(newFieldViolations(input));
  const { values } = checkValues(input, type);
  // Remove values left over from a deleted field of that name, if their removal was interrupted.
  if (!(await em.findOne(CustomField, { entity, name }, { fields: ['id'] })))
    await removeValues(em, origin, entity, name);
  return em.transactional(async (tx) => {
    const field = tx.create(CustomField, { tenantId, entity, name, type, ...values });
    await tx.flush();
    return field;
  });
}

/**
 * Changes a definition's options and description; entity, name and type cannot change. Contacts keep values whose
 * option was removed until the value is changed. `read` as in `updateContact`. Throws `not_found`,
 * `validation_failed`.
 */
export async function updateCustomField(
  em: EntityManager,
  id: number,
  read: (current: CustomField) => CustomFieldInput,
): Promise<CustomField> {
  return em.transactional(async (tx) => {
    const field = await lockField(tx, id);
    const input = read(field);
    assertValid(fieldViolations(input, field));
    tx.assign(field, checkedValues(input, field).values);
    await tx.flush();
    return field;
  });
}

/**
 * Deletes a definition, then its values page by page, each page with its events. If that is interrupted, the remaining
 * values are removed before a new field of that name is created. Throws `not_found`, `in_use`.
 */
export async function deleteCustomField(
  em: EntityManager,
  author: Author,
  id: number,
  check: (current: CustomField) => void,
): Promise<void> {
  const { tenantId, requestId } = author;
  const { entity, name } = await em.transactional(async (tx) => {
    // This lock waits for all transactions that have read the definitions, so what they wrote is visible below. It
    // also blocks new readers, so no new value or user of the field appears. Short timeout: the tenant's other writers
    // wait.
    await rows(tx, sql`set local lock_timeout = '3s'`);
    await lockCustomFields(tx, tenantId);
    const field = await lockField(tx, id);
    check(field);
    if (field.entity === 'contact') await assertFieldUnused(tx, tenantId, field.name);
    const { type } = field;
    const deleted = { entity: field.entity, name: field.name };
    await tx.remove(field).flush();
    await appendAudit(tx, author, {
      action: 'custom_field.deleted',
      resourceType: 'custom_field',
      resourceId: id,
      before: { ...deleted, type },
    });
    return deleted;
  });
  await removeValues(em, { tenantId, requestId }, entity, name);
}

async function removeValues(em: EntityManager, origin: Origin, entity: CustomFieldEntity, name: string): Promise<void> {
  const table = sql.table(entity === 'contact' ? 'contacts' : 'companies');
  for (let after = 0; ;) {
    const page = await em.transactional(async (tx) => {
      if (entity === 'contact') await blockSegmentBuilds(tx, origin.tenantId);
      const changed = await rows<{ id: number; version: number }>(
        tx,
        sql`
        with page as (
          select id from ${table} where tenant_id = ${origin.tenantId} and id > ${after} and custom_fields ? ${name}
          order by id limit ${PAGE} for no key update)
        update ${table} t set custom_fields = t.custom_fields - ${name}::text, version = t.version + 1, updated_at = ${new Date()}
        from page where t.tenant_id = ${origin.tenantId} and t.id = page.id returning t.id, t.version`,
      );
      if (entity === 'contact') {
        await appendEvents(
          tx,
          origin,
          changed.map((contact) => ({
            type: 'CONTACT_UPDATED',
            data: { contactId: contact.id, version: contact.version, changed: ['customFields'] },
          })),
        );
      }
      return changed;
    });
    if (page.length < PAGE) return;
    after = Math.max(...page.map((row) => row.id));
  }
}

async function lockField(tx: EntityManager, id: number): Promise<CustomField> {
  const field = await tx.findOne(CustomField, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!field) throw notFound('custom field', id);
  return field;
}

/** The violations of the given parts of a new definition. */
export function newFieldViolations({ entity, name, type, ...input }: Partial<NewCustomField>): Violation[] {
  const isTaken = entity !== undefined && name !== undefined && isReserved(entity, name);
  return [
    ...(isTaken ? [{ path: '/name', code: 'reserved', message: 'is reserved' }] : []),
    ...checkValues(input, type).violations,
  ];
}

const checkedValues = (input: CustomFieldInput, { type, options = null }: CustomField) =>
  checkValues({ options, ...input }, type);

/** The violations of a change of a definition. */
export const fieldViolations = (input: CustomFieldInput, field: CustomField): Violation[] =>
  checkedValues(input, field).violations;

const simplified = (name: string): string => name.toLowerCase().replaceAll('_', '');
const EVERY = ['id', 'tenantId', 'version', 'createdAt', 'updatedAt', 'customFields'];
const TAKEN: Record<CustomFieldEntity, ReadonlySet<string>> = {
  contact: new Set(
    [
      ...EVERY,
      'firstName',
      'lastName',
      'email',
      'phone',
      'phoneE164',
      'companyId',
      'company',
      'status',
      'tags',
      ...OPTIONAL_NAMES,
      'score',
      'qualification',
      'listId',
      'segmentId',
    ].map(simplified),
  ),
  company: new Set([...EVERY, 'name', 'domain', 'industry', 'employeeCount', 'address'].map(simplified)),
};

/**
 * Whether the name is that of a built-in field, in any spelling that the header of a file may have, or of a property
 * of every JavaScript object.
 */
const isReserved = (entity: CustomFieldEntity, name: string): boolean =>
  TAKEN[entity].has(simplified(name)) || name in Object.prototype;

/** Without a type, skips the checks that depend on it. */
function checkValues(
  input: CustomFieldInput,
  type: CustomFieldType['type'] | undefined,
): { values: CustomFieldInput; violations: Violation[] } {
  const values: CustomFieldInput = {};
  const violations: Violation[] = [];
  const refuse = (path: string, code: string, message: string): void => void violations.push({ path, code, message });
  if (input.description !== undefined) {
    const text = cleanText(input.description ?? '', CUSTOM_FIELD_LIMITS.description, { multiline: true });
    if (isViolation(text)) refuse('/description', text.code, text.message);
    else values.description = text;
  }
  const options = input.options ?? [];
  if (type !== undefined && type !== 'enum' && options.length > 0)
    refuse('/options', 'not_allowed', 'are allowed only for the type enum');
  if (type === 'enum' && options.length === 0) refuse('/options', 'required', 'are required for the type enum');
  const kept = options.map((option, index) => {
    const text = cleanText(option, CUSTOM_FIELD_LIMITS.option);
    if (isViolation(text)) refuse(`/options/${index}`, text.code, text.message);
    else if (text === null) refuse(`/options/${index}`, 'required', 'must not be empty');
    else return text;
    return '';
  });
  kept.forEach((option, index) => {
    if (kept.indexOf(option) < index && option !== '')
      refuse(`/options/${index}`, 'duplicate', 'is a duplicate option');
  });
  values.options = type === 'enum' ? kept : null;
  return { values, violations };
}
