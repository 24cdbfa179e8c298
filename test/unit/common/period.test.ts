import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { AppError } from '../../../lib/checks/errors.ts';
import { readPeriod, type PeriodQuery } from '../../../domain/common/period.ts';

const now = new Date('2026-03-31T12:00:00Z');
function violations(query: PeriodQuery): string[] {
  try {
    readPeriod(query, now);
    return [];
  } catch (error) {
    assert.ok(error instanceof AppError);
    return (error.errors ?? []).map(({ path, code }) => `${path} ${code}`);
  }
}

test('by default the last 30 days, UTC, by day', () => {
  assert.deepEqual(readPeriod({}, now), {
    from: new Date('2026-03-01T12:00:00Z'),
    to: now,
    interval: 'day',
    timezone: 'UTC',
  });
  assert.deepEqual(readPeriod({ to: '2026-01-31T00:00:00+02:00' }, now).from, new Date('2025-12-31T22:00:00Z'));
});

test('its ends are those of the windows that the ends asked for lie in', () => {
  const ends = (from: string, to: string) => {
    const period = readPeriod({ from, to }, now);
    return [period.from, period.to].map((end) => end.toISOString());
  };
  assert.deepEqual(ends('2026-03-01T10:04:59.999Z', '2026-03-01T10:05:00.001Z'), [
    '2026-03-01T10:00:00.000Z',
    '2026-03-01T10:10:00.000Z',
  ]);
  assert.deepEqual(ends('2026-03-01T10:05:00Z', '2026-03-01T10:10:00Z'), [
    '2026-03-01T10:05:00.000Z',
    '2026-03-01T10:10:00.000Z',
  ]);
  assert.deepEqual(ends('2026-03-01T10:01:00Z', '2026-03-01T10:02:00Z'), [
    '2026-03-01T10:00:00.000Z',
    '2026-03-01T10:05:00.000Z',
  ]);
  const late = readPeriod({}, new Date('2026-03-31T12:03:00Z'));
  assert.deepEqual([late.from, late.to], [new Date('2026-03-01T12:05:00Z'), new Date('2026-03-31T12:05:00Z')]);
});

test('periods that can not be are refused with every violation', () => {
  const from = '2026-03-01T00:00:00Z';
  assert.deepEqual(violations({ from, to: from, timezone: 'Mars/Olympus' }), [
    '/from out_of_range',
    '/timezone timezone',
  ]);
  assert.deepEqual(violations({ from: '2027-01-01T00:00:00Z' }), ['/from out_of_range']);
  assert.deepEqual(violations({ from: '0000-01-01T00:00:00Z', to: '0000-01-02T00:00:00Z' }), [
    '/from out_of_range',
    '/to out_of_range',
  ]);
  assert.deepEqual(violations({ from, to: '2026-12-31T23:59:60Z' }), ['/to out_of_range']);
  assert.deepEqual(violations({ from: '2020-01-01T00:00:00Z', interval: 'hour' }), ['/interval out_of_range']);
  for (const timezone of ['+02:00', '-05', '', 'UTC+2', 'SystemV/EST5'])
    assert.deepEqual(violations({ timezone }), ['/timezone timezone'], timezone);
  for (const timezone of ['Europe/Warsaw', 'America/St_Johns', 'utc']) assert.deepEqual(violations({ timezone }), []);
});
