/** How programs and spreadsheets write yes and no, in lower case. */
const TRUE = ['true', 'yes', 'y', '1', 'x', 'on', 't', '✓', '✔', 'checked', 'wahr', 'ja', 'j', 'vrai', 'oui', 'o'];
const MORE_TRUE = ['verdadero', 'sí', 'si', 's', 'prawda', 'tak', 'verdadeiro', 'sim', 'vero', 'waar', 'да', 'истина'];
const FALSE = ['false', 'no', 'n', '0', 'off', 'f', 'unchecked', 'falsch', 'nein', 'faux', 'non', 'falso'];
const MORE_FALSE = ['fałsz', 'nie', 'não', 'nao', 'onwaar', 'nee', 'нет', 'ложь', 'いいえ', '否'];

const BOOLEANS = new Map([
  ...[...TRUE, ...MORE_TRUE, 'はい', '是'].map((word) => [word, true] as const),
  ...[...FALSE, ...MORE_FALSE].map((word) => [word, false] as const),
]);

/** Yes or no in a text, in any spelling and some languages; undefined if it is neither. */
export const parseBoolean = (text: string): boolean | undefined => BOOLEANS.get(text.trim().toLowerCase());
