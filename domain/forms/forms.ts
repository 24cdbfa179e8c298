import { LockMode } from '@mikro-orm/core';
import { sql, type EntityManager } from '../../db/orm.ts';
import { Form } from '../../db/entities/forms.ts';
import { appendAudit, type Author } from '../audit/audit.ts';
import { campaignsUsing } from '../campaign-definitions/in-use/campaigns-using.ts';
import { customFieldTypes } from '../contact-values/custom-field-types.ts';
import { removeFormFiles } from '../common/kept-files.ts';
import { assertNotInUse, assertValid, notFound, type Violation } from '../../lib/checks/errors.ts';
import { hasLiquid, noLiquid } from '../../lib/text/liquid.ts';
import { lockSegment } from '../membership/members/lock-segment.ts';
import { isViolation, normaliseEmail } from '../common/fields.ts';
import { isWebUrl } from '../../lib/addresses/web-url.ts';
import { checkFields, mappedFields, normaliseFields, type FormFieldInput, type PartialField } from './fields.ts';
import { unfillableProblems } from './unfillable.ts';
import { deleteUnused } from '../common/references.ts';

export interface FormInput {
  name: string;
  description?: string | null;
  fields: FormFieldInput[];
  status?: 'DRAFT' | 'ACTIVE' | 'ARCHIVED';
  successMessage?: string | null;
  redirectUrl?: string | null;
  submitLabel?: string | null;
  listId?: number | null;
  doubleOptIn?: boolean;
  allowedOrigins?: string[] | null;
  updateExisting?: 'fillEmpty' | 'overwrite' | null;
  enableProgressiveProfiling?: boolean;
  enableCaptcha?: boolean;
  notifyEmails?: string[] | null;
  progressiveFields?: string[] | null;
}

/** The values that null stands for, in fields that are never null. */
const DEFAULTS = {
  allowedOrigins: [] as string[],
  notifyEmails: [] as string[],
  progressiveFields: [] as string[],
  updateExisting: 'fillEmpty',
} as const;

/** An http(s) origin as browsers write it, without characters that have a meaning in a policy header. */
const ORIGIN = /^https?:\/\/[a-z0-9.:[\]-]+$/;
const originOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).origin : null);

/** Replaces `''` and null by the default, or by null if there is none. */
function withDefaults<T extends object>(input: T): T {
  return Object.fromEntries(
    Object.entries(input).map(([field, value]: [string, unknown]) => {
      const empty = value === '' || value === null;
      return [
        field,
        empty ? (Object.hasOwn(DEFAULTS, field) ? DEFAULTS[field as keyof typeof DEFAULTS] : null) : value,
      ];
    }),
  ) as T;
}

/** A form to validate, whose fields may lack invalid members. */
type UncheckedForm = Partial<Omit<FormInput, 'fields'>> & { fields?: PartialField[] };

/**
 * All violations of a new form, or of a change of `current`. Locks the list that it refers to against deletion until
 * the transaction ends.
 */
export async function formViolations(
  tx: EntityManager,
  tenantId: string,
  input: UncheckedForm,
  current?: Form,
): Promise<Violation[]> {
  const errors: Violation[] = [];
  if (input.fields) {
    const types = await customFieldTypes(tx, tenantId);
    const before = current?.fields ?? [];
    errors.push(...checkFields(input.fields, before, types), ...unfillableProblems(input.fields, before, types));
  }
  const opens = input.status === 'ACTIVE' && current?.status !== 'ACTIVE';
  const listId = input.listId === undefined && opens ? current?.listId : input.listId;
  if (listId != null && (await lockSegment(tx, tenantId, listId))?.type !== 'static') {
    errors.push({ path: '/listId', code: 'not_found', message: 'must be the id of a static list' });
  }
  // One that is stored since an earlier release, which took more, can be put back.
  const redirectUrl =
    input.redirectUrl === current?.redirectUrl || hasLiquid(input.redirectUrl) ? null : input.redirectUrl;
  if (redirectUrl && (/\s/.test(redirectUrl) || !ORIGIN.test(originOf(redirectUrl) ?? '') || !isWebUrl(redirectUrl)))
    errors.push({
      path: '/redirectUrl',
      code: 'format',
      message: 'must be an http or https address without a user name',
    });
  for (const field of ['successMessage', 'description', 'submitLabel', 'redirectUrl'] as const) {
    const liquid = input[field] === current?.[field] ? null : noLiquid(input[field]);
    if (liquid) errors.push({ path: `/${field}`, ...liquid });
  }
  (input.allowedOrigins ?? []).forEach((origin, index) => {
    if (originOf(origin) !== origin || !ORIGIN.test(origin)) {
      errors.push({
        path: `/allowedOrigins/${index}`,
        code: 'format',
        message: 'must be an origin like https://www.example.com',
      });
    }
  });
  (input.notifyEmails ?? []).forEach((address, index) => {
    const found = normaliseEmail(address);
    if (isViolation(found)) errors.push({ path: `/notifyEmails/${index}`, ...found });
  });
  return [...errors, ...progressiveViolations(input, current)];
}

