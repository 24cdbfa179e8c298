import type { EventBatch } from '../events/contracts.ts';
import { decodeText, encode, publishAll, readMessages, type Nats, type StoredMessage } from './nats.ts';
import { batchSubject, EVENT_BATCHES } from './streams.ts';

const BATCH = 500;

export interface EraseProgress {
  /** The sequence number of the last message that was checked. */
  seq: number;
  erased: number;
}

/**
 * Erases (overwrites) the messages of a stream for whose text `isToGo` returns true, among those under `subject` after
 * `from.seq` that exist now. Calls `onProgress` after each batch.
 */
export function eraseMessages(
  nats: Nats,
  stream: string,
  subject: string,
  from: EraseProgress,
  isToGo: (text: string) => boolean,
  onProgress: (progress: EraseProgress) => void,
): Promise<EraseProgress> {
  return eachMessage(nats, stream, subject, from, onProgress, async ({ seq, data }) =>
    isToGo(decodeText(data)) && (await erase(nats, stream, seq)) ? 1 : 0,
  );
}

/**
 * Like `eraseMessages`, for the events of a tenant in the batches that were not handled yet: replaces a batch by one
 * with the same id and its other events, so that whoever handles either, or both, does so once.
 */
export function eraseFromBatches(
  nats: Nats,
  tenantId: string,
  from: EraseProgress,
  isToGo: (text: string) => boolean,
  onProgress: (progress: EraseProgress) => void,
): Promise<EraseProgress> {
  return eachMessage(nats, EVENT_BATCHES, '>', from, onProgress, async ({ seq, data }) => {
    if (!isToGo(decodeText(data))) return 0;
    const batch = JSON.parse(decodeText(data)) as EventBatch;
    if (batch.tenantid !== tenantId) return 0;
    const kept = batch.events.filter((event) => !isToGo(JSON.stringify(event)));
    if (kept.length < batch.events.length && kept.length > 0)
      await publishAll(nats, [{ subject: batchSubject(batch.type), data: encode({ ...batch, events: kept }) }]);
    return kept.length < batch.events.length && (await erase(nats, EVENT_BATCHES, seq))
      ? batch.events.length - kept.length
      : 0;
  });
}

/** Calls `eraseFrom` for each message under `subject` after `from.seq` that exists now; it returns how much it erased. */
async function eachMessage(
  nats: Nats,
  stream: string,
  subject: string,
  from: EraseProgress,
  onProgress: (progress: EraseProgress) => void,
  eraseFrom: (message: StoredMessage) => Promise<number>,
): Promise<EraseProgress> {
  const { state } = await nats.jsm.streams.info(stream);
  let { seq, erased } = from;
  if (state.messages === 0 || seq >= state.last_seq) return { seq, erased };
  for (let more = true; more && seq < state.last_seq;) {
    const read = await readMessages(nats, stream, Math.max(seq + 1, state.first_seq), subject, BATCH);
    for (const message of read.messages) {
      erased += await eraseFrom(message);
      ({ seq } = message);
    }
    ({ more } = read);
    onProgress({ seq, erased });
  }
  return { seq, erased };
}

/** Overwrites a message. Returns false if it is gone. */
export const erase = (nats: Nats, stream: string, seq: number): Promise<boolean> =>
  nats.jsm.streams.deleteMessage(stream, seq, true).catch(isGone);

/** Ignores "not found": the message may have expired, or been erased by an earlier attempt. */
function isGone(error: unknown): false {
  if (/no message found|not found/i.test(error instanceof Error ? error.message : '')) return false;
  throw error;
}
