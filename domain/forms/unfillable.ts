import type { Violation } from '../../lib/checks/errors.ts';
import { CONTACT_LIMITS, isViolation, type Violation as FieldViolation } from '../common/fields.ts';
import { checkContactValues } from '../contact-values/contact-values.ts';
import type { CustomFieldTypes } from '../contact-values/custom-field-types.ts';
import { parseCustomText } from '../contact-values/custom-values.ts';
import { isOptionalField, OPTIONAL_FIELDS } from '../contact-values/optional-fields.ts';
import { FORMATS, isFormat } from './checks/formats.ts';
import { customFieldOf, mappedFields, type MappedField, type PartialField } from './fields.ts';

/** What a text is refused with as the value of a contact field; null if it is accepted. */
function refusalOf(target: MappedField, text: string, customFields: CustomFieldTypes): FieldViolation | null {
  const custom = customFieldOf(target);
  if (custom === null) return checkContactValues({ [target]: text }, customFields).violations[0] ?? null;
  const type = customFields.get(custom);
  const value = type ? parseCustomText(type, text) : null;
  return isViolation(value) ? value : null;
}

/** Values of a contact field, of each form that it takes; null if it takes any text. */
function valuesOf(target: MappedField, customFields: CustomFieldTypes): readonly string[] | null {
  const custom = customFields.get(customFieldOf(target) ?? '');
  if (custom?.type === 'enum') return custom.options ?? [];
  if (custom?.type === 'boolean') return ['true', 'false', '1', '0'];
  if (custom?.type === 'number') return ['1', '123'];
  if (custom?.type === 'date') return ['2025-12-31'];
  if (target === 'timezone') return ['Europe/Berlin'];
  return target === 'locale' ? ['de', 'DE'] : null;
}

/** The most characters that a contact field takes. */
function longestIn(target: MappedField): number {
  if (isOptionalField(target)) return OPTIONAL_FIELDS[target].maxLength;
  return CONTACT_LIMITS[customFieldOf(target) === null ? (target as 'firstName') : 'customText'];
}

/** Whether a field of a form can have this value, whatever its lengths and its pattern are. */
function canHave({ type, min, max }: PartialField, text: string): boolean {
  if (!type || !isFormat(type)) return true;
  if (!FORMATS[type](text)) return false;
  return (
    (type !== 'number' && type !== 'rating') ||
    (Number(text) >= (min ?? -Infinity) && Number(text) <= (max ?? Infinity))
  );
}

/** What is wrong with one field, with the member of the field that it is wrong in. */
function problemsOf(field: PartialField, target: MappedField, customFields: CustomFieldTypes): Violation[] {
  const { name, type, options, required, defaultValue, min, max, minLength } = field;
  const custom = customFields.get(customFieldOf(target) ?? '');
  const label = custom ? `${target} (${custom.type})` : target;
  const why = (text: string): string =>
    custom?.type === 'enum'
      ? `must be one of ${(custom.options ?? []).join(', ')}`
      : (refusalOf(target, text, customFields)?.message ?? '');
  const isRefused = (text: string): boolean => refusalOf(target, text, customFields) !== null;
  if (type === 'select' || type === 'radio' || type === 'multiselect')
    return (options ?? []).flatMap(({ value }, index) =>
      value !== undefined && isRefused(value)
        ? {
            path: `/options/${index}/value`,
            code: 'not_allowed',
            message: `nobody could choose it: the field ${name} fills ${label}, which ${why(value)}`,
          }
        : [],
    );
  if (type === 'hidden' && defaultValue && isRefused(defaultValue))
    return [
      {
        path: '/defaultValue',
        code: 'not_allowed',
        message: `nobody could submit the form: the field ${name} fills ${label}, which ${why(defaultValue)}`,
      },
    ];
  const isBox = type === 'checkbox' || type === 'consent';
  const values = valuesOf(target, customFields);
  const possible = [...(values ?? []), ...[min, max].flatMap((bound) => (bound == null ? [] : String(bound)))];
  const isUnfit = isBox
    ? isRefused('true') || (!required && isRefused('false'))
    : values !== null && !possible.some((text) => canHave(field, text) && !isRefused(text));
  if (isUnfit) {
    const sent = isBox ? `sends ${required ? 'true' : 'true or false'}` : `has no value that it takes`;
    return [
      {
        path: field.mapTo ? '/mapTo' : '/name',
        code: 'not_allowed',
        message: `nobody could submit the form: the field ${name} fills ${label}, which ${why('?')}, and the type ${type} ${sent}`,
      },
    ];
  }
  const longest = longestIn(target);
  return minLength != null && minLength > longest
    ? [
        {
          path: '/minLength',
          code: 'out_of_range',
          message: `nobody could submit the form: the field ${name} fills ${label}, which takes at most ${longest} characters`,
        },
      ]
    : [];
}

/**
 * Violations of fields that fill a contact field which refuses whatever a visitor can enter: nobody could submit the
 * form. That of the address is checked by its type. What `before` has had for as long is left alone, so that a form of
 * an earlier release, or of a custom field that has lost an option since, can be put back.
 */
export function unfillableProblems(
  fields: readonly PartialField[],
  before: readonly PartialField[],
  customFields: CustomFieldTypes,
): Violation[] {
  const messagesOf = (all: readonly PartialField[]): { index: number; problem: Violation }[] => {
    const mapped = mappedFields(all);
    return all.flatMap((field, index) => {
      const target = field.name === undefined || field.type === 'file' ? undefined : mapped.get(field.name);
      if (target === undefined || target === 'email' || !field.type) return [];
      return problemsOf(field, target, customFields).map((problem) => ({ index, problem }));
    });
  };
  const known = new Set(messagesOf(before).map(({ problem }) => problem.message));
  return messagesOf(fields)
    .filter(({ problem }) => !known.has(problem.message))
    .map(({ index, problem }) => ({ ...problem, path: `/fields/${index}${problem.path}` }));
}
