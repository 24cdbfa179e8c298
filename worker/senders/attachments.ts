import { buffer } from 'node:stream/consumers';
import type { Deps } from '../../runtime/deps.ts';
import { engineEm } from '../../db/orm.ts';
import type { Attachment } from '../../domain/emails/mime/attachment.ts';
import { readAttachment } from '../../domain/reports/read-attachment.ts';
import { FileGoneError, KEPT, readFile } from '../../transport/file-store.ts';

/** Loads the file of a report's run. `gone`: it is no longer kept; `later`: it cannot be loaded now. */
export type LoadAttachment = (tenantId: string, reportRunId: number) => Promise<Attachment | 'gone' | 'later'>;

/** While rendered emails that wait for a connection have more bytes than this together, no file is added to them. */
const MOST_WAITING_BYTES = 64 * 1024 * 1024;

/** Loads files while `waitingBytes` is within bounds, so that they do not fill the memory. */
export const createLoadAttachment =
  ({ orm, nats, log }: Pick<Deps, 'orm' | 'nats' | 'log'>, waitingBytes: () => number): LoadAttachment =>
  async (tenantId, reportRunId) => {
    if (waitingBytes() > MOST_WAITING_BYTES) return 'later';
    try {
      const found = await readAttachment(engineEm(orm), tenantId, reportRunId);
      if (!found) return 'gone';
      const { objectKey, fileName, mediaType } = found;
      return { fileName, mediaType, content: await buffer(readFile(nats, objectKey, 0, KEPT).content) };
    } catch (error) {
      if (error instanceof FileGoneError) return 'gone';
      log.warn({ err: error, reportRunId }, 'could not load the file of a report');
      return 'later';
    }
  };
