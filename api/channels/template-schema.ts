import { Type } from 'typebox';
import { MESSAGE_CATEGORIES, MESSAGE_CHANNELS, PUSH_URGENCIES } from '../../db/entities/channels.ts';
import { Id, listQuery, nameOf, nullable, oneOf, strict, Timestamp, Version, writable } from '../route/schemas.ts';

const MAX_BODY = 5_000;
const MAX_URL = 2_000;
export const channel = oneOf(MESSAGE_CHANNELS);
const required = {
  name: nameOf(255, { examples: ['Order shipped'] }),
  body: Type.String({
    minLength: 1,
    maxLength: MAX_BODY,
    description: 'Liquid. Its http and https URLs become short links',
    examples: ['Hi {{firstName}}, your order is on its way: https://example.com/orders'],
  }),
};
const url = (description: string) =>
  nullable(Type.String({ maxLength: MAX_URL, description, examples: ['https://example.com/'] }));
/** The content of a push besides its body. */
export const pushFields = {
  title: nullable(Type.String({ maxLength: 500, description: 'Liquid. Required for pushes' })),
  url: url('Where a click leads. Liquid'),
  iconUrl: url('Liquid; else the icon of the site'),
  imageUrl: url('Liquid'),
  ttlSeconds: nullable(
    Type.Integer({ minimum: 0, maximum: 2_419_200, description: 'How long push services keep it; default 86400' }),
  ),
  urgency: nullable(oneOf(PUSH_URGENCIES, { description: 'Default normal (RFC 8030)' })),
  collapseKey: nullable(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{0,32}$',
      description: 'A push that waits at the push service is replaced by the next one with the same key',
    }),
  ),
};
const optional = {
  category: oneOf(MESSAGE_CATEGORIES, { description: 'Transactional messages pass consent, topics, caps and hours' }),
  topicId: nullable({
    ...Id,
    description: 'Marketing messages about a topic are not sent to contacts who opted out of the topic',
  }),
  ...pushFields,
  smartEncoding: Type.Boolean({
    description: 'Text messages: curly quotes, dashes, ellipses and the like become characters of GSM-7',
  }),
};
const readOnly = ['id', 'tenantId', 'contentVersion', 'version', 'createdAt', 'updatedAt'] as const;

export const ChannelTemplate = strict(
  {
    id: Id,
    ...required,
    channel,
    ...optional,
    contentVersion: Type.Integer({ description: 'Incremented by every change of the sent content' }),
    tenantId: Type.String(),
    version: Version,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'ChannelTemplate' },
);
export const ChannelTemplateCreate = writable(
  { ...required, channel, ...Type.Partial(Type.Object(optional)).properties },
  readOnly,
);
export const ChannelTemplateUpdate = writable(
  Type.Partial(Type.Object({ ...required, channel, ...optional })).properties,
  readOnly,
);
export const ChannelTemplateQuery = listQuery(['id', 'name', 'createdAt', 'updatedAt'], {
  channel: Type.Optional(channel),
  category: Type.Optional(optional.category),
});

export const ChannelPreview = strict({ contactId: Type.Optional(Id) });
const PushContent = strict(
  {
    title: Type.String(),
    body: Type.String(),
    url: Type.Optional(Type.String()),
    icon: Type.Optional(Type.String()),
    image: Type.Optional(Type.String()),
    actions: Type.Optional(
      Type.Array(strict({ action: Type.String(), title: Type.String(), url: Type.Optional(Type.String()) })),
    ),
  },
  { title: 'PushContent' },
);
export const ChannelPreviewed = strict(
  {
    text: nullable(Type.String({ description: 'Of a text message' })),
    payload: nullable(PushContent),
    encoding: nullable(oneOf(['GSM-7', 'UCS-2'], { description: '3GPP TS 23.038' })),
    characters: nullable(Type.Integer()),
    segments: nullable(Type.Integer()),
    ucs2Because: nullable(Type.Array(Type.String(), { description: 'The characters that GSM-7 lacks' })),
    bytes: Type.Integer({
      description:
        'The size in UTF-8: of a text, or of what is encrypted for a browser (`payload`, the defaults of its site, a tag and a token; 3,993 at most)',
    }),
  },
  { title: 'ChannelPreviewed' },
);
