import { pipeline, Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';

export interface ZipFile {
  name: string;
  content: Iterable<string> | AsyncIterable<string>;
}

const VERSION = 20;
/** Bit 3: sizes come after the data; bit 11: names are UTF-8. */
const FLAGS = 0x0808;
const DEFLATED = 8;
/** 1 January 1980, the first day that the format knows: the time of an entry says nothing. */
const DATE = 0x21;

interface Entry {
  name: Buffer;
  crc: number;
  packed: number;
  size: number;
  offset: number;
}

/** Fields of a header: [bytes, value] each, little-endian. */
function header(...fields: [bytes: 2 | 4, value: number][]): Buffer {
  const made = Buffer.alloc(fields.reduce((sum, [bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [bytes, value] of fields) at = bytes === 2 ? made.writeUInt16LE(value, at) : made.writeUInt32LE(value, at);
  return made;
}

/**
 * A ZIP archive (APPNOTE.TXT 6.3.10) written as it is read: nothing of a file is held. Up to 4 GiB; what is given up in the
 * middle gives up its files too.
 */
export async function* zip(files: Iterable<ZipFile>): AsyncGenerator<Buffer> {
  const entries: Entry[] = [];
  let offset = 0;
  for (const { name, content } of files) {
    const entry: Entry = { name: Buffer.from(name), crc: 0, packed: 0, size: 0, offset };
    const local = Buffer.concat([
      header([4, 0x04034b50], [2, VERSION], [2, FLAGS], [2, DEFLATED], [2, 0], [2, DATE], [4, 0], [4, 0], [4, 0], [2, entry.name.length], [2, 0]), entry.name,
    ]);
    yield local;
    for await (const chunk of packed(content, entry)) {
      entry.packed += chunk.length;
      yield chunk;
    }
    const sizes = header([4, 0x08074b50], [4, entry.crc], [4, entry.packed], [4, entry.size]);
    yield sizes;
    offset += local.length + entry.packed + sizes.length;
    entries.push(entry);
  }
  const directory = entries.map((entry) => Buffer.concat([
    header([4, 0x02014b50], [2, VERSION], [2, VERSION], [2, FLAGS], [2, DEFLATED], [2, 0], [2, DATE], [4, entry.crc], [4, entry.packed], [4, entry.size],
      [2, entry.name.length], [2, 0], [2, 0], [2, 0], [2, 0], [4, 0], [4, entry.offset]), entry.name,
  ]));
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  yield Buffer.concat([...directory, header([4, 0x06054b50], [2, 0], [2, 0], [2, entries.length], [2, entries.length], [4, size], [4, offset], [2, 0])]);
}

/** The content deflated; what the directory must know of it is counted on the way. */
function packed(content: ZipFile['content'], entry: Entry): AsyncIterable<Buffer> {
  const counted = async function* (): AsyncGenerator<Buffer> {
    for await (const text of content) {
      const bytes = Buffer.from(text);
      entry.crc = crc32(bytes, entry.crc);
      entry.size += bytes.length;
      yield bytes;
    }
  };
  // Who stops reading destroys the one, and the pipeline then the other.
  return pipeline(Readable.from(counted()), createDeflateRaw({ level: 4 }), () => undefined);
}
