/** How a cell of a workbook looks, beyond a plain one: its place in `cellXfs` of the styles part, from 1. */
export const CELL_STYLES = ['header', 'title', 'integer', 'percent', 'date', 'timestamp'] as const;
export type CellStyle = (typeof CELL_STYLES)[number];

/** Ids of number formats; built-in ones are below 164 (ECMA-376 part 1, 18.8.30). */
const FORMATS: Record<CellStyle, number> = { header: 0, title: 0, integer: 3, percent: 10, date: 164, timestamp: 165 };
const FONTS: Partial<Record<CellStyle, number>> = { header: 1, title: 2 };

const cellFormat = (style: CellStyle): string =>
  `<xf numFmtId="${FORMATS[style]}" fontId="${FONTS[style] ?? 0}" fillId="${style === 'header' ? 2 : 0}" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1" applyFill="1"` +
  (style === 'header' ? ' applyAlignment="1"><alignment vertical="center"/></xf>' : '/>');

/** The styles part of a workbook, without the XML declaration. */
export const stylesXml = (namespace: string): string =>
  `<styleSheet xmlns="${namespace}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm"/></numFmts>` +
  '<fonts count="3"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font><font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font><font><b/><sz val="16"/><name val="Calibri"/><family val="2"/></font></fonts>' +
  '<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FFE8EDF3"/><bgColor indexed="64"/></patternFill></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  `<cellXfs count="${CELL_STYLES.length + 1}"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>${CELL_STYLES.map(cellFormat).join('')}</cellXfs>` +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';

/** The index of a style, for a cell's attribute `s`. */
export const styleIndex = (style: CellStyle): number => CELL_STYLES.indexOf(style) + 1;
