import { defineEntity, p } from '@mikro-orm/core';
import { bigid, id, resourceColumns, tenantId, tenantTable, timestamp } from './base.ts';

export const CONTACT_STATUSES = ['pending', 'active', 'unsubscribed', 'bounced', 'complained', 'archived'] as const;
export const IMPORT_STATUSES = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED', 'UNDONE'] as const;

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
    { name: 'contacts_last_name_idx', properties: ['tenantId', 'lastName', 'id'] },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    firstName: p.string().length(100),
    lastName: p.string().length(100),
    email: p.string().length(255),
    /** The address as it is compared: NFC, lower case, domain in ASCII. */
    emailKey: p.string().length(320),
    phone: p.string().length(50).nullable(),
    phoneE164: p.string().length(20).name('phone_e164').nullable(),
    jobTitle: p.string().length(255).nullable(),
    companyId: bigid().nullable(),
    status: p.enum(CONTACT_STATUSES).default('active'),
    tags: p.array().$type<string[]>().defaultRaw(`'{}'`),
    customFields: p.json<Record<string, unknown>>().defaultRaw(`'{}'`),
    timezone: p.string().length(64).nullable(),
    locale: p.string().length(35).nullable(),
    source: p.string().length(255).nullable(),
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
    /** The name as it is found by: trimmed, lower case, NFC. */
    nameKey: p.string().length(512),
    domain: p.string().length(255).nullable(),
    industry: p.string().length(100).nullable(),
    employeeCount: p.integer().nullable(),
    address: p.text().nullable(),
    customFields: p.json<Record<string, unknown>>().defaultRaw(`'{}'`),
    ...resourceColumns(),
  },
});
export class Company extends CompanySchema.class {}
CompanySchema.setClass(Company);

/** What happened to a contact, one row an event (`eventId` = the CloudEvents id). */
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
    data: p.json<Record<string, unknown>>(),
  },
});
export class ContactActivity extends ContactActivitySchema.class {}
ContactActivitySchema.setClass(ContactActivity);

/** Segments and lists are one kind of thing with one id space. */
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
    filter: p.json<Record<string, unknown>>().nullable(),
    status: p.enum(['BUILDING', 'READY'] as const),
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

export interface ImportOptions {
  mapping?: Record<string, string | null>;
  mode: 'upsert' | 'create' | 'update';
  listId?: number;
  encoding?: string;
  delimiter?: string;
  runTriggers: boolean;
  dryRun: boolean;
  /** How the file is to be read: what its head was found to be when it came. */
  inspection: unknown;
}

const ContactImportSchema = defineEntity({
  name: 'ContactImport',
  tableName: 'contact_imports',
  ...tenantTable,
  uniques: [{ name: 'contact_imports_tenant_id_id_key', properties: ['tenantId', 'id'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    fileName: p.string().length(255),
    objectKey: p.text(),
    options: p.json<ImportOptions>(),
    status: p.enum(IMPORT_STATUSES).default('PENDING'),
    totalRows: p.integer().nullable(),
    processedRows: p.integer().default(0),
    created: p.integer().default(0),
    updated: p.integer().default(0),
    unchanged: p.integer().default(0),
    duplicates: p.integer().default(0),
    rejected: p.integer().default(0),
    ignoredColumns: p.array().$type<string[]>().defaultRaw(`'{}'`),
    error: p.text().nullable(),
    workflowId: p.text().nullable(),
    startedAt: timestamp().nullable(),
    finishedAt: timestamp().nullable(),
    ...resourceColumns(),
  },
});
export class ContactImport extends ContactImportSchema.class {}
ContactImportSchema.setClass(ContactImport);

/** A chunk whose effects are committed: written in the transaction of the chunk, so a resumed import skips it. */
const ContactImportChunkSchema = defineEntity({
  name: 'ContactImportChunk',
  tableName: 'contact_import_chunks',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    importId: bigid().primary(),
    chunk: p.integer().primary(),
    endOffset: bigid(),
    lastRow: p.integer(),
    createdAt: timestamp().defaultRaw('now()'),
  },
});
export class ContactImportChunk extends ContactImportChunkSchema.class {}
ContactImportChunkSchema.setClass(ContactImportChunk);

/** A row that the import refused, with the cells as they came. */
const ContactImportRejectSchema = defineEntity({
  name: 'ContactImportReject',
  tableName: 'contact_import_rejects',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    importId: bigid().primary(),
    row: p.integer().primary(),
    errors: p.json<{ column: string | null; code: string; message: string }[]>(),
    cells: p.json<string[]>(),
  },
});
export class ContactImportReject extends ContactImportRejectSchema.class {}
ContactImportRejectSchema.setClass(ContactImportReject);

/** Whole-file knowledge of an import: the last row of each address that comes more than once (and of a few that do not). */
const ContactImportKeySchema = defineEntity({
  name: 'ContactImportKey',
  tableName: 'contact_import_keys',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    importId: bigid().primary(),
    emailKey: p.string().length(320).primary(),
    lastRow: p.integer(),
    /** The last row that has the names which a new contact needs, the address's first row not counted. */
    completeRow: p.integer().nullable(),
  },
});
export class ContactImportKey extends ContactImportKeySchema.class {}
ContactImportKeySchema.setClass(ContactImportKey);

export const contactEntities = [
  Contact, Company, ContactActivity, Segment, SegmentMember, ContactImport, ContactImportChunk, ContactImportReject, ContactImportKey,
];
