import { defineEntity, p } from '@mikro-orm/core';
import { bigid, id, json, resourceColumns, tenantId, tenantTable, timestamp } from './base.ts';

export const CONTACT_STATUSES = ['pending', 'active', 'unsubscribed', 'bounced', 'complained', 'archived'] as const;

const ContactSchema = defineEntity({
  name: 'Contact',
  tableName: 'contacts',
  ...tenantTable,
  uniques: [
    { name: 'contacts_email_key', properties: ['tenantId', 'emailKey'] },
    { name: 'contacts_tenant_id_id_key', properties: ['tenantId', 'id'] },
  ],
  indexes: [
    { name: 'contacts_company_idx', properties: ['tenantId', 'companyId'], where: 'company_id is not null' },
    { name: 'contacts_created_idx', properties: ['tenantId', 'createdAt', 'id'] },
    { name: 'contacts_updated_idx', properties: ['tenantId', 'updatedAt', 'id'] },
    { name: 'contacts_phone_idx', properties: ['tenantId', 'phoneE164'], where: 'phone_e164 is not null' },
    { name: 'contacts_last_name_idx', properties: ['tenantId', 'lastName', 'id'] },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    firstName: p.string().length(100),
    lastName: p.string().length(100),
    email: p.string().length(255),
    /** The normalised address for comparisons: NFC, lower case, domain in ASCII. */
    emailKey: p.string().length(320),
    phone: p.string().length(50).nullable(),
    phoneE164: p.string().length(20).name('phone_e164').nullable(),
    jobTitle: p.string().length(255).nullable(),
    companyId: bigid().nullable(),
    status: p.enum(CONTACT_STATUSES).default('active'),
    tags: p.array().$type<string[]>().defaultRaw(`'{}'`),
    customFields: json<Record<string, unknown>>().defaultRaw(`'{}'`),
    timezone: p.string().length(64).nullable(),
    locale: p.string().length(35).nullable(),
    source: p.string().length(255).nullable(),
    /**
     * The id of CONTACT_CREATED in the timeline, by a default that a migration has set; null if it is a row of
     * `contact_activities`.
     */
    createdActivityId: bigid().nullable(),
    /** The `runTriggers` of CONTACT_CREATED. */
    createdRunTriggers: p.boolean().nullable(),
    /** The address that the contact was created with, if it has another one now. */
    createdEmail: p.string().length(255).nullable(),
    ...resourceColumns(),
  },
});
export class Contact extends ContactSchema.class {}
ContactSchema.setClass(Contact);

