import { isUtf8 } from 'node:buffer';

/**
 * A file's text is scanned as a string of "units", one character per code unit of the file: one byte (as Latin-1) or,
 * in UTF-16, two. In all supported encodings, delimiters, quotes and line breaks are ASCII and never part of another
 * character, so records and their offsets are found without decoding.
 */
export type CsvEncoding = string;

export interface CsvFormat {
  readonly encoding: CsvEncoding;
  /** One ASCII character. */
  readonly delimiter: string;
}

// WHATWG's multi-byte encodings other than UTF-8 and UTF-16: parts of their characters may look like a delimiter.
const MULTI_BYTE = /^(gbk|gb18030|big5|euc-|iso-2022|shift_jis|replacement|x-user-defined)/;

/** The WHATWG name of an encoding (`latin1` → `windows-1252`), or null if it is unknown or not supported. */
export function encodingNamed(label: string): CsvEncoding | null {
  try {
    const name = new TextDecoder(label.trim()).encoding;
    return MULTI_BYTE.test(name) ? null : name;
  } catch {
    return null;
  }
}

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

/** Decodes units to text. If some cannot be decoded, `valid` is false and the text has U+FFFD in their place. */
export function decodeUnits(units: string, encoding: CsvEncoding): { text: string; valid: boolean } {
  if (unitBytes(encoding) === 2) {
    return units.isWellFormed() ? { text: units, valid: true } : { text: units.toWellFormed(), valid: false };
  }
  const bytes = Buffer.from(units, 'latin1');
  if (encoding === 'utf-8') return { text: bytes.toString('utf8'), valid: isUtf8(bytes) };
  const text = new TextDecoder(encoding).decode(bytes);
  return { text, valid: !text.includes('\uFFFD') };
}
