import { languageOf, LANGUAGES, type Language } from '../../domain/common/languages.ts';

interface Range {
  language: Language | '*';
  quality: number;
}

/** Languages that we do not speak are left out, and what is no language range of RFC 9110. */
function readRange(text: string): Range[] {
  const match = /^\s*(\*|[a-z]{1,8}(?:-[a-z0-9]{1,8})*)\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i.exec(text);
  const language = match && (match[1] === '*' ? '*' : languageOf(match[1]!));
  return language ? [{ language, quality: Number(match[2] ?? 1) }] : [];
}

/**
 * The language that a visitor reads best, by an Accept-Language header (RFC 9110, 12.5.4) and lookup (RFC 4647, 3.4): `de-AT`
 * is served German. `*` is any language that is not named; a quality of 0 refuses one. English where none fits.
 */
export function preferredLanguage(header: string): Language {
  const ranges = header.split(',').flatMap(readRange);
  const named = new Set(ranges.map(({ language }) => language));
  // The sort is stable: of those that are liked alike the first named goes first, and a name before `*`.
  const liked = ranges
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality || Number(a.language === '*') - Number(b.language === '*'));
  for (const { language } of liked) {
    const found = language === '*' ? LANGUAGES.find((any) => !named.has(any)) : language;
    if (found) return found;
  }
  return LANGUAGES[0];
}
