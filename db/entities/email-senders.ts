import { defineEntity, p } from '@mikro-orm/core';
import { bigid, engineTable, id, json, resourceColumns, tenantId, tenantTable, timestamp } from './base.ts';

/** An address that mail may come from once its tenant has proved it, and the key that signs it (RFC 6376). */
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
    /** PKCS #8, encrypted by LINK_SECRET. */
    dkimPrivateKey: p.text().nullable(),
    /** As it stands in the DNS record. */
    dkimPublicKey: p.text().nullable(),
    /** When the record was last seen in the DNS as it should be. */
    dkimVerifiedAt: timestamp().nullable(),
    /** The key was brought along: others may have it too, so that its record must name the tenant. */
    dkimBrought: p.boolean().default(false),
    /** The domain that a record in the DNS has proved to be the tenant's: all of its addresses are, and those below it. */
    verifiedDomain: p.string().length(255).nullable(),
    /** When whoever reads the mail of the address has confirmed it to be the tenant's. */
    confirmedAt: timestamp().nullable(),
    ...resourceColumns(),
  },
});
export class EmailSender extends EmailSenderSchema.class {}
EmailSenderSchema.setClass(EmailSender);

/** A link that was mailed to a sender's address. It outlives the sender, for mails are counted by it. */
const SenderConfirmationSchema = defineEntity({
  name: 'SenderConfirmation',
  tableName: 'sender_confirmations',
  ...tenantTable,
  indexes: [{ name: 'sender_confirmations_tenant_idx', properties: ['tenantId', 'createdAt'] }],
  properties: {
    id: p.uuid().primary(),
    tenantId: tenantId(),
    senderId: bigid(),
    /** Of the address that the mail went to. */
    addressDigest: p.string().length(64),
    tokenHash: p.text(),
    expiresAt: timestamp(),
    usedAt: timestamp().nullable(),
    createdAt: timestamp().defaultRaw('now()'),
  },
});
export class SenderConfirmation extends SenderConfirmationSchema.class {}
SenderConfirmationSchema.setClass(SenderConfirmation);

/** How a provider does, as each sender process sees it. */
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

/** How much of a provider's rate is used: the time by which, at an even pace, all that was let through had gone. */
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

/** Rules for all marketing mail of a tenant. */
const EmailSettingsSchema = defineEntity({
  name: 'EmailSettings',
  tableName: 'email_settings',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    frequencyCap: json<{ maxEmails: number; perDays: number }>().nullable(),
    /** No marketing mail outside of it. */
    sendWindow: json<{ days?: (string | number)[]; from: string; to: string; timezone: string }>().nullable(),
    ...resourceColumns(),
  },
});
export class EmailSettings extends EmailSettingsSchema.class {}
EmailSettingsSchema.setClass(EmailSettings);

export const emailSenderEntities = [EmailSender, SenderConfirmation, EmailProvider, EmailProviderRate, EmailSettings];
