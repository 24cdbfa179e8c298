import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import type { AppError } from '../../../lib/checks/errors.ts';
import { ThreadPool, TooLate } from '../../../domain/threads/pool.ts';
import { until } from '../../support/until.ts';

const pool = (threads = 2) =>
  new ThreadPool(new URL('../../../domain/thread-jobs/thread-main.ts', import.meta.url), threads);

const L = (k: number) => `{% for i in (1..${k}) %}{% for j in (1..100) %}{% assign a = j %}{% endfor %}{% endfor %}`;
const job = (source: string) => ({ name: 'renderTexts', args: [[{ source, most: 10 }], null] });
const QUICK = job('quick');
/** About 50 ms: slow, and well within the limits. */
const SLOW = job(`${L(300)}slow`);
/** More CPU time than a template may take. */
const TOO_LONG = job(L(2_000));

test('a job that overruns fails, and what waits behind it is done', async () => {
  const threads = pool(1);
  const overrun = threads.do('a', TOO_LONG).then(
    () => 'done',
    (error: AppError) => error.code,
  );
  const behind = threads.do('a', QUICK, { isPatient: true });
  assert.equal(await overrun, 'template_limit');
  assert.deepEqual((await behind).value, ['quick']);
});

test('while a job takes long, a thread starts for the next one', async () => {
  let started = 0;
  const count = (): void => void (started += 1);
  process.on('worker', count);
  const threads = pool();
  await threads.do('a', QUICK);
  assert.equal(started, 1);
  const overrun = assert.rejects(threads.do('a', TOO_LONG));
  await until('the other one has started', () => started === 2);
  // It takes that one.
  assert.deepEqual((await threads.do('b', QUICK)).value, ['quick']);
  assert.equal(started, 2);
  await overrun;
  process.off('worker', count);
});

test('slow tenants leave a thread to others, and no tenant has two', async () => {
  const threads = pool();
  for (const tenant of ['slow-1', 'slow-2']) {
    await threads.do(tenant, TOO_LONG).catch(() => undefined);
    assert.ok(threads.accounts.isSlow(tenant));
  }
  const order: string[] = [];
  const doing = ['slow-1', 'slow-2'].flatMap((tenant) =>
    Array.from({ length: 8 }, () => threads.do(tenant, SLOW, { isPatient: true }).then(() => order.push(tenant))),
  );
  await until('slow ones are under way', () => order.length > 0);
  await threads.do('other', QUICK).then(() => order.push('other'));
  await Promise.all(doing);
  assert.ok(order.indexOf('other') < order.length - 1, order.join());
  // They take turns.
  const first = order.filter((tenant) => tenant !== 'other').slice(0, 8);
  assert.deepEqual(new Set(first), new Set(['slow-1', 'slow-2']));
});

test('of a slow tenant few jobs wait, if their callers do not bound them', async () => {
  const threads = pool();
  await threads.do('slow', TOO_LONG).catch(() => undefined);
  const answers = await Promise.all(
    Array.from({ length: 20 }, async () => {
      try {
        await threads.do('slow', SLOW);
        return 'done';
      } catch (error) {
        return (error as AppError).code;
      }
    }),
  );
  assert.equal(answers.filter((answer) => answer === 'done').length, 4);
  assert.equal(answers.filter((answer) => answer === 'unavailable').length, 16);
});

test('a job is not begun when its time is over', async () => {
  const threads = pool(1);
  const first = threads.do('a', SLOW);
  await assert.rejects(threads.do('b', QUICK, { until: performance.now() }), TooLate);
  await first;
});

test('a tenant is not slow because its job was the first of its kind in a thread', async () => {
  const threads = pool(1);
  // It loads MJML, which takes half a second, once in a thread.
  const mjml = {
    name: 'compileMjml',
    args: ['<mjml><mj-body><mj-section><mj-column><mj-text>Hello</mj-text></mj-column></mj-section></mj-body></mjml>'],
  };
  const { ms } = await threads.do('a', mjml);
  assert.ok(ms > 30, `it took only ${ms} ms`);
  assert.ok(!threads.accounts.isSlow('a'));
});
