import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { listTemplateLinks } from '../../../../domain/emails/rendering/template-links.ts';

const of = (...hrefs: string[]) =>
  listTemplateLinks(hrefs.map((href) => `<a href="${href}">x</a>`).join('')).map(({ link, pattern }) => [
    link,
    pattern,
  ]);

test('a link is as it was written, with a pattern of what it is for its recipients', () => {
  assert.deepEqual(of('https://example.com/a_b?c=100%25&amp;d=1'), [
    ['https://example.com/a_b?c=100%25&d=1', 'https://example.com/a\\_b?c=100\\%25&d=1'],
  ]);
  assert.deepEqual(of('https://example.com/{{ id }}?e={{ email | append: "%" }}'.replaceAll('"', "'")), [
    ["https://example.com/{{ id }}?e={{ email | append: '%' }}", 'https://example.com/%?e=%'],
  ]);
  assert.deepEqual(of('https://example.com/{% if a %}x{% else %}y{% endif %}/z'), [
    ['https://example.com/{% if a %}x{% else %}y{% endif %}/z', 'https://example.com/%/z'],
  ]);
  // As a value with a blank makes it be stored.
  assert.deepEqual(of('https://Example.com/ü/{{ id }}'), [
    ['https://Example.com/ü/{{ id }}', 'https://Example.com/ü/%'],
    ['https://Example.com/ü/{{ id }}', 'https://example.com/\\%C3\\%BC/%'],
  ]);
  assert.deepEqual(of('https://example.com/?contactToken={{ contactToken }}&amp;x={{ id }}'), [
    ['https://example.com/?contactToken={{ contactToken }}&x={{ id }}', 'https://example.com/?x=%'],
  ]);
});

test('what is Liquid alone stands for all, if it is the only one; what is not tracked for nothing', () => {
  assert.deepEqual(of('{{ data.link }}', '{{ webViewUrl }}', '{{formUrl: 7}}'), [['{{ data.link }}', '%']]);
  assert.deepEqual(of('{{ data.link }}', '{{ data.other }}'), []);
  assert.deepEqual(of('mailto:a@example.com', '#top'), []);
  assert.deepEqual(listTemplateLinks('<a href="https://example.com/" data-notrack>x</a>'), []);
});
