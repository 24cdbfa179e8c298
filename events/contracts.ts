import { Type, type Static, type TProperties, type TSchema } from 'typebox';

const id = Type.Integer({ minimum: 1 });
const text = Type.String();
/** False if an import without `runTriggers` is the cause. */
const runTriggers = Type.Optional(
  Type.Boolean({ description: 'False if the cause is an import that must not trigger campaigns' }),
);

/** The schema of an event's data. Every event has the tenant and the time when it happened. */
function contract<T extends TProperties>(summary: string, properties: T) {
  return Type.Object(
    { ...properties, tenantId: text, timestamp: Type.String({ format: 'date-time' }) },
    { description: summary },
  );
}

const channel = Type.Enum(['sms', 'push']);
const ofMessage = {
  messageId: id,
  channel,
  contactId: Type.Union([id, Type.Null()]),
  templateId: Type.Optional(id),
  campaignId: Type.Optional(id),
};

/** The registry of event types and the schemas of their data; subjects are `events.{tenantId}.{TYPE}`. */
export const eventContracts = {
  CONTACT_CREATED: contract('A contact was created', { contactId: id, email: text, runTriggers }),
  CONTACT_UPDATED: contract('Fields of a contact changed', {
    contactId: id,
    version: Type.Integer(),
    changed: Type.Array(text),
    runTriggers,
  }),
  CONTACT_UNSUBSCRIBED: contract('A contact unsubscribed', { contactId: id, emailId: Type.Optional(id), reason: text }),
  EMAIL_SENT: contract('An email was sent, or failed', {
    emailId: id,
    recipientId: Type.Union([id, Type.Null()]),
    status: text,
    templateId: Type.Optional(id),
    campaignId: Type.Optional(id),
    externalId: Type.Optional(text),
  }),
  EMAIL_OPENED: contract('An email was opened', {
    emailId: id,
    contactId: Type.Union([id, Type.Null()]),
    automated: Type.Boolean(),
    first: Type.Optional(Type.Boolean()),
    inferred: Type.Optional(
      Type.Boolean({ description: 'No picture was fetched: a person followed a link, and so opened the email' }),
    ),
    templateId: Type.Optional(id),
    campaignId: Type.Optional(id),
    externalId: Type.Optional(text),
  }),
  EMAIL_CLICKED: contract('A link of an email was followed', {
    emailId: id,
    contactId: Type.Union([id, Type.Null()]),
    automated: Type.Boolean(),
    url: text,
    first: Type.Optional(Type.Boolean()),
    templateId: Type.Optional(id),
    campaignId: Type.Optional(id),
    externalId: Type.Optional(text),
  }),
  EMAIL_BOUNCED: contract('An email bounced', {
    emailId: id,
    contactId: Type.Union([id, Type.Null()]),
    hard: Type.Boolean(),
    templateId: Type.Optional(id),
    campaignId: Type.Optional(id),
    externalId: Type.Optional(text),
  }),
  MESSAGE_SENT: contract('A text message or push was sent, or failed', {
    messageId: id,
    channel,
    recipientId: Type.Union([id, Type.Null()]),
    status: text,
    templateId: Type.Optional(id),
    campaignId: Type.Optional(id),
  }),
  MESSAGE_DELIVERED: contract('A text message or push arrived', ofMessage),
  MESSAGE_CLICKED: contract('A link of a text message or push was followed', {
    ...ofMessage,
    url: text,
    automated: Type.Boolean(),
    first: Type.Optional(Type.Boolean()),
  }),
  MESSAGE_RECEIVED: contract('A contact sent a text message', {
    inboundId: id,
    channel,
    contactId: id,
    optOut: Type.Enum(['yes', 'no', 'maybe']),
  }),
  CHANNEL_SUBSCRIBED: contract('A contact agreed to marketing on a channel, or has its first device for pushes', {
    contactId: id,
    channel,
    reason: text,
  }),
  CHANNEL_UNSUBSCRIBED: contract('A contact refused marketing on a channel, or has no device for pushes any more', {
    contactId: id,
    channel,
    reason: text,
  }),
  FORM_SUBMITTED: contract('A form was submitted', { formId: id, contactId: id, submissionId: id }),
  CAMPAIGN_TRIGGERED: contract('A contact entered a campaign', {
    campaignId: id,
    contactId: id,
    executionId: id,
    trigger: text,
  }),
  CAMPAIGN_COMPLETED: contract('A contact completed a campaign', {
    campaignId: id,
    contactId: id,
    executionId: id,
  }),
  GOAL_MET: contract('A contact met a goal of a campaign', {
    campaignId: id,
    executionId: id,
    contactId: id,
    stepId: text,
  }),
  SCORE_UPDATED: contract('A score changed', {
    contactId: id,
    previousScore: Type.Integer(),
    totalScore: Type.Integer(),
    ruleId: Type.Union([id, Type.Null()]),
    qualification: text,
  }),
  SEGMENT_ENTERED: contract('A contact entered a segment', { segmentId: id, contactId: id, runTriggers }),
  SEGMENT_LEFT: contract('A contact left a segment', { segmentId: id, contactId: id }),
  IMPORT_COMPLETED: contract('An import ended', {
    importId: id,
    created: Type.Integer(),
    updated: Type.Integer(),
    rejected: Type.Integer(),
  }),
  WEBSITE_VISITED: contract('A contact visited a page', {
    contactId: id,
    url: Type.Optional(text),
    referrer: Type.Optional(text),
    title: Type.Optional(text),
  }),
  WEBHOOK_DISABLED: contract('A webhook was disabled, because its receiver is gone or fails', {
    webhookId: id,
    reason: Type.Enum(['gone', 'failing']),
  }),
};

