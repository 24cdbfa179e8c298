import { make, setAttribute } from './dom.ts';
import { labelled } from '../shared/labelled.ts';
import type { Row } from './rows.ts';

/** What is wrong, in words that follow the field's label; without a field, a sentence of its own. */
export interface ShownError {
  row: Row | null;
  text: string;
}

const wordsOf = ({ row, text }: ShownError): string => (row ? labelled(row.field.label, text) : text);

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
  for (const target of node.tagName === 'FIELDSET' ? [node] : controls) {
    // A hint stays.
    const others = (target.getAttribute('aria-describedby') ?? '').split(' ').filter((other) => other !== note?.id);
    setAttribute(
      target,
      'aria-describedby',
      [...(text === null ? [] : [note!.id]), ...others].join(' ').trim() || null,
    );
  }
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
  const link = (error: ShownError): HTMLElement | string => {
    const [control] = error.row?.node ? error.row.controls : [];
    if (!control) return wordsOf(error);
    const node = make('a', { href: `#${control.id}` }, wordsOf(error));
    node.addEventListener('click', (event) => {
      // Not by its address, which belongs to the page.
      event.preventDefault();
      control.focus();
    });
    return node;
  };

  const place = ({ row }: ShownError): number => (row ? rows.indexOf(row) : rows.length);
  const idOf = (row: Row): string => `${prefix}-${row.field.name}-error`;

  return {
    /** Shows these errors and no others, and moves the focus to the first field that has one. */
    show(heading: string, given: readonly ShownError[]): void {
      const errors = [...given].sort((a, b) => place(a) - place(b));
      const words = new Map(errors.map((error) => [error.row, wordsOf(error)]));
      for (const row of rows) mark(row, idOf(row), words.get(row) ?? null);
      const items = errors.filter(({ row }) => row).map((error) => make('li', {}, link(error)));
      summary.replaceChildren(
        ...errors.filter(({ row }) => !row).map(({ text }) => make('p', {}, make('bdi', {}, text))),
        ...(items.length > 0 ? [make('p', {}, make('bdi', {}, heading)), make('ul', {}, ...items)] : []),
      );
      const wrong = errors.find(({ row }) => row?.node)?.row?.controls[0];
      if (wrong) wrong.focus();
      else if (errors.length > 0) summary.focus();
    },
    /** Shows a row as correct that was shown with an error, also by the server, and now has none. */
    clear(row: Row): void {
      if (!row.node?.querySelector('[data-error]')) return;
      mark(row, idOf(row), null);
      summary.querySelector(`a[href="#${row.controls[0]!.id}"]`)?.closest('li')?.remove();
      if (!summary.querySelector('li')) summary.replaceChildren();
    },
  };
}
