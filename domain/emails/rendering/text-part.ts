import { compile } from 'html-to-text';
import type { FormatCallback, TagDefinition } from 'html-to-text';
import { Tag, TypeGuards } from 'liquidjs';
import type { Context, Emitter, Liquid, Parser, TagToken, Template, TopLevelToken } from 'liquidjs';
import { trackableLink } from './links.ts';
import { ChunkEmitter, createEngine } from './template-engine.ts';
import type { Piece } from './template-pieces.ts';

const alternativeText: FormatCallback = (element, _walk, builder) => {
  const { alt } = (element.attribs ?? {}) as { alt?: string };
  if (alt) builder.addInline(alt);
};

type Element = Parameters<FormatCallback>[0];

/** Passed through a conversion. */
interface Metadata {
  /** Liquid tokens are marks. */
  isMarked: boolean;
}

/** The declarations of a style attribute, in lower case. */
const declarationsOf = (style: string): Map<string, string> =>
  new Map(
    style.split(';').map((declaration): [string, string] => {
      const [name = '', ...value] = declaration.toLowerCase().split(':');
      return [name.trim(), value.join(':').replace('!important', '').trim()];
    }),
  );

const isZero = (value = ''): boolean => /^(?:0+(?:\.0*)?|\.0+)(?:[a-z]+|%)?$/.test(value);
/** A size that nobody can read: that of hidden preview texts. */
const isTiny = (size: string | undefined): boolean => isZero(size) || /^[12](?:\.\d+)?p[xt]$/.test(size ?? '');

const childrenOf = (element: Element): Element[] => element.children ?? [];

const hasLink = (element: Element): boolean => element.name === 'a' || childrenOf(element).some(hasLink);

/**
 * Whether a style hides an element from every reader. `mso-hide` hides from Outlook only, which has another button
 * instead, so it hides no links.
 */
function isHidden(style: ReadonlyMap<string, string>, element: Element): boolean {
  return (
    style.get('display') === 'none' ||
    style.get('visibility') === 'hidden' ||
    isZero(style.get('opacity')) ||
    isZero(style.get('max-height')) ||
    (isZero(style.get('height')) && style.get('overflow') === 'hidden') ||
    (style.get('mso-hide') === 'all' && !hasLink(element))
  );
}

/** Removes text without a size of its own. */
function removeText(element: Element): void {
  for (const child of childrenOf(element)) {
    const { style = '', class: classes } = (child.attribs ?? {}) as { style?: string; class?: string };
    if (child.type === 'text') child.data = '';
    else if (classes === undefined && !/font(?:-size)?\s*:/i.test(style)) removeText(child);
  }
}

/** An element with a style: nothing if it is hidden, else what it is without one. */
const styledElement: FormatCallback = (element, walk, builder) => {
  const { style, ...others } = element.attribs as Record<string, string>;
  const declarations = declarationsOf(style!);
  if (isHidden(declarations, element)) return;
  if (isTiny(declarations.get('font-size'))) removeText(element);
  element.attribs = others;
  const { picker } = builder as unknown as { picker: { pick1: (of: Element) => TagDefinition } };
  const { format, options = {} } = picker.pick1(element);
  builder.options.formatters[format!]!(element, walk, builder, options);
};

/** A URL as it leads from HTML: encoded where it is not yet. */
const textUrl = (href: string): string => trackableLink(href)?.url ?? href.trim();

/** A link's text, and its URL in brackets unless that is the text; for `mailto:`, also without the scheme. */
const linkWithUrl: FormatCallback = (element, walk, builder) => {
  const { href = '' } = element.attribs as { href?: string };
  const isMarked = (builder as unknown as { metadata: Metadata }).metadata.isMarked && href.includes(MARK_START);
  const url = isMarked ? `${URL_START}${href.trim()}${URL_END}` : textUrl(href);
  let text = '';
  builder.pushWordTransform((word) => {
    text += word;
    return word;
  });
  walk(element.children, builder);
  builder.popWordTransform();
  if (url === '' || url.startsWith('#') || [href.trim(), url, url.replace(/^mailto:/i, '')].includes(text)) return;
  builder.addInline(text === '' ? url : ` [${url}]`, { noWordTransform: true });
};

/** Blanks and characters that are not seen. */
const UNSEEN = /[ \t\u00a0\u034f\u115f\u1160\u17b4\u17b5\u180e\u2000-\u200d\u202f\u205f-\u2064\u2800\u3164\uffa0]{2,}/g;

/** Removes characters that only fill the preview in inboxes. One joiner between letters stays: it has a meaning there. */
const withoutPadding = (text: string): string =>
  text.replace(/[\u00ad\u200b\u2060\ufeff]/g, '').replace(UNSEEN, (run, at: number, whole: string) => {
    if (!/[^ \t]/.test(run)) return run;
    const ends = [whole[at - 1], whole[at + run.length]];
    return ends.some((end) => end === undefined || end === '\n') ? '' : ' ';
  });

