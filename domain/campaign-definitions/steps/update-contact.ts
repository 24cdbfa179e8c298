import { Type } from 'typebox';
import { checkContactValues, type ContactInput } from '../../contact-values/contact-values.ts';
import { CONTACT_LIMITS } from '../../common/fields.ts';
import { OPTIONAL_FIELDS, OPTIONAL_NAMES } from '../../contact-values/optional-fields.ts';
import { stepKind } from './kind.ts';
import { liquidIn, liquidViolations, replaceLiquid } from './liquid.ts';

const text = (maxLength: number) => Type.Optional(Type.Union([Type.String({ maxLength }), Type.Null()]));

/** The contact fields that a campaign may set; null clears one. Not the address, which is one contact's own. */
const FieldsSchema = Type.Object(
  {
    firstName: text(CONTACT_LIMITS.firstName),
    lastName: text(CONTACT_LIMITS.lastName),
    phone: text(CONTACT_LIMITS.phone),
    company: text(CONTACT_LIMITS.company),
    tags: Type.Optional(Type.Union([Type.Array(Type.String()), Type.Null()])),
    customFields: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    ...Object.fromEntries(
      // `source` says how a contact was created.
      OPTIONAL_NAMES.filter((name) => name !== 'source').map((name) => [name, text(OPTIONAL_FIELDS[name].maxLength)]),
    ),
  },
  { additionalProperties: false, minProperties: 1 },
);

/** The fields whose values are known; of custom fields also the names of the others. */
export const withoutLiquid = (set: ContactInput): ContactInput =>
  replaceLiquid(set, { field: () => undefined, tag: () => [], custom: () => null });

/** Sets fields of the contact, as a PUT of the API would. */
export const updateContact = stepKind({
  config: Type.Object({ set: FieldsSchema }, { additionalProperties: false }),
  about:
    '`UPDATE_CONTACT {set: {<field>: <value>, customFields?: {…}}}` sets fields of the contact: ' +
    'null clears one, `tags` replaces all, `customFields` are merged by key. Texts may have the Liquid of templates, ' +
    "such as `{{company.industry}}` or `{{'now' | date: '%Y-%m-%d'}}`; if a field cannot have what is printed, nothing is " +
    'set, the result is `failed`, and the journey goes on. A simulation leaves such fields as they are',
  summary: ({ set }) => `set ${Object.keys(set).join(', ')}`,
  plan: ({ set }) => ({ effect: 'update', set }),
  texts: ({ set }) => liquidIn(set).map(({ source }) => source),
  check: ({ set }, { customFields, liquidMistakes }) => [
    ...checkContactValues(withoutLiquid(set), customFields).violations.map((violation) => ({
      ...violation,
      path: `/set${violation.path}`,
    })),
    ...liquidIn(set, '/set').flatMap(({ path, source }) => liquidViolations(path, source, liquidMistakes)),
  ],
});
