import { Type } from 'typebox';
import { Id, listQuery, nameOf, nullable, oneOf, strict, Timestamp, Version, writable } from '../../route/schemas.ts';
import { Data, EmailAddress } from '../ledger/schema.ts';

const required = {
  name: nameOf(255, { examples: ['Welcome'] }),
  subject: Type.String({ minLength: 1, maxLength: 1000, examples: ['Hello {{firstName}}'] }),
  content: Type.String({
    minLength: 1,
    description:
      'HTML, or MJML, with Liquid. Variables are the fields of the contact (`{{firstName}}` or `{{contact.firstName}}`, `{{company}}`, `{{company.domain}}`, `{{customFields.x}}`), `{{data.x}}` of the call that sends, and the links `{{unsubscribeUrl}}`, `{{preferencesUrl}}`, `{{webViewUrl}}`, `{{formUrl: 1}}` (the page of the form with this id) and `{{contactToken}}`; `GET /emails/templates/variables` lists all. What has no value prints nothing: `{{firstName | default: "there"}}`',
    examples: ['<p>Hello {{firstName}}, <a href="https://example.com/">look</a>!</p>'],
  }),
};
const optional = {
  text: nullable(Type.String({ description: 'The plain-text part, with Liquid; generated from `content` if absent' })),
  previewText: nullable(
    Type.String({ maxLength: 1000, description: 'Preview text that inboxes show next to the subject' }),
  ),
  category: oneOf(['marketing', 'transactional'], { description: 'Transactional mail passes unsubscribes' }),
  topicId: nullable({
    ...Id,
    description: 'Marketing email about a topic is not sent to contacts who opted out of the topic',
  }),
  fromName: nullable(Type.String({ maxLength: 255 })),
  fromEmail: nullable({
    ...EmailAddress,
    description: 'A verified sender of the tenant, or any address of a verified domain; null = the default sender',
  }),
  replyTo: nullable(EmailAddress),
};
const readOnly = ['id', 'tenantId', 'contentVersion', 'version', 'createdAt', 'updatedAt', 'warnings'] as const;

export const Warnings = Type.Array(
  strict(
    {
      path: Type.String({ description: 'JSON Pointer to the part of the template', examples: ['/content'] }),
      line: Type.Integer({ minimum: 1 }),
      column: Type.Integer({ minimum: 1 }),
      code: oneOf(['unknown_variable', 'empty_subject', 'no_text']),
      message: Type.String({
        examples: ['{{frstName}} is not a known variable and prints nothing; did you mean {{firstName}}?'],
      }),
    },
    { title: 'TemplateWarning' },
  ),
  { description: 'What is valid and may not be meant. Up to 100' },
);

const template = {
  id: Id,
  ...required,
  ...optional,
  contentVersion: Type.Integer({ description: 'Incremented by every change of the sent content' }),
  tenantId: Type.String(),
  version: Version,
  createdAt: Timestamp,
  updatedAt: Timestamp,
};
export const Template = strict(template, { title: 'Template' });
export const SavedTemplate = strict({ ...template, warnings: Warnings }, { title: 'SavedTemplate' });
export const TemplateCreate = writable({ ...required, ...Type.Partial(Type.Object(optional)).properties }, readOnly);
export const TemplateUpdate = writable(Type.Partial(Type.Object({ ...required, ...optional })).properties, readOnly);
export const TemplateQuery = listQuery(['id', 'name', 'createdAt', 'updatedAt'], {
  category: Type.Optional(optional.category),
});

export const Preview = strict({ contactId: Type.Optional(Id), data: Type.Optional(Data) });
export const Previewed = strict({
  subject: Type.String(),
  html: Type.String(),
  text: Type.String(),
  warnings: Warnings,
});

export const Variables = strict({
  data: Type.Array(
    strict(
      {
        name: Type.String({ description: 'What stands between the braces', examples: ['firstName'] }),
        description: Type.String(),
      },
      { title: 'TemplateVariable' },
    ),
  ),
});
export const Test = strict({ to: EmailAddress, data: Type.Optional(Data) });
