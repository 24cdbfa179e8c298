import type { FormField } from '../../db/entities/forms.ts';
import { UNKNOWN_CUSTOM_FIELD } from '../contact-values/custom-values.ts';
import type { CustomFieldTypes } from '../contact-values/custom-field-types.ts';
import { OPTIONAL_NAMES } from '../contact-values/optional-fields.ts';
import type { Violation } from '../../lib/checks/errors.ts';
import { costOf, MAX_COST } from './patterns.ts';

/** Contact fields that a form can fill. */
export const MAPPABLE = [
  'email',
  'firstName',
  'lastName',
  'phone',
  'company',
  ...OPTIONAL_NAMES.filter((name) => name !== 'source'),
] as const;
export type MappedField = (typeof MAPPABLE)[number] | `customFields.${string}`;

const CUSTOM = 'customFields.';
/** The custom field of a mapping target; null for a built-in field. */
export const customFieldOf = (target: string): string | null =>
  target.startsWith(CUSTOM) ? target.slice(CUSTOM.length) : null;

export type FormFieldInput = Pick<FormField, 'name' | 'label' | 'type'> &
  Partial<Omit<FormField, 'name' | 'label' | 'type'>>;
/** A field without its invalid members. */
export type PartialField = Partial<
  Omit<FormFieldInput, 'options'> & { options: Partial<NonNullable<FormField['options']>[number]>[] | null }
>;
type Known = readonly Pick<FormField, 'id' | 'name'>[];

/** The most file fields of a form: a visitor without a token can send as many files at once. */
export const MAX_FILE_FIELDS = 10;

const WITH_OPTIONS: readonly FormField['type'][] = ['select', 'radio', 'multiselect'];

/** Types whose value is a number. */
const WITH_RANGE: readonly FormField['type'][] = ['number', 'rating'];
const MAX_RATING = 10;

/** Types whose value can be an email address. */
const EMAIL_TYPES: readonly FormField['type'][] = ['email', 'text', 'hidden'];

/**
 * Fields as stored, with ids, order and nulls filled in. An existing field keeps its id, by the given id or by its
 * name. The email field is always required, because it identifies the contact.
 */
export function normaliseFields(input: readonly FormFieldInput[], before: Known = []): FormField[] {
  const given = new Set(input.map((field) => field.id));
  const known = new Map(before.filter((field) => !given.has(field.id)).map((field) => [field.name, field.id]));
  let nextId = Math.max(0, ...before.map((field) => field.id)) + 1;
  const email = emailField(input);
  return input
    .map((field, index): FormField => ({
      id: field.id ?? known.get(field.name) ?? nextId++,
      name: field.name,
      label: field.label,
      type: field.type,
      required: field === email || (field.required ?? false),
      placeholder: field.placeholder || null,
      defaultValue: field.defaultValue || null,
      displayOrder: field.displayOrder ?? index,
      validationRegex: field.validationRegex || null,
      minLength: field.minLength ?? null,
      maxLength: field.maxLength ?? null,
      min: field.min ?? null,
      max: field.max ?? null,
      options: field.options ?? null,
      mapTo: field.mapTo || null,
      accept: field.accept?.length ? field.accept : null,
      maxBytes: field.maxBytes ?? null,
    }))
    .sort((a, b) => a.displayOrder - b.displayOrder);
}

function patternProblems(fields: readonly PartialField[]): Violation[] {
  const errors: Violation[] = [];
  let left = MAX_COST;
  for (const [index, field] of fields.entries()) {
    const path = `/fields/${index}/validationRegex`;
    try {
      left -= costOf(field);
    } catch (error) {
      errors.push({
        path,
        code: 'format',
        message: `is not a regular expression (RE2 syntax): ${error instanceof Error ? error.message : 'it does not compile'}`,
      });
    }
    if (left >= 0) continue;
    // Do not compile any more patterns: that alone could take long.
    errors.push({
      path,
      code: 'too_complex',
      message: 'makes checking a submission too slow: use fewer repetitions, or give the field a lower maxLength',
    });
    break;
  }
  return errors;
}

/** The violations of the range of a field. */
function rangeProblems({ type, min, max }: PartialField, at: (name: string) => string): Violation[] {
  const bounds = Object.entries({ min, max }).filter((bound): bound is [string, number] => bound[1] != null);
  if (type !== undefined && !WITH_RANGE.includes(type))
    return bounds.map(([name]) => ({
      path: at(name),
      code: 'not_allowed',
      message: `is only for fields of the types ${WITH_RANGE.join(' and ')}`,
    }));
  const beyond = bounds.filter(([, bound]) => type === 'rating' && (bound < 1 || bound > MAX_RATING));
  if (beyond.length > 0)
    return beyond.map(([name]) => ({
      path: at(name),
      code: 'out_of_range',
      message: `must be from 1 to ${MAX_RATING}, as ratings are`,
    }));
  return min != null && max != null && min > max
    ? [{ path: at('min'), code: 'out_of_range', message: 'must not be greater than max' }]
    : [];
}

