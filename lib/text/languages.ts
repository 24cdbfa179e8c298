/** The languages of texts for recipients; the first is the default. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'pl', 'pt'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The supported language of a language tag (BCP 47), by its first subtag; null if it is not supported. */
export function languageOf(tag: string): Language | null {
  const primary = tag.trim().split('-', 1)[0]!.toLowerCase();
  return LANGUAGES.find((language) => language === primary) ?? null;
}
