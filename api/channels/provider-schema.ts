import { Type } from 'typebox';
import { PROVIDER_TYPES } from '../../db/entities/channels.ts';
import {
  FcmConfigSchema,
  FcmCredentialsSchema,
  HttpConfigSchema,
  HttpCredentialsSchema,
  TwilioConfigSchema,
  TwilioCredentialsSchema,
} from '../../domain/channels/providers/config.ts';
import { Id, listQuery, nameOf, nullable, oneOf, strict, Timestamp, Version, writable } from '../route/schemas.ts';
import { channel } from './template-schema.ts';

/** Checked by type, so that each mistake is told by itself. */
const anyOf = (schemas: object[], description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', 'x-one-of': schemas, description });
const config = anyOf(
  [TwilioConfigSchema, HttpConfigSchema, FcmConfigSchema],
  '`twilio`: `accountSid`, either `from` or `messagingServiceSid`, `baseUrl`. `http`: `url`, `from`, `headers` (shown; secrets belong in the credentials), `contentType` (`json` or `form`), `body` (Liquid texts over `to`, `from`, `text`, `messageId`), `idPath`, `idempotencyHeader`. `fcm`: `projectId`, `baseUrl`, `tokenUrl`',
);
const credentials = anyOf(
  [TwilioCredentialsSchema, HttpCredentialsSchema, FcmCredentialsSchema],
  '`twilio`: `authToken`. `http`: `headers`, `callbackSecret` (`whsec_…`). `fcm`: the JSON of a service account. Never shown',
);
const fields = {
  name: nameOf(255, { examples: ['Main'] }),
  channel,
  type: oneOf(PROVIDER_TYPES),
  config: { ...config, examples: [{ accountSid: 'AC00000000000000000000000000000000', from: '+15005550006' }] },
};
const optional = {
  priority: Type.Integer({ minimum: 1, maximum: 100, description: 'The lowest is used first; default 1' }),
  ratePerSecond: nullable(
    Type.Integer({ minimum: 1, maximum: 10_000, description: 'For all sender processes together' }),
  ),
  active: Type.Boolean(),
};
const readOnly = ['id', 'tenantId', 'version', 'createdAt', 'updatedAt'] as const;

export const ChannelProvider = strict(
  {
    id: Id,
    ...fields,
    ...optional,
    credentials: Type.Record(Type.String(), Type.Literal(true)),
    health: strict({
      status: oneOf(['UP', 'DEGRADED', 'DOWN']),
      since: nullable(Timestamp),
      lastError: nullable(Type.String()),
    }),
    tenantId: Type.String(),
    version: Version,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'ChannelProvider' },
);
const partial = Type.Partial(Type.Object(optional)).properties;
/** Any value is ignored: it changes by itself. */
const ignored = ['health'];
const writableCredentials = Type.Optional({
  ...credentials,
  examples: [{ authToken: 'secret' }],
});
export const ChannelProviderCreate = writable(
  { ...fields, ...partial, credentials: writableCredentials },
  [...readOnly, ...ignored],
  {
    examples: [
      {
        name: 'Main',
        channel: 'sms',
        type: 'twilio',
        config: { accountSid: `AC${'0'.repeat(32)}`, from: '+15005550006' },
        credentials: { authToken: 'secret' },
      },
    ],
  },
);
export const ChannelProviderUpdate = writable(
  { ...Type.Partial(Type.Object(fields)).properties, ...partial, credentials: writableCredentials },
  [...readOnly, ...ignored],
);
export const ChannelProviderTest = strict({
  to: Type.String({
    minLength: 1,
    maxLength: 4_096,
    description: 'A number (E.164); for a provider of pushes, the registration token of a device',
    examples: ['+442079460958'],
  }),
});
export const ChannelProviderQuery = listQuery(['id', 'name', 'createdAt'], {
  channel: Type.Optional(channel),
  active: Type.Optional(Type.Boolean()),
});

/** The read-only fields that must be as they are. */
export const checkedOnly = (given: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !ignored.includes(name)));
