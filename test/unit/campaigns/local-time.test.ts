import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import fc from 'fast-check';
import { DateTime } from 'luxon';
import { nextInWindow, nextLocalTime, weekdayNumber } from '../../../lib/time/local-time.ts';

const next = (time: string, after: string, timezone: string | null, weekday?: string | number) =>
  nextLocalTime({ time, ...(weekday === undefined ? {} : { weekday }) }, new Date(after), timezone).toISOString();

test('the offset is that of the day it falls on', () => {
  assert.equal(next('09:00', '2026-03-28T12:00:00Z', 'Europe/Warsaw'), '2026-03-29T07:00:00.000Z');
  assert.equal(next('09:00', '2026-03-27T12:00:00Z', 'Europe/Warsaw'), '2026-03-28T08:00:00.000Z');
  assert.equal(next('09:00', '2026-10-24T12:00:00Z', 'Europe/Warsaw'), '2026-10-25T08:00:00.000Z');
});

test('a local time that the clocks skip comes as much later as they skip', () => {
  assert.equal(next('02:30', '2026-03-28T23:30:00Z', 'Europe/Warsaw'), '2026-03-29T01:30:00.000Z');
  assert.equal(next('02:30', '2026-03-08T05:00:00Z', 'America/New_York'), '2026-03-08T07:30:00.000Z');
  // Clocks that skip at midnight.
  assert.equal(next('00:15', '2024-04-25T20:00:00Z', 'Africa/Cairo'), '2024-04-25T22:15:00.000Z');
  // Half an hour.
  assert.equal(next('02:15', '2026-10-03T14:00:00Z', 'Australia/Lord_Howe'), '2026-10-03T15:45:00.000Z');
  // A whole day that Samoa never had.
  assert.equal(next('12:00', '2011-12-29T23:00:00Z', 'Pacific/Apia'), '2011-12-30T22:00:00.000Z');
});

test('a local time that happens twice is the first of the two, and happens once', () => {
  assert.equal(next('02:30', '2026-10-24T12:00:00Z', 'Europe/Warsaw'), '2026-10-25T00:30:00.000Z');
  assert.equal(next('02:30', '2026-10-25T00:30:00Z', 'Europe/Warsaw'), '2026-10-26T01:30:00.000Z');
  assert.equal(next('01:30', '2026-11-01T05:30:00Z', 'America/New_York'), '2026-11-02T06:30:00.000Z');
});

test('it is never at once, and today if the time is still to come', () => {
  assert.equal(next('09:00', '2026-03-02T09:00:00.000Z', null), '2026-03-03T09:00:00.000Z');
  assert.equal(next('09:00', '2026-03-02T08:59:59.999Z', null), '2026-03-02T09:00:00.000Z');
});

test('the weekday is the local one', () => {
  // Sunday 23:00 UTC is Monday in Tokyo.
  assert.equal(next('09:00', '2026-03-01T23:00:00Z', 'Asia/Tokyo', 'monday'), '2026-03-02T00:00:00.000Z');
  assert.equal(next('08:00', '2026-03-01T23:00:00Z', 'Asia/Tokyo', 1), '2026-03-08T23:00:00.000Z');
  assert.equal(next('23:59', '2026-03-02T05:00:00Z', 'America/Los_Angeles', 'sunday'), '2026-03-02T07:59:00.000Z');
});

test('weekdays are names in any case or ISO numbers', () => {
  assert.deepEqual(['monday', 'SUNDAY', 3, 7].map(weekdayNumber), [1, 7, 3, 7]);
  assert.deepEqual(['mon', '', '1', 0, 8, 1.5, '__proto__'].map(weekdayNumber), new Array(7).fill(undefined));
});

test('anywhere at any time: later, at most eight days off, on that clock time unless the clocks skip it', () => {
  const zones = fc.constantFrom(
    'UTC',
    'Europe/Warsaw',
    'America/New_York',
    'Australia/Lord_Howe',
    'Africa/Cairo',
    'Asia/Kathmandu',
    'Pacific/Chatham',
    'Africa/Casablanca',
    'America/St_Johns',
    'Pacific/Kiritimati',
    'America/Santiago',
  );
  const after = fc.date({ min: new Date('2015-01-01'), max: new Date('2035-01-01'), noInvalidDate: true });
  const property = fc.property(
    zones,
    after,
    fc.integer({ min: 0, max: 1439 }),
    fc.option(fc.integer({ min: 1, max: 7 }), { nil: undefined }),
    (zone, from, minutes, weekday) => {
      const time = `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
      const found = nextLocalTime({ time, ...(weekday ? { weekday } : {}) }, from, zone);
      assert.ok(found > from);
      assert.ok(found.getTime() - from.getTime() <= (weekday ? 8 : 2) * 86_400_000);
      const local = DateTime.fromJSDate(found, { zone });
      const wanted = DateTime.fromObject(
        { year: local.year, month: local.month, day: local.day, hour: Math.floor(minutes / 60), minute: minutes % 60 },
        { zone },
      );
      const skipped = wanted.toFormat('HH:mm') !== time;
      if (!skipped) assert.equal(local.toFormat('HH:mm'), time);
      if (weekday) assert.equal(local.weekday, weekday);
      // The same time a day earlier is over already: nothing is left out.
      if (!weekday) assert.ok(found.getTime() - from.getTime() <= 25.5 * 3_600_000);
    },
  );
  fc.assert(property, { numRuns: 3000 });
});

test('the send window: now while it is open, else the next opening', () => {
  const window = { days: ['monday', 'friday'], from: '09:00', to: '24:00', timezone: 'Europe/Warsaw' };
  const opens = (now: string, contact: string | null = null, rest = {}) =>
    nextInWindow({ ...window, ...rest }, new Date(now), contact).toISOString();
  assert.equal(opens('2026-03-02T08:00:00.000Z'), '2026-03-02T08:00:00.000Z');
  assert.equal(opens('2026-03-02T22:59:59.999Z'), '2026-03-02T22:59:59.999Z');
  assert.equal(opens('2026-03-02T23:00:00.000Z'), '2026-03-06T08:00:00.000Z');
  assert.equal(opens('2026-03-28T12:00:00.000Z'), '2026-03-30T07:00:00.000Z');
  assert.equal(
    opens('2026-03-02T08:00:00.000Z', 'America/New_York', { timezone: 'contact' }),
    '2026-03-02T14:00:00.000Z',
  );
  assert.equal(opens('2026-03-02T08:00:00.000Z', null, { timezone: 'contact' }), '2026-03-02T09:00:00.000Z');
  assert.equal(opens('2026-03-03T08:30:00.000Z', null, { days: undefined }), '2026-03-03T08:30:00.000Z');
});
