import { Type } from 'typebox';
import { FORM_FIELD_TYPES } from '../../db/entities/forms.ts';
import { Id, listQuery, nullable, oneOf, strict, Timestamp, Version, writable } from '../schemas.ts';

const text = (maxLength: number) => Type.String({ maxLength });
const positive = Type.Integer({ minimum: 0, maximum: 10_000 });
const Options = Type.Array(strict({ value: Type.String({ maxLength: 255 }), label: Type.String({ maxLength: 255 }) }), { maxItems: 500 });

const fieldProperties = {
  name: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_.-]{0,99}$', examples: ['email'] }),
  label: Type.String({ minLength: 1, maxLength: 255, examples: ['Your email'] }),
  type: oneOf(FORM_FIELD_TYPES.filter((type) => type !== 'file')),
  required: Type.Boolean(),
  placeholder: nullable(text(255)),
  defaultValue: nullable(text(1000)),
  displayOrder: Type.Integer({ minimum: -1_000_000, maximum: 1_000_000 }),
  validationRegex: nullable(text(500)),
  minLength: nullable(positive),
  maxLength: nullable(positive),
  options: nullable(Options),
  mapTo: nullable(text(100)),
};
const { name, label, type, ...optionalField } = fieldProperties;
const FieldInput = strict({ name, label, type, id: Type.Optional(Type.Integer()), ...Type.Partial(Type.Object(optionalField)).properties });
const Field = strict({ id: Type.Integer(), ...fieldProperties });

const status = oneOf(['DRAFT', 'ACTIVE', 'ARCHIVED']);
const formProperties = {
  name: Type.String({ minLength: 1, maxLength: 255 }),
  description: nullable(text(5000)),
  fields: Type.Array(FieldInput, { minItems: 1, maxItems: 100 }),
  status,
  successMessage: nullable(text(5000)),
  redirectUrl: nullable(text(2048)),
  submitLabel: nullable(text(100)),
  listId: nullable(Id),
  allowedOrigins: Type.Array(text(255), { maxItems: 100 }),
  updateExisting: oneOf(['fillEmpty', 'overwrite']),
};
const readOnly = [
  'id', 'tenantId', 'version', 'createdAt', 'updatedAt', 'enableProgressiveProfiling', 'enableCaptcha', 'doubleOptIn', 'notifyEmails', 'progressiveFields',
] as const;

export const FormAnswer = strict({
  id: Id, ...formProperties, fields: Type.Array(Field),
  enableProgressiveProfiling: Type.Boolean(), enableCaptcha: Type.Boolean(), doubleOptIn: Type.Boolean(),
  notifyEmails: Type.Array(Type.String()), progressiveFields: Type.Array(Type.String()),
  tenantId: Type.String(), version: Version, createdAt: Timestamp, updatedAt: Timestamp,
});
const { name: formName, fields, ...optionalForm } = formProperties;
export const FormCreate = writable({ name: formName, fields, ...Type.Partial(Type.Object(optionalForm)).properties }, readOnly);
export const FormUpdate = writable(Type.Partial(Type.Object(formProperties)).properties, readOnly);
export const FormQuery = listQuery(['id', 'name', 'createdAt'], { status: Type.Optional(status) });

export const EmbedQuery = strict({ type: Type.Optional(oneOf(['javascript', 'iframe', 'html'], { default: 'javascript' })) });
export const Embed = strict({ type: oneOf(['javascript', 'iframe', 'html']), code: Type.String() });
export const Token = strict({ token: Type.String(), expiresAt: Timestamp });
export const PublicForm = strict({ id: Id, name: Type.String(), submitLabel: Type.String(), fields: Type.Array(Field) });

/** A map of field name to value, with `_token` and the honeypot beside. */
export const Submission = Type.Record(Type.String(), Type.Unknown(), { maxProperties: 300, examples: [{ email: 'someone@example.com' }] });
export const Submitted = strict({
  success: Type.Boolean(), contactId: nullable(Id), submissionId: nullable(Id), message: nullable(Type.String()), redirectUrl: nullable(Type.String()),
});
export const SubmitErrors = strict({
  success: Type.Boolean(),
  errors: Type.Array(strict({ field: Type.String(), code: Type.String(), message: Type.String() })),
});

export const SubmissionQuery = listQuery(['id', 'submittedAt'], { contactId: Type.Optional(Id) });
export const SubmissionAnswer = strict({
  id: Id, formId: Id, contactId: nullable(Id), submissionData: Type.Record(Type.String(), Type.Unknown()), ipAddress: nullable(Type.String()),
  userAgent: nullable(Type.String()), submittedAt: Timestamp,
});
export const FormStats = strict({
  views: Type.Integer(), submissions: Type.Integer(), conversionRate: Type.Number(),
  series: Type.Array(strict({ at: Timestamp, views: Type.Integer(), submissions: Type.Integer() })),
});
