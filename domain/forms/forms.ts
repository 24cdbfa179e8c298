import { LockMode } from '@mikro-orm/core';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { Segment } from '../../db/entities/contacts.ts';
import { Form, type FormField } from '../../db/entities/forms.ts';
import { AppError, assertValid, notFound } from '../errors.ts';
import { checkFields, normaliseFields, type FormFieldInput } from './fields.ts';

export interface FormInput {
  name: string;
  description?: string | null;
  fields: FormFieldInput[];
  status?: 'DRAFT' | 'ACTIVE' | 'ARCHIVED';
  successMessage?: string | null;
  redirectUrl?: string | null;
  submitLabel?: string | null;
  listId?: number | null;
  allowedOrigins?: string[];
  updateExisting?: 'fillEmpty' | 'overwrite';
}

/** An http(s) origin as browsers write it, of nothing that means something else in a policy header. */
const ORIGIN = /^https?:\/\/[a-z0-9.:[\]-]+$/;
const originOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).origin : null);

/** `''` is stored as null. */
function withoutEmpty<T extends object>(input: T): T {
  return Object.fromEntries(Object.entries(input).map(([field, value]) => [field, value === '' ? null : (value as unknown)])) as T;
}

async function assertForm(tx: EntityManager, input: Partial<FormInput>, before: FormField[] = []): Promise<void> {
  const errors = checkFields(input.fields ?? [], before);
  if (input.listId != null && !(await tx.findOne(Segment, { id: input.listId, type: 'static' }))) {
    errors.push({ path: '/listId', code: 'not_found', message: 'is not a list' });
  }
  if (input.redirectUrl && (/\s/.test(input.redirectUrl) || !ORIGIN.test(originOf(input.redirectUrl) ?? ''))) {
    errors.push({ path: '/redirectUrl', code: 'format', message: 'must be an http or https address' });
  }
  (input.allowedOrigins ?? []).forEach((origin, index) => {
    if (originOf(origin) !== origin || !ORIGIN.test(origin)) {
      errors.push({ path: `/allowedOrigins/${index}`, code: 'format', message: 'must be an origin like https://www.example.com' });
    }
  });
  assertValid(errors);
}

export async function createForm(em: EntityManager, tenantId: string, input: FormInput): Promise<Form> {
  return em.transactional(async (tx) => {
    await assertForm(tx, input);
    const form = tx.create(Form, { ...withoutEmpty(input), tenantId, fields: normaliseFields(input.fields) });
    await tx.flush();
    return form;
  });
}

async function lockForm(tx: EntityManager, id: number): Promise<Form> {
  const form = await tx.findOne(Form, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!form) throw notFound('form', id);
  return form;
}

/** Changes a form; `check` sees it as it is, under its lock. Fields are replaced as a list, keeping the ids of names that stay. */
export async function updateForm(em: EntityManager, id: number, input: Partial<FormInput>, check: (current: Form) => void): Promise<Form> {
  return em.transactional(async (tx) => {
    const form = await lockForm(tx, id);
    check(form);
    await assertForm(tx, input, form.fields);
    const { fields, ...rest } = withoutEmpty(input);
    tx.assign(form, { ...rest, ...(fields ? { fields: normaliseFields(fields, form.fields) } : {}) });
    await tx.flush();
    return form;
  });
}

/** Deletes a form with its submissions. 409 `in_use` while an active campaign is triggered by it. */
export async function deleteForm(em: EntityManager, id: number, check: (current: Form) => void): Promise<void> {
  await em.transactional(async (tx) => {
    const form = await lockForm(tx, id);
    check(form);
    const users = await rows<{ id: number; name: string }>(tx, sql`
      select c.id, c.name from campaigns c
      join campaign_versions v on v.tenant_id = c.tenant_id and v.campaign_id = c.id and v.version = c.published_version
      where c.status in ('ACTIVE', 'PAUSED') and v.definition -> 'trigger' ->> 'type' = 'FORM_SUBMITTED' and (v.definition -> 'trigger' ->> 'formId')::bigint = ${id}
      order by c.id`);
    if (users.length > 0) {
      throw new AppError('in_use', `The form is in use by ${users.map((user) => `campaign ${user.id}`).join(', ')}`, {
        errors: users.map((user) => ({ path: '', code: 'in_use', message: `campaign ${user.id}: ${user.name}` })),
      });
    }
    await tx.remove(form).flush();
  });
}
