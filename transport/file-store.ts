import { erase } from './erase-messages.ts';
import { isNotFound, type Nats } from './nats.ts';
import { FILES, KEPT_FILES } from './streams.ts';

/** Where files are stored: a stream, and the first token of its subjects. */
export interface FileStore {
  stream: string;
  prefix: string;
}
/** For files that are soon read and deleted; what remains expires after a week. */
export const UPLOADS: FileStore = { stream: FILES, prefix: 'files' };
/** For files that stay. Whoever stores one announces it first (domain/common/kept-files.ts). */
export const KEPT: FileStore = { stream: KEPT_FILES, prefix: 'kept-files' };

/** The file does not exist, or was deleted. */
export class FileGoneError extends Error {
  override readonly name = 'FileGoneError';
}

const CHUNK = 512 * 1024;
const IN_FLIGHT = 8;
/** An uploader must get an error within 5 s if the store does not respond. */
const ACK_MS = 4_000;
const subject = ({ prefix }: FileStore, key: string, n: number | '*'): string => `${prefix}.${key}.${n}`;

/**
 * Stores a file in JetStream as messages of 512 KiB (the last one shorter). Readers fetch one message after another,
 * starting at any of them, so memory use is constant on both ends. `key` consists of [A-Za-z0-9_-].
 */
export async function putFile(
  nats: Nats,
  key: string,
  content: AsyncIterable<Uint8Array>,
  store = UPLOADS,
): Promise<{ bytes: number }> {
  let bytes = 0;
  let n = 0;
  let parts: Uint8Array[] = [];
  let held = 0;
  let flight: Promise<unknown>[] = [];
  const publish = async (data: Uint8Array): Promise<void> => {
    const sent = nats.js.publish(subject(store, key, n++), data, { timeout: ACK_MS });
    // Awaited later, with the others; a rejection before that must not end the process.
    sent.catch(() => undefined);
    flight.push(sent);
    if (flight.length >= IN_FLIGHT) {
      await Promise.all(flight);
      flight = [];
    }
  };
  for await (const part of content) {
    bytes += part.length;
    held += part.length;
    parts.push(part);
    if (held < CHUNK) continue;
    const whole = Buffer.concat(parts, held);
    let at = 0;
    for (; held - at >= CHUNK; at += CHUNK) await publish(whole.subarray(at, at + CHUNK));
    held -= at;
    parts = held > 0 ? [whole.subarray(at)] : [];
  }
  await publish(Buffer.concat(parts, held));
  await Promise.all(flight);
  return { bytes };
}

/**
 * Reads a file from the message that contains `offset` on; also returns where that message begins. Throws
 * FileGoneError.
 */
export function readFile(
  nats: Nats,
  key: string,
  offset = 0,
  store = UPLOADS,
): { inputOffset: number; content: AsyncGenerator<Uint8Array> } {
  const first = Math.floor(offset / CHUNK);
  async function* content(): AsyncGenerator<Uint8Array> {
    for (let n = first; ; n += 1) {
      const { data } = await nats.jsm.streams
        .getMessage(store.stream, { last_by_subj: subject(store, key, n) })
        .catch((error: unknown) => {
          throw isNotFound(error) ? new FileGoneError('The file is no longer stored', { cause: error }) : error;
        });
      if (data.length > 0) yield data;
      if (data.length < CHUNK) return;
    }
  }
  return { inputOffset: first * CHUNK, content: content() };
}

export async function deleteFile(nats: Nats, key: string): Promise<void> {
  await nats.jsm.streams.purge(FILES, { filter: subject(UPLOADS, key, '*') });
}

/** Overwrites a kept file and removes it. Does nothing if it is gone; may be repeated. */
export async function eraseFile(nats: Nats, key: string): Promise<void> {
  const { stream } = KEPT;
  const all = subject(KEPT, key, '*');
  const { state } = await nats.jsm.streams.info(stream, { subjects_filter: all });
  for (const name of Object.keys(state.subjects ?? {})) {
    const found = await nats.jsm.streams.getMessage(stream, { last_by_subj: name }).catch((error: unknown) => {
      if (isNotFound(error)) return null;
      throw error;
    });
    if (found) await erase(nats, stream, found.seq);
  }
  await nats.jsm.streams.purge(stream, { filter: all });
}
