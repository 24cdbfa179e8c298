import type { KeyFigure } from '../../content/content.ts';
import { changeText, figureText } from '../../content/format.ts';
import { COLOURS, type PdfSheet } from './sheet.ts';

const IN_ROW = 4;
const [HEIGHT, GAP] = [52, 8];

/** Draws the key figures as cards, with their change against the period before. */
export function drawKeyFigures(sheet: PdfSheet, figures: readonly KeyFigure[]): void {
  const width = (sheet.width - (IN_ROW - 1) * GAP) / IN_ROW;
  for (let at = 0; at < figures.length; at += IN_ROW) {
    sheet.ensure(HEIGHT + GAP);
    for (const [column, figure] of figures.slice(at, at + IN_ROW).entries())
      drawCard(sheet, figure, sheet.left + column * (width + GAP), width);
    sheet.y += HEIGHT + GAP;
  }
}

function drawCard(sheet: PdfSheet, figure: KeyFigure, x: number, width: number): void {
  const { doc, y } = sheet;
  const inner = width - 16;
  doc.roundedRect(x, y, width, HEIGHT, 3).fill(COLOURS.fill);
  sheet.line(figure.label, x + 8, y + 5, { size: 7.5, colour: COLOURS.muted, width: inner });
  sheet.line(figureText(figure.value, figure.kind), x + 8, y + 14, { size: 16, weight: 'bold', width: inner });
  const { text, colour } = comparison(figure);
  sheet.line(text, x + 8, y + 37, { size: 7.5, colour, width: inner });
}

/** `▲ +12.3% (was 1,234)`, green if that is good and red if it is not. */
function comparison(figure: KeyFigure): { text: string; colour: string } {
  const { previous, kind, change, value, higherIsBetter } = figure;
  if (previous === null) return { text: 'now', colour: COLOURS.muted };
  const isUp = value > previous;
  const arrow = value === previous ? '' : isUp ? '▲ ' : '▼ ';
  const isNeutral = value === previous || change === 0 || higherIsBetter === null;
  const colour = isNeutral ? COLOURS.muted : isUp === higherIsBetter ? COLOURS.good : COLOURS.bad;
  return { text: `${arrow}${changeText(figure)} (was ${figureText(previous, kind)})`, colour };
}
