import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { gateOf } from '../../../../domain/emails/ledger/gates.ts';
import { countLinks } from '../../../../domain/emails/message/count-links.ts';
import { Breaker } from '../../../../worker/senders/breaker.ts';
import { Domains, domainOf } from '../../../../worker/senders/domains.ts';
import { publicError } from '../../../../worker/senders/health.ts';
import { retryDelay, settlementOf } from '../../../../worker/senders/outcomes.ts';
import type { Blamed } from '../../../../worker/senders/smtp-outcome.ts';
import { ReadyQueue } from '../../../../worker/senders/ready-queue.ts';
import { Wake } from '../../../../lib/async/wake.ts';

function clock() {
  let now = 0;
  return {
    now: () => now,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test('a breaker: one message first, then all; five failures in a row rest it, longer each time', () => {
  const time = clock();
  const breaker = new Breaker(time.now);
  assert.equal(breaker.allowed(20), 1);
  breaker.succeeded();
  assert.equal(breaker.allowed(20), 20);
  for (let n = 0; n < 4; n += 1) breaker.failed();
  breaker.succeeded();
  for (let n = 0; n < 4; n += 1) breaker.failed();
  assert.equal(breaker.allowed(20), 20, 'four in a row are borne');
  breaker.failed();
  for (const pause of [1000, 2000, 4000, 8000, 15_000, 15_000]) {
    // What was on it meanwhile fails too, and says nothing new.
    breaker.failed();
    time.pass(pause - 1);
    assert.equal(breaker.allowed(20), null, `rests ${pause}`);
    time.pass(1);
    assert.equal(breaker.allowed(20), 1, `is tried after ${pause}`);
    breaker.failed();
  }
  time.pass(15_000);
  assert.equal(breaker.allowed(20), 1);
  breaker.succeeded();
  assert.equal(breaker.allowed(20), 20);
  for (let n = 0; n < 5; n += 1) breaker.failed();
  time.pass(1000);
  assert.equal(breaker.allowed(20), 1, 'a success makes the pause short again');
});

test('one that is but silent rests at once, for long', () => {
  const time = clock();
  const breaker = new Breaker(time.now);
  breaker.succeeded();
  breaker.failed(true);
  assert.deepEqual(breaker.health, { state: 'open', failures: 1, restsForMs: 30_000 });
  time.pass(29_999);
  assert.equal(breaker.allowed(20), null);
  time.pass(1);
  assert.equal(breaker.allowed(20), 1);
  assert.deepEqual(breaker.health, { state: 'trial', failures: 1, restsForMs: null });
});

test('a trial that takes long sends the others elsewhere, one that came to nothing does not', () => {
  const time = clock();
  const breaker = new Breaker(time.now);
  breaker.used();
  time.pass(2000);
  assert.equal(breaker.allowed(20), 1);
  time.pass(1);
  assert.equal(breaker.allowed(20), null);
  breaker.unused();
  assert.equal(breaker.allowed(20), 1);
});

test('lanes are mixed by their shares, in their own order; an empty one leaves its share to the others', () => {
  const queue = new ReadyQueue<string>();
  for (let n = 0; n < 100; n += 1) {
    queue.push('bulk', `b${n}`);
    if (n < 30) queue.push('transactional', `t${n}`);
    if (n < 15) queue.push('journey', `j${n}`);
  }
  const first = queue.take(20);
  const count = (list: string[], lane: string) => list.filter((item) => item.startsWith(lane)).length;
  assert.deepEqual([count(first, 't'), count(first, 'j'), count(first, 'b')], [12, 6, 2]);
  assert.deepEqual(
    first.filter((item) => item.startsWith('t')),
    Array.from({ length: 12 }, (_, n) => `t${n}`),
  );
  queue.unshift('bulk', 'back');
  const rest = queue.take(1000);
  assert.equal(rest.length, 145 - 20 + 1);
  assert.equal(
    rest.find((item) => item.startsWith('b')),
    'back',
  );
  assert.equal(queue.size(), 0);
  assert.deepEqual(queue.take(5), []);
  // A lane that was alone for long owes nothing, nor is it owed.
  for (let n = 0; n < 20; n += 1) queue.push('bulk', `x${n}`);
  for (let n = 0; n < 20; n += 1) queue.push('transactional', `y${n}`);
  assert.ok(count(queue.take(7), 'x') >= 1);
});

test('what may not be taken is passed over, and keeps its place', () => {
  const queue = new ReadyQueue<string>();
  for (const item of ['slow1', 'slow2', 'quick1', 'slow3', 'quick2']) queue.push('bulk', item);
  assert.deepEqual(
    queue.take(5, (item) => item.startsWith('quick')),
    ['quick1', 'quick2'],
  );
  assert.deepEqual(queue.take(5), ['slow1', 'slow2', 'slow3']);
});

test('a domain holds no more connections than its limit, and what it has too much of is put off for as long as it takes', () => {
  const time = clock();
  const domains = new Domains(2, time.now);
  assert.equal(domainOf('Ada@Slow.Example'), 'slow.example');
  domains.enter('slow.example');
  assert.ok(domains.isFree('slow.example'));
  domains.enter('slow.example');
  assert.deepEqual([domains.isFree('slow.example'), domains.isFree('quick.example')], [false, true]);
  // A second each: of two at a time, the next is due half a second later; it comes in half of that.
  for (let n = 0; n < 200; n += 1) {
    domains.enter('slow.example');
    domains.leave('slow.example', 1000);
  }
  assert.deepEqual(
    [1, 2, 3].map(() => Math.round(domains.putOff('slow.example') - 1000)),
    [250, 500, 750],
  );
  for (let n = 0; n < 10_000; n += 1) domains.putOff('slow.example');
  assert.equal(domains.putOff('slow.example'), 600_000);
  domains.leave('slow.example');
  assert.ok(domains.isFree('slow.example'));
  const unlimited = new Domains(0);
  for (let n = 0; n < 100; n += 1) unlimited.enter('slow.example');
  assert.ok(unlimited.isFree('slow.example'));
});

test('what goes wrong with a provider is told without who logs in and whom mail is for', () => {
  const url = 'smtp://user%40example.com:p%40ss%2Cword@smtp.example.com:587';
  assert.equal(
    publicError('Invalid login: 535 user@example.com / p@ss,word\r\nno <ada@example.org>: "x@y"', url),
    'Invalid login: 535 … / … no <…>: "…"',
  );
  assert.equal(publicError(`\0${'x'.repeat(1000)}`, 'smtp://h').length, 300);
});

test('pauses grow with the attempts, by whose fault it was', () => {
  const retry =
    (reply: string | null, blames: Blamed = null) =>
    (attempt: number) =>
      retryDelay({ kind: 'retry', reply, error: 'x', blames, provider: 'mx:25' }, attempt);
  assert.deepEqual([1, 2, 3, 7, 8, 40].map(retry('451 later')), [60, 120, 240, 3600, 3600, 3600]);
  assert.deepEqual([1, 2, 10].map(retry('421 closing')), [5, 10, 600]);
  assert.deepEqual([1, 2, 10].map(retry(null)), [5, 10, 600]);
  assert.deepEqual([1, 2, 20].map(retry('550 not you', 'provider')), [0.3, 0.6, 3600]);
  assert.deepEqual(
    [1, 2, 20].map(retry('554 spam', 'message')),
    [60, 120, 3600],
    'a filter is not asked at once again',
  );
  assert.equal(retryDelay({ kind: 'not_released', provider: 'mx:25' }, 5), 1);
});

test('an outcome is settled as what it is, in words that Postgres takes', () => {
  const email = { id: 1, tenantId: 'default', attempt: 2 };
  const failure = { verdict: 'unclear', statusCode: '550' } as const;
  assert.deepEqual(settlementOf(email, { kind: 'sent', reply: '250 ok', provider: 'mx:25' }), {
    ...email,
    provider: 'mx:25',
    result: 'SENT',
    reply: '250 ok',
  });
  assert.equal(
    settlementOf(email, { kind: 'rejected', failure, reply: '550 \0no', provider: 'mx:25' }).reply,
    '550 no',
  );
  assert.equal(
    settlementOf(email, { kind: 'unknown', error: 'x'.repeat(5000), provider: 'mx:25' }).reply!.length,
    1000,
  );
  assert.equal(settlementOf(email, { kind: 'unknown', error: 'x', provider: 'mx:25' }).result, 'UNKNOWN');
  assert.deepEqual(
    settlementOf(email, { kind: 'retry', reply: null, error: 'ended \ud800', blames: null, provider: 'mx:25' }),
    { ...email, provider: 'mx:25', result: 'QUEUED', reply: 'ended \ufffd', delaySeconds: 10 },
  );
  assert.equal(settlementOf(email, { kind: 'not_released', provider: 'mx:25' }).result, 'QUEUED');
});

test('an alarm that rings while its loop is awake rings at its next sleep', async () => {
  const wake = new Wake(60_000);
  wake.now();
  wake.now();
  await wake.wait();
  let woken = false;
  const sleeping = wake.wait().then(() => {
    woken = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(woken, false, 'rung twice is one waking');
  wake.now();
  await sleeping;
  await new Wake(1).wait();
});

test('reasons name their gate', () => {
  assert.deepEqual(
    ['template_deleted', 'contact_deleted', 'contact_unsubscribed', 'address_bounced', 'stopped', null].map(gateOf),
    ['template', 'contact', 'status', 'suppression', null, null],
  );
});

test('links are counted by where they lead, however often they stand there', () => {
  const link = (id: string, url: string) =>
    `<a href="https://mail.example.com/api/v1/emails/tracking/click/${id}?url=${encodeURIComponent(url)}">`;
  assert.equal(
    countLinks(
      `${link('A', 'https://example.com/1')} ${link('A', 'https://example.com/1')} ${link('B', 'https://example.com/2').replaceAll('"', "'")}`,
    ),
    2,
  );
  assert.equal(countLinks('<a href="https://example.com/">'), 0);
  // As their clicks are told: a scanner that follows both is seen at one URL.
  const [plain, known] = ['https://example.com/1?a=1', 'https://example.com/1?contactToken=Ab_-9&a=1'];
  assert.equal(countLinks(`${link('A', plain)} ${link('B', known)} ${link('C', `${known}#b`)}`), 2);
  assert.equal(countLinks(`${link('A', plain)} /api/v1/emails/tracking/click/B?url=%zzcontactToken`), 2);
});
