import { Type } from 'typebox';
import { Id, listQuery, nameOf, nullable, oneOf, strict, Timestamp, Version, writable } from '../../route/schemas.ts';
import { Data, EmailAddress } from '../ledger/schema.ts';

const required = {
  name: nameOf(255, { examples: ['Welcome'] }),
  subject: Type.String({ minLength: 1, maxLength: 1000, examples: ['Hello {{firstName}}'] }),
  content: Type.String({
    minLength: 1,
    description: 'HTML, or MJML, with Liquid',
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
const readOnly = ['id', 'tenantId', 'contentVersion', 'version', 'createdAt', 'updatedAt'] as const;

export const Template = strict({
  id: Id,
  ...required,
  ...optional,
  contentVersion: Type.Integer({ description: 'Incremented by every change of the sent content' }),
  tenantId: Type.String(),
  version: Version,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export const TemplateCreate = writable({ ...required, ...Type.Partial(Type.Object(optional)).properties }, readOnly);
export const TemplateUpdate = writable(Type.Partial(Type.Object({ ...required, ...optional })).properties, readOnly);
export const TemplateQuery = listQuery(['id', 'name', 'createdAt', 'updatedAt'], {
  category: Type.Optional(optional.category),
});

export const Preview = strict({ contactId: Type.Optional(Id), data: Type.Optional(Data) });
export const Previewed = strict({ subject: Type.String(), html: Type.String(), text: Type.String() });
export const Test = strict({ to: EmailAddress, data: Type.Optional(Data) });
