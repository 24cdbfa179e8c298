import { defineEntity, p } from '@mikro-orm/core';
import { bigid, id, json, resourceColumns, tenantId, tenantTable, timestamp } from './base.ts';

export const IMPORT_STATUSES = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED', 'UNDONE'] as const;

export interface ImportOptions {
  mapping?: Record<string, string | null>;
  mode: 'upsert' | 'create' | 'update';
  listId?: number;
  encoding?: string;
  delimiter?: string;
  runTriggers: boolean;
  dryRun: boolean;
  /** What happens to a row with a wrong cell in a column that it can do without. Default `reject`. */
  onBadCell?: 'reject' | 'skip';
  /** The order of the dates in columns of dates (`DateOrders`), once the file was read for it. */
  dateOrders?: unknown;
  /** How to read the file: the result of inspecting its first bytes at the upload (`CsvInspection`). */
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
    options: json<ImportOptions>(),
    status: p.enum(IMPORT_STATUSES).default('PENDING'),
    totalRows: p.integer().nullable(),
    processedRows: p.integer().default(0),
    created: p.integer().default(0),
    updated: p.integer().default(0),
    unchanged: p.integer().default(0),
    duplicates: p.integer().default(0),
    rejected: p.integer().default(0),
    ignoredColumns: p.array().$type<string[]>().defaultRaw(`'{}'`),
    /** What may not be meant in the file (`ImportWarning`). */
    warnings:
      json<
        { code: string; column: string | null; message: string; count?: number; rows?: readonly number[] }[]
      >().defaultRaw(`'[]'`),
    error: p.text().nullable(),
    workflowId: p.text().nullable(),
    startedAt: timestamp().nullable(),
    finishedAt: timestamp().nullable(),
    /** The progress of the undo: how many contacts were removed, restored, or kept as they are. */
    undo: json<{ removed: number; restored: number; kept: number }>().nullable(),
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
    /** What is needed to undo the chunk; null once it is undone. */
    undo: json<Record<string, unknown>>().nullable(),
    createdAt: timestamp().defaultRaw('now()'),
  },
});
export class ContactImportChunk extends ContactImportChunkSchema.class {}
ContactImportChunkSchema.setClass(ContactImportChunk);

/** A row that the import rejected, with its original cells. */
const ContactImportRejectSchema = defineEntity({
  name: 'ContactImportReject',
  tableName: 'contact_import_rejects',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    importId: bigid().primary(),
    row: p.integer().primary(),
    errors: json<{ column: string | null; code: string; message: string }[]>(),
    cells: json<string[]>(),
  },
});
export class ContactImportReject extends ContactImportRejectSchema.class {}
ContactImportRejectSchema.setClass(ContactImportReject);

/** An address that occurs more than once in the file, and its last usable row. (A few occur only once: false positives.) */
const ContactImportKeySchema = defineEntity({
  name: 'ContactImportKey',
  tableName: 'contact_import_keys',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    importId: bigid().primary(),
    emailKey: p.string().length(320).primary(),
    lastRow: p.integer(),
    /** The strictest status that an earlier row of the address has. */
    status: p.text().nullable(),
  },
});
export class ContactImportKey extends ContactImportKeySchema.class {}
ContactImportKeySchema.setClass(ContactImportKey);

/** What an import did to a contact, kept until the imports that changed the contact later are undone too. */
export interface OwedUndo {
  /** The contact's version after the import. */
  v: number;
  /** The previous values of the columns that the import changed; null if it created the contact. */
  was: Record<string, unknown> | null;
  /** When the import did it. */
  at: string;
  /** The suppression of the address that the import created. */
  suppression: number | null;
}

/**
 * A contact that the undo left as it is. `reason` is one of KEPT_REASONS: changed since the import; emailed, in a
 * campaign, submitted a form or otherwise active since then; or its status is suppressed for another cause.
 */
const ContactImportKeptSchema = defineEntity({
  name: 'ContactImportKept',
  tableName: 'contact_import_kept',
  ...tenantTable,
  indexes: [{ name: 'contact_import_kept_owed_idx', properties: ['tenantId', 'contactId'], where: 'owed is not null' }],
  properties: {
    tenantId: tenantId().primary(),
    importId: bigid().primary(),
    contactId: bigid().primary(),
    reason: p.string().length(50),
    /** Only of contacts that were changed since. */
    owed: json<OwedUndo>().nullable(),
  },
});
export class ContactImportKept extends ContactImportKeptSchema.class {}
ContactImportKeptSchema.setClass(ContactImportKept);

/** A version of a contact that an undo wrote: its values are those of the version `sameAs`, before the undone imports. */
const ContactRestoredVersionSchema = defineEntity({
  name: 'ContactRestoredVersion',
  tableName: 'contact_restored_versions',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    contactId: bigid().primary(),
    version: p.integer().primary(),
    sameAs: p.integer(),
  },
});
export class ContactRestoredVersion extends ContactRestoredVersionSchema.class {}
ContactRestoredVersionSchema.setClass(ContactRestoredVersion);

/**
 * A company that an undone import created. While somebody is in it, it stays; when the undo of another import takes the
 * last one out, it is deleted; and when one puts somebody back into it, it is created again. It has its name here only
 * while an undo has deleted it. What a user deletes is forgotten here too.
 */
const UndoneCompanySchema = defineEntity({
  name: 'UndoneCompany',
  tableName: 'undone_companies',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    companyId: bigid().primary(),
    name: p.string().length(255).nullable(),
    nameKey: p.string().length(512).nullable(),
    /** When the company was created. */
    createdAt: timestamp(),
    /** When an undo deleted it; null while it is there. */
    deletedAt: timestamp().nullable(),
  },
});
export class UndoneCompany extends UndoneCompanySchema.class {}
UndoneCompanySchema.setClass(UndoneCompany);

export const importEntities = [
  ContactImport,
  ContactImportChunk,
  ContactImportReject,
  ContactImportKey,
  ContactImportKept,
  ContactRestoredVersion,
  UndoneCompany,
];
