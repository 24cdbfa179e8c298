import { CsvError, parse } from 'csv-parse/sync';
import { unitBytes, type CsvFormat } from './encoding.ts';

const LINE_BREAKS = ['\r\n', '\n', '\r'];
const HALF_PAIR = /[\uD800-\uDBFF]/;

export interface ParsedRecord {
  readonly cells: string[];
  /** How many units it has, its line break included. */
  readonly length: number;
}

export interface Parsed {
  readonly records: ParsedRecord[];
  /** Whether csv-parse refuses what follows for its quotes. Else it goes on beyond the text, or there is nothing. */
  readonly refused: boolean;
}

/**
 * The records at the start of a text of units, as csv-parse reads them; with the last one if nothing follows the text
 * (`final`). By the synchronous API of csv-parse: its stream can not go on after an error.
 */
export function parseRecords(text: string, format: CsvFormat, final: boolean): Parsed {
  const whole = final || !HALF_PAIR.test(text.at(-1) ?? '') ? text : text.slice(0, -1);
  // UTF-8 has no lone surrogates, and csv-parse takes a NUL behind a quote for the end of the file.
  if (!whole.isWellFormed() || whole.includes('"\0')) return { records: [], refused: true };
  // UTF-16 is parsed as UTF-8: csv-parse takes the last byte of a character and the first of the next for a delimiter.
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
  // csv-parse makes an error for each record that has more or fewer cells than the first. Stacks take most of the time.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    parse(bytes, {
      delimiter: format.delimiter,
      encoding,
      // Each byte is compared with each of them.
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
  // What ends where the text ends may go on behind it: with more of the cell, or with the LF of a CRLF.
  if (!final && end === bytes.length) records.pop();
  return { records, refused };
}
