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

/** An address that occurs more than once in the file, and its last row. (A few occur only once: false positives.) */
const ContactImportKeySchema = defineEntity({
  name: 'ContactImportKey',
  tableName: 'contact_import_keys',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    importId: bigid().primary(),
    emailKey: p.string().length(320).primary(),
    lastRow: p.integer(),
    /** The last row, except the address's first, with the names that a new contact needs; null if there is none. */
    completeRow: p.integer().nullable(),
  },
});
export class ContactImportKey extends ContactImportKeySchema.class {}
ContactImportKeySchema.setClass(ContactImportKey);

/**
 * A contact that the undo left as it is. `reason` is one of KEPT_REASONS: changed since the import; emailed, in a
 * campaign, submitted a form or otherwise active since then; or its status is suppressed for another cause.
 */
const ContactImportKeptSchema = defineEntity({
  name: 'ContactImportKept',
  tableName: 'contact_import_kept',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    importId: bigid().primary(),
    contactId: bigid().primary(),
    reason: p.string().length(50),
  },
});
export class ContactImportKept extends ContactImportKeptSchema.class {}
ContactImportKeptSchema.setClass(ContactImportKept);

export const importEntities = [
  ContactImport,
  ContactImportChunk,
  ContactImportReject,
  ContactImportKey,
  ContactImportKept,
];
