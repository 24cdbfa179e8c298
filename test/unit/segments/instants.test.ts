import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { instantRange, parseDate, parseDateTime } from '../../../lib/time/instants.ts';

test('dates are calendar dates', () => {
  assert.equal(parseDate('2024-02-29')?.toISOString(), '2024-02-29T00:00:00.000Z');
  const bad = [
    '2025-02-29',
    '2024-04-31',
    '2024-13-01',
    '2024-00-10',
    '2024-01-00',
    '0999-01-01',
    '9001-01-01',
    '2024-1-1',
    ' 2024-01-01',
    '2024-01-01\n',
  ];
  for (const text of bad) assert.equal(parseDate(text), null, text);
});

test('date-times are RFC 3339 with an offset', () => {
  assert.equal(parseDateTime('2026-01-01T01:30:00.123456+02:00')?.toISOString(), '2025-12-31T23:30:00.123Z');
  assert.equal(parseDateTime('2026-01-01t00:00:00z')?.toISOString(), '2026-01-01T00:00:00.000Z');
  const bad = [
    '2026-01-01',
    '2026-01-01T00:00:00',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:00:60Z',
    '2026-02-30T00:00:00Z',
    '2026-01-01T00:00Z',
    '2026-01-01 00:00:00Z',
    '2026-01-01T00:00:00+15:00',
    '2026-01-01T00:00:00Z\n',
  ];
  for (const text of bad) assert.equal(parseDateTime(text), null, text);
});

test('a date stands for its day, a date-time for its millisecond', () => {
  const range = (from: string, until: string) => ({ from: new Date(from), until: new Date(until) });
  assert.deepEqual(instantRange('2026-03-29'), range('2026-03-29T00:00:00Z', '2026-03-30T00:00:00Z'));
  assert.deepEqual(
    instantRange('2026-03-29T00:00:00.5Z'),
    range('2026-03-29T00:00:00.500Z', '2026-03-29T00:00:00.501Z'),
  );
  assert.equal(instantRange('soon'), null);
});
