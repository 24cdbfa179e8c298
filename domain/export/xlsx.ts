import { Readable, type PassThrough } from 'node:stream';
import { ZipFile } from 'yazl';

export type Cell = string | number | boolean | null;

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

function cellXml(cell: Cell): string {
  if (cell === null || cell === '') return '<c/>';
  if (typeof cell === 'number') return `<c><v>${cell}</v></c>`;
  if (typeof cell === 'boolean') return `<c t="b"><v>${cell ? 1 : 0}</v></c>`;
  return `<c t="inlineStr"><is><t xml:space="preserve">${escapeXml(cell.slice(0, MAX_TEXT))}</t></is></c>`;
}

async function* sheetXml(pages: AsyncIterable<readonly Cell[][]>): AsyncGenerator<string> {
  yield `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" state="frozen"/></sheetView></sheetViews><sheetData>`;
  for await (const page of pages) yield page.map((row) => `<row>${row.map(cellXml).join('')}</row>`).join('');
  yield '</sheetData></worksheet>';
}

/**
 * A workbook (ECMA-376, Office Open XML) with one sheet of typed cells, written while its rows are read. The first row
 * is frozen. Fails if `pages` fails, and ends `pages` if the caller stops reading.
 */
export function xlsx(sheetName: string, pages: AsyncIterable<readonly Cell[][]>): AsyncIterable<Buffer> {
  const archive = new ZipFile();
  const parts = {
    '[Content_Types].xml':
      `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
      `<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/></Types>`,
    '_rels/.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets><sheet name="${escapeXml(sheetName)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
  };
  for (const [path, text] of Object.entries(parts)) archive.addBuffer(Buffer.from(text), path);
  const sheet = Readable.from(sheetXml(pages), { objectMode: false });
  archive.addReadStream(sheet, 'xl/worksheets/sheet1.xml');
  archive.end();
  const output = archive.outputStream as PassThrough;
  archive.on('error', (error: Error) => output.destroy(error));
  output.on('close', () => sheet.destroy());
  return output;
}
