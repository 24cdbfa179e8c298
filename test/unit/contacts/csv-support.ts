import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { HEAD_BYTES } from '../../../domain/contacts/import/csv/detect.ts';
import { inspectCsv, type CsvInspection, type InspectOptions } from '../../../domain/contacts/import/inspect-csv.ts';
import {
  readRows,
  type ParsedRow,
  type ReadOptions,
  type RowBatch,
} from '../../../domain/contacts/import/csv/read-csv.ts';

/** The bytes in pieces of the given sizes, repeated as often as needed. */
export async function* inPieces(bytes: Buffer, sizes: readonly number[] = [65_536]): AsyncGenerator<Buffer> {
  for (let at = 0, n = 0; at < bytes.length; n++) {
    const size = sizes[n % sizes.length] ?? 65_536;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

/** All that an iteration yields. */
export async function collect<T>(from: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of from) all.push(one);
  return all;
}

export function headOf(bytes: Buffer) {
  return { bytes: bytes.subarray(0, HEAD_BYTES), complete: bytes.length <= HEAD_BYTES };
}

/** Inspects a file that must be fit for import. */
export function inspect(file: string | Buffer, options: Partial<InspectOptions> = {}): CsvInspection {
  const inspected = inspectCsv(headOf(Buffer.from(file)), { customFields: new Map(), ...options });
  if ('errors' in inspected) assert.fail(JSON.stringify(inspected.errors));
  return inspected;
}

/** The codes for which a file can not be imported. */
export function refusals(file: string | Buffer, options: Partial<InspectOptions> = {}): string[] {
  const inspected = inspectCsv(headOf(Buffer.from(file)), { customFields: new Map(), ...options });
  return 'errors' in inspected ? inspected.errors.map(({ code }) => code) : [];
}

export async function readBatches(
  file: string | Buffer,
  { sizes, ...options }: Partial<InspectOptions & ReadOptions> & { sizes?: readonly number[] } = {},
): Promise<RowBatch[]> {
  const bytes = Buffer.from(file);
  const { format, cells, from } = inspect(bytes, options);
  return collect(readRows(inPieces(bytes, sizes), { format, columns: cells, from, ...options }));
}

export async function readAll(...args: Parameters<typeof readBatches>): Promise<ParsedRow[]> {
  return (await readBatches(...args)).flatMap(({ rows }) => rows);
}

/** Rows as text and faults only, the way tests compare them: `['a', 'b']`, or `cell:code` for a row with faults. */
export const brief = ({ cells, faults }: ParsedRow): readonly string[] | string =>
  faults.length === 0 ? cells : faults.map(({ cell, code }) => `${cell ?? 'row'}:${code}`).join(' ');

/** A row as the second reader tells of it: its number, the offset behind it, its cells, its fault. */
export type SecondRow = [row: number, endOffset: number, cells: readonly string[], fault: string | null];

/** The rows of each file as Python reads them. */
export function readByPython(files: readonly { bytes: Buffer; codec: string; delimiter: string }[]): SecondRow[][] {
  const cases = files.map(({ bytes, codec, delimiter }) => [bytes.toString('base64'), codec, delimiter]);
  const script = join(import.meta.dirname, 'read-csv.py');
  const input = JSON.stringify(cases);
  const output = execFileSync('python3', [script], { input, encoding: 'utf8', maxBuffer: 2 ** 29 });
  const read: SecondRow[][] = [[]];
  for (const line of output.split('\n')) {
    if (line === '') read.push([]);
    else read.at(-1)!.push(JSON.parse(line) as SecondRow);
  }
  return read.slice(0, files.length);
}

/** The rows of a file as an import reads them, in the same form. */
export async function readAsSecond(...[file, options]: Parameters<typeof readBatches>): Promise<SecondRow[]> {
  const batches = await readBatches(file, { ...options, chunkRows: 1 });
  return batches.map(({ rows, endOffset }) => {
    const { row, cells, faults } = rows[0]!;
    return [row, endOffset, cells, faults[0]?.code ?? null];
  });
}
