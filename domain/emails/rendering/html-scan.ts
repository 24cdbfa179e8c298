import { Parser, TokenizerMode } from 'parse5';
import type { DefaultTreeAdapterMap, Token } from 'parse5';

/** A half-open range of source offsets. */
export interface Span {
  start: number;
  end: number;
}

export interface Attribute extends Span {
  /** The value with character references decoded. */
  value: string;
  quote: '"' | "'" | null;
  /** The range of the raw value, without its quotes. */
  raw: Span;
}

export interface StartTag extends Span {
  name: string;
  attributes: Map<string, Attribute>;
}

/** The parts of an email's HTML by source offsets; everything between them is text. */
export interface HtmlScan {
  startTags: StartTag[];
  comments: Span[];
  /** The contents of comments that are HTML for Outlook, `<!--[if mso]>…<![endif]-->`, with what is in them. */
  conditionals: (Span & { scan: HtmlScan })[];
  /** End tags and doctypes. */
  otherTags: Span[];
  /** Contents of elements that contain only text: style, title, textarea, script. */
  rawTexts: (Span & { element: string })[];
  /** The start of the body's content: after the body tag; without one, after the head, the html tag or the doctype. */
  bodyStart: number;
  /** The offset of the last `</body>`, or of the end. */
  bodyEnd: number;
}

function readAttribute(source: string, value: string, { startOffset, endOffset }: Token.Location): Attribute {
  const equals = source.slice(startOffset, endOffset).match(/^[^=]+=\s*/);
  const from = startOffset + (equals ? equals[0].length : endOffset - startOffset);
  const first = source[from];
  const quote = first === '"' || first === "'" ? first : null;
  const raw = quote ? { start: from + 1, end: source.indexOf(quote, from + 1) } : { start: from, end: endOffset };
  return { start: startOffset, end: endOffset, value, quote, raw };
}

/**
 * A parse5 parser that records tokens. It must run the whole parser, because the tree determines how the tokenizer
 * continues.
 */
class TokenRecorder extends Parser<DefaultTreeAdapterMap> {
  readonly scan: HtmlScan;
  #source = '';
  #openRawText: (Span & { element: string }) | null = null;
  #bodyTagEnd: number | null = null;
  #headEnd = 0;

  constructor() {
    // Email programs run no scripts, so noscript elements have content.
    super({ sourceCodeLocationInfo: true, scriptingEnabled: false });
    this.scan = {
      startTags: [],
      comments: [],
      conditionals: [],
      otherTags: [],
      rawTexts: [],
      bodyStart: 0,
      bodyEnd: 0,
    };
  }

  read(source: string): HtmlScan {
    this.#source = source;
    this.scan.bodyEnd = source.length;
    this.tokenizer.write(source, true);
    if (this.#openRawText) this.#closeRawText(source.length);
    this.scan.bodyStart = this.#bodyTagEnd ?? this.#headEnd;
    this.scan.conditionals = this.scan.comments.flatMap((comment) => readConditional(source, comment) ?? []);
    return this.scan;
  }

  override onStartTag(token: Token.TagToken): void {
    const { location } = token;
    super.onStartTag(token);
    if (!location) return;
    const attributes = new Map<string, Attribute>();
    for (const { name, value } of token.attrs) {
      const at = location.attrs?.[name];
      if (at) attributes.set(name, readAttribute(this.#source, value, at));
    }
    const end = location.endOffset;
    this.scan.startTags.push({ name: token.tagName, start: location.startOffset, end, attributes });
    if (token.tagName === 'body') this.#bodyTagEnd ??= end;
    if (token.tagName === 'html') this.#headEnd = end;
    if (this.tokenizer.state !== TokenizerMode.DATA) this.#openRawText = { element: token.tagName, start: end, end };
  }

  override onEndTag(token: Token.TagToken): void {
    const { location } = token;
    super.onEndTag(token);
    if (!location) return;
    if (this.#openRawText) this.#closeRawText(location.startOffset);
    this.scan.otherTags.push({ start: location.startOffset, end: location.endOffset });
    if (token.tagName === 'body') this.scan.bodyEnd = location.startOffset;
    if (token.tagName === 'head') this.#headEnd = location.endOffset;
  }

  override onComment(token: Token.CommentToken): void {
    const { location } = token;
    super.onComment(token);
    // A comment behind text in a table is handed in again by the parser.
    if (!location || this.scan.comments.at(-1)?.start === location.startOffset) return;
    this.scan.comments.push({ start: location.startOffset, end: location.endOffset });
  }

  override onDoctype(token: Token.DoctypeToken): void {
    const { location } = token;
    super.onDoctype(token);
    if (!location) return;
    this.scan.otherTags.push({ start: location.startOffset, end: location.endOffset });
    this.#headEnd ||= location.endOffset;
  }

  #closeRawText(end: number): void {
    if (this.#openRawText) this.scan.rawTexts.push({ ...this.#openRawText, end });
    this.#openRawText = null;
  }
}

const CONDITION = /^<!--\[if\b[^\]>]*\]>/i;

/** The content of a conditional comment; null if the comment is none. */
function readConditional(source: string, comment: Span): (Span & { scan: HtmlScan }) | null {
  const text = source.slice(comment.start, comment.end);
  const condition = CONDITION.exec(text)?.[0];
  const last = text.lastIndexOf('<![endif]');
  if (condition === undefined || last < condition.length) return null;
  const [start, end] = [comment.start + condition.length, comment.start + last];
  return { start, end, scan: moved(new TokenRecorder().read(source.slice(start, end)), start) };
}

/** A scan of a part of a text, with the offsets of the whole. */
function moved(scan: HtmlScan, by: number): HtmlScan {
  const move = <S extends Span>(span: S): S => ({ ...span, start: span.start + by, end: span.end + by });
  return {
    startTags: scan.startTags.map((tag) => ({
      ...move(tag),
      attributes: new Map(
        [...tag.attributes].map(([name, attribute]) => [name, { ...move(attribute), raw: move(attribute.raw) }]),
      ),
    })),
    comments: scan.comments.map(move),
    // Comments do not nest.
    conditionals: [],
    otherTags: scan.otherTags.map(move),
    rawTexts: scan.rawTexts.map(move),
    bodyStart: scan.bodyStart + by,
    bodyEnd: scan.bodyEnd + by,
  };
}

/** Parses HTML as a browser would. Returns the positions of its tags, comments and raw texts in the source. */
export function scanHtml(source: string): HtmlScan {
  return new TokenRecorder().read(source);
}

/** Decodes the raw value of an attribute as HTML does. */
export function decodeAttribute(raw: string, quote: '"' | "'"): string {
  if (!/[&\r\0]/.test(raw)) return raw;
  return scanHtml(`<a href=${quote}${raw}${quote}>`).startTags[0]?.attributes.get('href')?.value ?? raw;
}
