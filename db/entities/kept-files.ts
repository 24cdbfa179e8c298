import { defineEntity, p } from '@mikro-orm/core';
import { tenantId, tenantTable, timestamp } from './base.ts';

/**
 * A stored file that no row refers to, or may not yet: announced before it is stored, and removed in the transaction
 * that refers to it. Whatever becomes of that, it is known here what must be removed from the store.
 */
const FileRemovalSchema = defineEntity({
  name: 'FileRemoval',
  tableName: 'file_removals',
  ...tenantTable,
  indexes: [{ name: 'file_removals_due_idx', properties: ['removing', 'removeAfter'] }],
  properties: {
    tenantId: tenantId().primary(),
    objectKey: p.string().length(100).primary(),
    /** When a file that was announced is given up. */
    removeAfter: timestamp(),
    /** Whether the file is being removed, so that it can no longer be referred to. */
    removing: p.boolean().default(false),
  },
});
class FileRemoval extends FileRemovalSchema.class {}
FileRemovalSchema.setClass(FileRemoval);

export const keptFileEntities = [FileRemoval];
