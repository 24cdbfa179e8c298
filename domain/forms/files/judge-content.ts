import { createHash } from 'node:crypto';
import { fileTypeFromBuffer } from 'file-type';
import { UNKNOWN } from './media-types.ts';

/** How much of a file its signature is looked for in: enough for each, and little enough to parse at once. */
const HEAD_BYTES = 64 * 1024;

/**
 * Signatures of formats that are text themselves. Any other signature in a text is a coincidence: an essay on BMW is no
 * bitmap, and a text that starts with MZ is no program.
 */
const TEXTUAL = new Set([
  'application/eps',
  'application/pdf',
  'application/pgp-encrypted',
  'application/postscript',
  'application/rtf',
  'application/x-ms-regedit',
  'application/xml',
  'model/stl',
  'text/calendar',
  'text/vcard',
  'text/vtt',
]);

/** Characters that no text has (WHATWG MIME Sniffing, 7.1). */
const BINARY = /[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]/;
/** What may stand before the first element of a document. */
const BEFORE_MARKUP = /^(?:\s+|<\?[^>]*>|<!--(?:[^-]|-(?!->))*-->)/;
/** The first element of a page, as browsers recognise it (WHATWG MIME Sniffing, 7.1). */
const HTML_START =
  /^<(?:!doctype\s+html|!--|(?:html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[\s/>])/i;
const SVG_START = /^<(?:!doctype\s+svg|svg)[\s/>[]/i;
/** What makes a text a page wherever it stands: elements that a browser acts on, and handlers of events. */
const ACTIVE =
  /<(?:html|head|body|script|iframe|frame|object|embed|applet|base|meta|link|style|svg|math|form)[\s/>]|<[a-z][^<>]{0,1000}[\s/"']on[a-z]{1,40}\s{0,20}=|\/\/www\.w3\.org\/(?:1999\/xhtml|2000\/svg)/i;
/** Longer than any match of ACTIVE, so that none is missed between two pieces. */
const OVERLAP = 1100;
const START_CHARACTERS = 4096;

/** Finds out whether a file is UTF-8 text, and whether it has HTML or SVG markup, piece by piece. */
class TextJudge {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #start = '';
  #tail = '';
  #isActive = false;
  #isText = true;

  add(piece: Uint8Array): void {
    if (this.#isText) this.#read(() => this.#decoder.decode(piece, { stream: true }));
  }

  /** Null if it is no text. */
  end(): 'text/plain' | 'text/html' | 'image/svg+xml' | null {
    if (this.#isText) this.#read(() => this.#decoder.decode());
    if (!this.#isText) return null;
    let start = this.#start;
    for (let before; (before = BEFORE_MARKUP.exec(start));) start = start.slice(before[0].length);
    if (SVG_START.test(start)) return 'image/svg+xml';
    return this.#isActive || HTML_START.test(start) ? 'text/html' : 'text/plain';
  }

  #read(decode: () => string): void {
    let text: string;
    try {
      text = decode();
    } catch {
      this.#isText = false;
      return;
    }
    if (BINARY.test(text)) this.#isText = false;
    if (this.#start.length < START_CHARACTERS) this.#start += text.slice(0, START_CHARACTERS - this.#start.length);
    const whole = this.#tail + text;
    this.#isActive ||= ACTIVE.test(whole);
    this.#tail = whole.slice(-OVERLAP);
  }
}

/** The media type of a signature in the head of a file, without parameters; null if there is none. */
async function signatureOf(head: Uint8Array): Promise<string | null> {
  // What is compressed is not looked into.
  if (head[0] === 0x1f && head[1] === 0x8b) return 'application/gzip';
  // Content that is broken on purpose is of no known type.
  const found = await fileTypeFromBuffer(head).catch(() => undefined);
  return found ? found.mime.split(';')[0]!.toLowerCase() : null;
}

/** What a file is by its content. */
export interface Content {
  mediaType: string;
  /** Hexadecimal. */
  sha256: string;
}

/**
 * Judges a file by its content alone: by its signature; else UTF-8 text is HTML, SVG or plain text, and anything else
 * is UNKNOWN. Reads it once, in constant memory.
 */
export async function judgeContent(content: AsyncIterable<Uint8Array>): Promise<Content> {
  const hash = createHash('sha256');
  const text = new TextJudge();
  const head: Uint8Array[] = [];
  let headBytes = 0;
  for await (const piece of content) {
    hash.update(piece);
    text.add(piece);
    if (headBytes < HEAD_BYTES) {
      head.push(piece.subarray(0, HEAD_BYTES - headBytes));
      headBytes += head.at(-1)!.length;
    }
  }
  const signature = await signatureOf(Buffer.concat(head));
  return { mediaType: mediaTypeOf(signature, text.end()), sha256: hash.digest('hex') };
}

function mediaTypeOf(signature: string | null, text: ReturnType<TextJudge['end']>): string {
  if (text === null) return signature ?? UNKNOWN;
  if (signature === null || !TEXTUAL.has(signature)) return text;
  // A page in XML is a page first.
  return signature === 'application/xml' && text !== 'text/plain' ? text : signature;
}
