import { isEmpty, type ReportContent } from '../../content/content.ts';
import { periodText } from '../../content/format.ts';
import { drawChart } from './charts.ts';
import { drawKeyFigures } from './key-figures.ts';
import { COLOURS, PdfSheet } from './sheet.ts';
import { drawTable } from './tables.ts';

/** A report as a PDF to hand on: key figures, charts, tables. */
export function renderPdf(content: ReportContent): AsyncIterable<Buffer> {
  const sheet = new PdfSheet(content);
  drawTitle(sheet, content);
  drawKeyFigures(sheet, content.keyFigures);
  sheet.y += 12;
  for (const chart of content.charts) drawChart(sheet, chart, content);
  for (const table of content.tables) drawTable(sheet, table, content);
  sheet.end();
  return sheet.doc;
}

function drawTitle(sheet: PdfSheet, content: ReportContent): void {
  const { doc, left, width } = sheet;
  const { title, tenantId, period, previousPeriod, notes } = content;
  doc.rect(0, 0, doc.page.width, 6).fill(COLOURS.accent);
  sheet.y = 36;
  sheet.line(tenantId, left, sheet.y, { size: 8.5, colour: COLOURS.muted, width });
  sheet.y += 14;
  sheet.y += sheet.paragraph(title, left, sheet.y, { size: 22, weight: 'bold', width, lines: 2 }) + 2;
  sheet.line(periodText(period, period), left, sheet.y, { size: 12, width });
  sheet.y += 19;
  const compared = `Compared with ${periodText(previousPeriod, period)} · Times in ${period.timezone}`;
  sheet.line(compared, left, sheet.y, { size: 8.5, colour: COLOURS.muted, width });
  sheet.y += 22;
  for (const note of notes)
    sheet.y += sheet.paragraph(note, left, sheet.y, { size: 8.5, colour: COLOURS.muted, width, lines: 3 }) + 6;
  if (!isEmpty(content)) return;
  sheet.line('Nothing happened in this period.', left, sheet.y, { size: 10, weight: 'bold', width });
  sheet.y += 20;
}
