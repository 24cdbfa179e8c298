import { isUtf8 } from 'node:buffer';
import type { Violation } from '../../../../lib/checks/violation.ts';
import {
  encodingNamed,
  isDelimiterOf,
  toUnits,
  unitBytes,
  type CsvEncoding,
  type CsvFormat,
  type CsvHead,
} from './encoding.ts';
import { judgeEncoding } from './judge-encoding.ts';
import { scanRecord } from './scan-record.ts';

/** Enough bytes from the start of a file to detect its format and read its header. */
export const HEAD_BYTES = 256 * 1024;

export interface DetectedFormat extends CsvFormat {
  /** Length of the byte order mark, 0 if there is none. */
  readonly bomBytes: number;
  /** Length in units of a line such as `sep=;` before the header, which spreadsheets read; 0 if there is none. */
  readonly separatorLine: number;
  /** True if the encoding was judged by the text, so that it may be another one. */
  readonly judged: boolean;
}

export interface DetectOptions {
  readonly encoding?: string | undefined;
  readonly delimiter?: string | undefined;
  /** Whether a text is a known header: what the header says in the right encoding. */
  readonly isKnownHeader?: (text: string) => boolean;
}

const MAGIC: readonly (readonly [string, string])[] = [
  ['gzip', '1f8b'],
  ['zip (as Excel workbooks are)', '504b0304'],
  ['zip', '504b0506'],
  ['Excel', 'd0cf11e0a1b11ae1'],
  ['PDF', '255044462d'],
  ['PNG', '89504e470d0a1a0a'],
  ['JPEG', 'ffd8ff'],
  ['bzip2', '425a6839'],
  ['xz', 'fd377a585a00'],
  ['zstd', '28b52ffd'],
  ['7z', '377abcaf271c'],
  ['Parquet', '50415231'],
];

const BOMS: readonly (readonly [CsvEncoding, Buffer])[] = [
  ['utf-8', Buffer.from([0xef, 0xbb, 0xbf])],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
];

const DELIMITERS = [',', ';', '\t', '|'];
const SAMPLED_RECORDS = 200;

/**
 * Detects the format of a CSV file. `encoding` (a WHATWG label such as `windows-1250` or `shift_jis`; ISO 2022 is not
 * supported) and `delimiter` (one ASCII character, or `tab`) override the detection.
 * Violations: `empty_file`, `binary_file`, `invalid_option`, `unknown_encoding`.
 */
export function detectFormat(head: CsvHead, options: DetectOptions = {}): DetectedFormat | Violation {
  const { bytes } = head;
  if (bytes.length === 0) return { code: 'empty_file', message: 'the file is empty' };
  const magic = MAGIC.find(([, hex]) => bytes.subarray(0, hex.length / 2).toString('hex') === hex);
  if (magic !== undefined) return binary(`the file is ${magic[0]}, not CSV`);

  const bom = BOMS.find(([, mark]) => bytes.subarray(0, mark.length).equals(mark));
  const named = options.encoding === undefined ? null : encodingNamed(options.encoding);
  if (options.encoding !== undefined && named === null) {
    return { code: 'invalid_option', message: 'encoding: is unknown or not supported' };
  }
  const known = named ?? bom?.[0] ?? unicodeOf(bytes);
  // What is no text cannot be judged by it.
  if (known === null && CONTROL.test(firstLine(bytes.toString('latin1')))) return NOT_CSV;
  const encoding = known ?? judgeEncoding(head, options.isKnownHeader ?? (() => false));
  if (typeof encoding !== 'string') return encoding;
  const bomBytes = bom !== undefined && bom[0] === encoding ? bom[1].length : 0;
  const usable = bytes.length - ((bytes.length - bomBytes) % unitBytes(encoding));
  const text = toUnits(bytes.subarray(bomBytes, usable), encoding);
  if (text.trim() === '') return { code: 'empty_file', message: 'the file is empty' };
  if (CONTROL.test(firstLine(text))) return NOT_CSV;

  const separator = SEPARATOR_LINE.exec(text);
  const separatorLine = separator?.[0].length ?? 0;
  const asked = options.delimiter ?? separator?.[1];
  const delimiter =
    asked === undefined
      ? guessDelimiter(text, head.complete, encoding)
      : delimiterNamed(asked, options.delimiter === undefined ? 'the line sep=' : 'delimiter');
  if (typeof delimiter !== 'string') return delimiter;
  if (!isDelimiterOf(encoding, delimiter)) {
    const message = `delimiter: ${delimiter} can be a part of characters in ${encoding}; save the file as UTF-8`;
    return { code: 'invalid_option', message };
  }
  return { encoding, delimiter, bomBytes, separatorLine, judged: known === null && encoding !== 'utf-8' };
}

const binary = (message: string): Violation => ({ code: 'binary_file', message });

const NOT_CSV = binary('the first line contains control characters: the file is not CSV');

/** The line by which spreadsheets are told the delimiter. */
const SEPARATOR_LINE = /^"?sep=([^\r\n])"?(?:\r\n?|\n)/i;

const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/;

const firstLine = (text: string): string => /[^\r\n]+/.exec(text)?.[0] ?? '';

function delimiterNamed(option: string, source: string): string | Violation {
  const delimiter = option.toLowerCase() === 'tab' ? '\t' : option;
  if (/^[\t!-~]$/.test(delimiter) && !/[\w"@.]/.test(delimiter)) return delimiter;
  const message = `${source}: must be one ASCII character other than a letter, digit, quote, underscore, @ or dot`;
  return { code: 'invalid_option', message };
}

/**
 * UTF-16 is recognised by its zero bytes. Otherwise the encoding is UTF-8, perhaps with some invalid bytes, or null: one
 * to be judged by the text.
 */
function unicodeOf(bytes: Buffer): CsvEncoding | null {
  const zeros = [0, 0];
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const pairs = bytes.length / 2;
  if (odd > 0.3 * pairs && even < 0.05 * odd) return 'utf-16le';
  if (even > 0.3 * pairs && odd < 0.05 * even) return 'utf-16be';

  if (isUtf8(bytes)) return 'utf-8';
  // With `stream`, so that a character cut off at the end of the head does not count as invalid.
  const text = new TextDecoder('utf-8').decode(bytes, { stream: true });
  const bad = count(text, /\uFFFD/g);
  const good = count(text, /[^\x00-\x7f\uFFFD]/gu);
  return good >= bad ? 'utf-8' : null;
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** The delimiter for which most records have as many cells as the header; on a tie the one with more cells. */
function guessDelimiter(text: string, complete: boolean, encoding: CsvEncoding): string {
  let best = { delimiter: ',', share: 0, cells: 1 };
  for (const delimiter of DELIMITERS.filter((one) => isDelimiterOf(encoding, one))) {
    const { share, cells } = consistency(text, delimiter.charCodeAt(0), complete);
    const better = share > best.share || (share === best.share && cells > best.cells);
    if (cells > 1 && better) best = { delimiter, share, cells };
  }
  return best.delimiter;
}

function consistency(text: string, delimiter: number, complete: boolean): { share: number; cells: number } {
  let cells = 0;
  let records = 0;
  let alike = 0;
  let at = 0;
  while (at < text.length && records < SAMPLED_RECORDS) {
    const scan = scanRecord(text, at, delimiter, text.length, complete);
    if (scan.kind !== 'record') break;
    at = scan.end;
    if (scan.cells.every((cell) => cell.trim() === '')) continue;
    if (records === 0) cells = scan.cells.length;
    records += 1;
    if (scan.cells.length === cells) alike += 1;
  }
  return { share: records === 0 ? 0 : alike / records, cells };
}
