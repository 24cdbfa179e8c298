import { fileURLToPath } from 'node:url';
import PDFDocument from 'pdfkit';
import type { ReportContent } from '../../content/content.ts';
import { momentText, periodText } from '../../content/format.ts';

/** Sizes are in points. */
const A4 = { width: 595.28, height: 841.89 };
const MARGIN = 48;
const HEAD_Y = 28;
const FOOT_SPACE = 44;
/** The width between the margins of a page. */
export const PAGE_WIDTH = { portrait: A4.width - 2 * MARGIN, landscape: A4.height - 2 * MARGIN } as const;

export const COLOURS = {
  text: '#1c2733',
  muted: '#66727f',
  line: '#d5dce4',
  fill: '#f3f6f9',
  accent: '#1f5fbf',
  good: '#1d7a4f',
  bad: '#b3392f',
  /** Of the series of a chart; they differ in brightness too. */
  series: ['#1f5fbf', '#e0832f', '#2f9e7a', '#7a4fb5'],
} as const;

const fontFile = (name: string): string =>
  fileURLToPath(import.meta.resolve(`@expo-google-fonts/m-plus-1p/${name.replace('_', '')}/MPLUS1p_${name}.ttf`));

export type Weight = 'regular' | 'bold';
/** Latin, Greek, Cyrillic and Japanese; only the glyphs that a document uses are embedded. */
const FONTS: Record<Weight, string> = { regular: '400Regular', bold: '700Bold' };

export interface TextStyle {
  size: number;
  weight?: Weight;
  colour?: string;
  /** Within `width`. */
  align?: 'left' | 'right' | 'center';
  width?: number;
}

/** A document that is written from top to bottom, page by page. */
export class PdfSheet {
  readonly doc: PDFKit.PDFDocument;
  readonly #content: ReportContent;
  /** Where the next thing is written. */
  y = 0;

  constructor(content: ReportContent) {
    this.#content = content;
    this.doc = new PDFDocument({
      autoFirstPage: false,
      bufferPages: true,
      lang: 'en',
      displayTitle: true,
      info: { Title: content.title, Author: content.tenantId, CreationDate: new Date(content.generatedAt) },
    });
    for (const [weight, name] of Object.entries(FONTS)) this.doc.registerFont(weight, fontFile(name));
    this.newPage('portrait');
  }

