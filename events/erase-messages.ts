import { decodeText, readMessages, type Nats } from './nats.ts';

const BATCH = 500;

export interface EraseProgress {
  /** The last message that was looked at. */
  seq: number;
  erased: number;
}

/**
 * Erases the messages of a stream whose text `isToGo` says yes to, overwriting them: those under `subject` after `from.seq`
 * that there are now. `onProgress` is told after each batch.
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

/** By its age, or by a try before, it may be gone already. */
function isGone(error: unknown): false {
  if (/no message found|not found/i.test(error instanceof Error ? error.message : '')) return false;
  throw error;
}
