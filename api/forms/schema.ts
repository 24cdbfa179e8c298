import { Type } from 'typebox';
import { MAX_NOTIFIED } from '../../domain/emails/system-mail/notice-keys.ts';
import { FORM_FIELD_TYPES } from '../../db/entities/forms.ts';
import { Id, listQuery, nameOf, nullable, oneOf, strict, Timestamp, Version, writable } from '../route/schemas.ts';

const text = (maxLength: number) => Type.String({ maxLength });
const positive = Type.Integer({ minimum: 0, maximum: 10_000 });
const Options = Type.Array(strict({ value: Type.String({ maxLength: 255 }), label: Type.String({ maxLength: 255 }) }), {
  maxItems: 500,
});

const fieldProperties = {
  name: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_.-]{0,99}$', examples: ['email'] }),
  label: Type.String({ minLength: 1, maxLength: 255, examples: ['Your email'] }),
  type: oneOf(FORM_FIELD_TYPES),
  required: Type.Boolean({ description: 'Always true for the email address field' }),
  placeholder: nullable(text(255)),
  defaultValue: nullable(text(1000)),
  displayOrder: Type.Integer({ minimum: -1_000_000, maximum: 1_000_000 }),
  validationRegex: nullable(
    Type.String({
      maxLength: 500,
      description:
        'Must match the entire text; RE2 syntax. Without maxLength, the text can have at most 1000 characters',
    }),
  ),
  minLength: nullable(positive),
  maxLength: nullable(positive),
  min: nullable(Type.Number({ description: 'The least value of a field of type number or rating' })),
  max: nullable(Type.Number({ description: 'The greatest value of a field of type number or rating' })),
  options: nullable(Options),
  mapTo: nullable(
    Type.String({
      maxLength: 113,
      description:
        'The contact field that it fills, or `customFields.x`; defaults to the contact field of the same name',
    }),
  ),
  accept: nullable(
    Type.Array(
      Type.String({
        pattern: '^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}/(\\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,126})$',
        examples: ['application/pdf'],
      }),
      {
        maxItems: 50,
        description:
          'For the type file: the accepted media types, in lower case; `image/*` means all images. What a file is, is judged by its content',
      },
    ),
  ),
  maxBytes: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 1024 ** 3,
      description: "For the type file: the maximum size; the service's limit is `FORM_FILE_MAX_BYTES` (default 10 MiB)",
    }),
  ),
};
const { name, label, type, ...optionalField } = fieldProperties;
const FieldInput = strict({
  name,
  label,
  type,
  id: Type.Optional(Type.Integer()),
  ...Type.Partial(Type.Object(optionalField)).properties,
});
const Field = strict({ id: Type.Integer(), ...fieldProperties });

const status = oneOf(['DRAFT', 'ACTIVE', 'ARCHIVED']);
const formProperties = {
  name: nameOf(255),
  description: nullable(text(5000)),
  fields: Type.Array(FieldInput, {
    minItems: 1,
    maxItems: 100,
    examples: [
      [
        { name: 'email', label: 'Your email', type: 'email', required: true },
        { name: 'firstName', label: 'First name', type: 'text' },
      ],
    ],
  }),
  status,
  successMessage: nullable(text(5000)),
  redirectUrl: nullable(text(2048)),
  submitLabel: nullable(text(100)),
  listId: nullable(Id),
  allowedOrigins: Type.Array(text(255), { maxItems: 100 }),
  updateExisting: oneOf(['fillEmpty', 'overwrite']),
  doubleOptIn: Type.Boolean({
    description: 'A new contact is `pending` until it confirms its address with the link in an email',
  }),
  enableProgressiveProfiling: Type.Boolean({
    description:
      'What is known about the contact of a `contactToken` is not asked again; of `progressiveFields`, only the first that is not known is asked',
  }),
  enableCaptcha: Type.Boolean({ description: 'A submission must prove that it is made by a person' }),
  notifyEmails: Type.Array(text(255), {
    maxItems: MAX_NOTIFIED,
    description: 'Each gets an email with the values of each submission; answers to it go to the submitter',
  }),
  progressiveFields: Type.Array(text(100), { maxItems: 100, description: 'Names of fields, in the order of asking' }),
};

