import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import { callWebhook, excerptOf, retryDelay } from '../../../activities/call-webhook.ts';
import { readEnv } from '../../../config/env.ts';
import { createOutbound } from '../../../domain/outbound/outbound.ts';

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

test('a call that is never tried, because too many are on their way, is given up after a day, not after an hour', async () => {
  const outbound = createOutbound([], { perOwner: 0 });
  const env = readEnv({
    DATABASE_URL: 'postgres://app@localhost/perennial',
    TEMPORAL_ADDRESS: 'localhost:7233',
    NATS_URL: 'nats://user:password@localhost:4222',
    SMTP_URL: 'smtp://localhost:1025',
    JWT_SECRET: 'j'.repeat(32),
    LINK_SECRET: 'l'.repeat(32),
  });
  const call = {
    tenantId: 'default',
    id: 'an-id',
    url: 'https://hooks.example.com/',
    onError: 'continue',
    body: '{}',
  } as const;
  const after = (hours: number) => callWebhook({ outbound, env }, call, { attempt: 9, elapsedMs: hours * 3_600_000 });
  await assert.rejects(after(23), (error) => {
    assert.ok(error instanceof ApplicationFailure);
    return error.type === 'webhook_unanswered' && !error.nonRetryable;
  });
  const brief = 'not tried: too many requests are on their way after 9 attempts';
  assert.deepEqual(await after(24), { ok: false, brief, reason: brief });
});
