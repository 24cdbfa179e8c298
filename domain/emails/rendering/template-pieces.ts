import { Tokenizer, TypeGuards } from 'liquidjs';
import { sharedEngine } from './template-engine.ts';

/** A piece of a template's source: plain text (already trimmed by `{%-` and the like) or one Liquid token. */
export interface Piece {
  kind: 'text' | 'output' | 'tag';
  source: string;
  /** The tag's name; `raw` for the content between raw tags; empty for text and output. */
  tag: string;
}

/**
 * Splits a template into the same tokens as liquidjs. A comment with its content is one piece of kind tag. Throws what
 * liquidjs throws for an unclosed token.
 */
export function splitTemplate(source: string): Piece[] {
  const { options } = sharedEngine('text');
  const pieces: Piece[] = [];
  let comment: Piece | null = null;
  for (const token of new Tokenizer(source, options.operators).readTopLevelTokens(options)) {
    const text = token.getText();
    const tag = TypeGuards.isTagToken(token) ? token.name : '';
    if (comment) {
      comment.source += text;
      if (tag === 'endcomment') comment = null;
    } else if (TypeGuards.isHTMLToken(token)) {
      pieces.push({ kind: 'text', source: token.getContent(), tag: '' });
    } else {
      const piece: Piece = { kind: tag === '' ? 'output' : 'tag', source: text, tag };
      if (tag === 'comment') comment = piece;
      pieces.push(piece);
    }
  }
  return pieces;
}
