import { Readable, type PassThrough } from 'node:stream';
import { ZipFile } from 'yazl';
import { styleIndex, stylesXml, type CellStyle } from './xlsx-styles.ts';

export type { CellStyle };

export type Cell = string | number | boolean | null;
/** A cell that may have a style. A date is the number of days since 30 December 1899. */
export type SheetCell = Cell | { value: string | number; style: CellStyle };

export interface Sheet {
  /** At most 31 characters, without `[]:*?/\\`. */
  name: string;
  rows: Iterable<readonly SheetCell[]> | { pages: AsyncIterable<readonly SheetCell[][]> };
  /** How many rows stay in view. */
  frozenRows: number;
  /** Of columns, in characters; the program's default where absent. */
  widths?: readonly number[];
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
/** The maximum number of characters in a cell. */
const MAX_TEXT = 32_767;

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Also removes characters that XML 1.0 cannot represent. */
const escapeXml = (text: string): string =>
  text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '').replace(/[&<>"]/g, (char) => ENTITIES[char]!);

function cellXml(cell: SheetCell): string {
  if (cell === null || cell === '') return '<c/>';
  if (typeof cell !== 'object') return valueXml(cell, '');
  return valueXml(cell.value, ` s="${styleIndex(cell.style)}"`);
}

function valueXml(value: string | number | boolean, style: string): string {
  if (typeof value === 'number') return `<c${style}><v>${value}</v></c>`;
  if (typeof value === 'boolean') return `<c${style} t="b"><v>${value ? 1 : 0}</v></c>`;
  return `<c${style} t="inlineStr"><is><t xml:space="preserve">${escapeXml(value.slice(0, MAX_TEXT))}</t></is></c>`;
}

const rowsXml = (rows: readonly (readonly SheetCell[])[]): string =>
  rows.map((row) => `<row>${row.map(cellXml).join('')}</row>`).join('');

async function* sheetXml({ rows, frozenRows, widths }: Sheet): AsyncGenerator<string> {
  const columns = widths?.map((width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`);
  yield `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="${frozenRows}" topLeftCell="A${frozenRows + 1}" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>`;
  yield columns ? `<cols>${columns.join('')}</cols><sheetData>` : '<sheetData>';
  if ('pages' in rows) for await (const page of rows.pages) yield rowsXml(page);
  else yield rowsXml([...rows]);
  yield '</sheetData></worksheet>';
}

/** A workbook of one sheet, written while its rows are read; the first row is frozen. See `workbook`. */
export const xlsx = (name: string, pages: AsyncIterable<readonly Cell[][]>): AsyncIterable<Buffer> =>
  workbook([{ name, rows: { pages }, frozenRows: 1 }]);

/**
 * A workbook (ECMA-376, Office Open XML) with sheets of typed cells, written while their rows are read. Fails if `pages`
 * fails, and ends `pages` if the caller stops reading.
 */
export function workbook(sheets: readonly Sheet[]): AsyncIterable<Buffer> {
  const archive = new ZipFile();
  const each = (xml: (sheet: Sheet, number: number) => string): string =>
    sheets.map((sheet, index) => xml(sheet, index + 1)).join('');
  const styles = `rId${sheets.length + 1}`;
  const parts = {
    '[Content_Types].xml':
      `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
      `<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/>` +
      `${each((_, n) => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${TYPE}.worksheet+xml"/>`)}</Types>`,
    '_rels/.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${each(({ name }, n) => `<sheet name="${escapeXml(name)}" sheetId="${n}" r:id="rId${n}"/>`)}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels':
      `${XML}<Relationships xmlns="${PACKAGE}/relationships">${each((_, n) => `<Relationship Id="rId${n}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${n}.xml"/>`)}` +
      `<Relationship Id="${styles}" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': `${XML}${stylesXml(MAIN)}`,
  };
  for (const [path, text] of Object.entries(parts)) archive.addBuffer(Buffer.from(text), path);
  const streams = sheets.map((sheet) => Readable.from(sheetXml(sheet), { objectMode: false }));
  for (const [index, stream] of streams.entries()) archive.addReadStream(stream, `xl/worksheets/sheet${index + 1}.xml`);
  archive.end();
  const output = archive.outputStream as PassThrough;
  archive.on('error', (error: Error) => output.destroy(error));
  output.on('close', () => {
    for (const stream of streams) stream.destroy();
  });
  return output;
}
