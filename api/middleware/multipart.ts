import { AppError } from '../../domain/errors.ts';

/** What takes the parts of a body, one after the other. `end` is called once for each part that began, when it is whole. */
export interface PartTaker {
  begin(part: PartHeader): void | Promise<void>;
  take(piece: Buffer): void | Promise<void>;
  end(): void | Promise<void>;
}

export interface PartHeader {
  name: string;
  /** Of a file; null for a text. */
  fileName: string | null;
  mimeType: string | null;
}

/** A part's header has a name, a file's name and a type: far less than this. */
const MAX_HEADER_BYTES = 8 * 1024;
const MAX_PADDING_BYTES = 100;

export const malformed = (detail: string, cause?: unknown): AppError => new AppError('malformed_body', detail, { cause });

/** The delimiter that a Content-Type of multipart/form-data names, after the line break and dashes that go before each. */
export function delimiterOf(contentType: string): Buffer {
  const [, quoted, token] = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? token;
  if (!boundary) throw malformed('The Content-Type has no boundary');
  return Buffer.from(`\r\n--${boundary}`, 'latin1');
}

const PARAMETER = /;[ \t]*([\w*-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))[ \t]*/y;

/** The parameters of a header, in quotes or not, as browsers and programs write them: `%22` and `\"` are a quotation mark. */
function parametersOf(header: string): Map<string, string> {
  const parameters = new Map<string, string>();
  PARAMETER.lastIndex = header.indexOf(';');
  for (let found = PARAMETER.exec(header); found; found = PARAMETER.exec(header)) {
    const [, name, quoted, token] = found;
    parameters.set(name!.toLowerCase(), quoted === undefined ? token! : quoted.replace(/\\(["\\])/g, '$1').replace(/%22|%0D|%0A/gi, (escape) => decodeURIComponent(escape)));
  }
  return parameters;
}

function readHeader(text: string): PartHeader {
  const headers = new Map(text.split('\r\n').filter(Boolean).map((line) => {
    const colon = line.indexOf(':');
    if (colon < 1) throw malformed('A part has a header that can not be read');
    return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
  }));
  const disposition = headers.get('content-disposition') ?? '';
  const parameters = parametersOf(disposition);
  const name = /^form-data\b/i.test(disposition) ? parameters.get('name') : undefined;
  if (name === undefined) throw malformed('A part has no name: each needs Content-Disposition: form-data; name="…"');
  if (!/^(7bit|8bit|binary)?$/i.test(headers.get('content-transfer-encoding') ?? '')) throw malformed('A part has a Content-Transfer-Encoding: send it as it is');
  return { name, fileName: parameters.get('filename') ?? null, mimeType: headers.get('content-type') ?? null };
}

/**
 * Reads multipart/form-data (RFC 7578) piece by piece, as it comes; what it holds at a time is a piece and a part's header.
 * Throws `malformed_body`, and whatever `to` throws.
 */
export async function readParts(pieces: AsyncIterable<Buffer>, delimiter: Buffer, to: PartTaker): Promise<void> {
  let phase: 'before' | 'delimiter' | 'header' | 'part' | 'after' = 'before';
  // A line break goes before the first delimiter, too.
  let left = Buffer.from('\r\n') as Buffer;
  for await (const piece of pieces) {
    if (phase === 'after') continue;
    const bytes: Buffer = left.length > 0 ? Buffer.concat([left, piece]) : piece;
    let at = 0;
    for (;;) {
      if (phase === 'before' || phase === 'part') {
        const found: number = bytes.indexOf(delimiter, at);
        // The end of what there is may be the beginning of a delimiter.
        const end: number = found < 0 ? Math.max(at, bytes.length - delimiter.length + 1) : found;
        if (phase === 'part' && end > at) await to.take(bytes.subarray(at, end));
        at = end;
        if (found < 0) break;
        if (phase === 'part') await to.end();
        at += delimiter.length;
        phase = 'delimiter';
      }
      if (phase === 'delimiter') {
        if (bytes.length - at < 2) break;
        if (bytes.toString('latin1', at, at + 2) === '--') {
          phase = 'after';
          break;
        }
        const lineEnd: number = bytes.indexOf('\r\n', at);
        const padding: string = bytes.toString('latin1', at, lineEnd < 0 ? bytes.length : lineEnd);
        if (padding.length > MAX_PADDING_BYTES || !/^[ \t]*\r?$/.test(padding)) throw malformed('A delimiter of the body has more on its line');
        if (lineEnd < 0) break;
        at = lineEnd;
        phase = 'header';
      }
      const headerEnd: number = bytes.indexOf('\r\n\r\n', at);
      if ((headerEnd < 0 ? bytes.length : headerEnd) - at > MAX_HEADER_BYTES) throw malformed(`A part's header is longer than ${MAX_HEADER_BYTES} bytes`);
      if (headerEnd < 0) break;
      await to.begin(readHeader(bytes.toString('utf8', at, headerEnd)));
      at = headerEnd + 4;
      phase = 'part';
    }
    left = bytes.subarray(at);
  }
  if (phase !== 'after') throw malformed('The body ends before its last delimiter');
}
