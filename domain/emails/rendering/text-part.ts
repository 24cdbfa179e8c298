import { compile } from 'html-to-text';
import type { FormatCallback } from 'html-to-text';
import type { Template } from 'liquidjs';
import { sharedEngine } from './template-engine.ts';
import type { Piece } from './template-pieces.ts';

const alternativeText: FormatCallback = (element, _walk, builder) => {
  const { alt } = (element.attribs ?? {}) as { alt?: string };
  if (alt) builder.addInline(alt);
};

let convert: ((html: string) => string) | undefined;

/** A text part made from HTML: links in brackets behind their words, images by their alternative text. */
export function htmlToText(html: string): string {
  convert ??= compile({
    wordwrap: false,
    formatters: { alternativeText },
    selectors: [
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
      { selector: 'img', format: 'alternativeText' },
      // Tables lay mails out: each cell is a line of its own.
      ...['tr', 'td', 'th'].map((selector) => ({
        selector,
        format: 'block',
        options: { leadingLineBreaks: 1, trailingLineBreaks: 1 },
      })),
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    ],
  });
  return convert(html);
}

const MARK_START = '\uE000';
const MARK_END = '\uE001';
const MARKS = /[\uE000\uE001]/;

/** A text template made from an HTML template. With blocks in it, blank lines are collapsed after the render. */
export interface TextTemplate {
  source: string;
  templates: Template[];
  hasBlocks: boolean;
}

/**
 * Makes the text template of an instrumentable HTML template once: each Liquid token travels through the conversion as
 * one word. Null when not all of them arrive in order, or when the text would read as Liquid itself; then each
 * recipient's HTML is converted.
 */
export function deriveTextTemplate(pieces: Piece[]): TextTemplate | null {
  if (pieces.some(({ kind, source, tag }) => (kind === 'text' && MARKS.test(source)) || tag === 'tablerow'))
    return null;
  const marked = pieces
    .map(({ kind, source }, index) => (kind === 'text' ? source : `${MARK_START}${index}${MARK_END}`))
    .join('');
  const text = htmlToText(marked);
  if (/\{\{|\{%/.test(text)) return null;
  let last = -1;
  let inOrder = true;
  const source = text.replace(/\uE000(\d+)\uE001/g, (_, digits: string) => {
    const index = Number(digits);
    inOrder &&= index > last;
    last = index;
    return pieces[index]?.source ?? '';
  });
  if (!inOrder || MARKS.test(source)) return null;
  try {
    return {
      source,
      templates: sharedEngine('text').parse(source),
      hasBlocks: pieces.some(({ kind }) => kind === 'tag'),
    };
  } catch {
    // A block whose two ends did not both arrive.
    return null;
  }
}

/** At most one blank line in a row, none at the ends. */
export function collapseBlankLines(text: string): string {
  return text
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
