import { isUtf8 } from 'node:buffer';

/**
 * A file's text is scanned as a string of "units", one character per code unit of the file: one byte (as Latin-1) or,
 * in UTF-16, two. In all supported encodings, delimiters (`isDelimiterOf`), quotes and line breaks are ASCII and never
 * part of another character, so records and their offsets are found without decoding.
 */
export type CsvEncoding = string;

export interface CsvHead {
  /** The first bytes of the file, enough to read its header. */
  readonly bytes: Buffer;
  /** True if that is the whole file. */
  readonly complete: boolean;
}

export interface CsvFormat {
  readonly encoding: CsvEncoding;
  /** One ASCII character. */
  readonly delimiter: string;
}

// Their characters may contain bytes that have another meaning alone, or escape sequences.
const UNSUPPORTED = /^(iso-2022|replacement|x-user-defined)/;
const MULTI_BYTE = /^(gbk|gb18030|big5|euc-|shift_jis)/;

/** The WHATWG name of an encoding (`latin1` → `windows-1252`), or null if it is unknown or not supported. */
export function encodingNamed(label: string): CsvEncoding | null {
  try {
    const name = new TextDecoder(label.trim()).encoding;
    return UNSUPPORTED.test(name) ? null : name;
  } catch {
    return null;
  }
}

/**
 * Whether a delimiter can be told from a part of a character: in the multi-byte encodings of East Asia, the later bytes
 * of a character may be letters, digits or signs from @ on, such as `|`.
 */
export const isDelimiterOf = (encoding: CsvEncoding, delimiter: string): boolean =>
  !MULTI_BYTE.test(encoding) || delimiter < '@';

/** Bytes per unit of the encoding. */
export function unitBytes(encoding: CsvEncoding): 1 | 2 {
  return encoding.startsWith('utf-16') ? 2 : 1;
}

/** Converts bytes to units; in UTF-16 their number must be even. */
export function toUnits(bytes: Buffer, encoding: CsvEncoding): string {
  if (encoding === 'utf-16le') return bytes.toString('utf16le');
  if (encoding === 'utf-16be') return Buffer.from(bytes).swap16().toString('utf16le');
  return bytes.toString('latin1');
}

/** Decoders by encoding: creating one takes longer than decoding a cell. */
const decoders = new Map<CsvEncoding, InstanceType<typeof TextDecoder>>();

function decoderOf(encoding: CsvEncoding): InstanceType<typeof TextDecoder> {
  const known = decoders.get(encoding);
  if (known) return known;
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  decoders.set(encoding, decoder);
  return decoder;
}

/** Decodes units to text. If some cannot be decoded, `valid` is false and the text has U+FFFD in their place. */
export function decodeUnits(units: string, encoding: CsvEncoding): { text: string; valid: boolean } {
  if (unitBytes(encoding) === 2) {
    return units.isWellFormed() ? { text: units, valid: true } : { text: units.toWellFormed(), valid: false };
  }
  const bytes = Buffer.from(units, 'latin1');
  if (encoding === 'utf-8') return { text: bytes.toString('utf8'), valid: isUtf8(bytes) };
  const text = decoderOf(encoding).decode(bytes);
  return { text, valid: !text.includes('\uFFFD') };
}
