import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { createLogger } from '../../../../config/logger.ts';
import { readProviders } from '../../../../config/smtp-url.ts';
import { readEnv } from '../../../../config/env.ts';
import { Providers, type TakeRate } from '../../../../worker/senders/providers.ts';
import type { SmtpPool, SmtpSlot } from '../../../../worker/senders/smtp-pool.ts';
import { outcomeOfRefusal, type Step } from '../../../../worker/senders/smtp-outcome.ts';

const log = createLogger('silent', 'test');

test('SMTP_URL is read with its own parameters, which the mail library does not see', () => {
  assert.deepEqual(
    readProviders(
      'smtp://u:p%2C@a.example?ratePerMinute=600&requireTLS=true&connections=3, smtps://b.example ,smtp://a.example:587',
    ),
    [
      { provider: 'a.example:587', url: 'smtp://u:p%2C@a.example?requireTLS=true', connections: 3, ratePerMinute: 600 },
      { provider: 'b.example:465', url: 'smtps://b.example', connections: null, ratePerMinute: null },
      { provider: 'a.example:587#2', url: 'smtp://a.example:587', connections: null, ratePerMinute: null },
    ],
  );
  for (const url of [
    'http://a.example',
    'smtp://a?ratePerMinute=0',
    'smtp://a?ratePerMinute=1.5',
    'smtp://a?connections=501',
    'smtp://a?connections=',
    'smtp://a,',
    'a.example',
  ]) {
    assert.throws(() => readProviders(url), RangeError, url);
    assert.throws(() => readEnv({ SMTP_URL: url }), /SMTP_URL must/, url);
  }
});

