import { CONTACT_LIMITS, cleanText, normaliseLocale, normaliseTimezone, type Violation } from '../common/fields.ts';

interface OptionalField {
  /** Its column in `contacts`: a nullable text. */
  column: string;
  maxLength: number;
  example: string;
  /** Normalises a given text: null clears the field. */
  normalise: (text: string) => string | null | Violation;
}

/** A field that accepts any text up to a length. */
const textField = (column: string, maxLength: number, example: string): OptionalField => ({
  column,
  maxLength,
  example,
  normalise: (text) => cleanText(text, maxLength),
});

/**
 * The optional texts of a contact by their API names. Everything that reads or writes contacts follows this table: the
 * API and its description, imports and exports, forms, filters, templates, merges. A new field is an entry here and a
 * column in `db/entities/contacts.ts`.
 */
export const OPTIONAL_FIELDS = {
  jobTitle: textField('job_title', 255, 'Engineer'),
  timezone: {
    column: 'timezone',
    maxLength: CONTACT_LIMITS.timezone,
    example: 'Europe/Berlin',
    normalise: normaliseTimezone,
  },
  locale: { column: 'locale', maxLength: CONTACT_LIMITS.locale, example: 'de-AT', normalise: normaliseLocale },
  source: textField('source', 255, 'fair'),
} as const satisfies Record<string, OptionalField>;

export type OptionalFieldName = keyof typeof OPTIONAL_FIELDS;
export type OptionalValues = Partial<Record<OptionalFieldName, string | null>>;

export const OPTIONAL_NAMES = Object.keys(OPTIONAL_FIELDS) as OptionalFieldName[];
export const isOptionalField = (name: string): name is OptionalFieldName => Object.hasOwn(OPTIONAL_FIELDS, name);

/** One SQL text per field, by `write(column, name)`, separated by commas. */
export const optionalSql = (write: (column: string, name: OptionalFieldName) => string): string =>
  OPTIONAL_NAMES.map((name) => write(OPTIONAL_FIELDS[name].column, name)).join(', ');

/** For SELECT: the columns by their API names; `alias` is that of the contacts with its dot, or empty. */
export const selectOptional = (alias: string): string =>
  optionalSql((column, name) => `${alias}${column} as "${name}"`);

/** The values of all optional fields; null for those that are absent. */
export const optionalValues = (contact: OptionalValues): Record<OptionalFieldName, string | null> =>
  Object.fromEntries(OPTIONAL_NAMES.map((name) => [name, contact[name] ?? null])) as Record<
    OptionalFieldName,
    string | null
  >;
