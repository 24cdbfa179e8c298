import { Tokenizer, TypeGuards } from 'liquidjs';
import type { FilteredValueToken, Token } from 'liquidjs';

import { sharedEngine, withFormUrls } from './template-engine.ts';
import { splitTemplate, type Piece } from './template-pieces.ts';

/** None of them repeats anything, or makes a value that can grow with another one. */
const TAGS: ReadonlySet<string> = new Set([
  ...['if', 'elsif', 'else', 'endif', 'unless', 'endunless', 'case', 'when', 'endcase'],
  ...['assign', 'echo', 'comment', 'raw', 'endraw', '#'],
]);

/** They take linear time, and what they return is hardly longer than their value and arguments. */
const FILTERS: ReadonlySet<string> = new Set([
  ...['default', 'append', 'prepend', 'capitalize', 'upcase', 'downcase', 'strip', 'lstrip', 'rstrip', 'remove_first'],
  ...['escape', 'escape_once', 'xml_escape', 'newline_to_br', 'url_encode', 'cgi_escape', 'uri_escape'],
  ...['truncate', 'truncatewords', 'size', 'first', 'last', 'date', 'formUrl'],
  ...['plus', 'minus', 'times', 'divided_by', 'modulo', 'round', 'ceil', 'floor', 'abs', 'at_least', 'at_most'],
]);

/** A step of a template cannot be interrupted, so it must be short. */
const LONGEST_TOKEN = 500;
const MOST_FILTERS = 8;

/** Whether a token is written out in the template. */
const isLiteral = (token: Token): boolean =>
  TypeGuards.isQuotedToken(token) || TypeGuards.isNumberToken(token) || TypeGuards.isLiteralToken(token);

function isPlainFilter({ name, args }: FilteredValueToken['filters'][number]): boolean {
  // `default` returns one or the other.
  return FILTERS.has(name) && (name === 'default' || args.every((given) => !Array.isArray(given) && isLiteral(given)));
}

/** Whether a value with its filters is plain. What cannot be parsed is not. */
function isPlainValue(source: string): boolean {
  const tokenizer = new Tokenizer(source, sharedEngine('text').options.operators);
  const { initial, filters } = tokenizer.readFilteredValue();
  tokenizer.skipBlank();
  if (!tokenizer.end() || filters.length > MOST_FILTERS || !filters.every(isPlainFilter)) return false;
  // A range can be any number of elements long; and what `contains` takes depends on how long both sides are.
  return [...initial.postfix].every(
    (token) =>
      !TypeGuards.isRangeToken(token) &&
      !(TypeGuards.isOperatorToken(token) && (token as unknown as { operator: string }).operator === 'contains') &&
      !(TypeGuards.isPropertyAccessToken(token) && /[[(]/.test(token.getText())),
  );
}

const INSIDE = /^\{[{%]-?([^]*?)-?[%}]\}$/;

function isPlainPiece({ kind, source, tag }: Piece): boolean {
  if (kind === 'text' || tag === 'comment' || tag === 'raw' || tag === '#') return true;
  if (source.length > LONGEST_TOKEN || (kind === 'tag' && !TAGS.has(tag))) return false;
  const inside = INSIDE.exec(source)![1]!.trim();
  if (kind === 'output') return isPlainValue(inside);
  const args = inside.slice(tag.length).trim();
  if (tag === 'assign') return isPlainValue(args.slice(args.indexOf('=') + 1));
  return args === '' || tag === 'when' || isPlainValue(args);
}

/**
 * Whether filling a template, which must be free of mistakes, takes time in proportion to its length and to that of its
 * values, and is made of short steps: it has no loops, and nothing by which a value could grow again and again.
 */
export function isPlain(source: string): boolean {
  return splitTemplate(withFormUrls(source)).every(isPlainPiece);
}
