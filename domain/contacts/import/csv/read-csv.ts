import { decodeUnits, unitBytes, type CsvFormat } from './encoding.ts';
import { CELL_MAX_BYTES, RecordReader, type RawRecord } from './record-reader.ts';

/** A chunk of an import ends after CHUNK_ROWS rows, or with the row in which it reaches CHUNK_BYTES. */
export const CHUNK_ROWS = 5_000;
export const CHUNK_BYTES = 8 * 1024 * 1024;

/**
 * Why a row cannot be imported, whatever its values are. `cell` is the index of the cell, null for the row as a whole.
 */
export interface RowFault {
  readonly cell: number | null;
  readonly code:
    | 'surplus_cells'
    | 'invalid_encoding'
    | 'invalid_character'
    | 'cell_too_long'
    | 'row_too_long'
    | 'malformed_quote'
    | 'unclosed_quote';
}

export interface ParsedRow {
  /**
   * The row number that a spreadsheet shows: the header is row 1; blank lines count, line breaks inside quotes do not.
   */
  readonly row: number;
  /**
   * The cells as in the file, possibly fewer or more than the header has. Cells of rows with faults can be stored too:
   * NUL and undecodable bytes are replaced by U+FFFD, cells are cut at 64 KiB, and a row that is broken as a whole is
   * one cell with its text.
   */
  readonly cells: readonly string[];
  readonly faults: readonly RowFault[];
}

/**
 * Where a chunk starts: its number from 0, the number of its first row (or blank line), the offset in the file in
 * bytes.
 */
export interface CsvPosition {
  readonly chunk: number;
  readonly row: number;
  readonly offset: number;
}

export interface RowBatch {
  readonly chunk: number;
  /** Row number of the first row in `rows`, which is never empty. */
  readonly firstRow: number;
  readonly rows: readonly ParsedRow[];
  /** Offset in the file, in bytes, of the end of the last row. */
  readonly endOffset: number;
  /** Where the next chunk starts; reading from there yields the same chunks as reading the whole file. */
  readonly next: CsvPosition;
}

export interface ReadOptions {
  readonly format: CsvFormat;
  /** Number of cells in the header. */
  readonly columns: number;
  /** Where to start: the `from` of `inspectCsv`, or the `next` of the last completed chunk. */
  readonly from: CsvPosition;
  /**
   * Offset in the file of the input's first byte, at most `from.offset`; bytes before `from` are skipped. Default 0.
   */
  readonly inputOffset?: number;
  readonly chunkRows?: number;
  readonly chunkBytes?: number;
  /** Smaller pieces of input are combined to this many bytes before they are scanned. Default 64 KiB. */
  readonly scanBytes?: number;
}

/**
 * Reads the rows of a CSV file in chunks, in constant memory. Skips blank lines and rows whose cells are all empty.
 * Never fails because of the content: rows that cannot be imported have `faults`.
 */
export async function* readRows(input: AsyncIterable<Uint8Array>, options: ReadOptions): AsyncGenerator<RowBatch> {
  const { format, columns, from, inputOffset = 0, chunkRows = CHUNK_ROWS, chunkBytes = CHUNK_BYTES } = options;
  const reader = new RecordReader(format, columns, from, options.scanBytes);
  let skip = from.offset - inputOffset;
  let chunk = from.chunk;
  let startOffset = from.offset;
  let rows: ParsedRow[] = [];
  let last: RawRecord | null = null;

  const takeBatch = (): RowBatch | null => {
    const first = rows[0];
    if (first === undefined || last === null) return null;
    const next = { chunk: chunk + 1, row: last.row + 1, offset: last.endOffset };
    const batch = { chunk, firstRow: first.row, rows, endOffset: last.endOffset, next };
    rows = [];
    chunk += 1;
    startOffset = last.endOffset;
    return batch;
  };
  /** Fills the batch. Returns true if it is full, false if the reader needs more bytes. */
  const fill = (): boolean => {
    for (let record = reader.next(); record !== null; record = reader.next()) {
      const row = parseRow(record, format, columns);
      if (row === null) continue;
      rows.push(row);
      last = record;
      if (rows.length >= chunkRows || record.endOffset - startOffset >= chunkBytes) return true;
    }
    return false;
  };

  for await (const bytes of input) {
    const skipped = Math.min(skip, bytes.length);
    skip -= skipped;
    if (skipped === bytes.length) continue;
    reader.push(Buffer.from(bytes.buffer, bytes.byteOffset + skipped, bytes.length - skipped));
    while (fill()) yield takeBatch() as RowBatch;
  }
  reader.end();
  while (fill()) yield takeBatch() as RowBatch;
  const rest = takeBatch();
  if (rest !== null) yield rest;
}

const NO_FAULTS: readonly RowFault[] = [];
// Anything but ASCII without NUL. Most cells match nothing of it and need no decoding.
const NEEDS_CARE = /[^\x01-\x7f]/;

/** Decodes a record; null if all its cells are empty. */
function parseRow(record: RawRecord, format: CsvFormat, columns: number): ParsedRow | null {
  const { row, cells, fault } = record;
  if (fault !== null) {
    const text = cells.map((cell) => storable(decodeUnits(cell, format.encoding).text));
    return { row, cells: text, faults: [{ cell: null, code: fault }] };
  }
  const faults: RowFault[] = [];
  const maxUnits = CELL_MAX_BYTES / unitBytes(format.encoding);
  const texts = cells.map((cell, index) => {
    const tooLong = cell.length > maxUnits;
    if (tooLong) faults.push({ cell: index, code: 'cell_too_long' });
    const kept = tooLong ? cell.slice(0, maxUnits) : cell;
    if (!NEEDS_CARE.test(kept)) return kept;
    const { text, valid } = decodeUnits(kept, format.encoding);
    if (!valid && !tooLong) faults.push({ cell: index, code: 'invalid_encoding' });
    if (!text.includes('\0')) return text;
    faults.push({ cell: index, code: 'invalid_character' });
    return storable(text);
  });
  if (texts.length > columns && !texts.slice(columns).every(isBlank))
    faults.push({ cell: null, code: 'surplus_cells' });
  if (faults.length === 0 && texts.every(isBlank)) return null;
  return { row, cells: texts, faults: faults.length === 0 ? NO_FAULTS : faults };
}

const isBlank = (text: string): boolean => text.trim() === '';

const storable = (text: string): string => text.replaceAll('\0', '\uFFFD');
