import type { FormField } from '../../db/entities/forms.ts';
import { COUNTRY_NAMES } from '../../domain/forms/country-names.ts';
import { longestOf } from '../../domain/forms/checks/lengths.ts';
import { escapeHtml } from '../pages/html.ts';
import { autocompleteOf } from './shared/autocomplete.ts';
import { choicesOf, isGroup, type Options } from './shared/choices.ts';
import { labelled } from './shared/labelled.ts';
import { inputTypeOf } from './shared/definition.ts';
import { isQuick } from './shared/quick-pattern.ts';

/** How a field is shown: its id, its current values, its error, and what marks a required field. */
export interface ShownField {
  id: string;
  chosen: readonly string[];
  error: string | undefined;
  /** What else is to be said about it. */
  hint?: string | undefined;
  requiredMark: string;
  /** The label is above the control even without a style. */
  isUnstyled: boolean;
}

type Attributes = Record<string, string | number | boolean | null | undefined>;

/** Attributes with a space before each; false, null and undefined: without it; true: without a value. */
const attributesHtml = (attributes: Attributes): string =>
  Object.entries(attributes)
    .map(([name, value]) =>
      value === false || value == null ? '' : value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`,
    )
    .join('');

/** The types of inputs of which browsers check a pattern and lengths. */
const TEXT_INPUTS = ['text', 'email', 'tel', 'url'];
const COUNTRIES: Options = Object.entries(COUNTRY_NAMES)
  .map(([value, label]) => ({ value, label }))
  .sort((a, b) => a.label.localeCompare(b.label, 'en'));

/**
 * A field's pattern in RE2 syntax for the attribute `pattern`, which is compiled with the flag `v`: null if it is no
 * such pattern, could keep the page busy, or means something else there, as `&&` and `--` in a class do. The server
 * checks it in any case.
 */
function patternAttribute(field: FormField): string | null {
  const { validationRegex: source } = field;
  if (!source || /&&|--/.test(source) || !isQuick(source, longestOf(field))) return null;
  try {
    for (const flag of ['u', 'v']) new RegExp(source, flag);
    return source;
  } catch {
    return null;
  }
}

const optionsHtml = (options: Options, chosen: readonly string[]): string =>
  `<option value=""></option>${options.map(({ value, label }) => `<option${attributesHtml({ value, selected: chosen.includes(value) })}>${escapeHtml(label)}</option>`).join('')}`;

const describedBy = (id: string, { error, hint }: ShownField): string | null =>
  [...(error ? [`${id}-error`] : []), ...(hint ? [`${id}-hint`] : [])].join(' ') || null;

function controlHtml(field: FormField, shown: ShownField): string {
  const { id, chosen, error } = shown;
  const value = chosen[0] ?? '';
  const type = inputTypeOf(field.type);
  const isText = field.type === 'textarea' || TEXT_INPUTS.includes(type);
  const common = {
    id,
    name: field.name,
    required: field.required,
    placeholder: field.placeholder,
    minlength: isText ? field.minLength : null,
    maxlength: isText ? field.maxLength : null,
    autocomplete: autocompleteOf(field),
    'aria-describedby': describedBy(id, shown),
    'aria-invalid': error && 'true',
  };
  switch (field.type) {
    case 'textarea':
      return `<textarea${attributesHtml({ ...common, rows: 4 })}>${escapeHtml(value)}</textarea>`;
    case 'select':
      return `<select${attributesHtml(common)}>${optionsHtml(field.options ?? [], chosen)}</select>`;
    case 'country':
      return `<select${attributesHtml(common)}>${optionsHtml(COUNTRIES, chosen)}</select>`;
  }
  const more: Attributes = { type, value };
  if (type === 'number') Object.assign(more, { min: field.min, max: field.max, step: 'any' });
  else if (type === 'checkbox') Object.assign(more, { value: 'true', checked: value === 'true' });
  else if (type === 'file') Object.assign(more, { value: null, accept: field.accept?.join(',') });
  else if (TEXT_INPUTS.includes(type)) more['pattern'] = patternAttribute(field);
  return `<input${attributesHtml({ ...common, ...more })}>`;
}

/** A group of boxes or buttons. Browsers do not know of a box that one of the group must be ticked. */
function groupHtml(field: FormField, { id, chosen, error }: ShownField, label: string, note: string): string {
  const type = field.type === 'multiselect' ? 'checkbox' : 'radio';
  const invalid = error && 'true';
  const choices = choicesOf(field).map(({ value, label: text }, index) => {
    const own = `${id}-${index}`;
    const input = {
      type,
      id: own,
      name: field.name,
      value,
      required: type === 'radio' && field.required,
      checked: chosen.includes(value),
      'aria-invalid': type === 'checkbox' && invalid,
    };
    return `<div class="choice"><input${attributesHtml(input)}> <label for="${escapeHtml(own)}">${escapeHtml(text)}</label></div>`;
  });
  const group = {
    'data-field': field.name,
    ...(type === 'radio'
      ? { role: 'radiogroup', 'aria-required': String(field.required), 'aria-invalid': invalid }
      : {}),
    'aria-describedby': error && `${id}-error`,
  };
  const classes = field.type === 'rating' ? 'scale' : 'group';
  return `<fieldset class="field"${attributesHtml(group)}><legend>${label}</legend><div class="${classes}">${choices.join('')}</div>${note}</fieldset>`;
}

/** The first control of a field, to which links about the field lead. */
export const firstControlId = ({ type }: FormField, id: string): string => (isGroup(type) ? `${id}-0` : id);

/** A field with its label and its error. */
export function fieldHtml(field: FormField, shown: ShownField): string {
  const { id, error } = shown;
  if (field.type === 'hidden')
    return `<input${attributesHtml({ type: 'hidden', name: field.name, value: shown.chosen[0] ?? '' })}>`;
  const label = `${escapeHtml(field.label)}${field.required ? ` ${shown.requiredMark}` : ''}`;
  const note = error
    ? `<p class="error" data-error id="${escapeHtml(id)}-error">${escapeHtml(labelled(field.label, error))}</p>`
    : '';
  const hint = shown.hint ? `<p class="hint" id="${escapeHtml(id)}-hint">${escapeHtml(shown.hint)}</p>` : '';
  if (isGroup(field.type)) return groupHtml(field, shown, label, note);
  const named = `<label for="${escapeHtml(id)}">${label}</label>`;
  const isBox = field.type === 'checkbox' || field.type === 'consent';
  return `<div class="field${isBox ? ' choice' : ''}" data-field="${escapeHtml(field.name)}">${isBox ? `${controlHtml(field, shown)} ${named}` : `${named}${shown.isUnstyled ? '<br>' : ''}${controlHtml(field, shown)}`}${hint}${note}</div>`;
}
