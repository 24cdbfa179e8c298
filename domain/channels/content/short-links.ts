import { randomInt } from 'node:crypto';
import { isWebUrl } from '../../../lib/addresses/web-url.ts';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
export const CODE_LENGTH = 10;
/** What stands for a code in a preview. */
export const PREVIEW_CODE = 'x'.repeat(CODE_LENGTH);

/** A link of a message: `{base}/{code}` leads to the URL. */
export interface ShortLink {
  code: string;
  url: string;
  /** As `message_links.position`. */
  position: number;
}

/**
 * A random code, of 62^10 possible ones. Nothing can be learnt from one about another. Should two be equal, the message
 * is not started (the code is a unique key), and rendered again with others.
 */
export function newCode(): string {
  let code = '';
  for (let length = 0; length < CODE_LENGTH; length += 1) code += LETTERS[randomInt(LETTERS.length)]!;
  return code;
}

const URL_IN_TEXT = /https?:\/\/[^\s<>"]+/gi;
/** What ends a sentence is no part of the URL before it. */
const TRAILING = new Set(`.,;:!?'’»)]}`);

/** Replaces the URLs of a message by short ones, each URL by one; collects them. */
export class Shortener {
  readonly #base: string;
  readonly #codeFor: (url: string) => string;
  readonly #codes = new Map<string, string>();

  /** `base`: without a slash at the end. */
  constructor(base: string, codeFor: (url: string) => string = newCode) {
    this.#base = base;
    this.#codeFor = codeFor;
  }

  /** The links, numbered from `first`. */
  linksFrom(first: number): ShortLink[] {
    return [...this.#codes].map(([url, code], index) => ({ code, url, position: first + index }));
  }

  /** The short form of a URL. What is no printable ASCII in it is encoded, since it becomes a Location header. */
  shorten(given: string): string {
    const url = /^[\x21-\x7e]+$/.test(given) ? given : (URL.parse(given)?.href ?? given);
    let code = this.#codes.get(url);
    if (code === undefined) this.#codes.set(url, (code = this.#codeFor(url)));
    return `${this.#base}/${code}`;
  }

  /** Shortens every URL in a text. */
  shortenAll(text: string): string {
    return text.replace(URL_IN_TEXT, (found) => {
      const url = withoutEnd(found);
      return isWebUrl(url) ? this.shorten(url) + found.slice(url.length) : found;
    });
  }
}

/** Cuts off what follows a URL in a sentence, but not a bracket that it opens itself. */
function withoutEnd(found: string): string {
  let end = found.length;
  while (end > 0 && TRAILING.has(found[end - 1]!)) end -= 1;
  const keeps = /[)\]}]/.test(found.charAt(end)) && /[([{]/.test(found.slice(0, end)) ? 1 : 0;
  return found.slice(0, end + keeps);
}