let convert: ((html: string, metadata: Metadata) => string) | undefined;

/**
 * Converts HTML to a text part: links in brackets after their text, images as their alternative text, and nothing that
 * is hidden. `isMarked`: the marks of Liquid tokens in URLs are enclosed.
 */
export function htmlToText(html: string, isMarked = false): string {
  convert ??= compile({
    wordwrap: false,
    formatters: { alternativeText, linkWithUrl, styledElement },
    selectors: [
      { selector: 'a', format: 'linkWithUrl' },
      { selector: 'img', format: 'alternativeText' },
      // Emails use tables for layout, so each cell becomes a line.
      ...['tr', 'td', 'th'].map((selector) => ({
        selector,
        format: 'block',
        options: { leadingLineBreaks: 1, trailingLineBreaks: 1 },
      })),
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
      { selector: '[style]', format: 'styledElement' },
      { selector: '[hidden]', format: 'skip' },
    ],
  });
  return collapseBlankLines(withoutPadding(convert(html, { isMarked })));
}

const MARK_START = '\uE000';
const MARK_END = '\uE001';
const URL_START = '\uE002';
const URL_END = '\uE003';
const MARKS = /[\uE000-\uE003]/;

const urlTags = { start: 'mail_url', end: 'mail_endurl' };

/** A URL with Liquid in a text part: rendered first, and then encoded. */
class UrlTag extends Tag {
  readonly #templates: Template[] = [];

  constructor(token: TagToken, rest: TopLevelToken[], liquid: Liquid, parser: Parser) {
    super(token, rest, liquid);
    for (let next = rest.shift(); next; next = rest.shift()) {
      if (TypeGuards.isTagToken(next) && next.name === urlTags.end) return;
      this.#templates.push(parser.parseToken(next, rest));
    }
  }

  override *render(ctx: Context, emitter: Emitter): Generator<unknown, void, unknown> {
    const rendered = new ChunkEmitter();
    yield this.liquid.renderer.renderTemplates(this.#templates, ctx, rendered);
    emitter.write(textUrl(rendered.text()));
  }
}

let engine: Liquid | undefined;

/** The text engine with the tag of URLs. Must not parse what users write as text. */
function textPartEngine(): Liquid {
  if (!engine) {
    engine = createEngine('text');
    engine.registerTag(urlTags.start, UrlTag);
  }
  return engine;
}

/**
 * A text template generated from an HTML template. If it has blocks, blank lines must be collapsed after rendering.
 */
export interface TextTemplate {
  source: string;
  templates: Template[];
  hasBlocks: boolean;
}

/** Tags that what follows depends on. */
const STATEFUL = /^(?:assign|capture|cycle|liquid)$/;

/**
 * Generates the text template of an instrumentable HTML template once: each Liquid token passes through the conversion
 * as one word. Null if they do not all arrive in order, if one that others depend on is lost, or if the text could be
 * parsed as Liquid itself; then each recipient's HTML is converted.
 */
export function deriveTextTemplate(pieces: Piece[]): TextTemplate | null {
  if (pieces.some(({ kind, source, tag }) => (kind === 'text' && MARKS.test(source)) || tag === 'tablerow'))
    return null;
  const marked = pieces
    .map(({ kind, source }, index) => (kind === 'text' ? source : `${MARK_START}${index}${MARK_END}`))
    .join('');
  const text = htmlToText(marked, true);
  if (/\{\{|\{%/.test(text)) return null;
  let last = -1;
  let inOrder = true;
  const arrived = new Set<number>();
  const body = text
    .replace(/\uE000(\d+)\uE001/g, (_, digits: string) => {
      const index = Number(digits);
      inOrder &&= index > last;
      last = index;
      arrived.add(index);
      return pieces[index]?.source ?? '';
    })
    .replaceAll(URL_START, `{% ${urlTags.start} %}`)
    .replaceAll(URL_END, `{% ${urlTags.end} %}`);
  // What stands before a document is not in its body.
  const first = pieces.findIndex(({ kind, source }) => kind === 'output' || (kind === 'text' && source.trim() !== ''));
  const leading = arrived.size > 0 && Math.min(...arrived) < first ? [] : pieces.slice(0, Math.max(first, 0));
  if (pieces.some(({ tag }, index) => STATEFUL.test(tag) && !arrived.has(index) && index >= leading.length))
    return null;
  const source = leading.map((piece) => (piece.kind === 'text' ? '' : piece.source)).join('') + body;
  if (!inOrder || MARKS.test(source)) return null;
  try {
    return {
      source,
      templates: textPartEngine().parse(source),
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
