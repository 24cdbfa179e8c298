import { ApplicationFailure } from '@temporalio/activity';
import type { Deps } from '../runtime/deps.ts';
import { pgError } from '../db/errors.ts';
import { AppError } from '../lib/checks/errors.ts';
import { completeImport, failImport, runImport, type ImportResult } from '../domain/contacts/import/run-import.ts';
import { undoNextChunk } from '../domain/contacts/import/undo-import.ts';
import { deleteFile, FileGoneError, readFile } from '../transport/file-store.ts';
import type { OutboxTable } from '../events/outbox.ts';
import { OUTBOX_PING } from '../transport/streams.ts';
import type { WorkflowInputs } from '../registry/workflows.ts';
import type { UndoFigures } from '../domain/contacts/import/undo-record.ts';
import { tell } from './heartbeat.ts';
import { sliceOf } from './slice.ts';

/** The message of an error that no retry can fix; null if a retry may succeed. */
function permanentFailure(error: unknown): string | null {
  if (error instanceof AppError || error instanceof FileGoneError) return error.message;
  const code = pgError(error)?.code ?? '';
  return /^(22|23502|23514)/.test(code) ? `The database rejected the content of the file (${code})` : null;
}

export function contactImportActivities(deps: Deps, sliceMs?: number) {
  return {
    /**
     * Imports remaining rows for one slice; tells the progress. Errors that no retry can fix are not
     * retryable.
     */
    async importContacts({ tenantId, importId }: WorkflowInputs['contactImport']): Promise<ImportResult> {
      return runImport({
        orm: deps.orm,
        tenantId,
        importId,
        isSliceOver: sliceOf(sliceMs),
        open: (key, offset) => readFile(deps.nats, key, offset),
        progress: (progress) => {
          // Chunks commit on a separate client, which the outbox subscriber does not see.
          deps.nats.connection.publish(OUTBOX_PING, 'outbox_events' satisfies OutboxTable);
          tell(progress);
        },
      }).catch((error: unknown) => {
        const why = permanentFailure(error);
        throw why === null ? error : ApplicationFailure.nonRetryable(why, 'ImportFailed');
      });
    },

    async completeContactImport({ tenantId, importId }: WorkflowInputs['contactImport']): Promise<void> {
      await deleteFile(deps.nats, await completeImport(deps.orm, tenantId, importId));
    },

    /** Undoes chunks of an import for one slice. Returns the progress. */
    async undoContactImport({
      tenantId,
      importId,
    }: WorkflowInputs['contactImport']): Promise<UndoFigures & { over: boolean }> {
      const isSliceOver = sliceOf(sliceMs);
      for (;;) {
        const figures = await undoNextChunk(deps.orm, tenantId, importId);
        if (figures.over || isSliceOver()) return figures;
        tell(figures);
      }
    },

    async failContactImport({
      tenantId,
      importId,
      error,
    }: WorkflowInputs['contactImport'] & { error: string }): Promise<void> {
      await failImport(deps.orm, tenantId, importId, error);
    },
  };
}
