import { toUnits, unitBytes, type CsvFormat } from './encoding.ts';
import { parseRecords, type ParsedRecord } from './parse-records.ts';
import { scanRecord, type Scan } from './scan-record.ts';

/** Maximum size of a cell, and of a record, in bytes of the file. */
export const CELL_MAX_BYTES = 64 * 1024;
export const RECORD_MAX_BYTES = 1024 * 1024;

/** Smaller pieces of input are combined to this many bytes before they are scanned. */
const SCAN_BYTES = 64 * 1024;
/** How many units one call of csv-parse gets. */
const PARSE_UNITS = 32 * 1024;
/** A call of csv-parse that ends with a refusal takes about as long as scanning this many records. */
const REFUSAL_RECORDS = 100;
const LINE_BREAK = /[\r\n]/;

/**
 * A record in the file, with its cells still in units of the encoding. A broken record has its text as the only cell.
 */
export interface RawRecord {
  /**
   * Counts all records of the file from 1, including the header and blank lines: the row number that a spreadsheet
   * shows.
   */
  readonly row: number;
  /** Offset in the file, in bytes, of the end of the record. */
  readonly endOffset: number;
  readonly cells: readonly string[];
  readonly fault: 'malformed_quote' | 'unclosed_quote' | 'cell_too_long' | 'row_too_long' | null;
}

interface Broken {
  /** Null if it is only known at the end of the record, from whether a quote is still open there. */
  readonly fault: RawRecord['fault'];
  /** The number of quotes in it. */
  quotes: number;
  /** The first 64 KiB of the broken record's text. */
  text: string;
}

/**
 * Splits a file into records while its bytes arrive. Holds at most one record and the bytes of the last push.
 *
 * Records are parsed by csv-parse, which stops at a quote that violates RFC 4180. Our own scanner then scans that one
 * record, which may be valid (blanks around quotes, quotes inside a cell) or broken, and csv-parse continues after it.
 *
 * The end of a record that is too long or has wrong quotes cannot be determined. Such a record becomes one broken
 * record that extends, line by line, to the next line that starts a valid record of exactly `columns` cells. So an
 * unclosed quote costs only its own row, not the rest of the file, and no piece of a broken cell that has fewer or
 * more cells is taken for a contact.
 */
export class RecordReader {
  readonly #format: CsvFormat;
  readonly #delimiter: number;
  readonly #columns: number;
  readonly #unit: number;
  readonly #scanBytes: number;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #wanted: number;
  /** False if all text was scanned, so that scanning again would find nothing more. */
  #fresh = false;
  #ended = false;
  #text = '';
  /** The parsed records that start at `#at`. */
  #parsed: Iterator<ParsedRecord, undefined> = [].values();
  /**
   * How many records our scanner still has to scan: the one that csv-parse refused, and more after repeated refusals.
   */
  #toScan = 0;
  #refusals = 0;
  #at = 0;
  #textOffset: number;
  #row: number;
  #broken: Broken | null = null;
  #midLine = false;

  /** `start`: the position in the file of the first pushed byte. */
  constructor(
    format: CsvFormat,
    columns: number,
    start: { readonly offset: number; readonly row: number },
    scanBytes = SCAN_BYTES,
  ) {
    this.#format = format;
    this.#delimiter = format.delimiter.charCodeAt(0);
    this.#columns = columns;
    this.#unit = unitBytes(format.encoding);
    this.#textOffset = start.offset;
    this.#row = start.row;
    this.#scanBytes = scanBytes;
    this.#wanted = scanBytes;
  }

