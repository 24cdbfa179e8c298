import { nearest } from '../../../lib/checks/nearest.ts';
import type { FilterEvent } from '../../../events/contracts.ts';
import type { CustomFieldType } from '../../contact-values/custom-values.ts';
import { OPTIONAL_NAMES } from '../../contact-values/optional-fields.ts';

/** The operators of a field leaf. `FieldLeaf` explains each. */
export const FIELD_OPERATORS = [
  'eq',
  'ne',
  'in',
  'notIn',
  'gt',
  'gte',
  'lt',
  'lte',
  'between',
  'contains',
  'startsWith',
  'endsWith',
  'exists',
  'notExists',
  'before',
  'after',
  'withinLastDays',
] as const;
export type FieldOperator = (typeof FIELD_OPERATORS)[number];

const presence = ['exists', 'notExists'] as const;
const equality = ['eq', 'ne', 'in', 'notIn'] as const;
const order = ['gt', 'gte', 'lt', 'lte', 'between'] as const;
const text = [...equality, 'contains', 'startsWith', 'endsWith', ...presence] as const;
const time = [...equality, ...order, 'before', 'after', 'withinLastDays', ...presence] as const;

/** The operators allowed for each field type. `tags` and `membership` are sets, the others single values. */
export const OPERATORS_BY_TYPE = {
  string: text,
  email: text,
  enum: [...equality, ...presence],
  id: [...equality, ...presence],
  number: [...equality, ...order, ...presence],
  boolean: ['eq', 'ne', ...presence],
  date: time,
  datetime: time,
  tags: [...equality, 'contains', ...presence],
  membership: [...equality, ...presence],
} as const satisfies Record<string, readonly FieldOperator[]>;
export type FieldType = keyof typeof OPERATORS_BY_TYPE;

export interface FieldSpec {
  type: FieldType;
  /** The allowed values of an `enum`, if known. */
  values?: readonly string[];
}

const CONTACT_FIELDS = new Map<string, FieldSpec>([
  ['id', { type: 'id' }],
  ['firstName', { type: 'string' }],
  ['lastName', { type: 'string' }],
  ['email', { type: 'email' }],
  ['phone', { type: 'string' }],
  ['phoneE164', { type: 'string' }],
  ['companyId', { type: 'id' }],
  ['status', { type: 'enum', values: ['pending', 'active', 'unsubscribed', 'bounced', 'complained', 'archived'] }],
  ['tags', { type: 'tags' }],
  ...OPTIONAL_NAMES.map((name): [string, FieldSpec] => [name, { type: 'string' }]),
  ['createdAt', { type: 'datetime' }],
  ['updatedAt', { type: 'datetime' }],
  ['company.name', { type: 'string' }],
  ['company.domain', { type: 'string' }],
  ['company.industry', { type: 'string' }],
  ['company.address', { type: 'string' }],
  ['company.employeeCount', { type: 'number' }],
  ['score', { type: 'number' }],
  ['qualification', { type: 'enum', values: ['cold', 'warm', 'hot'] }],
  ['listId', { type: 'membership' }],
  ['segmentId', { type: 'membership' }],
]);

const CUSTOM_PREFIX = 'customFields.';

/** The type of a contact field by its name in a filter; undefined if there is no such field. */
export function contactField(name: string, customFields: ReadonlyMap<string, CustomFieldType>): FieldSpec | undefined {
  if (!name.startsWith(CUSTOM_PREFIX)) return CONTACT_FIELDS.get(name);
  const { type, options } = customFields.get(name.slice(CUSTOM_PREFIX.length)) ?? {};
  return type && (options && type === 'enum' ? { type, values: options } : { type });
}

/** The field that was probably meant by the name of none; null if none is near. */
export function meantField(name: string, customFields: ReadonlyMap<string, CustomFieldType>): string | null {
  return customFields.has(name) ? `${CUSTOM_PREFIX}${name}` : nearest(name, [...CONTACT_FIELDS.keys()]);
}

const id: FieldSpec = { type: 'id' };
const string: FieldSpec = { type: 'string' };
const channel: FieldSpec = { type: 'enum', values: ['sms', 'push'] };
const ofMessage = { templateId: id, campaignId: id, messageId: id, channel };
const ofEmail = { templateId: id, campaignId: id, emailId: id };

const EVENT_FIELDS: Record<FilterEvent, Readonly<Record<string, FieldSpec>>> = {
  CONTACT_CREATED: {},
  CONTACT_UPDATED: {},
  CONTACT_UNSUBSCRIBED: ofEmail,
  EMAIL_SENT: ofEmail,
  EMAIL_OPENED: ofEmail,
  EMAIL_CLICKED: { ...ofEmail, url: string },
  EMAIL_BOUNCED: ofEmail,
  MESSAGE_SENT: ofMessage,
  MESSAGE_DELIVERED: ofMessage,
  MESSAGE_CLICKED: { ...ofMessage, url: string },
  MESSAGE_RECEIVED: { channel, optOut: { type: 'enum', values: ['yes', 'no', 'maybe'] } },
  CHANNEL_SUBSCRIBED: { channel },
  CHANNEL_UNSUBSCRIBED: { channel },
  FORM_SUBMITTED: { formId: id },
  WEBSITE_VISITED: { url: string, referrer: string, title: string },
  CAMPAIGN_TRIGGERED: { campaignId: id },
  CAMPAIGN_COMPLETED: { campaignId: id },
  GOAL_MET: { campaignId: id },
  SEGMENT_ENTERED: { segmentId: id },
  SEGMENT_LEFT: { segmentId: id },
  SCORE_UPDATED: {},
};

/**
 * The type of a `where` field of an event; undefined if the event has no such field. `stepIds`, given only in a
 * campaign, are the EMAIL steps that `stepId` may name.
 */
export function eventField(event: FilterEvent, name: string, stepIds?: ReadonlySet<string>): FieldSpec | undefined {
  const fields = EVENT_FIELDS[event];
  if (name === 'stepId')
    return stepIds && ('emailId' in fields || 'messageId' in fields)
      ? { type: 'enum', values: [...stepIds] }
      : undefined;
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** The names of an event's `where` fields, for messages. */
export function eventFieldNames(event: FilterEvent, inCampaign: boolean): string[] {
  const names = Object.keys(EVENT_FIELDS[event]);
  return inCampaign && (names.includes('emailId') || names.includes('messageId')) ? ['stepId', ...names] : names;
}
