import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import type { Context } from 'koa';
import { Type } from 'typebox';
import { assertValid } from '../../lib/checks/errors.ts';
import { BOM, CSV } from '../../domain/export/csv.ts';
import { MEDIA_TYPES, type FileFormat } from '../../domain/export/media-types.ts';
import { xlsx, type Cell } from '../../domain/export/xlsx.ts';
import type { Reply } from './route.ts';

export type ExportFormat = Exclude<FileFormat, 'pdf'>;

/** The media types of these formats, without parameters. */
export const mediaTypesOf = (formats: readonly FileFormat[]): string[] =>
  formats.map((format) => MEDIA_TYPES[format].split(';')[0]!);

/** Nobody opens larger workbooks. */
const XLSX_ROWS = 200_000;

/** Throws 400 if the format is xlsx and `countUpTo(most)` exceeds what a workbook may have. */
export async function assertFits(
  format: ExportFormat,
  what: string,
  countUpTo: (most: number) => Promise<number>,
): Promise<void> {
  if (format !== 'xlsx' || (await countUpTo(XLSX_ROWS)) <= XLSX_ROWS) return;
  assertValid([
    {
      path: '/format',
      code: 'too_many',
      message: `xlsx supports at most ${XLSX_ROWS} ${what}`,
    },
  ]);
}

/** Items as in the API: a JSON array, or one line per item. */
async function* jsonText(pages: AsyncIterable<unknown[]>, lines: boolean): AsyncGenerator<string> {
  let separator = '';
  if (!lines) yield '[';
  for await (const page of pages) {
    const items = page.map((item) => JSON.stringify(item));
    yield lines ? `${items.join('\n')}\n` : `${separator}${items.join(',')}`;
    separator = ',';
  }
  if (!lines) yield ']';
}

async function* csvText(tables: AsyncIterable<unknown[][]>, bom: boolean): AsyncGenerator<string> {
  if (bom) yield BOM;
  for await (const table of tables) yield stringify(table, { ...CSV, cast: { boolean: String } });
}

/** What is exported: its name in file names, and its content in both forms; only one of them is read. */
export interface Exported {
  name: string;
  sheet: string;
  items: () => AsyncIterable<unknown[]>;
  table: (options: { escaped: boolean }) => AsyncIterable<Cell[][]>;
}

/** The query parameter of downloads that may be CSV. */
export const bomQuery = Type.Optional(
  Type.Boolean({
    default: false,
    description:
      'Whether a csv begins with a byte order mark, without which Excel misreads letters beyond ASCII; no effect on other formats',
  }),
);

/** A streamed download in a format, named after what it is and today's date. */
export function exportReply(
  ctx: Context,
  { format, bom = false }: { format: ExportFormat; bom?: boolean | undefined },
  { name, sheet, items, table }: Exported,
): Reply {
  const bytes = {
    csv: () => csvText(table({ escaped: true }), bom),
    json: () => jsonText(items(), false),
    ndjson: () => jsonText(items(), true),
    xlsx: () => xlsx(sheet, table({ escaped: false })),
  }[format]();
  const day = new Date().toISOString().slice(0, 10);
  return {
    body: streamed(ctx, bytes),
    headers: {
      'Content-Type': MEDIA_TYPES[format],
      'Content-Disposition': `attachment; filename="${name}-${day}.${format}"`,
    },
  };
}

/**
 * The body of a response that is written while it is read. A response that has started cannot become an error any
 * more: the connection is cut, so that nobody mistakes a part for the whole.
 */
export function streamed(ctx: Context, bytes: AsyncIterable<string | Uint8Array>): Readable {
  const body = Readable.from(bytes, { objectMode: false });
  body.on('error', () => ctx.res.destroy());
  return body;
}
