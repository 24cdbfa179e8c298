import { COUNTRY_CODES } from '../../../domain/forms/checks/country-codes.ts';
import type { Language } from '../../../lib/text/languages.ts';
import { autocompleteOf } from '../shared/autocomplete.ts';
import { choicesOf, isGroup, type Options } from '../shared/choices.ts';
import {
  DEFAULT_SUBMIT_LABEL,
  HONEYPOT,
  inputTypeOf,
  type Definition,
  type PublicField,
} from '../shared/definition.ts';
import { make } from './dom.ts';
import type { FormTexts } from '../shared/texts.ts';

/** All countries by their names in a language, in its alphabetical order. */
function countries(language: Language): Options {
  const names = typeof Intl.DisplayNames === 'function' && new Intl.DisplayNames([language], { type: 'region' });
  const options = COUNTRY_CODES.map((value) => ({ value, label: (names && names.of(value)) || value }));
  return options.sort((a, b) => a.label.localeCompare(b.label, language));
}

const dropDown = (field: PublicField, options: Options, attributes: Parameters<typeof make>[1]): HTMLElement =>
  make(
    'select',
    attributes,
    make('option', { value: '' }),
    ...options.map(({ value, label }) => make('option', { value, selected: value === field.defaultValue }, label)),
  );

function control(field: PublicField, id: string, language: Language): HTMLElement {
  const { type, name, required, placeholder, min, max, defaultValue } = field;
  const shared = { id, name, required, placeholder, autocomplete: autocompleteOf(field) };
  if (type === 'textarea') return make('textarea', { ...shared, rows: 4 }, defaultValue ?? '');
  if (type === 'select') return dropDown(field, field.options ?? [], shared);
  if (type === 'country') return dropDown(field, countries(language), shared);
  const input = inputTypeOf(type);
  if (input === 'checkbox')
    return make('input', { id, name, required, type: input, value: 'true', checked: defaultValue === 'true' });
  const range = type === 'number' ? { min, max, step: 'any' } : {};
  if (input === 'file') return make('input', { id, name, required, type: input, accept: field.accept?.join(',') });
  return make('input', { ...shared, ...range, type: input, value: defaultValue });
}

/** A group of boxes or buttons. Only a group of buttons can say to assistive technology that one of them is required. */
function group(field: PublicField, id: string, label: (string | Node)[]): HTMLElement {
  const type = field.type === 'multiselect' ? 'checkbox' : 'radio';
  const isScale = field.type === 'rating';
  const choices = choicesOf(field).map((option, index) => {
    const own = `${id}-${index}`;
    return make(
      'div',
      { class: 'perennial-choice' },
      make('input', {
        type,
        id: own,
        name: field.name,
        value: option.value,
        required: type === 'radio' && field.required,
        checked: option.value === field.defaultValue,
      }),
      make('label', { for: own }, option.label),
    );
  });
  return make(
    'fieldset',
    {
      class: 'perennial-field',
      'data-field': field.name,
      ...(type === 'radio' ? { role: 'radiogroup', 'aria-required': String(field.required) } : {}),
    },
    make('legend', {}, ...label),
    make('div', { class: isScale ? 'perennial-scale' : 'perennial-choices' }, ...choices),
  );
}

function fieldNode(field: PublicField, id: string, language: Language, texts: FormTexts): HTMLElement {
  if (field.type === 'hidden') return control(field, id, language);
  const label = field.required
    ? [field.label, ' ', make('span', { class: 'perennial-required' }, texts.required)]
    : [field.label];
  if (isGroup(field.type)) return group(field, id, label);
  const parts = [make('label', { for: id }, ...label), control(field, id, language)];
  const isBox = field.type === 'checkbox' || field.type === 'consent';
  return make(
    'div',
    { class: isBox ? 'perennial-field perennial-choice' : 'perennial-field', 'data-field': field.name },
    ...(isBox ? parts.reverse() : parts),
  );
}

const notYou = (texts: FormTexts): HTMLElement =>
  make(
    'p',
    { class: 'perennial-known' },
    `${texts.known} `,
    make('button', { type: 'button', class: 'perennial-not-you', 'data-not-you': true }, texts.notYou),
  );

/** The field that only robots fill. Rules of the page, such as `input {display: block}`, are stronger than `hidden`. */
function honeypot(): HTMLElement {
  const input = make('input', { name: HONEYPOT, tabindex: -1, autocomplete: 'off' });
  input.style.setProperty('display', 'none', 'important');
  return input;
}

/** The form as elements. Their ids begin with `prefix`. */
export function renderForm(
  { fields, submitLabel, knownContact }: Definition,
  prefix: string,
  language: Language,
  texts: FormTexts,
): HTMLFormElement {
  return make(
    'form',
    { class: 'perennial-form' },
    ...(knownContact ? [notYou(texts)] : []),
    ...fields.map((field) => fieldNode(field, `${prefix}-${field.name}`, language, texts)),
    honeypot(),
    make('button', { type: 'submit' }, submitLabel === DEFAULT_SUBMIT_LABEL ? texts.send : submitLabel),
  );
}