const CompanySchema = defineEntity({
  name: 'Company',
  tableName: 'companies',
  ...tenantTable,
  uniques: [{ name: 'companies_tenant_id_id_key', properties: ['tenantId', 'id'] }],
  indexes: [{ name: 'companies_name_idx', properties: ['tenantId', 'nameKey'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    name: p.string().length(255),
    /** The normalised name for look-ups: trimmed, lower case, NFC. */
    nameKey: p.string().length(512),
    domain: p.string().length(255).nullable(),
    industry: p.string().length(100).nullable(),
    employeeCount: p.integer().nullable(),
    address: p.text().nullable(),
    customFields: json<Record<string, unknown>>().defaultRaw(`'{}'`),
    ...resourceColumns(),
  },
});
export class Company extends CompanySchema.class {}
CompanySchema.setClass(Company);

/**
 * Events of contacts, one row each (`eventId` = the CloudEvents id). The timeline (timeline.ts) also has those that
 * other tables record: CONTACT_CREATED (`contacts`) and EMAIL_SENT (`emails`).
 */
const ContactActivitySchema = defineEntity({
  name: 'ContactActivity',
  tableName: 'contact_activities',
  ...tenantTable,
  indexes: [{ name: 'contact_activities_contact_idx', properties: ['tenantId', 'contactId', 'type', 'occurredAt'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    contactId: bigid(),
    type: p.string().length(50),
    occurredAt: timestamp(),
    eventId: p.uuid(),
    automated: p.boolean().default(false),
    data: json<Record<string, unknown>>(),
  },
});
export class ContactActivity extends ContactActivitySchema.class {}
ContactActivitySchema.setClass(ContactActivity);

/** Segments and lists share this table and its ids. */
const SegmentSchema = defineEntity({
  name: 'Segment',
  tableName: 'segments',
  ...tenantTable,
  uniques: [{ name: 'segments_tenant_id_id_key', properties: ['tenantId', 'id'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    name: p.string().length(255),
    description: p.text().nullable(),
    type: p.enum(['dynamic', 'static'] as const),
    filter: json<Record<string, unknown>>().nullable(),
    status: p.enum(['BUILDING', 'READY'] as const),
    /** Incremented by each build, so that a superseded build can tell that it is outdated. */
    build: p.integer().default(0),
    /** While BUILDING: contacts up to this id have been evaluated. */
    builtTo: bigid().nullable(),
    /** While BUILDING: when the build began. While READY: the time of the last sweep; null if time changes nothing. */
    sweptAt: timestamp().nullable(),
    /** While BUILDING: when it became so, whatever builds were begun anew since; what has moved since then counts at the end. */
    buildingSince: timestamp().nullable(),
    /** Since when its past members are kept; null: since it was created. */
    historySince: timestamp().nullable(),
    /** For static lists: a form that adds contacts to the list asks them to confirm their address first. */
    doubleOptIn: p.boolean().default(false),
    ...resourceColumns(),
  },
});
export class Segment extends SegmentSchema.class {}
SegmentSchema.setClass(Segment);

const SegmentMemberSchema = defineEntity({
  name: 'SegmentMember',
  tableName: 'segment_members',
  ...tenantTable,
  indexes: [{ name: 'segment_members_contact_idx', properties: ['tenantId', 'contactId'] }],
  properties: {
    tenantId: tenantId().primary(),
    segmentId: bigid().primary(),
    contactId: bigid().primary(),
    addedAt: timestamp().defaultRaw('now()'),
  },
});
export class SegmentMember extends SegmentMemberSchema.class {}
SegmentMemberSchema.setClass(SegmentMember);

/** Those who were members from `addedAt` until before `leftAt`: every statement that removes members writes a row for each. */
const SegmentPastMemberSchema = defineEntity({
  name: 'SegmentPastMember',
  tableName: 'segment_past_members',
  ...tenantTable,
  indexes: [
    {
      name: 'segment_past_members_left_idx',
      properties: ['tenantId', 'segmentId', 'leftAt', 'addedAt', 'contactId'],
    },
    { name: 'segment_past_members_contact_idx', properties: ['tenantId', 'contactId', 'segmentId'] },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    segmentId: bigid(),
    /** Null if the contact was erased. A contact that was deleted keeps its id, one that was merged has the other's. */
    contactId: bigid().nullable(),
    addedAt: timestamp(),
    leftAt: timestamp(),
  },
});
export class SegmentPastMember extends SegmentPastMemberSchema.class {}
SegmentPastMemberSchema.setClass(SegmentPastMember);

/** When a segment was BUILDING: whoever moved from `beganAt` on counts as moved at `endedAt`. */
const SegmentBuildSchema = defineEntity({
  name: 'SegmentBuild',
  tableName: 'segment_builds',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    segmentId: bigid().primary(),
    endedAt: timestamp().primary(),
    beganAt: timestamp(),
  },
});
export class SegmentBuild extends SegmentBuildSchema.class {}
SegmentBuildSchema.setClass(SegmentBuild);

export const CUSTOM_FIELD_ENTITIES = ['contact', 'company'] as const;
export const CUSTOM_FIELD_TYPES = ['string', 'number', 'boolean', 'date', 'enum'] as const;

/** The definition of a custom field. */
const CustomFieldSchema = defineEntity({
  name: 'CustomField',
  tableName: 'custom_fields',
  ...tenantTable,
  uniques: [{ name: 'custom_fields_name_key', properties: ['tenantId', 'entity', 'name'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    entity: p.enum(CUSTOM_FIELD_ENTITIES),
    name: p.string().length(100),
    type: p.enum(CUSTOM_FIELD_TYPES),
    /** The values of an `enum`. */
    options: p.array().$type<string[]>().nullable(),
    description: p.text().nullable(),
    ...resourceColumns(),
  },
});
export class CustomField extends CustomFieldSchema.class {}
CustomFieldSchema.setClass(CustomField);

export const ERASURE_STATUSES = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED'] as const;

/** The erasure of a person's data. Contains none of that data. */
const ErasureSchema = defineEntity({
  name: 'Erasure',
  tableName: 'erasures',
  ...tenantTable,
  uniques: [{ name: 'erasures_tenant_id_id_key', properties: ['tenantId', 'id'] }],
  indexes: [{ name: 'erasures_contact_idx', properties: ['tenantId', 'contactId'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    contactId: bigid(),
    status: p.enum(ERASURE_STATUSES).default('PENDING'),
    /** What was erased, where and when. */
    certificate: json<Record<string, unknown>>().nullable(),
    error: p.text().nullable(),
    workflowId: p.text().nullable(),
    startedAt: timestamp().nullable(),
    finishedAt: timestamp().nullable(),
    ...resourceColumns(),
  },
});
export class Erasure extends ErasureSchema.class {}
ErasureSchema.setClass(Erasure);

/** The hashes of erased addresses, so that no import adds them again. */
const ErasedAddressSchema = defineEntity({
  name: 'ErasedAddress',
  tableName: 'erased_addresses',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    /** SHA-256 (hex) of tenant id, a line feed and the normalised address. */
    hash: p.string().length(64).primary(),
    createdAt: timestamp().defaultRaw('now()'),
  },
});
export class ErasedAddress extends ErasedAddressSchema.class {}
ErasedAddressSchema.setClass(ErasedAddress);

/** A contact that was merged into another, so that its events that come later count for that one. */
const MergedContactSchema = defineEntity({
  name: 'MergedContact',
  tableName: 'merged_contacts',
  ...tenantTable,
  indexes: [{ name: 'merged_contacts_into_idx', properties: ['tenantId', 'mergedInto'] }],
  properties: {
    tenantId: tenantId().primary(),
    contactId: bigid().primary(),
    mergedInto: bigid(),
    mergedAt: timestamp().defaultRaw('now()'),
  },
});
export class MergedContact extends MergedContactSchema.class {}
MergedContactSchema.setClass(MergedContact);

/**
 * Addresses that a contact had before, or one that was merged into it had: what was decided for them is kept under them.
 * Written by a trigger on `contacts`, because many statements change addresses, and by merges.
 */
const FormerAddressSchema = defineEntity({
  name: 'FormerAddress',
  tableName: 'former_addresses',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    contactId: bigid().primary(),
    /** An email address as it was written, or a number (E.164). */
    address: p.string().length(255).primary(),
    leftAt: timestamp().defaultRaw('now()'),
  },
});
export class FormerAddress extends FormerAddressSchema.class {}
FormerAddressSchema.setClass(FormerAddress);

export const contactEntities = [
  Contact,
  Company,
  ContactActivity,
  Segment,
  SegmentMember,
  SegmentPastMember,
  SegmentBuild,
  CustomField,
  Erasure,
  ErasedAddress,
  MergedContact,
  FormerAddress,
];
