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
    /** What taking it back did, so far. */
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
    /** What it takes to take the chunk back; null once that is done. */
    undo: json<Record<string, unknown>>().nullable(),
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
    errors: json<{ column: string | null; code: string; message: string }[]>(),
    cells: json<string[]>(),
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

/** A contact that taking an import back has left as it is, because it was changed since. */
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

export const importEntities = [ContactImport, ContactImportChunk, ContactImportReject, ContactImportKey, ContactImportKept];
