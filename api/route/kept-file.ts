import { AppError } from '../../lib/checks/errors.ts';
import { FileGoneError, KEPT, readFile } from '../../transport/file-store.ts';
import type { Nats } from '../../transport/nats.ts';

/** The content of a kept file, of which the first part has been read, so that a missing file is still an error. */
export async function openKeptFile(nats: Nats, key: string): Promise<AsyncGenerator<Uint8Array>> {
  const { content } = readFile(nats, key, 0, KEPT);
  const first = await content.next().catch((error: unknown) => {
    throw error instanceof FileGoneError ? new AppError('not_found', 'The file is no longer stored') : error;
  });
  async function* whole(): AsyncGenerator<Uint8Array> {
    if (!first.done) yield first.value;
    yield* content;
  }
  return whole();
}
