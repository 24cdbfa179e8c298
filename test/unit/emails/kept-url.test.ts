import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { keptUrl } from '../../../domain/addresses/kept-url.ts';

const TOKEN = 'B2RlZmF1bHQBMQ0xNzkx_-aA';

test('the token of the contact is not kept; everything else is, byte for byte', () => {
  for (const [url, kept] of [
    [`https://example.com/?contactToken=${TOKEN}`, 'https://example.com/'],
    [`https://example.com?contactToken=${TOKEN}#top`, 'https://example.com#top'],
    [
      `https://example.com/a?x=%C3%BC+1&contactToken=${TOKEN}&x=2&&y#f?a`,
      'https://example.com/a?x=%C3%BC+1&x=2&&y#f?a',
    ],
    [`https://example.com/a?contactToken=${TOKEN}&b=%20`, 'https://example.com/a?b=%20'],
    [`https://example.com/a?b&contactToken=${TOKEN}&contactToken=x`, 'https://example.com/a?b'],
    ['https://example.com/a?contactToken=', 'https://example.com/a'],
    [`https://example.com/a?contact%54oken=${TOKEN}&b%=1&%63=2`, 'https://example.com/a?b%=1&%63=2'],
    [`https://h.example/api/v1/emails/view/${TOKEN}`, 'https://h.example/api/v1/emails/view'],
    [`https://h.example/api/v1/emails/view/${TOKEN}?a#b`, 'https://h.example/api/v1/emails/view?a#b'],
  ] as const)
    assert.equal(keptUrl(url), kept, url);
});

test('a URL without a token is not touched', () => {
  for (const url of [
    'HTTPS://EXAMPLE.com',
    'https://example.com/?',
    'https://example.com/?#',
    'https://example.com/?&&a=%7e&a=%7E',
    'https://example.com/contactToken=1',
    'https://example.com/?token=contactToken&contacttoken=1&myContactToken=2&a=contactToken=3',
    'https://example.com/#?contactToken=1',
    "https://example.com/it's?a=b?c=d",
    'https://example.com/api/v1/emails/view/a/b',
  ])
    assert.equal(keptUrl(url), url);
});
