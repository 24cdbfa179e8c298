import { defineEntity, p } from '@mikro-orm/core';
import { bigid, engineTable, id, resourceColumns, tenantId, tenantTable, timestamp } from './base.ts';

/** A sender address, usable once its tenant has proved ownership, and the key that signs its emails (RFC 6376). */
const EmailSenderSchema = defineEntity({
  name: 'EmailSender',
  tableName: 'email_senders',
  ...tenantTable,
  uniques: [{ name: 'email_senders_email_key', properties: ['tenantId', 'emailKey'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    name: p.string().length(255).nullable(),
    email: p.string().length(255),
    emailKey: p.string().length(320),
    replyTo: p.string().length(255).nullable(),
    dkimDomain: p.string().length(255).nullable(),
    dkimSelector: p.string().length(63).nullable(),
    /** PKCS #8, encrypted with LINK_SECRET. */
    dkimPrivateKey: p.text().nullable(),
    /** As in the DNS record. */
    dkimPublicKey: p.text().nullable(),
    /** When the correct record was last found in the DNS. */
    dkimVerifiedAt: timestamp().nullable(),
    /** The key was imported: others may have it too, so its record must name the tenant. */
    dkimBrought: p.boolean().default(false),
    /**
     * The domain that a DNS record has proved to belong to the tenant: covers its addresses and those of its
     * subdomains.
     */
    verifiedDomain: p.string().length(255).nullable(),
    /** When a reader of the address's mail confirmed that it belongs to the tenant. */
    confirmedAt: timestamp().nullable(),
    ...resourceColumns(),
  },
});
export class EmailSender extends EmailSenderSchema.class {}
EmailSenderSchema.setClass(EmailSender);

/**
 * A confirmation link that was mailed to a sender's address. Kept when the sender is deleted, because emails are
 * counted by it.
 */
const SenderConfirmationSchema = defineEntity({
  name: 'SenderConfirmation',
  tableName: 'sender_confirmations',
  ...tenantTable,
  indexes: [{ name: 'sender_confirmations_tenant_idx', properties: ['tenantId', 'createdAt'] }],
  properties: {
    id: p.uuid().primary(),
    tenantId: tenantId(),
    senderId: bigid(),
    /** The digest of the recipient's address. */
    addressDigest: p.string().length(64),
    tokenHash: p.text(),
    expiresAt: timestamp(),
    usedAt: timestamp().nullable(),
    createdAt: timestamp().defaultRaw('now()'),
  },
});
export class SenderConfirmation extends SenderConfirmationSchema.class {}
SenderConfirmationSchema.setClass(SenderConfirmation);

/** A provider's state, as seen by each sender process. */
const EmailProviderSchema = defineEntity({
  name: 'EmailProvider',
  tableName: 'email_providers',
  ...engineTable,
  properties: {
    /** host:port */
    provider: p.string().length(300).primary(),
    holder: p.string().length(100).primary(),
    state: p.string().length(20),
    failures: p.integer().default(0),
    restsUntil: timestamp().nullable(),
    lastError: p.text().nullable(),
    lastErrorAt: timestamp().nullable(),
    lastSentAt: timestamp().nullable(),
    sent: p.bigint('number').default(0),
    seenAt: timestamp().defaultRaw('now()'),
  },
});
export class EmailProvider extends EmailProviderSchema.class {}
EmailProviderSchema.setClass(EmailProvider);

/** The used part of a provider's rate: the time at which, at an even pace, all admitted emails would have been sent. */
const EmailProviderRateSchema = defineEntity({
  name: 'EmailProviderRate',
  tableName: 'email_provider_rates',
  ...engineTable,
  properties: {
    provider: p.string().length(300).primary(),
    dueAt: p.datetime(6).defaultRaw('now()'),
  },
});
export class EmailProviderRate extends EmailProviderRateSchema.class {}
EmailProviderRateSchema.setClass(EmailProviderRate);

export const emailSenderEntities = [EmailSender, SenderConfirmation, EmailProvider, EmailProviderRate];
