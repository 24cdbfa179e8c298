import { OPTIONAL_NAMES, type OptionalFieldName } from '../../contact-values/optional-fields.ts';
import { formatTags } from '../../contact-values/tags-text.ts';
import type { Column as TableColumn } from '../../export/table.ts';
import type { Cell } from '../../export/xlsx.ts';
import type { ExportedContact } from './read-contacts.ts';

type Column = TableColumn<ExportedContact>;

const TEXTS = ['firstName', 'lastName', 'email', 'phone'] as const;
/** The other optional fields: those that are added later come last, so that existing columns keep their places. */
const MORE_TEXTS = OPTIONAL_NAMES.filter((name) => name !== 'jobTitle');
const textColumn = (name: (typeof TEXTS)[number] | OptionalFieldName): Column => [
  name,
  (contact) => contact[name] ?? null,
];

function customValue({ customFields }: ExportedContact, name: string): Cell {
  const value = Object.hasOwn(customFields, name) ? customFields[name] : null;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

/**
 * The columns of a table of contacts, with API field names as headers: the company's name as `company`, tags separated
 * by semicolons (`formatTags`), one column per custom field. Can be imported again. `phoneE164` is
 * plain: digits after a plus are no formula but a number, and imports derive it from `phone`.
 */
export function contactColumns(customFields: Iterable<string>): Column[] {
  return [
    ['id', ({ id }) => id],
    ...TEXTS.map(textColumn),
    ['phoneE164', ({ phoneE164 }) => phoneE164 ?? null, 'plain'],
    textColumn('jobTitle'),
    ['companyId', ({ companyId }) => companyId ?? null],
    ['company', ({ companyName }) => companyName ?? null],
    ['status', ({ status }) => status],
    ['tags', ({ tags }) => formatTags(tags)],
    ...[...customFields].map((name): Column => [`customFields.${name}`, (contact) => customValue(contact, name)]),
    ...MORE_TEXTS.map(textColumn),
    ['createdAt', ({ createdAt }) => createdAt.toISOString()],
    ['updatedAt', ({ updatedAt }) => updatedAt.toISOString()],
    ['version', ({ version }) => version],
    ['erasing', ({ erasing }) => erasing],
  ];
}
