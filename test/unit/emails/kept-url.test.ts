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
    [`https://example.com/#/p?contactToken=${TOKEN}`, 'https://example.com/#/p'],
    [`https://example.com/?a=1#/p?b=%7e&contactToken=${TOKEN}&c?d`, 'https://example.com/?a=1#/p?b=%7e&c?d'],
    [`https://example.com/#contactToken=${TOKEN}`, 'https://example.com/#'],
    [`https://example.com/#a=1&contactToken=${TOKEN}`, 'https://example.com/#a=1'],
    [`https://example.com/?u=https%3A%2F%2Fb%2F%3FcontactToken%3D${TOKEN}&b=1`, 'https://example.com/?b=1'],
    [`https://example.com/?u=https://b/?contactToken=${TOKEN}&b=1`, 'https://example.com/?b=1'],
    [`https://example.com/#/p?u=https%253A%252F%252Fb%252F%253FcontactToken%253D${TOKEN}`, 'https://example.com/#/p'],
    [`https://example.com/?u=%E0%A4%A&v=%FF%26contact%54oken%3D${TOKEN}`, 'https://example.com/?u=%E0%A4%A'],
    [`https://h.example/api/v1/emails/view/${TOKEN}`, 'https://h.example/api/v1/emails/view'],
    [`https://h.example/api/v1/emails/preferences/${TOKEN}`, 'https://h.example/api/v1/emails/preferences'],
    [`https://h.example/api/v1/emails/unsubscribe/${TOKEN}`, 'https://h.example/api/v1/emails/unsubscribe'],
    [`https://h.example/api/v1/emails/view/${TOKEN}?a#b`, 'https://h.example/api/v1/emails/view?a#b'],
    [`https://h.example/api/v1/emails/view/${TOKEN}/`, 'https://h.example/api/v1/emails/view'],
    [`https://h.example/api/v1/emails/preferences/${TOKEN}/?a=1`, 'https://h.example/api/v1/emails/preferences?a=1'],
    [`https://example.com/?u=https://h/api/v1/emails/view/${TOKEN}&b=1`, 'https://example.com/?b=1'],
    [
      `https://example.com/?u=${encodeURIComponent(`https://h/api/v1/emails/unsubscribe/${TOKEN}/?x`)}&b=1`,
      'https://example.com/?b=1',
    ],
    [
      `https://example.com/#/p?a&u=${encodeURIComponent(encodeURIComponent(`https://h/api/v1/emails/preferences/${TOKEN}`))}`,
      'https://example.com/#/p?a',
    ],
    [`https://example.com/?https://b/?contactToken=${TOKEN}&c=1`, 'https://example.com/?c=1'],
    [`https://example.com/?https%3A%2F%2Fh%2Fapi%2Fv1%2Femails%2Fview%2F${TOKEN}`, 'https://example.com/'],
  ] as const)
    assert.equal(keptUrl(url), kept, url);
});

test('a URL without a token is not touched', () => {
  for (const url of [
    'HTTPS://EXAMPLE.com',
    'https://example.com/?',
    'https://example.com/?&&a=%7e&a=%7E',
    'https://example.com/contactToken=1',
    'https://example.com/?token=contactToken&contacttoken=1&myContactToken=2&a=mycontactToken=3&x-contactToken=4',
    'https://example.com/?#',
    'https://example.com/#/p?',
    'https://example.com/#/p?a=%7e#b?c',
    'https://example.com/?u=https%3A%2F%2Fb%2F%3Fa%3D1',
    "https://example.com/it's?a=b?c=d",
    'https://example.com/api/v1/emails/view/a/b',
    'https://example.com/?u=https%3A%2F%2Fb%2Fapi%2Fv1%2Femails%2Fview%2F&v=/api/v1/emails/send/a',
  ])
    assert.equal(keptUrl(url), url);
});
