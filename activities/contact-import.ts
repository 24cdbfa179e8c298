import { Context, heartbeat } from '@temporalio/activity';
import type { Deps } from '../config/deps.ts';
import { completeImport, failImport, runImport } from '../domain/contacts/import/run-import.ts';
import { deleteFile, readFile } from '../events/file-store.ts';
import { OUTBOX_PING } from '../events/streams.ts';

export interface ImportInput {
  tenantId: string;
  importId: number;
}

export function contactImportActivities(deps: Deps) {
  return {
    /** Imports every row that is not imported yet; its progress is its heartbeat. */
    async importContacts({ tenantId, importId }: ImportInput): Promise<void> {
      await runImport({
        orm: deps.orm, tenantId, importId,
        open: (key, offset) => readFile(deps.nats, key, offset),
        progress: (progress) => {
          heartbeat(progress);
          // Chunks commit on a client of their own, which the outbox subscriber does not see.
          deps.nats.connection.publish(OUTBOX_PING);
          Context.current().cancellationSignal.throwIfAborted();
        },
      });
    },

    async completeContactImport({ tenantId, importId }: ImportInput): Promise<void> {
      await deleteFile(deps.nats, await completeImport(deps.orm, tenantId, importId));
    },

    async failContactImport({ tenantId, importId, error }: ImportInput & { error: string }): Promise<void> {
      await failImport(deps.orm, tenantId, importId, error);
    },
  };
}
