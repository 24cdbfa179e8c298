import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { excerptOf, retryDelay } from '../../../activities/call-webhook.ts';

const now = Date.parse('2026-05-01T12:00:00Z');

test('Retry-After is honoured in both forms, between the backoff and its maximum', () => {
  assert.equal(retryDelay('120', 1, now), 120_000);
  assert.equal(retryDelay('Fri, 01 May 2026 12:02:00 GMT', 1, now), 120_000);
  assert.equal(retryDelay('0', 4, now), 8_000);
  assert.equal(retryDelay('Fri, 01 May 2020 12:00:00 GMT', 1, now), 1_000);
  assert.equal(retryDelay('999999999', 1, now), 300_000);
  assert.equal(retryDelay('1', 1_000, now), 300_000);
  for (const nothing of [undefined, '', 'soon', '1e3000']) assert.equal(retryDelay(nothing, 1, now), undefined);
});

test('an excerpt is one line of at most 200 characters that Postgres can store', () => {
  assert.equal(excerptOf(Buffer.from('\u0000\r\n a\u202e\tb \u200b')), 'a b');
  assert.equal(excerptOf(Buffer.from([0xff, 0xfe, 0x61])), '\ufffd\ufffda');
  const long = excerptOf(Buffer.from('😀'.repeat(300)));
  assert.equal([...long].length, 200);
  assert.ok(long.isWellFormed());
});
