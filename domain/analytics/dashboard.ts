import { rows, sql, type EntityManager } from '../../db/orm.ts';
import type { Period } from './period.ts';
import { rate, readBreakdown, readPeople, readSeries, readTotals, type Figures } from './read-figures.ts';

const emailFigures = (figures: Figures) => {
  // A mail may bounce, or be opened, in a later period than it was sent in.
  const delivered = Math.max(0, figures.emails_sent - figures.bounces);
  return {
    sent: figures.emails_sent, delivered, failed: figures.emails_failed, opens: figures.opens, clicks: figures.clicks, bounces: figures.bounces,
    unsubscribes: figures.unsubscribes, openRate: Math.min(1, rate(figures.unique_opens, delivered)),
    clickRate: Math.min(1, rate(figures.unique_clicks, delivered)),
  };
};

async function formViews(tx: EntityManager, { from, to }: Period): Promise<Map<number, number>> {
  const found = await rows<{ form_id: number; n: number }>(tx, sql`
    select form_id, sum(views)::bigint as n from form_views where hour >= date_trunc('hour', ${from}::timestamptz) and hour < ${to}::timestamptz group by form_id`);
  return new Map(found.map((row) => [row.form_id, row.n]));
}

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);

/** The figures of the dashboard, from 5-minute windows. */
export async function readDashboard(em: EntityManager, period: Period) {
  return em.transactional(async (tx) => {
    const figures = await readTotals(tx, period);
    const people = await readPeople(tx, period);
    const [state] = await rows<{ contacts: number; active: number; running: number; completed: number }>(tx, sql`
      select (select count(*) from contacts) as contacts,
        (select count(*) from campaigns where status = 'ACTIVE') as active,
        (select count(*) from campaign_executions where status = 'RUNNING') as running,
        (select coalesce(sum(count), 0)::bigint from analytics_windows where metric = 'campaign_completions' and dimension = '' and at >= ${period.from} and at < ${period.to}) as completed`);
    const views = await formViews(tx, period);
    return {
      contacts: { total: state!.contacts, new: figures.contacts_new },
      emails: emailFigures(figures),
      conversions: { total: figures.submissions, rate: rate(people.converted, people.mailed) },
      campaigns: { active: state!.active, running: state!.running, completed: state!.completed },
      forms: { views: sum(views.values()), submissions: figures.submissions },
      series: (await readSeries(tx, period)).map(({ at, figures: point }) => ({
        at, contacts: point.contacts_new, sent: point.emails_sent, opens: point.opens, clicks: point.clicks, unsubscribes: point.unsubscribes, submissions: point.submissions,
      })),
    };
  });
}

/** Email figures, in all and by template. */
export async function readEmailAnalytics(em: EntityManager, period: Period) {
  return em.transactional(async (tx) => ({
    totals: emailFigures(await readTotals(tx, period)),
    byTemplate: (await readBreakdown(tx, period, 'template')).map(({ id, figures }) => ({ templateId: id, ...emailFigures(figures) })),
    series: (await readSeries(tx, period)).map(({ at, figures }) => ({ at, ...emailFigures(figures) })),
  }));
}

/** Contact figures: how many there are, how many are new, by status. */
export async function readContactAnalytics(em: EntityManager, period: Period) {
  return em.transactional(async (tx) => {
    const byStatus = await rows<{ status: string; count: number }>(tx, sql`select status, count(*) as count from contacts group by status order by status`);
    const figures = await readTotals(tx, period);
    return {
      totals: { total: sum(byStatus.map((row) => row.count)), new: figures.contacts_new, unsubscribes: figures.unsubscribes },
      byStatus,
      series: (await readSeries(tx, period)).map(({ at, figures: point }) => ({ at, new: point.contacts_new, unsubscribes: point.unsubscribes })),
    };
  });
}

/** Campaign figures, in all and by campaign. */
export async function readCampaignAnalytics(em: EntityManager, period: Period) {
  const present = (figures: Figures) => ({ entries: figures.campaign_entries, completions: figures.campaign_completions, ...emailFigures(figures) });
  return em.transactional(async (tx) => ({
    totals: present(await readTotals(tx, period)),
    byCampaign: (await readBreakdown(tx, period, 'campaign')).map(({ id, figures }) => ({ campaignId: id, ...present(figures) })),
    series: (await readSeries(tx, period)).map(({ at, figures }) => ({ at, ...present(figures) })),
  }));
}

/** Form figures, in all and by form. */
export async function readFormAnalytics(em: EntityManager, period: Period) {
  return em.transactional(async (tx) => {
    const views = await formViews(tx, period);
    const submissions = new Map((await readBreakdown(tx, period, 'form')).map(({ id, figures }) => [id, figures.submissions]));
    const present = (seen: number, sent: number) => ({ views: seen, submissions: sent, conversionRate: rate(sent, seen) });
    return {
      totals: present(sum(views.values()), sum(submissions.values())),
      byForm: [...new Set([...views.keys(), ...submissions.keys()])].sort((a, b) => a - b).map((formId) => ({ formId, ...present(views.get(formId) ?? 0, submissions.get(formId) ?? 0) })),
      series: (await readSeries(tx, period)).map(({ at, figures }) => ({ at, submissions: figures.submissions })),
    };
  });
}
