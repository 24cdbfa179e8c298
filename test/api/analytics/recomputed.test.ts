import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import * as dashboard from '../../../domain/analytics/dashboard.ts';
import { INTERVALS, readPeriod, type Period } from '../../../domain/analytics/period.ts';
import { rollContacts } from '../../../domain/analytics/roll-contacts.ts';
import type { AnyEvent, EventType } from '../../../events/contracts.ts';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { eventOf, publish, settled } from '../../support/events.ts';
import { startService, type Service } from '../../support/service.ts';
import * as recompute from './recompute.ts';

let service: Service;
let owner: pg.Client;
beforeAll(async () => {
  service = await startService({ worker: ['consumers'] });
  owner = new pg.Client({ connectionString: service.slot.env['DATABASE_MIGRATION_URL'] });
  await owner.connect();
  await recompute.createPublished(owner);
});
afterAll(async () => {
  await owner.end();
  await service.stop();
});

const URLS = ['https://example.com/a', 'https://example.com/a?b=1,{"}', 'https://example.com/ü'];
/** Clocks change in New York, Warsaw, Auckland, Chatham and Havana; and a day that no clock cares about. */
const MOMENTS = [
  '2026-03-08T07:00Z',
  '2026-03-29T01:00Z',
  '2026-04-04T14:00Z',
  '2026-11-01T05:00Z',
  '2026-06-15T12:00Z',
];
const ZONES = ['UTC', 'America/New_York', 'Europe/Warsaw', 'Pacific/Auckland', 'Asia/Kolkata', 'Asia/Kathmandu', 'Pacific/Chatham', 'America/Havana', 'America/St_Johns']; // prettier-ignore
/** Some in one piece of a set, some at its ends, some far away. */
const CONTACTS = [1, 2, 3, 1023, 1024, 1025, 2047, 5_000_000_000];
const HOUR_MS = 3_600_000;

const near = fc
  .tuple(fc.constantFrom(...MOMENTS), fc.integer({ min: -40 * 60, max: 40 * 60 }), fc.integer({ min: 0, max: 59_999 }))
  .map(([moment, minutes, ms]) => new Date(Date.parse(moment) + minutes * 60_000 + ms));
