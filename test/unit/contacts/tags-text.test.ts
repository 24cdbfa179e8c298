import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import fc from 'fast-check';
import { formatTags, parseTags } from '../../../domain/contact-values/tags-text.ts';

test('tags are separated by commas and semicolons, quoted ones keep theirs', () => {
  for (const [text, tags] of [
    ['vip;b2b', ['vip', 'b2b']],
    ['vip, b2b', ['vip', ' b2b']],
    ['a,b;c', ['a', 'b', 'c']],
    ['"Customer","VIP, gold"', ['Customer', 'VIP, gold']],
    [' "a;b" ; c', ['a;b', ' c']],
    ['"say ""hi""";x', ['say "hi"', 'x']],
    ['5" pipe;x', ['5" pipe', 'x']],
    ['"open;x', ['"open', 'x']],
    ['* myContacts ::: Friends', ['', ' Friends']],
    ['"x"y,z', ['"x"y', 'z']],
  ] as const)
    assert.deepEqual(parseTags(text), tags, text);
});

test('tags survive being written and read', () => {
  const tag = fc.string({
    unit: fc.constantFrom('a', 'B', ',', ';', '"', ':', ' ', '*', 'é'),
    minLength: 1,
    maxLength: 6,
  });
  const trimmed = tag.map((text) => text.trim()).filter((text) => text !== '');
  fc.assert(
    fc.property(fc.array(trimmed, { minLength: 1 }), (tags) => {
      assert.deepEqual(
        parseTags(formatTags(tags)).map((text) => text.trim()),
        tags,
      );
    }),
  );
});
