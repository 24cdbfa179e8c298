import { decodeText, type Nats } from './nats.ts';

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
  nats: Nats, stream: string, subject: string, from: EraseProgress, isToGo: (text: string) => boolean, onProgress: (progress: EraseProgress) => void,
): Promise<EraseProgress> {
  const { state } = await nats.jsm.streams.info(stream);
  let { seq, erased } = from;
  if (state.messages === 0 || seq >= state.last_seq) return { seq, erased };
  const consumer = await nats.js.consumers.get(stream, { filterSubjects: [subject], opt_start_seq: Math.max(seq + 1, 1), deliver_policy: 'by_start_sequence' } as never);
  const doomed: number[] = [];
  for (let pending = (await consumer.info()).num_pending; pending > 0;) {
    const batch = await consumer.fetch({ max_messages: Math.min(BATCH, pending), expires: 5000 });
    let got = 0;
    for await (const message of batch) {
      got += 1;
      pending = message.info.pending;
      ({ seq } = message);
      if (isToGo(decodeText(message.data))) doomed.push(message.seq);
    }
    for (const one of doomed.splice(0)) if (await nats.jsm.streams.deleteMessage(stream, one, true).catch(isGone)) erased += 1;
    onProgress({ seq, erased });
    if (got === 0) break;
  }
  await consumer.delete();
  return { seq, erased };
}

/** By its age, or by a try before, it may be gone already. */
function isGone(error: unknown): false {
  if (/no message found|not found/i.test(error instanceof Error ? error.message : '')) return false;
  throw error;
}