  push(bytes: Buffer): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes >= this.#wanted) this.#take();
  }

  end(): void {
    this.#ended = true;
    this.#take();
  }

  /** The next record, or null if more bytes are needed (after `end`: if there are no more). */
  next(): RawRecord | null {
    if (!this.#fresh) return null;
    const record = this.#scanOn();
    if (record === null) this.#fresh = false;
    return record;
  }

  #scanOn(): RawRecord | null {
    for (;;) {
      if (this.#broken !== null) return this.#skipBroken(this.#broken);
      const parsed = this.#nextParsed();
      if (parsed !== undefined) return this.#sound(parsed);
      if (this.#at >= this.#text.length) return null;
      const scan = this.#scan();
      if (scan.kind === 'more') return null;
      if (scan.kind === 'record') return this.#sound({ cells: scan.cells, length: scan.end - this.#at });
      this.#broken = { fault: scan.kind === 'long' ? this.#whyLong() : scan.kind, quotes: 0, text: '' };
      this.#midLine = true;
    }
  }

  /** Skips the broken record; null if its end has not arrived yet. */
  #skipBroken(broken: Broken): RawRecord | null {
    for (;;) {
      if (this.#midLine && !this.#skipLine(broken)) return null;
      if (this.#at >= this.#text.length) return this.#ended ? this.#finish(broken) : null;
      // Scan at most this many cells: if each line opens a quote, every scan would otherwise run through all of them.
      const scan = this.#scan(this.#columns);
      if (scan.kind === 'more') return null;
      if (scan.kind === 'record' && scan.cells.length === this.#columns) return this.#finish(broken);
      this.#midLine = true;
    }
  }

  #scan(most?: number): Scan {
    const scan = scanRecord(this.#text, this.#at, this.#delimiter, this.#limit(), this.#ended, most);
    // Wait for twice as much each time, so that a long record is not scanned over and over.
    if (scan.kind === 'more') this.#wanted = Math.max(this.#scanBytes, (this.#text.length - this.#at) * this.#unit);
    return scan;
  }

  #sound({ cells, length }: ParsedRecord): RawRecord {
    this.#at += length;
    return { row: this.#row++, endOffset: this.#offset(), cells, fault: null };
  }

  /** The next record, if csv-parse can parse it. */
  #nextParsed(): ParsedRecord | undefined {
    let next = this.#parsed.next().value;
    if (next === undefined && this.#toScan === 0) {
      const end = this.#at + PARSE_UNITS;
      const final = this.#ended && end >= this.#text.length;
      const { records, refused } = parseRecords(this.#text.slice(this.#at, end), this.#format, final);
      // If refusals follow each other closely (`a, "b"` in each line), call csv-parse less and less often.
      this.#refusals = refused && records.length < REFUSAL_RECORDS ? this.#refusals + 1 : 0;
      if (refused) this.#toScan = Math.min(2 ** this.#refusals, REFUSAL_RECORDS);
      this.#parsed = records.values();
      next = this.#parsed.next().value;
    }
    if (next === undefined && this.#toScan > 0) this.#toScan -= 1;
    return next;
  }

  #take(): void {
    let bytes = this.#waiting.length === 1 ? (this.#waiting[0] as Buffer) : Buffer.concat(this.#waiting);
    this.#waiting = [];
    const odd = this.#unit === 2 && bytes.length % 2 === 1;
    if (odd && !this.#ended) this.#waiting.push(bytes.subarray(-1));
    if (odd) bytes = bytes.subarray(0, -1);
    this.#waitingBytes = this.#waiting.length;
    this.#textOffset = this.#offset();
    this.#text = this.#text.slice(this.#at) + toUnits(bytes, this.#format.encoding);
    // Half a unit at the end of the file becomes one that cannot be decoded.
    if (odd && this.#ended) this.#text += '\uDC00';
    this.#at = 0;
    this.#fresh = true;
    this.#wanted = this.#scanBytes;
  }

  #offset(): number {
    return this.#textOffset + this.#at * this.#unit;
  }

  #limit(): number {
    return this.#at + RECORD_MAX_BYTES / this.#unit;
  }

  /**
   * The fault of a record beyond the limit. If it contains line breaks, it is inside quotes, which may or may not be
   * closed later; otherwise it is one huge line.
   */
  #whyLong(): Broken['fault'] {
    const head = this.#text.slice(this.#at, this.#limit());
    if (LINE_BREAK.test(head)) return null;
    const scan = scanRecord(head, 0, this.#delimiter, head.length, true);
    const inCells = scan.kind === 'record' && scan.cells.every((cell) => cell.length * this.#unit <= CELL_MAX_BYTES);
    return inCells ? 'row_too_long' : 'cell_too_long';
  }

  /** Skips the rest of the line, adding it to the broken record's text; false if its end has not arrived yet. */
  #skipLine(broken: Broken): boolean {
    const found = this.#text.slice(this.#at).search(LINE_BREAK);
    const end = found === -1 ? this.#text.length : this.#at + found;
    const cut = found !== -1 && end + 1 === this.#text.length && this.#text[end] === '\r' && !this.#ended;
    const crlf = this.#text.startsWith('\r\n', end);
    const next = found === -1 || cut ? end : end + (crlf ? 2 : 1);
    const line = this.#text.slice(this.#at, next);
    if (broken.text.length < CELL_MAX_BYTES) broken.text += line.slice(0, CELL_MAX_BYTES - broken.text.length);
    for (let quote = line.indexOf('"'); quote !== -1; quote = line.indexOf('"', quote + 1)) broken.quotes += 1;
    this.#at = next;
    this.#midLine = found === -1 || cut;
    return !this.#midLine || this.#ended;
  }

  #finish(broken: Broken): RawRecord {
    this.#broken = null;
    this.#midLine = false;
    const fault = broken.fault ?? (broken.quotes % 2 === 0 ? 'cell_too_long' : 'unclosed_quote');
    return { row: this.#row++, endOffset: this.#offset(), cells: [broken.text], fault };
  }
}
