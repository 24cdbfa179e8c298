import { languageOf, LANGUAGES, type Language } from '../../lib/text/languages.ts';

interface Range {
  language: Language | '*';
  quality: number;
}

/** Skips unsupported languages and invalid language ranges (RFC 9110). */
function readRange(text: string): Range[] {
  const match = /^\s*(\*|[a-z]{1,8}(?:-[a-z0-9]{1,8})*)\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i.exec(text);
  const language = match && (match[1] === '*' ? '*' : languageOf(match[1]!));
  return language ? [{ language, quality: Number(match[2] ?? 1) }] : [];
}

/**
 * The visitor's preferred language according to an Accept-Language header (RFC 9110, 12.5.4), by lookup (RFC 4647,
 * 3.4): `de-AT` gets German. `*` means any language that is not listed; a quality of 0 excludes a language. English if
 * none matches.
 */
export function preferredLanguage(header: string): Language {
  const ranges = header.split(',').flatMap(readRange);
  const named = new Set(ranges.map(({ language }) => language));
  // The sort is stable: with equal quality the order of the header counts, but a language is before `*`.
  const liked = ranges
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality || Number(a.language === '*') - Number(b.language === '*'));
  for (const { language } of liked) {
    const found = language === '*' ? LANGUAGES.find((any) => !named.has(any)) : language;
    if (found) return found;
  }
  return LANGUAGES[0];
}
