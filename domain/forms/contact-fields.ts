import type { EntityManager } from '../../db/orm.ts';
import type { Form, FormField } from '../../db/entities/forms.ts';
import type { Violation } from '../../lib/checks/errors.ts';
import { isViolation } from '../common/fields.ts';
import type { SavedFields } from '../contacts/people/save-contact-fields.ts';
import { typesFor } from '../contact-values/custom-field-types.ts';
import { parseCustomText, type CustomValue } from '../contact-values/custom-values.ts';
import { isBox } from './checks/boxes.ts';
import type { FieldError } from './check-submission.ts';
import { customFieldOf, mappedFields } from './fields.ts';

/** The contact fields that boxes of a form fill. */
export function boxTargets(fields: readonly FormField[]): Set<string> {
  const mapped = mappedFields(fields);
  return new Set(fields.filter(isBox).flatMap(({ name }) => mapped.get(name) ?? []));
}

/** Violations of contact fields, as errors of the form fields that fill them. */
export function fieldErrors(form: Form, violations: readonly Violation[]): FieldError[] {
  const nameOf = new Map([...mappedFields(form.fields)].map(([name, to]) => [`/${to.replace('.', '/')}`, name]));
  return violations.map(({ path, code, message }) => ({ field: nameOf.get(path) ?? path.slice(1), code, message }));
}

/**
 * Converts texts to the contact's fields. A text that does not fit the type of its custom field stays a text, so that
 * it is rejected together with all other violations.
 */
export async function typedFields(
  tx: EntityManager,
  tenantId: string,
  texts: Record<string, string>,
): Promise<SavedFields> {
  const custom = Object.keys(texts).filter((target) => customFieldOf(target) !== null);
  const types = await typesFor(tx, tenantId, custom);
  const fields: Record<string, string> = {};
  const customFields: Record<string, CustomValue> = {};
  for (const [target, text] of Object.entries(texts)) {
    const name = customFieldOf(target);
    const type = name === null ? undefined : types.get(name);
    const value = type && parseCustomText(type, text);
    if (name === null) fields[target] = text;
    // Empty values are ignored, as are values whose custom field was deleted since the form was loaded.
    else if (value != null) customFields[name] = isViolation(value) ? text : value;
  }
  return { ...fields, customFields };
}
