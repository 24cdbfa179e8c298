import { checkValue } from '../../../domain/forms/checks/check-value.ts';
import type { Problem } from '../../../domain/forms/checks/messages.ts';
import type { SubmittedValue } from '../../../domain/forms/checks/checked-field.ts';
import { isFormat } from '../../../domain/forms/checks/formats.ts';
import type { PublicField } from '../shared/definition.ts';
import { matchesPattern } from './pattern.ts';

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** A field with its elements in the page. */
export interface Row {
  field: PublicField;
  /** Around its controls; null for a hidden field. */
  node: HTMLElement | null;
  controls: Control[];
}

/** The rows of a form, whether it was made by `renderForm` or came as HTML. */
export function rowsOf(form: HTMLFormElement, fields: readonly PublicField[]): Row[] {
  return fields.map((field) => {
    // A name consists of letters, digits, `_`, `.` and `-`.
    const node = form.querySelector<HTMLElement>(`[data-field="${field.name}"]`);
    return { field, node, controls: [...(node ?? form).querySelectorAll<Control>(`[name="${field.name}"]`)] };
  });
}

/** Gives a form what was entered in the form that it replaces. */
export function keepEntries(before: HTMLFormElement, form: HTMLFormElement): void {
  const old = [...before.querySelectorAll<HTMLInputElement>('[name]')];
  for (const control of form.querySelectorAll<HTMLInputElement>('[name]')) {
    const { name, type, value } = control;
    const isBox = type === 'checkbox' || type === 'radio';
    const from = old.find((one) => one.name === name && one.type === type && (!isBox || one.value === value));
    if (!from) continue;
    if (isBox) control.checked = from.checked;
    else if (type === 'file') control.files = from.files;
    else control.value = from.value;
  }
}

const MIB = 1024 ** 2;

const isChecked = (control: Control): boolean => (control as HTMLInputElement).checked;

/** The files that were chosen in a row. */
export const filesOf = ({ controls }: Row): File[] =>
  controls.flatMap((control) => [...((control as HTMLInputElement).files ?? [])]);

/** The value of a row as it is checked and sent; null if there is none. */
export function valueOf({ field: { type }, controls }: Row): SubmittedValue | null {
  if (type === 'checkbox' || type === 'consent') return controls.some(isChecked);
  if (type === 'multiselect') return controls.filter(isChecked).map(({ value }) => value);
  const control = type === 'radio' || type === 'rating' ? controls.find(isChecked) : controls[0];
  return control?.value.trim() || null;
}

/** What a file is, the server decides by its content. */
function fileProblem({ required, maxBytes }: PublicField, files: readonly File[]): Problem | null {
  if (files.length === 0) return required ? { code: 'required', message: 'required' } : null;
  return maxBytes && files.some(({ size }) => size > maxBytes)
    ? { code: 'too_large', message: 'large', limit: Math.round(maxBytes / (MIB / 10)) / 10 }
    : null;
}

/** What is wrong with a row, as far as a browser can tell. */
export function problemOf(row: Row): Problem | null {
  const { field, controls } = row;
  // Without its control, a field has nothing to correct: the server decides.
  if (controls.length === 0) return null;
  if (field.type === 'file') return fileProblem(field, filesOf(row));
  // An input shows what is no number or date, but has no value for it.
  if (isFormat(field.type) && controls.some(({ validity }) => validity.badInput))
    return { code: 'format', message: field.type };
  return checkValue(field, valueOf(row), matchesPattern);
}