/** Progressive fields must be fields of the form; that of the address identifies the contact, so it cannot be one. */
function progressiveViolations(input: UncheckedForm, current: Form | undefined): Violation[] {
  const fields: readonly PartialField[] = input.fields ?? current?.fields ?? [];
  const names = input.progressiveFields === undefined ? (current?.progressiveFields ?? []) : input.progressiveFields;
  const emailName = [...mappedFields(fields)].find(([, target]) => target === 'email')?.[0];
  // What stays and no longer fits is reported by the part that changed.
  const at = (index: number): string =>
    input.progressiveFields === undefined ? '/fields' : `/progressiveFields/${index}`;
  return (names ?? []).flatMap((name, index): Violation[] => {
    if (!fields.some((field) => field.name === name))
      return [{ path: at(index), code: 'not_found', message: `there is no field ${JSON.stringify(name)}` }];
    if (name === emailName)
      return [
        {
          path: at(index),
          code: 'conflict',
          message: 'the field for the email address is asked of everybody who is not known: it says who somebody is',
        },
      ];
    return names!.indexOf(name) < index
      ? [{ path: at(index), code: 'duplicate', message: `is listed before: ${name}` }]
      : [];
  });
}

/** Finds a form of the tenant. Throws 404. */
export async function findForm(em: EntityManager, id: number): Promise<Form> {
  const form = await em.findOne(Form, { id });
  if (!form) throw notFound('form', id);
  return form;
}

export async function createForm(em: EntityManager, tenantId: string, input: FormInput): Promise<Form> {
  return em.transactional(async (tx) => {
    assertValid(await formViolations(tx, tenantId, input));
    const form = tx.create(Form, { ...withDefaults(input), tenantId, fields: normaliseFields(input.fields) });
    await tx.flush();
    return form;
  });
}

async function lockForm(tx: EntityManager, id: number): Promise<Form> {
  const form = await tx.findOne(Form, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!form) throw notFound('form', id);
  return form;
}

/**
 * Changes a form; `check` gets the current form, locked. Fields are replaced as a list; fields whose name stays keep
 * their id.
 */
export async function updateForm(
  em: EntityManager,
  id: number,
  input: Partial<FormInput>,
  check: (current: Form) => void,
): Promise<Form> {
  return em.transactional(async (tx) => {
    const form = await lockForm(tx, id);
    check(form);
    assertValid(await formViolations(tx, form.tenantId, input, form));
    const { fields, ...rest } = withDefaults(input);
    tx.assign(form, { ...rest, ...(fields ? { fields: normaliseFields(fields, form.fields) } : {}) });
    await tx.flush();
    return form;
  });
}

/**
 * Deletes a form with its submissions and their files; its figures in analytics remain. Throws 404, 409 `in_use` if an active campaign
 * refers to it.
 */
export async function deleteForm(
  em: EntityManager,
  author: Author,
  id: number,
  check: (current: Form) => void,
): Promise<void> {
  await em.transactional(async (tx) => {
    const form = await lockForm(tx, id);
    check(form);
    const { tenantId, name, status } = form;
    const readUsers = () => campaignsUsing(tx, tenantId, ({ formIds }) => formIds.has(id));
    assertNotInUse(await readUsers());
    // Locked: no submission can add a file any more.
    await removeFormFiles(tx, tenantId, sql`form_id = ${id}`);
    await deleteUnused(tx, form, readUsers);
    await appendAudit(tx, author, {
      action: 'form.deleted',
      resourceType: 'form',
      resourceId: id,
      before: { name, status },
    });
  });
}
