import type { Form, FormField } from '../../db/entities/forms.ts';
import type { FieldError } from '../../domain/forms/check-submission.ts';
import { MAX_TEXT } from '../../domain/forms/patterns.ts';
import { escapeHtml, htmlPage } from '../pages/html.ts';

/** The honeypot: a field that people do not see, but bots fill in. */
export const HONEYPOT = '_website';

const inputTypes: Partial<Record<FormField['type'], string>> = {
  email: 'email',
  number: 'number',
  phone: 'tel',
  url: 'url',
  date: 'date',
  time: 'time',
  datetime: 'datetime-local',
  rating: 'number',
};

function attributes(field: FormField, id: string, error: string | undefined): string {
  const pairs: [string, string | null][] = [
    ['id', id],
    ['name', field.name],
    ['placeholder', field.placeholder],
    ['minlength', field.minLength === null ? null : String(field.minLength)],
    ['maxlength', field.maxLength === null ? null : String(field.maxLength)],
    ['aria-describedby', error ? `${id}-error` : null],
  ];
  return (
    pairs.flatMap(([name, value]) => (value === null ? [] : [`${name}="${escapeHtml(value)}"`])).join(' ') +
    (field.required ? ' required' : '') +
    (error ? ' aria-invalid="true"' : '')
  );
}

/** A file is never filled in again, so one that was sent must be chosen again. */
function fileControl(field: FormField, id: string, error: string | undefined, isLost: boolean): string {
  const described = [...(error ? [`${id}-error`] : []), ...(isLost ? [`${id}-again`] : [])].join(' ');
  const pairs = [
    `id="${escapeHtml(id)}" name="${escapeHtml(field.name)}"`,
    ...(field.accept ? [`accept="${escapeHtml(field.accept.join(','))}"`] : []),
    ...(described ? [`aria-describedby="${escapeHtml(described)}"`] : []),
  ];
  const again = isLost ? `<p id="${escapeHtml(id)}-again">Please choose the file again: it was not stored.</p>` : '';
  return `<input type="file" ${pairs.join(' ')}${field.required ? ' required' : ''}${error ? ' aria-invalid="true"' : ''}>${again}`;
}

function control(field: FormField, id: string, chosen: readonly string[], error: string | undefined): string {
  const value = chosen[0] ?? '';
  const shared = attributes(field, id, error);
  const options = (field.options ?? [])
    .map(
      (option) =>
        `<option value="${escapeHtml(option.value)}"${chosen.includes(option.value) ? ' selected' : ''}>${escapeHtml(option.label)}</option>`,
    )
    .join('');
  switch (field.type) {
    case 'textarea':
      return `<textarea ${shared} rows="4">${escapeHtml(value)}</textarea>`;
    case 'select':
      return `<select ${shared}><option value=""></option>${options}</select>`;
    case 'multiselect':
      return `<select ${shared} multiple>${options}</select>`;
    default:
      return `<input ${shared} type="${inputTypes[field.type] ?? 'text'}" value="${escapeHtml(value)}">`;
  }
}

function fieldHtml(field: FormField, chosen: readonly string[], error: string | undefined, isLost: boolean): string {
  const value = chosen[0] ?? '';
  const id = `f-${field.name}`;
  const label = `${escapeHtml(field.label)}${field.required ? ' *' : ''}`;
  const message = error ? `<p class="error" id="${escapeHtml(id)}-error">${label}: ${escapeHtml(error)}</p>` : '';
  if (field.type === 'hidden')
    return `<input type="hidden" name="${escapeHtml(field.name)}" value="${escapeHtml(value)}">`;
  if (field.type === 'checkbox' || field.type === 'consent') {
    return `<div class="field choice"><input type="checkbox" ${attributes(field, id, error)} value="true"${value === 'true' ? ' checked' : ''}> <label for="${escapeHtml(id)}">${label}</label>${message}</div>`;
  }
  if (field.type === 'radio') {
    const choices = (field.options ?? [])
      .map(
        (option, n) =>
          `<div class="choice"><input type="radio" id="${escapeHtml(id)}-${n}" name="${escapeHtml(field.name)}" value="${escapeHtml(option.value)}"${option.value === value ? ' checked' : ''}${field.required ? ' required' : ''}> <label for="${escapeHtml(id)}-${n}">${escapeHtml(option.label)}</label></div>`,
      )
      .join('');
    return `<fieldset class="field"><legend>${label}</legend>${choices}${message}</fieldset>`;
  }
  const input = field.type === 'file' ? fileControl(field, id, error, isLost) : control(field, id, chosen, error);
  return `<div class="field"><label for="${escapeHtml(id)}">${label}</label>${input}${message}</div>`;
}

/** The form as HTML. Without a token (the plain embed), a submission leads to the hosted page, prefilled. */
export function formHtml(
  form: Form,
  action: string,
  options: { token?: string; values?: Record<string, unknown>; errors?: FieldError[]; lostFiles?: string[] } = {},
): string {
  const { values = {}, errors = [], lostFiles = [] } = options;
  const shown = (field: FormField): string[] => {
    const value = Object.hasOwn(values, field.name) ? values[field.name] : field.defaultValue;
    const all: unknown[] = Array.isArray(value) ? value : [value];
    // Longer than any field allows: do not echo what nobody typed.
    return all.filter((one) => typeof one === 'string' && one.length <= 2 * MAX_TEXT) as string[];
  };
  const fields = form.fields
    .map((field) =>
      fieldHtml(
        field,
        shown(field),
        errors.find((error) => error.field === field.name)?.message,
        lostFiles.includes(field.name),
      ),
    )
    .join('\n');
  const summary =
    errors.length > 0
      ? `<p class="error" role="alert">Please correct ${errors.length === 1 ? 'one field' : `${errors.length} fields`}.</p>\n`
      : '';
  const encoding = form.fields.some(({ type }) => type === 'file') ? ' enctype="multipart/form-data"' : '';
  return `${summary}<form method="post" action="${escapeHtml(action)}"${encoding}>
${fields}
<div class="away" aria-hidden="true"${options.token ? '' : ' hidden'}><label>Leave this empty <input name="${HONEYPOT}" tabindex="-1" autocomplete="off"></label></div>
${options.token ? `<input type="hidden" name="_token" value="${escapeHtml(options.token)}">\n` : ''}<button type="submit">${escapeHtml(form.submitLabel ?? 'Send')}</button>
</form>`;
}

/** The hosted page of a form. */
export function formPage(form: Form, action: string, options: Parameters<typeof formHtml>[2]): string {
  const description = form.description ? `<p>${escapeHtml(form.description)}</p>` : '';
  return htmlPage(form.name, `<h1>${escapeHtml(form.name)}</h1>${description}\n${formHtml(form, action, options)}`);
}

/** The page after a submission from the hosted page. */
export function thanksPage(form: Form): string {
  return htmlPage(
    form.name,
    `<h1>${escapeHtml(form.name)}</h1><p role="status">${escapeHtml(form.successMessage ?? 'Thank you.')}</p>`,
  );
}
