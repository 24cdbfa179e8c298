import { extractText, getDocumentProxy } from 'unpdf';
import { unzip } from './unzip.ts';

/** The text of each page of a PDF, and its metadata. */
export async function readPdf(bytes: Uint8Array): Promise<{ pages: string[]; info: Record<string, unknown> }> {
  const pdf = await getDocumentProxy(new Uint8Array(bytes));
  const { text } = await extractText(pdf, { mergePages: false });
  const { info } = await pdf.getMetadata();
  return { pages: text, info: info as Record<string, unknown> };
}

export interface ReadSheet {
  rows: (string | number | null)[][];
  /** The format code of each cell's style, as the workbook names it. */
  formats: string[][];
  xml: string;
}

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };
/** ECMA-376 part 1, 18.8.30. */
const BUILT_IN: Record<string, string> = { '0': 'General', '3': '#,##0', '10': '0.00%' };

const all = (xml: string, pattern: RegExp): string[][] => [...xml.matchAll(pattern)].map((match) => match.slice(1));

/** The sheets of a workbook by name, with typed cells: a number is a number in the file. */
export function readWorkbook(bytes: Uint8Array): Map<string, ReadSheet> {
  const parts = unzip(Buffer.from(bytes));
  const styles = parts.get('xl/styles.xml')!;
  const own = Object.fromEntries(
    all(styles, /<numFmt numFmtId="(\d+)" formatCode="([^"]*)"/g).map(([id, code]) => [
      id!,
      code!.replaceAll('\\', ''),
    ]),
  ) as Record<string, string>;
  const cellFormats = all(/<cellXfs.*<\/cellXfs>/s.exec(styles)![0], /<xf numFmtId="(\d+)"/g).map(
    ([id]) => own[id!] ?? BUILT_IN[id!] ?? id!,
  );
  const names = all(parts.get('xl/workbook.xml')!, /<sheet name="([^"]*)"/g).map(([name]) => name!);
  return new Map(
    names.map((name, index) => {
      const xml = parts.get(`xl/worksheets/sheet${index + 1}.xml`)!;
      const cells = all(xml, /<row>(.*?)<\/row>/gs).map(([row]) =>
        all(row!, /<c(?: s="(\d+)")?( t="inlineStr")?(?:\/>|>(.*?)<\/c>)/gs),
      );
      const valueOf = ([, isText, content]: (string | undefined)[]): string | number | null => {
        if (content === undefined) return null;
        const value = content.replace(/<[^>]*>/g, '').replace(/&\w+;/g, (entity) => ENTITIES[entity]!);
        return isText ? value : Number(value);
      };
      const sheet: ReadSheet = {
        rows: cells.map((row) => row.map(valueOf)),
        formats: cells.map((row) => row.map(([style]) => cellFormats[Number(style ?? 0)]!)),
        xml,
      };
      return [name, sheet];
    }),
  );
}
