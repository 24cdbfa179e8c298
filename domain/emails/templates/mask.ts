import { splitTemplate } from '../rendering/template-pieces.ts';

/** MJML in which each Liquid token is one word that MJML takes for text. */
export interface MaskedMjml {
  source: string;
  /** The tokens by the number in their word. */
  tokens: string[];
  /** A text that MJML made or said, with `to` of each token in the place of its word; the token itself unless told otherwise. */
  unmask: (text: string, to?: (index: number, word: string) => string) => string;
  /** The tokens whose words are in a text, and where each is first. */
  wordsIn: (text: string) => Map<number, number>;
  /** The line in the template of a line in `source`; tokens may be of several. */
  lineOf: (line: number) => number;
}

/** Takes Liquid out of MJML's sight: what it would read as markup, move or drop. Throws what liquidjs throws for an unclosed token. */
export function maskLiquid(template: string): MaskedMjml {
  let name = 'lqd';
  while (template.includes(name)) name += 'q';
  const tokens: string[] = [];
  /** Lines that a token hides, by the line of `source` it is in. */
  const hidden: { line: number; lines: number }[] = [];
  let source = '';
  let line = 1;
  for (const { kind, source: piece } of splitTemplate(template)) {
    if (kind === 'text') {
      source += piece;
      line += lineEnds(piece);
    } else {
      source += `${name}${tokens.push(piece) - 1}z`;
      hidden.push({ line, lines: lineEnds(piece) });
    }
  }
  const words = new RegExp(`${name}(\\d+)z`, 'g');
  return {
    source,
    tokens,
    unmask: (text, to = (index) => tokens[index]!) =>
      text.replace(words, (word, index: string) => to(Number(index), word)),
    wordsIn: (text) =>
      new Map([...text.matchAll(words)].map((found): [number, number] => [Number(found[1]), found.index]).reverse()),
    lineOf: (at) => hidden.filter((token) => token.line < at).reduce((sum, token) => sum + token.lines, at),
  };
}

const lineEnds = (text: string): number => text.split('\n').length - 1;
