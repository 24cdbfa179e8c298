import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { readDashboard } from '../../../domain/analytics/dashboard.ts';
import { rollContacts } from '../../../domain/analytics/roll-contacts.ts';
import { keepPartitions } from '../../../worker/keep-partitions.ts';
import { eventOf } from '../../support/events.ts';
import { figuresDatabase, periodOf } from './figures-support.ts';

const figures = figuresDatabase({ ANALYTICS_EVENTS_DAYS: '60' });
const DAY_MS = 86_400_000;

const opened = (at: string, contactId: number) =>
  eventOf('EMAIL_OPENED', { emailId: 1, contactId, automated: false }, new Date(at));
const read = async (from: string, to: string) => {
  const { emails, period } = await readDashboard(figures.em(), periodOf(from, to));
  return [emails.opens, emails.contactsOpened, period.from.toISOString(), period.to.toISOString()];
};
const partitions = async () =>
  (
    await figures.owner.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'analytics_events'::regclass order by 1`,
    )
  ).rows.map(({ name }) => name);
const monthOf = (date: Date) => `analytics_events_${date.toISOString().slice(0, 7).replace('-', '')}`;
const stored = async (where = 'true') =>
  (await figures.owner.query<{ n: number }>(`select count(*)::int as n from analytics_events where ${where}`)).rows[0]!
    .n;

test('events are in the partitions of their months, also those that were there before', async () => {
  const inTwoMonths = new Date();
  inTwoMonths.setUTCDate(1);
  inTwoMonths.setUTCMonth(inTwoMonths.getUTCMonth() + 2);
  await figures.owner.query(`drop table if exists ${monthOf(inTwoMonths)}`);
  await figures.count(opened(inTwoMonths.toISOString(), 1));
  assert.equal(await stored(`tableoid = 'analytics_events_default'::regclass`), 1);
  await keepPartitions(figures.deps);
  assert.deepEqual([await stored(`tableoid = '${monthOf(inTwoMonths)}'::regclass`), await stored()], [1, 1]);
  const before = await partitions();
  await keepPartitions(figures.deps);
  assert.deepEqual(await partitions(), before);
});

test('old events are dropped when sets were made of them; counts stay, and periods are of whole hours', async () => {
  await figures.owner.query(
    `select ensure_analytics_partition('2025-02-01'), ensure_analytics_partition('2025-03-01')`,
  );
  await figures.count(
    opened('2025-02-10T10:10:00Z', 1),
    opened('2025-02-10T10:50:00Z', 2),
    opened('2025-02-10T10:55:00Z', 2),
    opened('2025-02-10T11:10:00Z', 3),
    // Of a month that never had a partition.
    opened('2024-05-05T05:05:00Z', 4),
  );
  const narrow = ['2025-02-10T10:30:00Z', '2025-02-10T11:05:00Z'] as const;
  assert.deepEqual(await read(...narrow), [2, 1, '2025-02-10T10:30:00.000Z', '2025-02-10T11:05:00.000Z']);
  const kept = await stored();
  await keepPartitions(figures.deps);
  assert.equal(await stored(), kept, 'dropped although sets have yet to be made');
  await rollContacts(figures.deps.orm);
  await keepPartitions(figures.deps);
  assert.equal(await stored(), kept, 'dropped although readers may not know yet that it would be');
  await figures.owner.query(`update analytics_horizons set announced_at = announced_at - interval '11 minutes'`);
  await keepPartitions(figures.deps);
  assert.deepEqual(
    [await stored(`at < '2026-01-01'`), (await partitions()).includes('analytics_events_202502')],
    [0, false],
  );
  assert.deepEqual(await read(...narrow), [4, 3, '2025-02-10T10:00:00.000Z', '2025-02-10T12:00:00.000Z']);
  assert.deepEqual((await read('2025-02-10T10:00:00Z', '2025-02-10T11:00:00Z')).slice(0, 2), [3, 2]);
  assert.deepEqual((await read('2024-01-01T00:00:00Z', '2025-12-01T00:00:00Z')).slice(0, 2), [5, 4]);
});

test('what comes later than its events are kept counts too', async () => {
  await figures.count(opened('2025-02-10T10:20:00Z', 7), opened('2025-02-10T10:21:00Z', 1));
  const hour = ['2025-02-10T10:00:00Z', '2025-02-10T11:00:00Z'] as const;
  for (let n = 0; n < 3; n += 1) {
    assert.deepEqual((await read(...hour)).slice(0, 2), [5, 3]);
    await rollContacts(figures.deps.orm);
    await keepPartitions(figures.deps);
  }
  assert.equal(await stored(`at < '2026-01-01'`), 0);
});

test('a period that begins before and ends after events are kept is extended at its beginning alone', async () => {
  const now = Math.floor(Date.now() / 300_000) * 300_000;
  const [recent, later] = [now - 2 * DAY_MS, now - 2 * DAY_MS + 300_000].map((ms) => new Date(ms).toISOString()) as [
    string,
    string,
  ];
  await figures.count(opened(recent, 50), opened(later, 51));
  assert.deepEqual(await read('2025-02-10T11:05:00Z', later), [2, 2, '2025-02-10T11:00:00.000Z', later]);
});
