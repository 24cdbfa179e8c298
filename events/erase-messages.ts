import { decodeText, readMessages, type Nats } from './nats.ts';

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
export async function eraseMessages(
  nats: Nats,
  stream: string,
  subject: string,
  from: EraseProgress,
  isToGo: (text: string) => boolean,
  onProgress: (progress: EraseProgress) => void,
): Promise<EraseProgress> {
  const { state } = await nats.jsm.streams.info(stream);
  let { seq, erased } = from;
  if (state.messages === 0 || seq >= state.last_seq) return { seq, erased };
  for (let more = true; more && seq < state.last_seq;) {
    const read = await readMessages(nats, stream, Math.max(seq + 1, state.first_seq), subject, BATCH);
    for (const message of read.messages) {
      if (
        isToGo(decodeText(message.data)) &&
        (await nats.jsm.streams.deleteMessage(stream, message.seq, true).catch(isGone))
      )
        erased += 1;
      ({ seq } = message);
    }
    ({ more } = read);
    onProgress({ seq, erased });
  }
  return { seq, erased };
}

/** Ignores "not found": the message may have expired, or been erased by an earlier attempt. */
function isGone(error: unknown): false {
  if (/no message found|not found/i.test(error instanceof Error ? error.message : '')) return false;
  throw error;
}
