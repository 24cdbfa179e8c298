import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { readDashboard } from '../../../domain/analytics/dashboard.ts';
import { rollContacts } from '../../../domain/analytics/roll-contacts.ts';
import { eventOf } from '../../support/events.ts';
import { figuresDatabase, periodOf } from './figures-support.ts';

const figures = figuresDatabase();

/** Days of three zones, with their ends in UTC. */
const DAYS: [zone: string, day: string, from: string, hours: number][] = [
  ['America/New_York', '2026-03-08', '2026-03-08T05:00:00Z', 23],
  ['America/New_York', '2026-06-01', '2026-06-01T04:00:00Z', 24],
  ['America/New_York', '2026-11-01', '2026-11-01T04:00:00Z', 25],
  ['Europe/Warsaw', '2026-03-29', '2026-03-28T23:00:00Z', 23],
  ['Europe/Warsaw', '2026-06-02', '2026-06-01T22:00:00Z', 24],
  ['Europe/Warsaw', '2026-10-25', '2026-10-24T22:00:00Z', 25],
  ['Pacific/Auckland', '2026-09-27', '2026-09-26T12:00:00Z', 23],
  ['Pacific/Auckland', '2026-06-04', '2026-06-03T12:00:00Z', 24],
  ['Pacific/Auckland', '2026-04-05', '2026-04-04T11:00:00Z', 25],
];
const HOUR_MS = 3_600_000;

for (const [timezone, day, start, hours] of DAYS) {
  test(`${day} in ${timezone} has the events of its ${hours} hours`, async () => {
    const from = Date.parse(start);
    const to = from + hours * HOUR_MS;
    // One event in each hour, by another contact; the last one before the day, and the first one after it.
    const moments = [from - 1, ...Array.from({ length: hours }, (_, n) => from + n * HOUR_MS + 1_800_000), to];
    await figures.count(
      ...moments.map((at, n) =>
        eventOf('EMAIL_OPENED', { emailId: 1, contactId: 100 + n, automated: false }, new Date(at)),
      ),
    );
    const iso = (ms: number) => new Date(ms).toISOString();
    const read = async (begin: number, end: number, interval: 'day' | 'hour' = 'day') =>
      readDashboard(figures.em(), periodOf(iso(begin), iso(end), { timezone, interval }));
    const opens = async (begin: number, end: number, interval?: 'hour') =>
      (await read(begin, end, interval)).series.map((point) => [point.at.toISOString(), point.opens]);
    for (const when of ['before sets are made', 'after']) {
      assert.deepEqual(await opens(from - 1, to + 1), [
        [iso(from - 24 * HOUR_MS), 1],
        [iso(from), hours],
        [iso(to), 1],
      ], when); // prettier-ignore
      const whole = await read(from, to);
      assert.deepEqual([whole.emails.opens, whole.emails.contactsOpened, whole.series.length], [hours, hours, 1], when);
      assert.deepEqual(
        await opens(from, to, 'hour'),
        Array.from({ length: hours }, (_, n) => [iso(from + n * HOUR_MS), 1]),
        when,
      );
      await rollContacts(figures.deps.orm);
    }
    await figures.owner.query(
      'truncate analytics_events, analytics_windows, analytics_rollups, analytics_contact_sets',
    );
  });
}

test('a day whose midnight occurs twice begins at the first, and one without a midnight when its clocks go on', async () => {
  // In Havana it is 00:00 again after 00:59 on 1 November; on 8 March it is 01:00 after 23:59.
  await figures.count(
    ...['2026-11-01T03:59:00Z', '2026-11-01T04:30:00Z', '2026-11-01T05:30:00Z', '2026-03-08T04:59:00Z', '2026-03-08T05:00:00Z'].map((at) =>
      eventOf('CONTACT_CREATED', { contactId: 1, email: 'a@example.com' }, new Date(at)),
    ),
  ); // prettier-ignore
  const days = async (from: string, to: string) =>
    (await readDashboard(figures.em(), periodOf(from, to, { timezone: 'America/Havana' }))).series.map((point) => [
      point.at.toISOString(),
      point.contacts,
    ]);
  assert.deepEqual(await days('2026-10-31T12:00:00Z', '2026-11-02T00:00:00Z'), [
    ['2026-10-31T04:00:00.000Z', 1],
    ['2026-11-01T04:00:00.000Z', 2],
  ]);
  assert.deepEqual(await days('2026-03-07T12:00:00Z', '2026-03-08T12:00:00Z'), [
    ['2026-03-07T05:00:00.000Z', 1],
    ['2026-03-08T05:00:00.000Z', 1],
  ]);
});

test('names of zones that Postgres reads otherwise, or does not know, mean what they mean elsewhere', async () => {
  const firstDay = async (timezone: string) => {
    const period = periodOf('2026-07-10T12:00:00Z', '2026-07-11T12:00:00Z', { timezone, interval: 'day' });
    return (await readDashboard(figures.em(), period)).series[0]!.at.toISOString();
  };
  // In summer, CET is Central European Summer Time; AET is that of Sydney.
  assert.equal(await firstDay('CET'), '2026-07-09T22:00:00.000Z');
  assert.equal(await firstDay('AET'), '2026-07-09T14:00:00.000Z');
});
