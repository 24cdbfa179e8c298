/** The languages that recipients are spoken to; in doubt it is the first. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'pl', 'pt'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The language of ours that a language tag (BCP 47) stands for, by its first subtag; null when we do not speak it. */
export function languageOf(tag: string): Language | null {
  const primary = tag.trim().split('-', 1)[0]!.toLowerCase();
  return LANGUAGES.find((language) => language === primary) ?? null;
}
