import { splitTemplate } from '../rendering/template-pieces.ts';

/** MJML in which each Liquid token is replaced by a word, which MJML treats as text. */
export interface MaskedMjml {
  source: string;
  /** The tokens, indexed by the number in their word. */
  tokens: string[];
  /** The word of a token. */
  wordOf: (index: number) => string;
  /** Replaces the words in an output or message of MJML by `to` of their tokens; by default the token itself. */
  unmask: (text: string, to?: (index: number, word: string) => string) => string;
  /** The indexes of the tokens whose words occur in a text, with the offset of the first occurrence. */
  wordsIn: (text: string) => Map<number, number>;
  /** The line in the template for a line in `source`, since tokens may span several lines. */
  lineOf: (line: number) => number;
}

/** Hides Liquid from MJML, which would parse, move or drop it. Throws what liquidjs throws for an unclosed token. */
export function maskLiquid(template: string): MaskedMjml {
  let name = 'lqd';
  while (template.includes(name)) name += 'q';
  const tokens: string[] = [];
  const wordOf = (index: number): string => `${name}${index}z`;
  /** Line breaks inside tokens, by the line of `source`. */
  const hidden: { line: number; lines: number }[] = [];
  let source = '';
  let line = 1;
  for (const { kind, source: piece } of splitTemplate(template)) {
    if (kind === 'text') {
      source += piece;
      line += lineEnds(piece);
    } else {
      source += wordOf(tokens.push(piece) - 1);
      hidden.push({ line, lines: lineEnds(piece) });
    }
  }
  const words = new RegExp(`${name}(\\d+)z`, 'g');
  return {
    source,
    tokens,
    wordOf,
    unmask: (text, to = (index) => tokens[index]!) =>
      text.replace(words, (word, index: string) => to(Number(index), word)),
    wordsIn: (text) =>
      new Map([...text.matchAll(words)].map((found): [number, number] => [Number(found[1]), found.index]).reverse()),
    lineOf: (at) => hidden.filter((token) => token.line < at).reduce((sum, token) => sum + token.lines, at),
  };
}

const lineEnds = (text: string): number => text.split('\n').length - 1;
