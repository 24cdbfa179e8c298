import type { InboundText } from '../../../db/entities/channels.ts';

const STOP = ['stop', 'stopall', 'quit', 'end', 'revoke', 'opt out', 'optout', 'cancel', 'unsubscribe'];
const START = ['start', 'unstop', 'yes'];
const HELP = ['help', 'info'];

/** What a received text asks for. */
export interface Reading {
  /** `yes`: it is only a word that opts out. `maybe`: it has such a word among others. */
  optOut: InboundText['optOut'];
  /** What is done about it; null: nothing. */
  wish: 'stop' | 'start' | 'help' | null;
}

/** Writing systems that put no spaces between words. */
const WITHOUT_SPACES = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/**
 * The words of a text: letters and digits, in one form whatever their case, width and accents. Invisible characters
 * are not there.
 */
function wordsOf(text: string): string[] {
  const plain = text
    .normalize('NFKD')
    .replace(/[\p{Cf}\u0300-\u036f]/gu, '')
    .toLowerCase();
  return plain.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
}

/** Whether all of a text is `word`, once or several times: spaces do not matter, as in `opt-out` or `S T O P`. */
const isOnly = (text: readonly string[], words: readonly string[][]): boolean => {
  const all = text.join('');
  const known = words.map((word) => word.join(''));
  return all !== '' && (known.includes(all) || text.every((one) => known.includes(one)));
};

/** Whether a text has one of these words, or several in a row for those of several. */
const has = (text: readonly string[], words: readonly string[][]): boolean =>
  words.some((word) =>
    WITHOUT_SPACES.test(word.join(''))
      ? text.join('').includes(word.join(''))
      : text.some((_, at) => word.every((part, index) => text[at + index] === part)),
  );

const inWords = (words: readonly string[]): string[][] => words.map(wordsOf).filter(({ length }) => length > 0);
const [stop, start, help] = [inWords(STOP), inWords(START), inWords(HELP)];

/** Reads a received text; `stopWords` are those of the tenant, beside the usual ones. */
export function readText(text: string, stopWords: readonly string[] = []): Reading {
  const words = wordsOf(text);
  const stops = stopWords.length === 0 ? stop : [...stop, ...inWords(stopWords)];
  if (isOnly(words, stops)) return { optOut: 'yes', wish: 'stop' };
  if (has(words, stops)) return { optOut: 'maybe', wish: null };
  if (isOnly(words, start)) return { optOut: 'no', wish: 'start' };
  return { optOut: 'no', wish: isOnly(words, help) ? 'help' : null };
}
