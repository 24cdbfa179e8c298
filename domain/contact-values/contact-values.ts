import type { Violation } from '../../lib/checks/errors.ts';
import type { CONTACT_STATUSES } from '../../db/entities/contacts.ts';
import { checkCustomFields, type CustomFieldType, type CustomValue } from './custom-values.ts';
import {
  CONTACT_LIMITS,
  cleanText,
  isViolation,
  normaliseEmail,
  normaliseTags,
  phoneE164,
  type Violation as FieldViolation,
} from '../common/fields.ts';
import { OPTIONAL_FIELDS, OPTIONAL_NAMES, type OptionalValues } from './optional-fields.ts';

export type ContactStatus = (typeof CONTACT_STATUSES)[number];

/** A contact's fields in a request: absent = unchanged, null or '' = cleared. */
export interface ContactInput extends OptionalValues {
  firstName?: string | null;
  lastName?: string | null;
  email?: string | null;
  phone?: string | null;
  companyId?: number | null;
  /** The company's name: found ignoring case, or created. */
  company?: string | null;
  status?: ContactStatus;
  tags?: string[] | null;
  customFields?: Record<string, unknown> | null;
}

/**
 * The normalised values to store; only given fields are present. `customFields` are merged by key; null clears a
 * value.
 */
export interface ContactValues extends OptionalValues {
  firstName?: string;
  lastName?: string;
  email?: string;
  emailKey?: string;
  phone?: string | null;
  phoneE164?: string | null;
  companyId?: number | null;
  company?: string | null;
  status?: ContactStatus;
  tags?: string[];
  customFields?: Record<string, CustomValue | null> | null;
}

type TextField = Exclude<keyof ContactInput, 'companyId' | 'status' | 'tags' | 'customFields'>;
type Checked<T> = T | null | FieldViolation;
const text = (value: string, max: number): Checked<string> => cleanText(value, max);
const REQUIRED: FieldViolation = { code: 'required', message: 'must not be empty' };

/**
 * Normalises a contact's fields and returns every violation (paths `/firstName` …). Which `status` may be set, and
 * whether companies exist, is checked by the commands.
 */
export function checkContactValues(
  input: ContactInput,
  customFields: ReadonlyMap<string, CustomFieldType>,
): { values: ContactValues; violations: Violation[] } {
  const violations: Violation[] = [];
  const values: ContactValues = {};
  const refuse = (path: string, { code, message }: FieldViolation): void => {
    violations.push({ path, code, message });
  };
  const take = <T>(
    field: TextField,
    check: (value: string) => Checked<T>,
    keep: (value: T | null) => void,
    required = false,
  ): void => {
    const given = input[field];
    if (given === undefined) return;
    const value = check(given ?? '');
    if (isViolation(value)) refuse(`/${field}`, value);
    else if (value === null && required) refuse(`/${field}`, REQUIRED);
    else keep(value);
  };

  take(
    'firstName',
    (v) => text(v, CONTACT_LIMITS.firstName),
    (v) => (values.firstName = v!),
    true,
  );
  take(
    'lastName',
    (v) => text(v, CONTACT_LIMITS.lastName),
    (v) => (values.lastName = v!),
    true,
  );
  take(
    'email',
    (v) => (v.trim() === '' ? null : normaliseEmail(v)),
    (v) => Object.assign(values, v),
    true,
  );
  take(
    'phone',
    (v) => text(v, CONTACT_LIMITS.phone),
    (v) => {
      Object.assign(values, { phone: v, phoneE164: v === null ? null : phoneE164(v) });
    },
  );
  take(
    'company',
    (v) => text(v, CONTACT_LIMITS.company),
    (v) => (values.company = v),
  );
  for (const name of OPTIONAL_NAMES) take(name, OPTIONAL_FIELDS[name].normalise, (v) => (values[name] = v));
  if (input.companyId !== undefined) values.companyId = input.companyId;
  if (input.status !== undefined) values.status = input.status;
  if (input.tags !== undefined) {
    const tags = normaliseTags(input.tags ?? []);
    if (isViolation(tags)) refuse('/tags', tags);
    else values.tags = tags;
  }
  if (input.customFields !== undefined)
    values.customFields = checkCustomFields(input.customFields, customFields, refuse);
  return { values, violations };
}
