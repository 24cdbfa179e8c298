import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import fc from 'fast-check';
import { ReplyReader } from '../../../../worker/senders/smtp-replies.ts';

test('replies of one line and of many are read, however they are cut', () => {
  const sent = Buffer.from(
    '220 ready\r\n250-host\r\n250-PIPELINING\r\n250 SIZE 1000\r\n354\r\n550-5.1.1 keine Zustellung für\n550 5.1.1 «müller»\r\n',
  );
  const expected = [
    { code: 220, text: '220 ready' },
    { code: 250, text: '250-host\n250-PIPELINING\n250 SIZE 1000' },
    { code: 354, text: '354' },
    { code: 550, text: '550-5.1.1 keine Zustellung für\n550 5.1.1 «müller»' },
  ];
  fc.assert(
    fc.property(fc.array(fc.nat(sent.length)), (cuts) => {
      const reader = new ReplyReader();
      const ends = [...new Set([0, ...cuts, sent.length])].sort((a, b) => a - b);
      const read = ends.slice(1).flatMap((end, n) => [...reader.read(sent.subarray(ends[n], end))]);
      assert.deepEqual(read, expected);
    }),
  );
});

test('what has not ended is no reply', () => {
  const reader = new ReplyReader();
  const read = (text: string) => [...reader.read(Buffer.from(text))];
  assert.deepEqual(read('550 no such'), []);
  assert.deepEqual(read(' user\r\n250-a\r\n'), [{ code: 550, text: '550 no such user' }]);
  assert.deepEqual(read('250 b\r\n'), [{ code: 250, text: '250-a\n250 b' }]);
});

test('what is no reply, and one that does not end, are refused', () => {
  const readAll = (text: string) => [...new ReplyReader().read(Buffer.from(text))];
  for (const line of ['HTTP/1.1 400 Bad Request', '99 too short', '2500 too long', '600 unknown', '250_x']) {
    assert.throws(() => readAll(`${line}\r\n`), /invalid reply/);
  }
  assert.throws(() => readAll('2'.repeat(10_000)), /is too long/);
  assert.throws(() => readAll('250-more\r\n'.repeat(2_000)), /is too long/);
});
