import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import fc from 'fast-check';
import { Shortener } from '../../../domain/channels/content/short-links.ts';

/** What follows a URL in a sentence, in one expression. */
function endOf(found: string): string {
  const end = /[.,;:!?'’»)\]}]+$/u.exec(found)?.[0] ?? '';
  const keeps = /^[)\]}]/.test(end) && /[([{]/.test(found.slice(0, -end.length));
  return end.slice(keeps ? 1 : 0);
}
const shortened = (text: string): string => new Shortener('https://s.example', () => 'code').shortenAll(text);

test('a URL ends before what ends its sentence, and keeps a bracket that it opens itself', () => {
  const rest = fc.string({ unit: fc.constantFrom(...`.,;:!?'’»)]}([{a/`), maxLength: 30 });
  fc.assert(
    fc.property(rest, (text) => {
      const url = `https://example.com/${text}`;
      assert.equal(shortened(`See ${url} now`), `See https://s.example/code${endOf(url)} now`);
    }),
    { numRuns: 2_000 },
  );
});