export const FormAnswer = strict({
  id: Id,
  ...formProperties,
  fields: Type.Array(Field),
  tenantId: Type.String(),
  version: Version,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
const { name: formName, fields, ...optionalForm } = formProperties;
const optionalInput = Type.Partial(
  Type.Object({
    ...optionalForm,
    allowedOrigins: nullable(optionalForm.allowedOrigins),
    notifyEmails: nullable(optionalForm.notifyEmails),
    progressiveFields: nullable(optionalForm.progressiveFields),
    updateExisting: nullable(optionalForm.updateExisting),
  }),
).properties;
export const FormCreate = writable({ name: formName, fields, ...optionalInput });
export const FormUpdate = writable({
  name: Type.Optional(formName),
  fields: Type.Optional(fields),
  ...optionalInput,
});
export const FormQuery = listQuery(['id', 'name', 'createdAt'], { status: Type.Optional(status) });

export const EmbedQuery = strict({
  type: Type.Optional(oneOf(['javascript', 'iframe', 'html'], { default: 'javascript' })),
});
export const Embed = strict({ type: oneOf(['javascript', 'iframe', 'html']), code: Type.String() });
export const AssetParams = Type.Object({
  name: Type.String({ maxLength: 100, examples: ['form-0123456789abcdef.js'] }),
});
export const Token = strict({ token: Type.String(), expiresAt: Timestamp });
export const PublicForm = strict({
  id: Id,
  name: Type.String(),
  submitLabel: Type.String(),
  fields: Type.Array(Field),
  captcha: nullable(strict({ provider: oneOf(['altcha', 'hcaptcha', 'turnstile']), siteKey: nullable(Type.String()) })),
  knownContact: Type.Boolean({
    description: 'Whether fields are left out because their values are known about the contact of `contactToken`',
  }),
});
export const PublicQuery = Type.Object({ contactToken: Type.Optional(Type.String()) });
export const FieldsQuery = Type.Object({
  ...PublicQuery.properties,
  again: Type.Optional(
    Type.Boolean({ description: 'The page that asks shows the form already: this is no other view of it' }),
  ),
});
export const Challenge = strict({
  algorithm: oneOf(['SHA-256']),
  challenge: Type.String(),
  maxnumber: Type.Integer(),
  salt: Type.String(),
  signature: Type.String(),
});

export const Abandonment = strict({
  field: Type.String({ description: 'The name of the field that was touched last', examples: ['email'] }),
  returned: Type.Optional(
    Type.Boolean({ description: 'The visitor, who was counted as one who left, has come back: takes the count back' }),
  ),
});

/** Values by field name, and what else a page sends. Files are parts of a multipart body. */
export const Submission = Type.Object(
  {
    _token: Type.Optional(
      Type.Unknown({
        description:
          'From `GET /forms/{id}/token`, for 12 hours. Needed by what a browser sends: any request with an `Origin`, form-encoded and multipart bodies. Without it, JSON from a browser is a 400 `token_invalid`, and a form post gets the hosted page with a new token; nothing is stored then',
      }),
    ),
    _contactToken: Type.Optional(
      Type.Unknown({
        description:
          'Says who fills the form, so that their values are changed and not only completed: from `{{contactToken}}` or `{{formUrl}}` in an email, or from the answer to an earlier submission. `contactToken` is understood too, unless the form has a field of that name. An invalid one is ignored',
      }),
    ),
    _website: Type.Optional(
      Type.Unknown({
        description:
          'The honeypot, an input that people do not see. If it is filled, the answer is a success and nothing is stored, so leave it empty or away',
      }),
    ),
  },
  {
    additionalProperties: true,
    maxProperties: 300,
    description: 'Values by the names of the fields of the form; unknown names are ignored',
    examples: [{ email: 'someone@example.com', _token: 'from GET /forms/{id}/token' }],
  },
);
export const Submitted = strict({
  success: Type.Boolean(),
  contactId: nullable(Id),
  submissionId: nullable(Id),
  message: nullable(Type.String()),
  redirectUrl: nullable(Type.String()),
  contactToken: Type.Optional(
    Type.String({
      description:
        'Stands for the contact in later submissions, for 30 days. Only if the submission made the contact, or came with a token of it',
    }),
  ),
});
export const SubmitErrors = strict({
  success: Type.Boolean(),
  errors: Type.Array(strict({ field: Type.String(), code: Type.String(), message: Type.String() })),
});

export const SubmissionQuery = listQuery(['id', 'submittedAt'], { contactId: Type.Optional(Id) });
export const SubmissionAnswer = strict(
  {
    id: Id,
    formId: Id,
    contactId: nullable(Id),
    submissionData: Type.Record(Type.String(), Type.Unknown()),
    ipAddress: nullable(Type.String()),
    userAgent: nullable(Type.String()),
    submittedAt: Timestamp,
  },
  { title: 'Submission' },
);
export const FormStats = strict({
  views: Type.Integer(),
  submissions: Type.Integer(),
  conversionRate: Type.Number(),
  abandonment: Type.Array(strict({ field: Type.String(), count: Type.Integer() }), {
    description: 'How often visitors left the form, by the field that they touched last; the most frequent first',
  }),
  series: Type.Array(strict({ at: Timestamp, views: Type.Integer(), submissions: Type.Integer() })),
});
