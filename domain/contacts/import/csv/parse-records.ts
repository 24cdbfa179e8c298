import { CsvError, parse } from 'csv-parse/sync';
import { unitBytes, type CsvFormat } from './encoding.ts';

const LINE_BREAKS = ['\r\n', '\n', '\r'];
const HALF_PAIR = /[\uD800-\uDBFF]/;

export interface ParsedRecord {
  readonly cells: string[];
  /** Length in units, including the line break. */
  readonly length: number;
}

export interface Parsed {
  readonly records: ParsedRecord[];
  /**
   * Whether csv-parse rejects the quotes of what follows the records. If false, the rest is an incomplete record or
   * empty.
   */
  readonly refused: boolean;
}

/**
 * Parses the records at the start of a text of units with csv-parse; includes the last one if nothing follows the text
 * (`final`). Uses the synchronous API of csv-parse, because its stream cannot continue after an error.
 */
export function parseRecords(text: string, format: CsvFormat, final: boolean): Parsed {
  const whole = final || !HALF_PAIR.test(text.at(-1) ?? '') ? text : text.slice(0, -1);
  // UTF-8 cannot encode lone surrogates, and csv-parse interprets a NUL after a quote as the end of the file.
  if (!whole.isWellFormed() || whole.includes('"\0')) return { records: [], refused: true };
  // UTF-16 is parsed as UTF-8: in UTF-16, csv-parse can interpret the last byte of a character and the first of the
  // next as a delimiter.
  const encoding = unitBytes(format.encoding) === 1 ? 'latin1' : 'utf8';
  const bytes = Buffer.from(whole, encoding);
  const records: ParsedRecord[] = [];
  let end = 0;
  const keep = (cells: string[], info: { readonly bytes: number }): null => {
    const length = encoding === 'latin1' ? info.bytes - end : bytes.toString(encoding, end, info.bytes).length;
    records.push({ cells, length });
    end = info.bytes;
    return null;
  };
  let refused = false;
  // csv-parse creates an error for each record whose number of cells differs from the first. Stack traces would take
  // most of the time.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    parse(bytes, {
      delimiter: format.delimiter,
      encoding,
      // Fewer are faster: csv-parse compares each byte with each of them.
      record_delimiter: whole.includes('\r') ? LINE_BREAKS : ['\n'],
      relax_column_count: true,
      on_record: keep,
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    refused = final || error.code !== 'CSV_QUOTE_NOT_CLOSED';
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  // A record that ends where the text ends may continue after it: with more of the cell, or with the LF of a CRLF.
  if (!final && end === bytes.length) records.pop();
  return { records, refused };
}