/** Providers whose connections open, or do not, as a test says, on a clock of its own. */
function providers(urls: string, options: { takeRate?: TakeRate } = {}) {
  let now = 0;
  const refused = new Set<string>();
  const pools = new Map<string, { busy: number }>();
  const all = new Providers(readProviders(urls), {
    connections: 4,
    log,
    now: () => now,
    onRoom: () => {},
    takeRate: options.takeRate ?? (() => Promise.reject(new Error('no rate is set'))),
    openPool: ({ provider = '', size }) => {
      const pool = { busy: 0 };
      pools.set(provider, pool);
      return {
        provider,
        busy: () => pool.busy,
        idle: () => size - pool.busy,
        close: () => Promise.resolve(),
        acquire: (count: number) => {
          if (refused.has(provider)) return Promise.reject(new Error('connect ECONNREFUSED'));
          pool.busy += count;
          return Promise.resolve(
            Array.from({ length: count }, (): SmtpSlot => ({
              usable: true,
              send: () => Promise.reject(new Error('unused')),
              release: () => {
                pool.busy -= 1;
              },
            })),
          );
        },
      } satisfies SmtpPool;
    },
  });
  const chosen = () => all.choose()?.provider.setting.provider ?? null;
  const by = (name: string) => all.all.find(({ setting }) => setting.provider === name)!;
  const ended = (name: string, kind: 'sent' | 'lost') => {
    pools.get(name)!.busy -= 1;
    all.report(
      by(name),
      kind === 'sent'
        ? { kind, reply: '250', provider: name }
        : { kind: 'retry', reply: null, error: 'ended', blames: null, provider: name },
    );
  };
  return {
    all,
    by,
    chosen,
    ended,
    refused,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test('mail goes to the first that is not resting, and back to it after its time, with one message', async () => {
  const { all, by, chosen, ended, refused, pass } = providers('smtp://a:25,smtp://b:25');
  assert.equal((await all.acquire(by('a:25'), 1)).length, 1);
  ended('a:25', 'sent');
  assert.deepEqual([chosen(), all.choose()!.connections], ['a:25', 4]);
  refused.add('a:25');
  for (let n = 0; n < 5; n += 1) {
    assert.equal(chosen(), 'a:25');
    assert.deepEqual(await all.acquire(by('a:25'), 4), []);
  }
  assert.equal(chosen(), 'b:25');
  assert.match(by('a:25').lastError!.message, /ECONNREFUSED/);
  pass(1000);
  assert.deepEqual([chosen(), all.choose()!.connections], ['a:25', 1]);
  assert.deepEqual(await all.acquire(by('a:25'), 1), []);
  assert.equal(chosen(), 'b:25', 'and rests for twice as long');
  pass(1999);
  assert.equal(chosen(), 'b:25');
  pass(1);
  refused.clear();
  assert.equal((await all.acquire(by('a:25'), 1)).length, 1);
  ended('a:25', 'sent');
  assert.deepEqual([chosen(), all.choose()!.connections], ['a:25', 4]);
  for (const name of ['a:25', 'b:25']) {
    refused.add(name);
    for (let n = 0; n < 5; n += 1) await all.acquire(by(name), 1);
  }
  assert.equal(all.choose(), null, 'all rest');
  assert.deepEqual([all.mayBeUsedWithin(999), all.mayBeUsedWithin(1000)], [false, true]);
  pass(1);
  assert.deepEqual([all.choose(), all.mayBeUsedWithin(999)], [null, true], 'emails are leased a little before');
});

test('a message that is refused for its own sake says nothing against its provider, a refusal of ours rests it', () => {
  const { all, by, chosen } = providers('smtp://a:25,smtp://b:25');
  const a = by('a:25');
  const refuse = (step: Step, text: string): void =>
    all.report(a, outcomeOfRefusal({ code: Number(text.slice(0, 3)), text }, step, 'a:25'));
  all.report(a, { kind: 'sent', reply: '250', provider: 'a:25' });
  for (let n = 0; n < 20; n += 1) {
    refuse('dot', '554 5.7.1 Message rejected as spam');
    refuse('dot', '554 Email address is not verified');
    refuse('RCPT', '550 5.7.124 RESOLVER.RST.SenderNotInAllowedList');
  }
  assert.deepEqual([chosen(), a.breaker.health.failures, a.lastError], ['a:25', 0, null]);
  for (let n = 0; n < 5; n += 1) refuse('dot', '554 Sending paused for this account');
  assert.equal(chosen(), 'b:25');
  assert.match(a.lastError!.message, /Sending paused/);
});

test('one that says nothing for long is passed over while there is another, and rests when its silence ends', async () => {
  const { all, by, chosen, ended, pass } = providers('smtp://a:25,smtp://b:25');
  await all.acquire(by('a:25'), 1);
  ended('a:25', 'sent');
  await all.acquire(by('a:25'), 2);
  pass(10_000);
  assert.equal(chosen(), 'a:25');
  pass(1);
  assert.equal(chosen(), 'b:25');
  ended('a:25', 'sent');
  assert.equal(chosen(), 'a:25', 'it was slow');
  pass(10_001);
  ended('a:25', 'lost');
  assert.deepEqual([chosen(), by('a:25').breaker.health.state], ['b:25', 'open']);
  const alone = providers('smtp://a:25');
  await alone.all.acquire(alone.by('a:25'), 1);
  alone.ended('a:25', 'sent');
  await alone.all.acquire(alone.by('a:25'), 1);
  alone.pass(60_000);
  assert.equal(alone.chosen(), 'a:25', 'there is no other');
});

test('a rate that is used up is waited for: it is no failure, and nothing goes elsewhere', async () => {
  const asked: number[] = [];
  const grants = [{ granted: 2, waitMs: 400 }, { granted: 0, waitMs: 0 }, null];
  const { all, by, chosen, pass, ended } = providers('smtp://a:25?ratePerMinute=60,smtp://b:25', {
    takeRate: ({ ratePerMinute }, count) => {
      asked.push(ratePerMinute!, count);
      const grant = grants.shift();
      return grant ? Promise.resolve(grant) : Promise.reject(new Error('Postgres is away'));
    },
  });
  await all.acquire(by('a:25'), 1);
  ended('a:25', 'sent');
  assert.equal(await all.grant(by('a:25'), 3), 2);
  assert.deepEqual(asked, [60, 3]);
  assert.deepEqual([chosen(), all.choose()!.connections], ['a:25', 0]);
  pass(399);
  assert.equal(all.choose()!.connections, 0);
  pass(1);
  assert.equal(all.choose()!.connections, 4);
  assert.equal(await all.grant(by('a:25'), 1), 0);
  pass(50);
  assert.equal(await all.grant(by('a:25'), 1), 0);
  assert.deepEqual([by('a:25').breaker.health.failures, all.choose()!.connections], [0, 0]);
  pass(500);
  assert.equal(all.choose()!.connections, 4);
  await all.close();
});

test('connections go on to their next message while the breaker allows as many', async () => {
  const { all, by, chosen, ended } = providers('smtp://a:25,smtp://b:25');
  const [a, b] = [by('a:25'), by('b:25')];
  assert.equal((await all.acquire(a, 1)).length, 1);
  assert.equal(all.mayGoOn(a), true, 'the one message of a trial');
  await all.acquire(a, 1);
  assert.deepEqual([all.mayGoOn(a), all.room(a)], [false, 0], 'another is too many for a trial');
  ended('a:25', 'sent');
  await all.acquire(a, 2);
  assert.deepEqual([all.mayGoOn(a), all.room(a)], [true, 1], 'all of its connections, when it is well');
  for (let n = 0; n < 5; n += 1)
    all.report(a, { kind: 'retry', reply: null, error: 'ended', blames: null, provider: 'a:25' });
  assert.deepEqual(
    [chosen(), all.mayGoOn(a), all.room(a), all.mayGoOn(b)],
    ['b:25', false, 0, true],
    'none of one that rests',
  );
  assert.equal(await all.grant(b, 7), 7, 'without a rate nothing is asked');
  await all.close();
});
