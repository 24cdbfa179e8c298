import { toUnits, unitBytes, type CsvFormat } from './encoding.ts';
import { parseRecords, type ParsedRecord } from './parse-records.ts';
import { scanRecord, type Scan } from './scan-record.ts';

/** Largest cell, and largest record, in bytes of the file. */
export const CELL_MAX_BYTES = 64 * 1024;
export const RECORD_MAX_BYTES = 1024 * 1024;

/** Smaller pieces of input are put together to so many bytes before they are read. */
const SCAN_BYTES = 64 * 1024;
/** csv-parse is given so many units at once. */
const PARSE_UNITS = 32 * 1024;
/** A call of csv-parse that ends in a refusal takes about as long as scanning so many records. */
const REFUSAL_RECORDS = 100;
const LINE_BREAK = /[\r\n]/;

/** A record as found in the file, its cells still in units of the encoding; a broken one has its text as the only cell. */
export interface RawRecord {
  /** Counts every record of the file, the header and blank lines too, from 1: the row a spreadsheet shows it in. */
  readonly row: number;
  /** Offset in the file, in bytes, of what follows the record. */
  readonly endOffset: number;
  readonly cells: readonly string[];
  readonly fault: 'malformed_quote' | 'unclosed_quote' | 'cell_too_long' | 'row_too_long' | null;
}

interface Broken {
  /** Null while it depends on whether a quote is left open where the record ends. */
  readonly fault: RawRecord['fault'];
  /** How many quotes it has. */
  quotes: number;
  /** The first 64 KiB of the broken record's text. */
  text: string;
}

/**
 * Splits a file into records as its bytes arrive; holds at most one record and what was pushed last.
 *
 * csv-parse reads them. It stops at a quote that is not as RFC 4180 has it. There our own scanner looks at that one
 * record, which may be sound (blanks around quotes, quotes inside a cell) or broken, and csv-parse goes on behind it.
 *
 * A record whose quotes are wrong or that is too long says nothing certain about where it ends. It becomes one broken
 * record that goes on, line by line, up to the next line that starts a sound record of exactly `columns` cells: an
 * unclosed quote costs its own row instead of the file, and no piece of a broken note that has fewer or more cells is
 * taken for a contact.
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
  /** False when all that was taken has been scanned: scanning it again would find no more. */
  #fresh = false;
  #ended = false;
  #text = '';
  /** Records that csv-parse has read from `#at` on. */
  #parsed: Iterator<ParsedRecord, undefined> = [].values();
  /** How many records are the scanner's: the one that csv-parse has refused, more after several refusals. */
  #toScan = 0;
  #refusals = 0;
  #at = 0;
  #textOffset: number;
  #row: number;
  #broken: Broken | null = null;
  #midLine = false;

  /** `start`: where in the file the first pushed byte is. */
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

  /** The next record, or null when more bytes are needed (after `end`: when there are no more). */
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

  /** Moves over the broken record; null when its end has not arrived yet. */
  #skipBroken(broken: Broken): RawRecord | null {
    for (;;) {
      if (this.#midLine && !this.#skipLine(broken)) return null;
      if (this.#at >= this.#text.length) return this.#ended ? this.#finish(broken) : null;
      // Not beyond as many cells: where each line opens a quote, every look at one would go on through all of them.
      const scan = this.#scan(this.#columns);
      if (scan.kind === 'more') return null;
      if (scan.kind === 'record' && scan.cells.length === this.#columns) return this.#finish(broken);
      this.#midLine = true;
    }
  }

  #scan(most?: number): Scan {
    const scan = scanRecord(this.#text, this.#at, this.#delimiter, this.#limit(), this.#ended, most);
    // Twice as much each time, so that a long record is not scanned over and over.
    if (scan.kind === 'more') this.#wanted = Math.max(this.#scanBytes, (this.#text.length - this.#at) * this.#unit);
    return scan;
  }

  #sound({ cells, length }: ParsedRecord): RawRecord {
    this.#at += length;
    return { row: this.#row++, endOffset: this.#offset(), cells, fault: null };
  }

  /** The next record, if it is one that csv-parse reads. */
  #nextParsed(): ParsedRecord | undefined {
    let next = this.#parsed.next().value;
    if (next === undefined && this.#toScan === 0) {
      const end = this.#at + PARSE_UNITS;
      const final = this.#ended && end >= this.#text.length;
      const { records, refused } = parseRecords(this.#text.slice(this.#at, end), this.#format, final);
      // Where refusals follow each other closely (`a, "b"` in each line), calls are made ever more rarely.
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
    // Half a unit at the end of the file is shown as one that can not be decoded.
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

  /** A record beyond the limit that has line breaks is inside quotes, closed further on or not; else it is one huge line. */
  #whyLong(): Broken['fault'] {
    const head = this.#text.slice(this.#at, this.#limit());
    if (LINE_BREAK.test(head)) return null;
    const scan = scanRecord(head, 0, this.#delimiter, head.length, true);
    const inCells = scan.kind === 'record' && scan.cells.every((cell) => cell.length * this.#unit <= CELL_MAX_BYTES);
    return inCells ? 'row_too_long' : 'cell_too_long';
  }

  /** Moves over the rest of the line, into the broken record's text; false when its end has not arrived yet. */
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
