import { Type } from 'typebox';
import { SUBSCRIPTION_STATUSES, SUBSCRIPTION_TYPES } from '../../db/entities/channels.ts';
import { MOST_ORIGINS } from '../../domain/channels/devices/sites.ts';
import { Id, listQuery, nameOf, nullable, oneOf, strict, Timestamp, Version, writable } from '../route/schemas.ts';

const url = (description: string) => nullable(Type.String({ maxLength: 2_048, description }));
const fields = {
  name: nameOf(255, { examples: ['Website'] }),
  origins: Type.Array(Type.String({ maxLength: 255 }), {
    minItems: 1,
    maxItems: MOST_ORIGINS,
    description: 'The origins whose pages may subscribe: https, or http://localhost',
    examples: [['https://www.example.com']],
  }),
  subject: Type.String({
    maxLength: 320,
    description: 'Told to push services, for questions about the pushes: `mailto:` or `https:` (RFC 8292)',
    examples: ['mailto:web@example.com'],
  }),
};
const optional = {
  iconUrl: url('Shown with pushes whose template has no icon'),
  defaultUrl: url('Opened by a click on a push whose template has no URL'),
};
const readOnly = ['id', 'siteKey', 'publicKey', 'tenantId', 'version', 'createdAt', 'updatedAt'] as const;

export const PushSite = strict(
  {
    id: Id,
    ...fields,
    ...optional,
    siteKey: Type.String({ description: 'Names the site in its pages' }),
    publicKey: Type.String({ description: 'The `applicationServerKey` of its subscriptions' }),
    tenantId: Type.String(),
    version: Version,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'PushSite' },
);
const partial = Type.Partial(Type.Object(optional)).properties;
export const PushSiteCreate = writable({ ...fields, ...partial }, [...readOnly]);
export const PushSiteUpdate = writable({ ...Type.Partial(Type.Object(fields)).properties, ...partial }, [...readOnly]);
export const PushSiteQuery = listQuery(['id', 'name', 'createdAt'], {});

/** Further fields are ignored, so that scripts in caches may have more. */
export const PushSubscribe = Type.Object(
  {
    siteKey: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    subscription: Type.Optional(
      Type.Object({
        endpoint: Type.String({ minLength: 1, maxLength: 2_048 }),
        expirationTime: Type.Optional(nullable(Type.Number())),
        keys: Type.Object({ p256dh: Type.String({ maxLength: 200 }), auth: Type.String({ maxLength: 100 }) }),
      }),
    ),
    contactToken: Type.Optional(
      nullable(Type.String({ maxLength: 2_048, description: 'From `{{contactToken}}` in an email, or of a form' })),
    ),
    replaces: Type.Optional(
      nullable(
        Type.String({
          minLength: 1,
          maxLength: 2_048,
          description: "The browser's former subscription: its endpoint, or the token that was answered for it",
        }),
      ),
    ),
    timezone: Type.Optional(nullable(Type.String({ maxLength: 64, examples: ['Europe/Berlin'] }))),
    locale: Type.Optional(nullable(Type.String({ maxLength: 35, examples: ['de-DE'] }))),
    contactId: Type.Optional(Id),
    type: Type.Optional(oneOf(SUBSCRIPTION_TYPES, { description: '`fcm` is for apps, and needs a token of the API' })),
    token: Type.Optional(
      Type.String({ minLength: 1, maxLength: 4_096, description: 'The registration token of an app' }),
    ),
    platform: Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 50, examples: ['android'] }))),
  },
  {
    examples: [
      {
        siteKey: 'the siteKey of the site',
        subscription: {
          endpoint: 'https://fcm.googleapis.com/fcm/send/example',
          keys: {
            p256dh: 'BMu2PbqCMtRMLBpHVt632wFgFvITieRafNjZ1Qzg1fd-y2dc00RJvD2689WnuP4Dr043Sb7-K00eUQxhDmcJ7QI',
            auth: 'LWLJB4CIPfpX2DdDxKQ3EQ',
          },
        },
      },
    ],
  },
);
export const Subscribed = strict({
  id: Id,
  token: Type.String({ description: 'Ends or replaces the subscription' }),
});

export const PushSubscription = strict(
  {
    id: Id,
    type: oneOf(SUBSCRIPTION_TYPES),
    status: oneOf(SUBSCRIPTION_STATUSES),
    contactId: nullable(Id),
    siteId: nullable(Id),
    endpoint: Type.String({
      description: 'Shortened: whoever knows all of it can receive the pushes. Of an app: its registration token',
      examples: ['https://fcm.googleapis.com/…x3Kq9A'],
    }),
    expiresAt: nullable(Timestamp),
    replacedBy: nullable(Id),
    platform: nullable(Type.String()),
    timezone: nullable(Type.String()),
    locale: nullable(Type.String()),
    tenantId: Type.String(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'PushSubscription' },
);
export const PushSubscriptionQuery = listQuery(['id', 'createdAt', 'updatedAt'], {
  contactId: Type.Optional(Id),
  siteId: Type.Optional(Id),
  type: Type.Optional(oneOf(SUBSCRIPTION_TYPES)),
  status: Type.Optional(oneOf(SUBSCRIPTION_STATUSES)),
});
export const PushSubscriptionLink = writable({ contactId: Type.Optional(nullable(Id)) }, [
  ...['id', 'type', 'status', 'siteId', 'endpoint', 'expiresAt', 'replacedBy', 'platform', 'timezone', 'locale'],
  ...['tenantId', 'createdAt', 'updatedAt'],
]);
export const PushSubscriptionEnd = Type.Object({
  token: Type.Optional(Type.String({ maxLength: 2_048, description: 'Instead of a token of the API' })),
});

/** Further fields are ignored. */
export const PushEvent = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 2_048, description: 'The `token` of the push' }),
  type: oneOf(['shown', 'clicked', 'closed']),
});