/** Violations of what only file fields may have, and of what they may not. */
function fileProblems(fields: readonly PartialField[]): Violation[] {
  const errors: Violation[] = [];
  const only = (path: string): Violation => ({
    path,
    code: 'not_allowed',
    message: 'is only allowed for the type file',
  });
  let files = 0;
  for (const [index, { type, mapTo, accept, maxBytes }] of fields.entries()) {
    const at = `/fields/${index}`;
    if (type === 'file') {
      if (mapTo)
        errors.push({
          path: `${at}/mapTo`,
          code: 'not_allowed',
          message: 'is not allowed: a file fills no contact field',
        });
      if ((files += 1) === MAX_FILE_FIELDS + 1)
        errors.push({
          path: `${at}/type`,
          code: 'too_many',
          message: `a form can have at most ${MAX_FILE_FIELDS} fields of the type file`,
        });
    } else if (type) {
      if (accept?.length) errors.push(only(`${at}/accept`));
      if (maxBytes != null) errors.push(only(`${at}/maxBytes`));
    }
  }
  return errors;
}

function targetProblem(target: string, customFields: CustomFieldTypes): Omit<Violation, 'path'> | null {
  const custom = customFieldOf(target);
  if (custom !== null) return customFields.has(custom) ? null : UNKNOWN_CUSTOM_FIELD;
  if ((MAPPABLE as readonly string[]).includes(target)) return null;
  return {
    code: 'enum',
    message: `is not a contact field that a form can fill: ${MAPPABLE.join(', ')}, or customFields.x for a custom field x`,
  };
}

/**
 * All violations of the given parts of a form's fields, by JSON Pointer. `before` are the form's current fields: only
 * their ids may be used. `customFields` are those of contacts.
 */
export function checkFields(
  fields: readonly PartialField[],
  before: Known,
  customFields: CustomFieldTypes,
): Violation[] {
  const errors: Violation[] = [];
  const seen = new Set<string>();
  const ids = new Set(before.map((field) => field.id));
  const targets = new Set<string>();
  fields.forEach((field, index) => {
    const at = (name: string) => `/fields/${index}/${name}`;
    if (field.name !== undefined && seen.has(field.name))
      errors.push({ path: at('name'), code: 'duplicate', message: `is the name of another field: ${field.name}` });
    if (field.name !== undefined) seen.add(field.name);
    if (field.id !== undefined && !ids.delete(field.id))
      errors.push({ path: at('id'), code: 'read_only', message: 'is set by the service' });
    if (field.type && WITH_OPTIONS.includes(field.type) && !field.options?.length)
      errors.push({ path: at('options'), code: 'required', message: `is required for the type ${field.type}` });
    const unfit = field.mapTo ? targetProblem(field.mapTo, customFields) : null;
    if (unfit) errors.push({ path: at('mapTo'), ...unfit });
    if (field.mapTo && targets.has(field.mapTo))
      errors.push({
        path: at('mapTo'),
        code: 'duplicate',
        message: `is already filled by another field: ${field.mapTo}`,
      });
    if (field.mapTo) targets.add(field.mapTo);
    if (field.minLength != null && field.maxLength != null && field.minLength > field.maxLength) {
      errors.push({ path: at('minLength'), code: 'out_of_range', message: 'must not be greater than maxLength' });
    }
    errors.push(...rangeProblems(field, at));
  });
  const email = emailField(fields);
  if (!email) {
    errors.push({
      path: '/fields',
      code: 'required',
      message: 'must include a field for the email address: with type email, name email or mapTo email',
    });
  } else if (email.type && !EMAIL_TYPES.includes(email.type)) {
    errors.push({
      path: `/fields/${fields.indexOf(email)}/type`,
      code: 'enum',
      message: `must be one of ${EMAIL_TYPES.join(', ')}, because the field is for the email address`,
    });
  }
  return [...errors, ...fileProblems(fields), ...patternProblems(fields)];
}

/**
 * The contact field that each form field fills: by `mapTo`, or by its name if no other field is mapped to that (custom
 * fields only by `mapTo`). If no field is mapped to the email, the first field of type email is.
 */
export function mappedFields(all: readonly Pick<PartialField, 'name' | 'type' | 'mapTo'>[]): Map<string, MappedField> {
  const fields = all.filter(({ type }) => type !== 'file');
  const mapped = new Map<string, MappedField>();
  const taken = new Set<string | null | undefined>(fields.map((field) => field.mapTo));
  for (const field of fields) {
    const target = field.mapTo || field.name;
    if (field.name === undefined || target === undefined) continue;
    const fills = (MAPPABLE as readonly string[]).includes(target)
      ? field.mapTo || !taken.has(target)
      : field.mapTo && customFieldOf(target) !== null;
    if (fills) mapped.set(field.name, target as MappedField);
  }
  if (![...mapped.values()].includes('email')) {
    const first = fields.find((field) => field.type === 'email');
    if (first?.name !== undefined) mapped.set(first.name, 'email');
  }
  return mapped;
}

function emailField<F extends PartialField>(fields: readonly F[]): F | undefined {
  const name = [...mappedFields(fields)].find(([, target]) => target === 'email')?.[0];
  return name === undefined ? undefined : fields.find((field) => field.name === name);
}
