import { defineEntity, p } from '@mikro-orm/core';
import { CHANNELS } from './channels.ts';
import { bigid, id, resourceColumns, tenantId, tenantTable, timestamp } from './base.ts';

/** Addresses that get no marketing email, whichever contact has them. Kept when contacts are deleted. */
export const SUPPRESSION_REASONS = ['unsubscribed', 'bounced', 'complained', 'manual'] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

const SuppressionSchema = defineEntity({
  name: 'Suppression',
  tableName: 'suppressions',
  ...tenantTable,
  uniques: [{ name: 'suppressions_address_key', properties: ['tenantId', 'emailKey'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    emailKey: p.string().length(320),
    reason: p.enum(SUPPRESSION_REASONS),
    source: p.text().nullable(),
    createdAt: timestamp().defaultRaw('now()'),
  },
});
export class Suppression extends SuppressionSchema.class {}
SuppressionSchema.setClass(Suppression);

/** Subjects of emails that recipients can choose from. */
const EmailTopicSchema = defineEntity({
  name: 'EmailTopic',
  tableName: 'email_topics',
  ...tenantTable,
  uniques: [
    { name: 'email_topics_tenant_id_id_key', properties: ['tenantId', 'id'] },
    { name: 'email_topics_name_key', properties: ['tenantId', 'name'] },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    name: p.string().length(100),
    description: p.text().nullable(),
    ...resourceColumns(),
  },
});
export class EmailTopic extends EmailTopicSchema.class {}
EmailTopicSchema.setClass(EmailTopic);

/** A topic that an address has opted out of on a channel, whichever contact has it. */
const TopicOptOutSchema = defineEntity({
  name: 'TopicOptOut',
  tableName: 'topic_opt_outs',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    /** The key of an email address (for email and push), or a number (E.164, for sms). */
    address: p.string().length(320).primary(),
    topicId: bigid().primary(),
    channel: p.enum(CHANNELS).default('email').primary(),
    createdAt: timestamp().defaultRaw('now()'),
  },
});
export class TopicOptOut extends TopicOptOutSchema.class {}
TopicOptOutSchema.setClass(TopicOptOut);

/** A request to confirm an address, and the proof of its confirmation. */
const OptInSchema = defineEntity({
  name: 'OptIn',
  tableName: 'opt_ins',
  ...tenantTable,
  indexes: [{ name: 'opt_ins_contact_idx', properties: ['tenantId', 'contactId'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    contactId: bigid(),
    formId: bigid().nullable(),
    listId: bigid().nullable(),
    requestedAt: timestamp().defaultRaw('now()'),
    confirmedAt: timestamp().nullable(),
    ip: p.text().nullable(),
    userAgent: p.text().nullable(),
  },
});
export class OptIn extends OptInSchema.class {}
OptInSchema.setClass(OptIn);

export const emailRecipientEntities = [Suppression, EmailTopic, TopicOptOut, OptIn];
