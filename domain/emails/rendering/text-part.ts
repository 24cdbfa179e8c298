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

/** Converts HTML to a text part: links in brackets after their text, images as their alternative text. */
export function htmlToText(html: string): string {
  convert ??= compile({
    wordwrap: false,
    formatters: { alternativeText },
    selectors: [
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
      { selector: 'img', format: 'alternativeText' },
      // Emails use tables for layout, so each cell becomes a line.
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

/**
 * A text template generated from an HTML template. If it has blocks, blank lines must be collapsed after rendering.
 */
export interface TextTemplate {
  source: string;
  templates: Template[];
  hasBlocks: boolean;
}

/**
 * Generates the text template of an instrumentable HTML template once: each Liquid token passes through the conversion
 * as one word. Null if they do not all arrive in order, or if the text could be parsed as Liquid itself; then each
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
    // One end of a block was lost in the conversion.
    return null;
  }
}

/** Collapses blank lines to at most one in a row, with none at the ends. */
export function collapseBlankLines(text: string): string {
  return text
    .replace(/[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
