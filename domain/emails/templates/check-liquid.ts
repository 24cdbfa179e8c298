import { Context, Tokenizer, TypeGuards, Value, toValueSync } from 'liquidjs';
import type { FilteredValueToken, Liquid, TagToken, Token } from 'liquidjs';
import { withFormUrls } from '../rendering/template-engine.ts';
import { isLimitError } from '../rendering/template-limits.ts';
import { templateScope, NO_LINKS } from '../rendering/template-values.ts';

/** A mistake that liquidjs ignores, and its position, counted from 1. */
export interface LiquidMistake {
  message: string;
  line: number;
  column: number;
}

/** Tags whose content is one value with its filters. */
const VALUE_TAGS: readonly string[] = ['if', 'elsif', 'unless', 'case', 'echo'];

class Mistake extends Error {}

/** Throws unless every operator has its operands, and operands are separated by operators. */
function assertComplete({ initial }: FilteredValueToken): void {
  let operands = 0;
  for (const token of initial.postfix) {
    if (!TypeGuards.isOperatorToken(token)) {
      operands += 1;
      continue;
    }
    const { operator } = token as { operator: string } & Token;
    const taken = operator === 'not' ? 1 : 2;
    if (operands < taken) throw new Mistake(`"${operator}" lacks a value`);
    operands -= taken - 1;
  }
  if (operands !== 1) throw new Mistake('two values without an operator between them');
}

/**
 * Parses one value with its filters, and evaluates it with an empty scope, because only that reveals a filter's
 * missing argument.
 */
function readValue(engine: Liquid, tokenizer: Tokenizer): void {
  const token = tokenizer.readFilteredValue();
  assertComplete(token);
  if (tokenizer.input.slice(token.begin, token.end).trimEnd().endsWith('|')) throw new Mistake('expected filter name');
  try {
    const context = new Context(
      templateScope(null, '', null, NO_LINKS),
      engine.options,
      { sync: true },
      { liquid: engine },
    );
    toValueSync(new Value(token, engine).value(context));
  } catch (error) {
    // Limits are checked where the template is rendered.
    if (!isLimitError(error)) throw error;
  }
}

function assertEnd(tokenizer: Tokenizer): void {
  tokenizer.skipBlank();
  if (!tokenizer.end())
    throw new Mistake(
      `unexpected ${JSON.stringify(tokenizer.input.slice(tokenizer.p, tokenizer.N).trim().slice(0, 20))}`,
    );
}

function checkTag(engine: Liquid, { name, tokenizer }: TagToken): void {
  tokenizer.skipBlank();
  if (name === 'assign') {
    tokenizer.readIdentifier();
    tokenizer.skipBlank();
    tokenizer.advance();
  }
  if (name === 'cycle') {
    checkCycle(engine, tokenizer);
  } else if (name === 'assign' || (VALUE_TAGS.includes(name) && !tokenizer.end())) {
    readValue(engine, tokenizer);
    assertEnd(tokenizer);
  }
}

/** Checks the arguments of a cycle tag: `group: one, two`, or without a group. */
function checkCycle(engine: Liquid, tokenizer: Tokenizer): void {
  const begin = tokenizer.p;
  tokenizer.readValue();
  tokenizer.skipBlank();
  if (tokenizer.peek() === ':') tokenizer.advance();
  else tokenizer.p = begin;
  for (;;) {
    readValue(engine, tokenizer);
    tokenizer.skipBlank();
    if (tokenizer.peek() !== ',') return assertEnd(tokenizer);
    tokenizer.advance();
  }
}

function checkToken(engine: Liquid, token: Token): void {
  if (TypeGuards.isOutputToken(token)) {
    const { input, contentRange } = token as unknown as { input: string; contentRange: [number, number] };
    const tokenizer = new Tokenizer(input, engine.options.operators, undefined, contentRange);
    readValue(engine, tokenizer);
    assertEnd(tokenizer);
  } else if (TypeGuards.isTagToken(token)) {
    checkTag(engine, token);
  }
}

/** Yields the tokens of a template that liquidjs can parse, including those inside `liquid` tags, without comments. */
function* tokensOf(engine: Liquid, tokens: Iterable<Token>): Generator<Token> {
  let commented = false;
  for (const token of tokens) {
    const tag = TypeGuards.isTagToken(token) ? token : null;
    if (tag?.name === 'endcomment') commented = false;
    else if (commented) continue;
    else if (tag?.name === 'comment') commented = true;
    else if (tag?.name === 'liquid') yield* tokensOf(engine, tag.tokenizer.readLiquidTagTokens(engine.options));
    else yield token;
  }
}

/**
 * Finds the first mistake in a template that liquidjs can parse, even in branches that are not executed: incomplete
 * operators and filters, and text that liquidjs ignores. Null if there is none.
 */
export function findMistake(engine: Liquid, source: string): LiquidMistake | null {
  const tokenizer = new Tokenizer(withFormUrls(source), engine.options.operators);
  for (const token of tokensOf(engine, tokenizer.readTopLevelTokens(engine.options))) {
    try {
      checkToken(engine, token);
    } catch (error) {
      const [line, column] = token.getPosition() as [number, number];
      return { message: (error as Error).message, line, column };
    }
  }
  return null;
}
