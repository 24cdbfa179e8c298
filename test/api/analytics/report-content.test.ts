import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import {
  readCampaignAnalytics,
  readContactAnalytics,
  readDashboard,
  readEmailAnalytics,
  readFormAnalytics,
  totalsReaders,
} from '../../../domain/analytics/dashboard.ts';
import { rollContacts } from '../../../domain/analytics/roll-contacts.ts';
import { readContent } from '../../../domain/reports/content/read-content.ts';
import { keepPartitions } from '../../../worker/keep-partitions.ts';
import { eventOf } from '../../support/events.ts';
import { figuresDatabase, periodOf } from './figures-support.ts';

const figures = figuresDatabase({ ANALYTICS_EVENTS_DAYS: '60' });
const sent = (at: string, emailId: number) =>
  eventOf('EMAIL_SENT', { emailId, recipientId: emailId, status: 'SENT', templateId: 3, campaignId: 7 }, new Date(at));

test('a report states the period that its figures cover, and compares it with one as long', async () => {
  await figures.owner.query(`select ensure_analytics_partition('2025-02-01')`);
  await figures.count(
    sent('2025-02-10T09:50:00Z', 1),
    sent('2025-02-10T10:10:00Z', 2),
    sent('2025-02-10T10:50:00Z', 3),
    sent('2025-02-10T12:30:00Z', 4),
  );
  await rollContacts(figures.deps.orm);
  await keepPartitions(figures.deps);
  const content = await readContent(figures.em(), {
    type: 'emails',
    title: null,
    tenantId: 'default',
    period: periodOf('2025-02-10T10:30:00Z', '2025-02-10T11:05:00Z'),
    generatedAt: new Date(),
    asOf: new Date(),
  });
  const { from, to } = content.period;
  assert.deepEqual([from, to], ['2025-02-10T10:00:00.000Z', '2025-02-10T12:00:00.000Z']);
  assert.deepEqual(content.previousPeriod, { from: '2025-02-10T08:00:00.000Z', to: from });
  const { value, previous } = content.keyFigures.find(({ key }) => key === 'totals.sent')!;
  assert.deepEqual([value, previous], [2, 1]);
});

test('totals alone are those of the whole answers, without breakdowns', async () => {
  await figures.count(
    sent('2026-02-10T10:10:00Z', 5),
    eventOf('FORM_SUBMITTED', { formId: 5, contactId: 5, submissionId: 1 }, new Date('2026-02-10T10:20:00Z')),
    eventOf('CONTACT_UNSUBSCRIBED', { contactId: 5, reason: 'api' }, new Date('2026-02-10T10:30:00Z')),
  );
  const period = periodOf('2026-02-10T00:00:00Z', '2026-02-11T00:00:00Z');
  const readers = {
    dashboard: readDashboard,
    emails: readEmailAnalytics,
    contacts: readContactAnalytics,
    campaigns: readCampaignAnalytics,
    forms: readFormAnalytics,
  };
  for (const [type, read] of Object.entries(readers)) {
    const totals = await totalsReaders[type as keyof typeof readers](figures.em(), period);
    const whole: object = await read(figures.em(), period);
    assert.deepEqual(
      Object.keys(totals).filter((key) => key.startsWith('by') || key === 'page'),
      [],
      type,
    );
    // What is counted now is left out.
    assert.ok(contains(whole, totals), JSON.stringify([whole, totals]));
  }
});

/** Whether all that a part has is the same in the whole. */
function contains(whole: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null || part instanceof Date || Array.isArray(part))
    return JSON.stringify(whole) === JSON.stringify(part);
  return Object.entries(part).every(([key, value]) => contains((whole as Record<string, unknown>)[key], value));
}
