import { keptUrl } from '../../addresses/kept-url.ts';
import { isTracked, linkHref, linkTags } from './instrument.ts';
import { scanHtml } from './html-scan.ts';
import { trackableLink } from './links.ts';
import { renderFailure, withTimeLimit } from './template-limits.ts';
import { splitTemplate, type Piece } from './template-pieces.ts';

/** A link of a template. */
export interface TemplateLink {
  /** As its author wrote it, with its Liquid. */
  link: string;
  /** What it is for its recipients, as it is stored: a pattern of LIKE. */
  pattern: string;
  /** The characters of the pattern that are not Liquid: of two patterns that match, the longer is meant. */
  weight: number;
}

/** The links whose clicks are tracked, of HTML with Liquid. Throws AppError `template_limit`. */
export function listTemplateLinks(html: string): TemplateLink[] {
  try {
    return withTimeLimit(() => linksIn(html));
  } catch (error) {
    throw renderFailure(error, '/content');
  }
}

/** Pages of the service, whose clicks are stored without the token of a person. */
const OWN_PAGE =
  /^\{\{-?\s*(?:webViewUrl|unsubscribeUrl|preferencesUrl|formUrl\s*:\s*\d+|\d+\s*\|\s*formUrl)\s*-?\}\}$/;

function linksIn(html: string): TemplateLink[] {
  const pieces = splitTemplate(html);
  let name = 'lqd';
  while (html.includes(name)) name += 'q';
  const word = (index: number): string => `${name}${index}z`;
  const words = new RegExp(`${name}(\\d+)z`, 'g');
  const masked = pieces.map(({ kind, source }, index) => (kind === 'text' ? source : word(index))).join('');
  const found = linkTags(scanHtml(masked)).flatMap(({ tag }) => {
    const href = linkHref(tag);
    return href && isTracked(tag) ? linksOf(href.value.trim(), pieces, words) : [];
  });
  const unique = [...new Map(found.map((link) => [`${link.link} ${link.pattern}`, link])).values()];
  // Of several that are Liquid alone, nobody can tell which was followed.
  return unique.filter(({ weight }) => weight > 0 || unique.filter((other) => other.weight === 0).length === 1);
}

function linksOf(href: string, pieces: readonly Piece[], words: RegExp): TemplateLink[] {
  const sourceOf = (index: string): string => pieces[Number(index)]!.source;
  const link = href.replace(words, (_word, index: string) => sourceOf(index));
  if (OWN_PAGE.test(link)) return [];
  const tracked = trackableLink(href);
  if (!words.test(href)) return tracked ? [linkOf(keptUrl(tracked.url), keptUrl(tracked.url), words)] : [];
  words.lastIndex = 0;
  // Whatever lies between the first and the last tag may be repeated or left out.
  const tags = [...href.matchAll(words)].filter(([, index]) => pieces[Number(index)]!.kind === 'tag');
  const [first, last] = [tags[0], tags.at(-1)];
  const whole =
    first && last ? `${href.slice(0, first.index)}${first[0]}${href.slice(last.index + last[0].length)}` : href;
  // A value with characters that are not allowed in a URL makes all of it be serialised.
  const spellings = new Set([whole, trackableLink(whole)?.url ?? whole, URL.parse(whole)?.href ?? whole]);
  return [...spellings].map((spelling) => linkOf(link, keptUrl(spelling), words));
}

function linkOf(link: string, url: string, words: RegExp): TemplateLink {
  const pattern = url.replace(/[\\%_]/g, '\\$&').replace(words, '%');
  return { link, pattern, weight: url.replace(words, '').length };
}
