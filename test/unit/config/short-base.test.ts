import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { shortBase } from '../../../config/short-base.ts';

test.each([
  ['https://mail.example', '', 'https://mail.example/r'],
  ['https://mail.example/', '', 'https://mail.example/r'],
  ['https://mail.example/app//', '', 'https://mail.example/app/r'],
  ['https://mail.example/', 'https://s.example', 'https://s.example'],
  ['https://mail.example', 'https://s.example/l/', 'https://s.example/l'],
])('the base of short links for PUBLIC_URL %s and SHORT_URL %p', (PUBLIC_URL, SHORT_URL, base) => {
  assert.equal(shortBase({ PUBLIC_URL, SHORT_URL }), base);
});
