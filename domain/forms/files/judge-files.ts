import type { SentFile } from './check-file.ts';
import { storedName } from './file-name.ts';
import { judgeContent } from './judge-content.ts';

/** A file of a request, as the API has read it. */
export interface Upload {
  field: string;
  name: string;
  /** In bytes. */
  size: number;
  refused: SentFile['refused'];
  read: () => AsyncIterable<Uint8Array>;
}

/** A file of a request whose content was judged. */
export interface JudgedFile extends SentFile {
  read: () => AsyncIterable<Uint8Array>;
}

/** Judges uploads by their content, one after the other. `limitOf` is the maximum size of a field's file. */
export async function judgeFiles(
  uploads: readonly Upload[],
  limitOf: (field: string) => number,
): Promise<JudgedFile[]> {
  const judged: JudgedFile[] = [];
  for (const { field, name, size, refused, read } of uploads) {
    const content = refused ? null : await judgeContent(read());
    judged.push({
      field,
      fileName: storedName(name),
      size,
      limit: limitOf(field),
      refused,
      mediaType: content?.mediaType ?? null,
      sha256: content?.sha256 ?? null,
      read,
    });
  }
  return judged;
}
