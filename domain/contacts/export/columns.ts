import { OPTIONAL_NAMES, type OptionalFieldName } from '../values/optional-fields.ts';
import { escapeFormula } from './formula.ts';
import type { ExportedContact } from './read-contacts.ts';
import type { Cell } from './xlsx.ts';

type Column = [header: string, value: (contact: ExportedContact) => Cell];

const text = (value: string | null | undefined): Cell => (value == null ? null : escapeFormula(value));
const TEXTS = ['firstName', 'lastName', 'email', 'phone', 'phoneE164', 'jobTitle'] as const;
/** The other optional fields: those that are added later come last, so that existing columns keep their places. */
const MORE_TEXTS = OPTIONAL_NAMES.filter((name) => name !== 'jobTitle');
const textColumn = (name: (typeof TEXTS)[number] | OptionalFieldName): Column => [
  name,
  (contact) => text(contact[name]),
];

function customValue({ customFields }: ExportedContact, name: string): Cell {
  const value = Object.hasOwn(customFields, name) ? customFields[name] : null;
  return typeof value === 'string'
    ? escapeFormula(value)
    : typeof value === 'number' || typeof value === 'boolean'
      ? value
      : null;
}

/**
 * The columns of a table of contacts, with API field names as headers: the company's name as `company`, tags separated
 * by semicolons, one column per custom field. Can be imported again. Texts are escaped (`escapeFormula`), numbers are
 * not.
 */
export function contactColumns(customFields: Iterable<string>): Column[] {
  return [
    ['id', ({ id }) => id],
    ...TEXTS.map(textColumn),
    ['companyId', ({ companyId }) => companyId ?? null],
    ['company', ({ companyName }) => text(companyName)],
    ['status', ({ status }) => status],
    ['tags', ({ tags }) => text(tags.join(';'))],
    ...[...customFields].map((name): Column => [`customFields.${name}`, (contact) => customValue(contact, name)]),
    ...MORE_TEXTS.map(textColumn),
    ['createdAt', ({ createdAt }) => createdAt.toISOString()],
    ['updatedAt', ({ updatedAt }) => updatedAt.toISOString()],
    ['version', ({ version }) => version],
  ];
}

/** Yields the header row, then pages of rows. */
export async function* tablePages(
  columns: readonly Column[],
  pages: AsyncIterable<ExportedContact[]>,
): AsyncGenerator<Cell[][]> {
  yield [columns.map(([name]) => name)];
  for await (const page of pages) yield page.map((contact) => columns.map(([, valueOf]) => valueOf(contact)));
}
