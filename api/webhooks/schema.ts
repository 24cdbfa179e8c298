import { Type } from 'typebox';
import {
  DELIVERY_STATUSES,
  DISABLED_REASONS,
  REPLAYED,
  WEBHOOK_FORMATS,
  WEBHOOK_ORDERINGS,
  WEBHOOK_SIGNATURES,
} from '../../db/entities/webhooks.ts';
import { eventTypes } from '../../events/contracts.ts';
import { FIELD_OPERATORS } from '../../domain/membership/filter/filter-fields.ts';
import type { FilterValue } from '../../domain/membership/filter/filter.ts';
import {
  Id,
  listQuery,
  nameOf,
  nullable,
  oneOf,
  Page,
  strict,
  Timestamp,
  Version,
  writable,
} from '../route/schemas.ts';

const eventType = oneOf(eventTypes, { examples: ['CONTACT_CREATED'] });
const Leaf = strict({
  field: Type.String({ minLength: 1, maxLength: 100 }),
  operator: oneOf(FIELD_OPERATORS),
  value: Type.Optional(Type.Unsafe<FilterValue | null>({})),
});

const fields = {
  name: nameOf(255, { examples: ['CRM'] }),
  url: Type.String({
    minLength: 1,
    maxLength: 2048,
    examples: ['https://www.example.com/hook'],
    description:
      'https, without a user name. It must not lead to a private address; that is checked here for an address, and for a name at each attempt',
  }),
  types: Type.Array(oneOf([...eventTypes, '*']), {
    minItems: 1,
    maxItems: eventTypes.length,
    uniqueItems: true,
    examples: [['CONTACT_CREATED', 'CONTACT_UPDATED']],
    description: 'The events that it wants (`GET /webhooks/event-types`), or `["*"]` for all',
  }),
  filter: nullable(
    Type.Array(Leaf, {
      maxItems: 20,
      description:
        "Conditions on the event, like the `where` of a segment's event leaf; all must hold. A field must be one of at least one of the types: `templateId`, `campaignId` and so on, or one of the event's data. Events without the field have a missing value, which fails every operator but `ne`, `notIn` and `notExists`",
    }),
  ),
  format: oneOf(WEBHOOK_FORMATS, {
    description:
      '`standard`: `{type, timestamp, sequence, data}`. `cloudevents`: the CloudEvent in structured JSON, with the extension `sequence`. `data` is the same as on NATS',
  }),
  signature: oneOf(WEBHOOK_SIGNATURES, {
    description:
      '`v1`: HMAC-SHA256 with `secret`. `v1a`: Ed25519, verified with `publicKey`. Another one makes another key; to see the secret of v1, rotate it then',
  }),
  ordering: oneOf(WEBHOOK_ORDERINGS, {
    description:
      '`contact`: what concerns one contact (or else one resource) is sent one by one; the next one waits until the one before is DELIVERED or FAILED',
  }),
  include: Type.Array(oneOf(['contact']), {
    maxItems: 1,
    description:
      '`contact`: the contact as it is at the attempt, in `data.contact`; left out if the body would exceed 256 KiB',
  }),
  maxInFlight: Type.Integer({
    minimum: 1,
    maximum: 20,
    description: 'The most requests that are open at once. One, after an answer that took over 5 s or a failure',
  }),
  timeoutMs: Type.Integer({ minimum: 1000, maximum: 30_000, description: 'How long an answer may take' }),
  active: Type.Boolean({ description: 'While false, what matches is held; it is sent when this becomes true' }),
};
const headersIn = (values: Parameters<typeof Type.Record>[1]) =>
  Type.Record(Type.String(), values, {
    maxProperties: 10,
    description:
      'Further headers of each request; their values are never shown. Not `host`, `content-*`, `webhook-*` and those of the connection',
  });
const Headers = headersIn(Type.Unsafe<string | true>({ type: ['string', 'boolean'], examples: ['Bearer 123'] }));

const readOnly = ['id', 'tenantId', 'version', 'createdAt', 'updatedAt', 'disabledReason', 'disabledAt', 'publicKey'];
/** It changes by itself, and the secret is only shown to exist: any value is ignored. */
const IGNORED = ['lastSuccessAt', 'secret'];

/** The read-only fields that must be as they are. */
export const checkedOnly = (given: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !IGNORED.includes(name)));

const shown = {
  id: Id,
  ...fields,
  headers: Type.Record(Type.String(), Type.Literal(true)),
  disabledReason: nullable(
    oneOf(DISABLED_REASONS, {
      description:
        '`manual`: by a PUT. `gone`: it answered 410. `failing`: it accepted nothing for five days, in 20 attempts or more',
    }),
  ),
  disabledAt: nullable(Timestamp),
  lastSuccessAt: nullable(Timestamp),
  publicKey: nullable(Type.String({ description: '`whpk_` and base64, of v1a' })),
  tenantId: Type.String(),
  version: Version,
  createdAt: Timestamp,
  updatedAt: Timestamp,
};
export const Webhook = strict(
  { ...shown, secret: nullable(Type.Boolean({ description: 'true: there is one (v1)' })) },
  { title: 'Webhook' },
);
const secretText = Type.String({ description: '`whsec_` and base64 of 32 bytes: cannot be read again' });
export const WebhookCreated = strict({ ...shown, secret: nullable(secretText) }, { title: 'CreatedWebhook' });

