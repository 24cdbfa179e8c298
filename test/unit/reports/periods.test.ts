import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { reportFileName } from '../../../domain/reports/content/file-name.ts';
import { lastWhole, periodBefore } from '../../../domain/reports/content/period-before.ts';
import { periodText } from '../../../domain/reports/content/format.ts';

const iso = ({ from, to }: { from: Date; to: Date }): string => `${from.toISOString()} ${to.toISOString()}`;
const before = (from: string, to: string, timezone: string): string =>
  iso(periodBefore({ from: new Date(from), to: new Date(to), timezone }));

test('the period before: whole months, whole days, or the same duration', () => {
  // March in Warsaw has a day of 23 hours; February has 28 days.
  const march = ['2027-02-28T23:00:00Z', '2027-03-31T22:00:00Z'] as const;
  assert.equal(before(...march, 'Europe/Warsaw'), '2027-01-31T23:00:00.000Z 2027-02-28T23:00:00.000Z');
  const quarter = ['2027-01-01T00:00:00Z', '2027-04-01T00:00:00Z'] as const;
  assert.equal(before(...quarter, 'UTC'), '2026-10-01T00:00:00.000Z 2027-01-01T00:00:00.000Z');
  // A week that contains the change of clocks: seven days before, not 167 hours.
  const week = ['2027-03-21T23:00:00Z', '2027-03-28T22:00:00Z'] as const;
  assert.equal(before(...week, 'Europe/Warsaw'), '2027-03-14T23:00:00.000Z 2027-03-21T23:00:00.000Z');
  // Neither months nor days in UTC.
  assert.equal(before(...week, 'UTC'), '2027-03-15T00:00:00.000Z 2027-03-21T23:00:00.000Z');
  assert.equal(
    before('2027-03-01T10:05:00Z', '2027-03-01T12:05:00Z', 'UTC'),
    '2027-03-01T08:05:00.000Z 2027-03-01T10:05:00.000Z',
  );
});

test('the last whole day, week and month before a moment, in a timezone', () => {
  // Monday 1 March 2027, 00:30 in Tokyo.
  const moment = new Date('2027-02-28T15:30:00Z');
  assert.equal(iso(lastWhole('day', moment, 'Asia/Tokyo')), '2027-02-27T15:00:00.000Z 2027-02-28T15:00:00.000Z');
  assert.equal(iso(lastWhole('week', moment, 'Asia/Tokyo')), '2027-02-21T15:00:00.000Z 2027-02-28T15:00:00.000Z');
  assert.equal(iso(lastWhole('month', moment, 'Asia/Tokyo')), '2027-01-31T15:00:00.000Z 2027-02-28T15:00:00.000Z');
  // In UTC it is still Sunday 28 February.
  assert.equal(iso(lastWhole('week', moment, 'UTC')), '2027-02-15T00:00:00.000Z 2027-02-22T00:00:00.000Z');
  assert.equal(iso(lastWhole('month', moment, 'UTC')), '2027-01-01T00:00:00.000Z 2027-02-01T00:00:00.000Z');
});

test('a period in words, and in the name of a file', () => {
  const period = {
    from: '2027-04-30T22:00:00Z',
    to: '2027-05-31T22:00:00Z',
    interval: 'day',
    timezone: 'Europe/Warsaw',
  } as const;
  assert.equal(periodText(period, period), '1 May 2027 – 31 May 2027');
  assert.equal(periodText({ from: period.from, to: '2027-05-01T22:00:00Z' }, period), '1 May 2027');
  assert.equal(
    periodText({ from: period.from, to: '2027-05-01T10:00:00Z' }, period),
    '1 May 2027, 00:00 – 1 May 2027, 12:00',
  );
  assert.equal(reportFileName({ title: 'Mai', period }, 'pdf'), 'Mai 2027-05-01 to 2027-05-31.pdf');
  const nasty = { title: `../a\\b:c*"\r\n\u202e${'日'.repeat(80)}`, period: { ...period, to: '2027-05-01T22:00:00Z' } };
  assert.equal(reportFileName(nasty, 'csv'), `..-a-b-c-${'日'.repeat(51)} 2027-05-01.csv`);
});