  get left(): number {
    return MARGIN;
  }
  /** The width between the margins. */
  get width(): number {
    return this.doc.page.width - 2 * MARGIN;
  }
  get #bottom(): number {
    return this.doc.page.height - FOOT_SPACE - 12;
  }

  newPage(layout: 'portrait' | 'landscape'): void {
    const { width, height } = A4;
    const size: [number, number] = layout === 'portrait' ? [width, height] : [height, width];
    this.doc.addPage({ size, margin: 0 });
    this.y = MARGIN + 10;
  }

  get isLandscape(): boolean {
    return this.doc.page.width > this.doc.page.height;
  }

  /** Whether this much fits on the rest of the page. */
  fits(height: number): boolean {
    return this.y + height <= this.#bottom;
  }

  /** Begins a new page of the same orientation unless this much fits. */
  ensure(height: number): void {
    if (!this.fits(height)) this.newPage(this.isLandscape ? 'landscape' : 'portrait');
  }

  widthOf(text: string, { size, weight = 'regular' }: TextStyle): number {
    const shown = this.#printable(text);
    return this.doc.font(weight).fontSize(size).widthOfString(shown);
  }

  /** One line of text, cut with three dots if it is wider than `style.width`. */
  line(text: string, x: number, y: number, style: TextStyle): void {
    const shown =
      style.width === undefined ? this.#printable(text) : this.#fitted(this.#printable(text), style, style.width);
    if (shown === '') return;
    const { align = 'left', width = 0, colour = COLOURS.text } = style;
    const rest = align === 'left' ? 0 : width - this.widthOf(shown, style);
    this.doc
      .font(style.weight ?? 'regular')
      .fontSize(style.size)
      .fillColor(colour);
    this.doc.text(shown, x + (align === 'center' ? rest / 2 : rest), y, { lineBreak: false });
  }

  /** Text over at most `lines` lines; returns its height. */
  paragraph(text: string, x: number, y: number, style: TextStyle & { width: number; lines: number }): number {
    const { size, weight = 'regular', colour = COLOURS.text, width, lines } = style;
    const shown = this.#printable(text);
    this.doc.font(weight).fontSize(size).fillColor(colour);
    const height = Math.min(this.doc.heightOfString(shown, { width }), lines * this.doc.currentLineHeight(true));
    this.doc.text(shown, x, y, { width, height: height + 1, ellipsis: true });
    return height;
  }

  /** Characters that the fonts lack would be empty boxes; the fonts of both weights have the same. */
  #printable(text: string): string {
    if (/^[!-~]+(?: [!-~]+)*$/.test(text)) return text;
    const { font } = (
      this.doc.font('regular') as unknown as { _font: { font: { hasGlyphForCodePoint: (of: number) => boolean } } }
    )._font;
    return named(printable(text), (codePoint) => font.hasGlyphForCodePoint(codePoint));
  }

  #fitted(text: string, style: TextStyle, width: number): string {
    if (this.widthOf(text, style) <= width) return text;
    const characters = [...text];
    let [least, most] = [0, characters.length];
    while (least < most) {
      const middle = Math.ceil((least + most) / 2);
      if (this.widthOf(`${characters.slice(0, middle).join('')}...`, style) <= width) least = middle;
      else most = middle - 1;
    }
    return `${characters.slice(0, least).join('').trimEnd()}...`;
  }

  /** Writes what every page has, now that their number is known, and ends the document. */
  end(): void {
    const { title, period, generatedAt, asOf } = this.#content;
    const { count } = this.doc.bufferedPageRange();
    const small: TextStyle = { size: 7.5, colour: COLOURS.muted };
    for (let page = 0; page < count; page += 1) {
      this.doc.switchToPage(page);
      const half = this.width / 2 - 8;
      const right = { ...small, align: 'right', width: half } as const;
      if (page > 0) {
        this.line(title, this.left, HEAD_Y, { ...small, weight: 'bold', width: half });
        this.line(periodText(period, period), this.left + half + 16, HEAD_Y, right);
        this.#rule(HEAD_Y + 14);
      }
      const foot = this.doc.page.height - FOOT_SPACE;
      this.#rule(foot);
      const times = `Figures complete up to ${momentText(asOf, period)} · Generated ${momentText(generatedAt, period)} (${period.timezone})`;
      this.line(times, this.left, foot + 8, { ...small, width: this.width - 80 });
      this.line(`Page ${page + 1} of ${count}`, this.left + this.width - 70, foot + 8, { ...right, width: 70 });
    }
    this.doc.end();
  }

  #rule(y: number): void {
    this.doc
      .lineWidth(0.5)
      .strokeColor(COLOURS.line)
      .moveTo(this.left, y)
      .lineTo(this.left + this.width, y)
      .stroke();
  }
}

/** In one line, without control characters and what marks the direction of text. */
const printable = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .replace(/\p{Cf}/gu, '')
    .trim();

const graphemes = new Intl.Segmenter();

/** What stands for characters without a glyph: the name of what they are, in brackets. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/[\p{Emoji_Presentation}\p{Extended_Pictographic}\p{Regional_Indicator}\u20e3]/u, '[emoji]'],
  [/\p{Script=Arabic}/u, '[Arabic]'],
  [/\p{Script=Hebrew}/u, '[Hebrew]'],
  [/\p{Script=Han}/u, '[Chinese]'],
  [/\p{Script=Hangul}/u, '[Korean]'],
  [/\p{Script=Thai}/u, '[Thai]'],
  [/\p{Script=Devanagari}/u, '[Devanagari]'],
  [/\p{Script=Bengali}/u, '[Bengali]'],
  [/\p{Script=Tamil}/u, '[Tamil]'],
  [/\p{Script=Georgian}/u, '[Georgian]'],
  [/\p{Script=Armenian}/u, '[Armenian]'],
];
const OTHER = '[?]';

/** Replaces each run of characters without a glyph by what they are. */
function named(text: string, hasGlyph: (codePoint: number) => boolean): string {
  let shown = '';
  let last: string | null = null;
  for (const { segment } of graphemes.segment(text)) {
    // Variation selectors choose between glyphs of a character, and have none.
    const characters = [...segment.replace(/\p{Variation_Selector}/gu, '')];
    if (characters.every((character) => hasGlyph(character.codePointAt(0)!))) {
      shown += characters.join('');
      if (segment !== ' ') last = null;
      continue;
    }
    const name: string = NAMES.find(([pattern]) => pattern.test(segment))?.[1] ?? OTHER;
    if (name === last) shown = shown.trimEnd();
    else shown += name;
    last = name;
  }
  return shown;
}
