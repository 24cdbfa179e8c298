import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import fc from 'fast-check';
import { dueAt, scheduleViolations, startOf } from '../../../domain/email-campaigns/schedule.ts';
import { chooseWinner, PLACES, shares } from '../../../domain/email-campaigns/variants.ts';

const at = (iso: string) => new Date(iso);

test('by local time it is the same time of day everywhere, clocks that jump included', () => {
  const nine = { scheduledAt: at('2026-03-29T07:00:00Z'), timezone: 'Europe/Berlin' };
  // On the day that Berlin's clocks go forward it is 09:00 there.
  assert.equal(dueAt(nine, 'Europe/Berlin').toISOString(), '2026-03-29T07:00:00.000Z');
  assert.equal(dueAt(nine, 'America/New_York').toISOString(), '2026-03-29T13:00:00.000Z');
  assert.equal(dueAt(nine, 'Asia/Kathmandu').toISOString(), '2026-03-29T03:15:00.000Z');
  for (const unknown of [null, '', 'Mars/Base']) assert.equal(dueAt(nine, unknown), nine.scheduledAt);
  // 02:30 does not exist in Berlin that night: an hour later on the wall.
  assert.equal(
    dueAt({ scheduledAt: at('2026-03-29T02:30:00Z'), timezone: null }, 'Europe/Berlin').toISOString(),
    '2026-03-29T01:30:00.000Z',
  );
});

test("nobody's local time comes before the audience is frozen", () => {
  const zones = Intl.supportedValuesOf('timeZone');
  fc.assert(
    fc.property(
      fc.date({ min: at('2020-01-01T00:00:00Z'), max: at('2040-01-01T00:00:00Z'), noInvalidDate: true }),
      fc.constantFrom(...zones),
      fc.constantFrom(...zones, null),
      (scheduledAt, zone, timezone) => {
        const start = startOf(
          { scheduleType: 'recipient_local_time', scheduledAt, timezone },
          at('2020-01-01T00:00:00Z'),
        )!;
        assert.ok(dueAt({ scheduledAt, timezone }, zone) >= start);
      },
    ),
  );
});

test('the next occurrence of a cron, in its timezone', () => {
  const next = (cron: string, timezone: string | null, after: string) =>
    startOf({ scheduleType: 'recurring', cron, timezone }, at(after))?.toISOString();
  assert.equal(next('0 9 * * 1', 'Europe/Berlin', '2026-03-23T12:00:00Z'), '2026-03-30T07:00:00.000Z');
  assert.equal(next('0 9 * * 1', null, '2026-03-23T12:00:00Z'), '2026-03-30T09:00:00.000Z');
  assert.equal(next('0 9 * * 1', null, '2026-03-30T09:00:00Z'), '2026-04-06T09:00:00.000Z');
  const sound = { scheduleType: 'recurring', scheduledAt: null, timezone: null } as const;
  for (const cron of ['0 9 * * 1', '*/5 0-6 * * *', '0 0 29 2 *'])
    assert.deepEqual(scheduleViolations({ ...sound, cron }), [], cron);
  for (const cron of ['0 9 * *', '0 9 * * 1 2026', 'every day', '60 * * * *', '* * 31 2 *', ''])
    assert.equal(scheduleViolations({ ...sound, cron }).length, 1, cron);
});

const variant = (name: string, weight: number, templateId = 1) => ({ name, weight, templateId });

test('every recipient has one share, by weight', () => {
  const weights = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 2, maxLength: 10 });
  fc.assert(
    fc.property(weights, fc.option(fc.integer({ min: 1, max: 99 })), (all, testPercent) => {
      const dealt = shares(
        all.map((weight, n) => variant(`v${n}`, weight)),
        testPercent === null ? null : { metric: 'opens', afterMinutes: 1, testPercent },
      );
      assert.equal(dealt[0]!.from, 0);
      assert.equal(dealt.at(-1)!.to, PLACES);
      for (const [n, share] of dealt.entries()) if (n > 0) assert.equal(share.from, dealt[n - 1]!.to);
      const end = testPercent === null ? PLACES : testPercent * 100;
      const sum = all.reduce((total, weight) => total + weight, 0);
      for (const [n, weight] of all.entries())
        assert.ok(Math.abs(dealt[n]!.to - dealt[n]!.from - (end * weight) / sum) <= 1);
      assert.equal(dealt.filter((share) => share.variant === null).length, testPercent === null ? 0 : 1);
    }),
  );
});

test('the winner is the better rate by the metric, the earlier where two are equal', () => {
  const [a, b] = [variant('A', 1), variant('B', 1)];
  const result = (name: string, delivered: number, uniqueOpens: number, uniqueClicks: number) => ({
    variant: name,
    delivered,
    uniqueOpens,
    uniqueClicks,
  });
  const results = [result('A', 100, 50, 1), result('B', 10, 4, 1)];
  assert.equal(chooseWinner([a, b], 'openRate', results), 'A');
  assert.equal(chooseWinner([a, b], 'opens', results), 'A');
  assert.equal(chooseWinner([a, b], 'clicks', results), 'B');
  assert.equal(chooseWinner([a, b], 'clickRate', results), 'B');
  assert.equal(chooseWinner([b, a], 'openRate', []), 'B');
  assert.equal(chooseWinner([a, b], 'openRate', [result('A', 0, 0, 0), result('B', 0, 0, 0)]), 'A');
});
