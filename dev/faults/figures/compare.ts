import assert from 'node:assert/strict';
import type pg from 'pg';
import type { EntityManager } from '../../../db/orm.ts';
import * as dashboard from '../../../domain/analytics/dashboard.ts';
import type { Period } from '../../../domain/common/period.ts';
import * as recompute from './recompute.ts';

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
    uniqueOpens: f.firstOpens,
    uniqueClicks: f.firstClicks,
    contactsOpened: f.contactsOpened,
    contactsClicked: f.contactsClicked,
  };
}
const campaignOf = (f: recompute.Recomputed) => ({
  entries: f.entries,
  completions: f.completions,
  ...emailsOf(f),
  conversions: { total: f.goals, contacts: f.converted, rate: rateOf(f.converted, f.mailed) },
});
const formOf = (f: recompute.Recomputed) => ({ views: 0, submissions: f.submissions, contacts: f.converted, conversionRate: 0 }); // prettier-ignore

/**
 * Compares everything that a tenant can read of a period with what was published, read by the owner of the database.
 * Throws an AssertionError for a difference.
 */
export async function compareFigures(
  tenant: EntityManager,
  owner: pg.Client,
  tenantId: string,
  period: Period,
): Promise<void> {
  const totalsOf = (of: keyof typeof recompute.DIMENSIONS) => recompute.recomputeTotals(owner, tenantId, period, of);
  const partsOf = async <T>(of: keyof typeof recompute.DIMENSIONS, present: (f: recompute.Recomputed) => T) =>
    new Map([...(await recompute.recomputeParts(owner, tenantId, period, of))].map(([id, f]) => [id, present(f)]));
  const byId = <T extends object>(list: T[], id: keyof T) =>
    new Map(list.map(({ [id]: key, name: _name, ...figures }: T & { name?: unknown }) => [String(key ?? 0), figures]));
  const all = await totalsOf('all');

  const found = await dashboard.readDashboard(tenant, period);
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

  const emails = await dashboard.readEmailAnalytics(tenant, period);
  assert.deepEqual(emails.totals, found.emails);
  assert.deepEqual(byId(emails.byTemplate, 'templateId'), await partsOf('template', emailsOf));
  const links = await dashboard.readLinkAnalytics(tenant, period);
  assert.deepEqual(
    byId(links.byLink.map(({ linkId: _linkId, ...link }) => link), 'url'), // prettier-ignore
    await partsOf('link', ({ clicks, contactsClicked, automatedClicks }) => ({
      clicks,
      contactsClicked,
      automatedClicks,
    })),
  );
  const campaigns = await dashboard.readCampaignAnalytics(tenant, period);
  assert.deepEqual(campaigns.totals, campaignOf(await totalsOf('campaign')));
  assert.deepEqual(byId(campaigns.byCampaign, 'campaignId'), await partsOf('campaign', campaignOf));
  const forms = await dashboard.readFormAnalytics(tenant, period);
  assert.deepEqual(forms.totals, formOf(await totalsOf('form')));
  assert.deepEqual(byId(forms.byForm, 'formId'), await partsOf('form', formOf));
}
