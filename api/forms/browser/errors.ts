import { make, setAttribute } from './dom.ts';
import type { Row } from './rows.ts';

/** What is wrong, in words that follow the field's label; without a field, a sentence of its own. */
export interface ShownError {
  row: Row | null;
  text: string;
}

const MAX_LABEL = 60;

/** The label of a field before a message; a long one, as consents have, is cut. */
const labelled = ({ row, text }: ShownError): string => {
  if (!row) return text;
  const { label } = row.field;
  return `${label.length > MAX_LABEL ? `${label.slice(0, MAX_LABEL).trim()}…` : label}: ${text}`;
};

/** Shows the error of a row at its field, or removes it. */
function mark({ node, controls }: Row, id: string, text: string | null): void {
  if (!node) return;
  const isGroup = node.getAttribute('role') === 'radiogroup';
  let note = node.querySelector<HTMLElement>('[data-error]');
  if (text !== null && !note) {
    note = make('p', { class: 'perennial-error', id, 'data-error': true });
    node.append(note);
  }
  if (text === null) note?.remove();
  else note!.textContent = text;
  const described = text === null ? null : note!.id;
  if (node.tagName === 'FIELDSET') setAttribute(node, 'aria-describedby', described);
  else for (const control of controls) setAttribute(control, 'aria-describedby', described);
  // Single buttons of a group can not be invalid, only the group can.
  for (const target of isGroup ? [node] : controls) setAttribute(target, 'aria-invalid', text === null ? null : 'true');
}

/** The errors of a form: at their fields, and in a summary with links to the fields. */
export function createErrors(form: HTMLFormElement, rows: readonly Row[], prefix: string, lang: string) {
  const summary =
    form.querySelector<HTMLElement>('[data-summary]') ??
    make('div', { class: 'perennial-summary', 'data-summary': true, role: 'alert' });
  if (!summary.parentNode) form.insertBefore(summary, form.querySelector('button[type=submit]'));
  summary.lang = lang;
  summary.tabIndex = -1;
  let shown: readonly ShownError[] = [];

  const link = (error: ShownError): HTMLElement | string => {
    const [control] = error.row?.node ? error.row.controls : [];
    if (!control) return labelled(error);
    const node = make('a', { href: `#${control.id}` }, labelled(error));
    node.addEventListener('click', (event) => {
      // Not by its address, which belongs to the page.
      event.preventDefault();
      control.focus();
    });
    return node;
  };

  const write = (heading: string, errors: readonly ShownError[]): void => {
    shown = errors;
    const texts = new Map(errors.map((error) => [error.row, labelled(error)]));
    for (const row of rows) mark(row, `${prefix}-${row.field.name}-error`, texts.get(row) ?? null);
    const fields = errors.filter(({ row }) => row);
    summary.replaceChildren(
      ...errors.filter(({ row }) => !row).map(({ text }) => make('p', {}, text)),
      ...(fields.length > 0
        ? [make('p', {}, heading), make('ul', {}, ...fields.map((error) => make('li', {}, link(error))))]
        : []),
    );
  };

  return {
    /** Shows these errors and no others, and moves the focus to the first field that has one. */
    show(heading: string, errors: readonly ShownError[]): void {
      write(heading, errors);
      const wrong = errors.find(({ row }) => row?.node)?.row?.controls[0];
      if (wrong) wrong.focus();
      else if (errors.length > 0) summary.focus();
    },
    /** Whether a row is shown with an error. */
    has: (row: Row): boolean => shown.some((error) => error.row === row),
    /** Shows a row as correct, after it was corrected. */
    clear(heading: string, row: Row): void {
      write(
        heading,
        shown.filter((error) => error.row !== row),
      );
    },
  };
}
