import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { dueDates } from '../../../domain/campaigns/enrolment/due-dates.ts';

const quarter = (until: string) => ({ after: new Date(Date.parse(until) - 900_000), until: new Date(until) });
const found = (...args: Parameters<typeof dueDates>) => dueDates(...args).map(({ day, date }) => `${date} on ${day}`);

test('the dates whose moment can be in a window, wherever the contact is', () => {
  // At 10:00 UTC it is 22:00 on 30 April on Baker Island, and 00:00 on 2 May in Kiribati.
  const window = quarter('2027-05-01T10:00:00Z');
  assert.deepEqual(found({ offsetDays: 0, time: '10:00' }, window), ['2027-05-01 on 2027-05-01']);
  assert.deepEqual(found({ offsetDays: 0, time: '22:00' }, window), [
    '2027-04-30 on 2027-04-30',
    '2027-05-01 on 2027-05-01',
  ]);
  assert.deepEqual(found({ offsetDays: 0, time: '00:00' }, window), [
    '2027-05-01 on 2027-05-01',
    '2027-05-02 on 2027-05-02',
  ]);
});

test('the offset counts in days of the calendar, over months and years', () => {
  const window = quarter('2027-01-01T12:00:00Z');
  assert.ok(found({ offsetDays: 3, time: '12:00' }, window).includes('2026-12-29 on 2027-01-01'));
  assert.ok(found({ offsetDays: -60, time: '12:00' }, window).includes('2027-03-02 on 2027-01-01'));
});

test('annual: the month and day of any year up to the anniversary', () => {
  const dates = dueDates({ offsetDays: -7, time: '12:00', annual: true }, quarter('2027-12-28T12:00:00Z'));
  assert.ok(dates.some((due) => due.day === '2027-12-28' && due.date === '01-04' && due.latest === '2028-01-04'));
});

test('annual: 29 February is 28 February in a year that has none, also with an offset', () => {
  const on = (day: string, offsetDays: number) =>
    dueDates({ offsetDays, time: '12:00', annual: true }, quarter(`${day}T12:00:00Z`))
      .filter((due) => due.day === day)
      .map((due) => due.date);
  assert.deepEqual(on('2027-02-28', 0), ['02-28', '02-29']);
  assert.deepEqual(on('2028-02-28', 0), ['02-28']);
  assert.deepEqual(on('2028-02-29', 0), ['02-29']);
  assert.deepEqual(on('2100-02-28', 0), ['02-28', '02-29']);
  assert.deepEqual(on('2000-02-28', 0), ['02-28']);
  assert.deepEqual(on('2027-03-01', 1), ['02-28', '02-29']);
  assert.deepEqual(on('2028-03-01', 1), ['02-29']);
});

test('a window of a day has each date of that day in all timezones', () => {
  const dates = found(
    { offsetDays: 0, time: '09:00' },
    { after: new Date('2027-05-01T09:00:00Z'), until: new Date('2027-05-02T09:00:00Z') },
  );
  assert.deepEqual(
    dates,
    ['2027-05-01', '2027-05-02'].map((day) => `${day} on ${day}`),
  );
});