const { name, url, types, ...changeable } = fields;
const optional = <T extends Parameters<typeof Type.Object>[0]>(of: T) => Type.Partial(Type.Object(of)).properties;
export const WebhookCreate = writable({ name, url, types, ...optional({ ...changeable, headers: Headers }) }, [
  ...readOnly,
  ...IGNORED,
]);
export const WebhookUpdate = writable(optional({ ...fields, headers: Headers }), [...readOnly, ...IGNORED]);
export const WebhookQuery = listQuery(['id', 'name', 'createdAt'], {
  active: Type.Optional(Type.Boolean()),
  type: Type.Optional(eventType),
});

export const EventTypeInfo = strict(
  {
    type: eventType,
    description: Type.String(),
    schema: Type.Unknown({ description: 'JSON Schema of its `data`', examples: [{ type: 'object' }] }),
    example: Type.Record(Type.String(), Type.Unknown(), { description: 'An example of its `data`' }),
  },
  { title: 'WebhookEventType' },
);

export const DefaultKey = strict(
  { signature: Type.Literal('v1'), secret: Type.String({ examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'] }) },
  { title: 'DefaultWebhookKey' },
);

export const Attempt = strict(
  {
    at: Timestamp,
    status: nullable(Type.Integer({ description: 'Of HTTP; null without an answer', examples: [200] })),
    durationMs: Type.Integer({ examples: [87] }),
    error: nullable(Type.String({ examples: ['answered 503'] })),
    response: nullable(Type.String({ description: 'The first 1024 bytes of the answer' })),
  },
  { title: 'WebhookAttempt' },
);
const status = oneOf(DELIVERY_STATUSES, {
  description: 'HELD: the webhook is not active. FAILED: it was tried ten times, or has another `reason`',
});
export const Delivery = strict(
  {
    id: Id,
    sequence: Type.Integer({ minimum: 1, description: 'Its number among those of the webhook, without gaps' }),
    eventId: Type.String({ format: 'uuid', description: 'The `webhook-id` of each attempt' }),
    type: eventType,
    status,
    reason: nullable(Type.String({ description: '`attempts_exhausted`, `too_old` or `erased`, of FAILED' })),
    contactId: nullable(Id),
    body: Type.Unknown({
      description: 'What is sent, without an included contact; null if it was about a person who was erased',
    }),
    attempts: Type.Array(Attempt),
    nextAttemptAt: nullable(Timestamp),
    createdAt: Timestamp,
  },
  { title: 'WebhookDelivery' },
);
export const DeliveryParams = Type.Object({ id: Id, deliveryId: Id });
const time = Type.Optional(Type.String({ format: 'date-time' }));
export const DeliveryQuery = listQuery(['id'], {
  status: Type.Optional(oneOf(DELIVERY_STATUSES)),
  type: Type.Optional(eventType),
  from: time,
  to: time,
  contactId: Type.Optional(Id),
});

export const PullQuery = strict({
  afterSequence: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      description: 'The last number that is known',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
  cursor: Type.Optional(Type.String({ maxLength: 2048, description: 'The nextCursor of the previous page' })),
});
export const Pulled = strict({
  data: Type.Array(Type.Unknown({ description: 'The body of a webhook, in its `format`' })),
  page: Page,
});

export const Proof = strict(
  {
    from: Timestamp,
    to: Timestamp,
    matched: Type.Integer({ description: 'lastSequence − firstSequence + 1: always the sum of the four others' }),
    delivered: Type.Integer(),
    pending: Type.Integer({ description: 'With those that are on their way' }),
    failed: Type.Integer(),
    held: Type.Integer(),
    firstSequence: nullable(Type.Integer()),
    lastSequence: nullable(Type.Integer()),
  },
  { title: 'WebhookProof' },
);
export const ProofQuery = strict({ from: time, to: time });

export const TestRequest = strict({ type: eventType });
export const RotateRequest = strict({
  overlapHours: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 168, default: 24, description: 'How long the one before signs too' }),
  ),
});
export const Rotated = strict(
  {
    secret: Type.Optional(secretText),
    publicKey: Type.Optional(Type.String({ description: '`whpk_` and base64' })),
    previousExpiresAt: Timestamp,
  },
  { title: 'RotatedWebhookKey' },
);

export const ReplayRequest = strict({
  from: Type.String({ format: 'date-time', examples: ['2026-01-31T09:30:00.000Z'] }),
  to: time,
  types: Type.Optional(Type.Array(eventType, { minItems: 1, maxItems: eventTypes.length, uniqueItems: true })),
  only: Type.Optional(oneOf(REPLAYED, { default: 'failed' })),
});
export const Replay = strict(
  {
    id: Id,
    webhookId: Id,
    from: Timestamp,
    to: Timestamp,
    types: nullable(Type.Array(eventType)),
    only: oneOf(REPLAYED),
    status: oneOf(['RUNNING', 'COMPLETED']),
    examined: Type.Integer({ description: 'The deliveries of the period that it has looked at' }),
    replayed: Type.Integer({ description: 'Those of them that are sent again' }),
    workflowId: Type.String(),
    createdAt: Timestamp,
    finishedAt: nullable(Timestamp),
  },
  { title: 'WebhookReplay' },
);