const maybe = (...values: number[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
const email = { emailId: fc.constantFrom(1, 2), campaignId: maybe(1, 2), templateId: maybe(1, 2, 3) };
const contactId = fc.constantFrom(...CONTACTS);
const person = { contactId: fc.option(contactId), automated: fc.boolean(), first: fc.boolean() };
const DATA: Partial<Record<EventType, fc.Arbitrary<object>>> = {
  CONTACT_CREATED: fc.record({ contactId, email: fc.constant('a@example.com') }),
  CONTACT_UNSUBSCRIBED: fc.record({ contactId, reason: fc.constant('link') }),
  EMAIL_SENT: fc.record({ ...email, recipientId: fc.option(contactId), status: fc.constantFrom('SENT', 'FAILED', 'SUPPRESSED') }), // prettier-ignore
  EMAIL_OPENED: fc.record({ ...email, ...person }),
  EMAIL_CLICKED: fc.record({ ...email, ...person, url: fc.constantFrom(...URLS) }),
  EMAIL_BOUNCED: fc.record({ ...email, contactId: fc.option(contactId), hard: fc.boolean() }),
  FORM_SUBMITTED: fc.record({ formId: fc.constantFrom(1, 2), contactId, submissionId: fc.constant(1) }),
  CAMPAIGN_TRIGGERED: fc.record({ campaignId: fc.constantFrom(1, 2), contactId, executionId: fc.constant(1), trigger: fc.constant('MANUAL') }), // prettier-ignore
  CAMPAIGN_COMPLETED: fc.record({ campaignId: fc.constantFrom(1, 2), contactId, executionId: fc.constant(1) }),
  GOAL_MET: fc.record({ campaignId: fc.constantFrom(1, 2), contactId, executionId: fc.constant(1), stepId: fc.constant('g') }), // prettier-ignore
};
const happening = fc
  .constantFrom(...(Object.keys(DATA) as EventType[]))
  .chain((type) => fc.record({ type: fc.constant(type), at: near, data: DATA[type]!, tenant: fc.constantFrom(0, 1) }));
const asked = fc
  .record({
    from: near,
    hours: fc.integer({ min: 1, max: 24 * 90 }),
    interval: fc.constantFrom(...INTERVALS),
    timezone: fc.constantFrom(...ZONES),
  }) // prettier-ignore
  .map(({ from, hours, interval, timezone }) =>
    readPeriod(
      { from: from.toISOString(), to: new Date(from.getTime() + hours * HOUR_MS).toISOString(), interval, timezone },
      new Date(),
    ),
  );

const rateOf = (part: number, whole: number) => (whole === 0 ? 0 : Math.min(1, Math.round((part / whole) * 1e4) / 1e4));
function emailsOf(f: recompute.Recomputed) {
  const delivered = Math.max(0, f.sent - f.bounces);
  return {
    sent: f.sent,
    delivered,
    failed: f.failed,
    opens: f.opens,
    clicks: f.clicks,
    automatedOpens: f.automatedOpens,
    automatedClicks: f.automatedClicks,
    bounces: f.bounces,
    unsubscribes: f.unsubscribes,
    openRate: rateOf(f.firstOpens, delivered),
    clickRate: rateOf(f.firstClicks, delivered),
    uniqueOpens: f.uniqueOpens,
    uniqueClicks: f.uniqueClicks,
  };
}
const campaignOf = (f: recompute.Recomputed) => ({
  entries: f.entries,
  completions: f.completions,
  ...emailsOf(f),
  conversions: { total: f.goals, contacts: f.converted, rate: rateOf(f.converted, f.mailed) },
});
const formOf = (f: recompute.Recomputed) => ({ views: 0, submissions: f.submissions, contacts: f.converted, conversionRate: 0 }); // prettier-ignore

/** Compares everything that a tenant can read of a period with what was published. */
async function compare(tenantId: string, period: Period): Promise<void> {
  const em = () => tenantEm(service.deps.orm, tenantId);
  const totalsOf = (of: keyof typeof recompute.DIMENSIONS) => recompute.recomputeTotals(owner, tenantId, period, of);
  const partsOf = async <T>(of: keyof typeof recompute.DIMENSIONS, present: (f: recompute.Recomputed) => T) =>
    new Map([...(await recompute.recomputeParts(owner, tenantId, period, of))].map(([id, f]) => [id, present(f)]));
  const byId = <T extends object>(list: T[], id: keyof T) =>
    new Map(list.map(({ [id]: key, name: _name, ...figures }: T & { name?: unknown }) => [String(key ?? 0), figures]));
  const all = await totalsOf('all');

  const found = await dashboard.readDashboard(em(), period);
  assert.deepEqual(found.emails, emailsOf(all));
  assert.equal(found.contacts.new, all.contacts);
  assert.deepEqual(found.forms, { views: 0, submissions: all.submissions });
  assert.equal(found.campaigns.completed, all.completions);
  assert.deepEqual(found.conversions, {
    total: all.goals + all.submissions,
    goals: all.goals,
    submissions: all.submissions,
    contacts: all.converted,
    rate: rateOf(all.converted, all.mailed),
  });
  const local = await recompute.localStarts(owner, found.series.map(({ at }) => at), period); // prettier-ignore
  // A period begins within its first interval.
  const series = await recompute.recomputeSeries(owner, tenantId, period);
  for (const [n, { at: _at, ...point }] of found.series.entries()) {
    const f = series.get(local[n]!);
    const expected = f
      ? { contacts: f.contacts, sent: f.sent, opens: f.opens, clicks: f.clicks, bounces: f.bounces, unsubscribes: f.unsubscribes, views: 0, submissions: f.submissions, conversions: f.goals + f.submissions } // prettier-ignore
      : Object.fromEntries(Object.keys(point).map((key) => [key, 0]));
    assert.deepEqual(point, expected, local[n]);
    series.delete(local[n]!);
  }
  assert.deepEqual([...series.keys()], [], 'intervals that are missing');

  const emails = await dashboard.readEmailAnalytics(em(), period);
  assert.deepEqual(emails.totals, found.emails);
  assert.deepEqual(byId(emails.byTemplate, 'templateId'), await partsOf('template', emailsOf));
  const links = await dashboard.readLinkAnalytics(em(), period);
  assert.deepEqual(
    byId(links.byLink.map(({ linkId: _linkId, ...link }) => link), 'url'), // prettier-ignore
    await partsOf('link', ({ clicks, uniqueClicks, automatedClicks }) => ({ clicks, uniqueClicks, automatedClicks })),
  );
  const campaigns = await dashboard.readCampaignAnalytics(em(), period);
  assert.deepEqual(campaigns.totals, campaignOf(await totalsOf('campaign')));
  assert.deepEqual(byId(campaigns.byCampaign, 'campaignId'), await partsOf('campaign', campaignOf));
  const forms = await dashboard.readFormAnalytics(em(), period);
  assert.deepEqual(forms.totals, formOf(await totalsOf('form')));
  assert.deepEqual(byId(forms.byForm, 'formId'), await partsOf('form', formOf));
}

/** Publishes events, in this order; `again` are published twice. */
async function happen(events: readonly AnyEvent[], again: readonly AnyEvent[]): Promise<void> {
  await recompute.notePublished(owner, events);
  await publish(service, ...events, ...again);
  await settled(service, 'analytics');
}
const unrolled = async (tenantIds: readonly string[]) =>
  (
    await owner.query<{ n: number }>(
      `select count(*)::int as n from analytics_rollups where tenant_id = any($1) and rolled_changes <> changes`,
      [tenantIds],
    )
  ).rows[0]!.n;

test('figures are what a recomputation of what was published says: before sets are made, after, and after late events', async () => {
  let run = 0;
  const scenario = fc.record({
    events: fc.array(happening, { minLength: 1, maxLength: 150 }),
    late: fc.array(happening, { maxLength: 20 }),
    periods: fc.array(asked, { minLength: 1, maxLength: 4 }),
    random: fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
  });
  await fc.assert(
    fc.asyncProperty(scenario, async ({ events, late, periods, random }) => {
      run += 1;
      const tenants = [`run${run}-one`, `run${run}-two`];
      const chance = () => random.next().value;
      const shuffled = <T>(list: T[]) => list.map((one) => [chance(), one] as const).sort(([a], [b]) => a - b).map(([, one]) => one); // prettier-ignore
      const made = (list: typeof events) => list.map(({ type, at, data, tenant }) => eventOf(type, JSON.parse(JSON.stringify(data)) as object, at, tenants[tenant])); // prettier-ignore
      const [first, second] = [shuffled(made(events)), shuffled(made(late))];
      const check = async () => {
        for (const period of periods) for (const tenantId of tenants) await compare(tenantId, period);
      };
      await happen(
        first,
        first.filter(() => chance() < 0.3),
      );
      await check();
      await rollContacts(service.deps.orm);
      assert.equal(await unrolled(tenants), 0);
      await check();
      await happen(
        second,
        [...first, ...second].filter(() => chance() < 0.1),
      );
      await check();
      await rollContacts(service.deps.orm);
      assert.equal(await unrolled(tenants), 0);
      await check();
    }),
    { numRuns: 12, endOnFailure: true },
  );
});