/** An id written by another program; limited to safe integers, because larger ones are rounded when parsed. */
const givenId = (description: string) => Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description });
const orNull = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));

/**
 * A request on `email.send.requests` by the service itself. It names a ledger row, which alone determines what is sent.
 */
export const ownSendRequest = Type.Object(
  {
    templateId: id,
    recipientId: Type.Union([id, Type.Null()], {
      description: 'The `id` of the contact; null if sent to an address without a contact',
    }),
    emailId: givenId('The `id` of an email of the service'),
    campaignId: orNull(id),
    tenantId: orNull(text),
  },
  { title: 'Request of the service itself' },
);

/** A request on `email.send.requests` by another program, with its own id. */
export const externalSendRequest = Type.Object(
  {
    templateId: givenId('The `id` of the template'),
    recipientId: givenId('The `id` of the contact'),
    emailId: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Your id for the email; returned as `externalId` in responses and events',
    }),
    campaignId: orNull(givenId('The `id` of the campaign that the email counts for')),
    data: orNull(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Values for `{{data.x}}` in the template' }),
    ),
    tenantId: orNull(Type.Literal('default')),
  },
  { title: 'Request of another program' },
);

export type OwnSendRequest = Static<typeof ownSendRequest>;
export type ExternalSendRequest = Static<typeof externalSendRequest>;

export type EventType = keyof typeof eventContracts;
export type EventData<T extends EventType> = Static<(typeof eventContracts)[T]>;
export const eventTypes = Object.keys(eventContracts) as EventType[];

/**
 * Which events rules can award points for (not SCORE_UPDATED: a score must not feed itself), and which the event leaf of
 * a filter can count.
 */
const USES = {
  CONTACT_CREATED: { scores: true, filters: true },
  CONTACT_UPDATED: { filters: true },
  CONTACT_UNSUBSCRIBED: { scores: true, filters: true },
  EMAIL_SENT: { filters: true },
  EMAIL_OPENED: { scores: true, filters: true },
  EMAIL_CLICKED: { scores: true, filters: true },
  EMAIL_BOUNCED: { scores: true, filters: true },
  MESSAGE_SENT: { scores: true, filters: true },
  MESSAGE_DELIVERED: { scores: true, filters: true },
  MESSAGE_CLICKED: { scores: true, filters: true },
  MESSAGE_RECEIVED: { scores: true, filters: true },
  CHANNEL_SUBSCRIBED: { scores: true, filters: true },
  CHANNEL_UNSUBSCRIBED: { scores: true, filters: true },
  FORM_SUBMITTED: { scores: true, filters: true },
  CAMPAIGN_TRIGGERED: { filters: true },
  CAMPAIGN_COMPLETED: { scores: true, filters: true },
  GOAL_MET: { scores: true, filters: true },
  SCORE_UPDATED: { filters: true },
  SEGMENT_ENTERED: { filters: true },
  SEGMENT_LEFT: { filters: true },
  IMPORT_COMPLETED: {},
  WEBSITE_VISITED: { scores: true, filters: true },
  WEBHOOK_DISABLED: {},
} as const satisfies Record<EventType, { scores?: true; filters?: true }>;
type UsedBy<Use extends string> = {
  [T in EventType]: (typeof USES)[T] extends Record<Use, true> ? T : never;
}[EventType];

export const SCORABLE_EVENTS = eventTypes.filter((type): type is UsedBy<'scores'> => 'scores' in USES[type]);
export const FILTER_EVENTS = eventTypes.filter((type): type is FilterEvent => 'filters' in USES[type]);
export type FilterEvent = UsedBy<'filters'>;

/** CloudEvents 1.0, structured JSON mode, with the extension `tenantid`. */
export interface CloudEvent<T extends EventType = EventType> {
  specversion: '1.0';
  id: string;
  source: string;
  type: T;
  time: string;
  datacontenttype: 'application/json';
  tenantid: string;
  requestid?: string;
  data: EventData<T>;
}

/** An event of any type, narrowed by its `type`. */
export type AnyEvent = { [T in EventType]: CloudEvent<T> }[EventType];

/**
 * Events of one tenant and type that were written together: a row of the outbox, and a message for the service's own
 * consumers. Its id and its events never change, however often it is published; only an erasure removes events.
 */
export interface EventBatch {
  id: string;
  tenantid: string;
  type: EventType;
  time: string;
  /**
   * The time of the oldest batch that waited when this one was published, if that is older: tenants take turns, so a
   * later batch can be older than this one, but (by more than seconds) not than that.
   */
  oldest?: string;
  requestid?: string;
  /**
   * An event has the `time` and `requestid` of the batch if it has none of its own. The data lacks `tenantId` and
   * `timestamp`.
   */
  events: { id: string; time?: string; requestid?: string; data: Record<string, unknown> }[];
}

/** The events of a batch, as other programs read them. */
export function* eventsOf({ tenantid, type, events, ...common }: EventBatch): Generator<CloudEvent> {
  for (const { id, time = common.time, requestid = common.requestid, data } of events)
    yield {
      specversion: '1.0',
      id,
      source: 'perennial',
      type,
      time,
      datacontenttype: 'application/json',
      tenantid,
      ...(requestid ? { requestid } : {}),
      data: { ...data, tenantId: tenantid, timestamp: time } as CloudEvent['data'],
    };
}

/** The contact that an event is about, or null. Events of something that was sent name it as their recipient. */
export function contactOf({ data }: Pick<AnyEvent, 'data'>): number | null {
  const { contactId, recipientId } = data as { contactId?: number | null; recipientId?: number | null };
  return contactId ?? recipientId ?? null;
}

export const eventSubject = (tenantId: string, type: EventType): string => `events.${tenantId}.${type}`;
