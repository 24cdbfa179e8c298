import { IsolationLevel } from '@mikro-orm/core';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import type { Period } from './period.ts';
import { rate, readBreakdown, readPeople, readSeries, readTotals, type Figures } from './read-figures.ts';

const emailFigures = (figures: Figures) => {
  // An email may bounce in a later period than it was sent in, so the difference can be negative.
  const delivered = Math.max(0, figures.emails_sent - figures.bounces);
  return {
    sent: figures.emails_sent,
    delivered,
    failed: figures.emails_failed,
    opens: figures.opens,
    clicks: figures.clicks,
    bounces: figures.bounces,
    unsubscribes: figures.unsubscribes,
    openRate: rate(figures.unique_opens, delivered),
    clickRate: rate(figures.unique_clicks, delivered),
  };
};

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);

/** Reads in one snapshot, so that figures are consistent while events are being counted. */
const inSnapshot = <T>(em: EntityManager, read: (tx: EntityManager) => Promise<T>): Promise<T> =>
  em.transactional(read, { isolationLevel: IsolationLevel.REPEATABLE_READ });

/** The figures of the dashboard, from 5-minute windows. */
export async function readDashboard(em: EntityManager, period: Period) {
  return inSnapshot(em, async (tx) => {
    const figures = await readTotals(tx, period);
    const people = await readPeople(tx, period);
    const [state] = await rows<{ contacts: number; active: number; running: number }>(
      tx,
      sql`
      select (select count(*) from contacts) as contacts,
        (select count(*) from campaigns where status = 'ACTIVE') as active,
        (select count(*) from campaign_executions where status = 'RUNNING') as running`,
    );
    return {
      contacts: { total: state!.contacts, new: figures.contacts_new },
      emails: emailFigures(figures),
      conversions: { total: figures.submissions + figures.goals_met, rate: rate(people.converted, people.mailed) },
      campaigns: { active: state!.active, running: state!.running, completed: figures.campaign_completions },
      forms: { views: figures.form_views, submissions: figures.submissions },
      series: (await readSeries(tx, period)).map(({ at, figures: point }) => ({
        at,
        contacts: point.contacts_new,
        sent: point.emails_sent,
        opens: point.opens,
        clicks: point.clicks,
        unsubscribes: point.unsubscribes,
        submissions: point.submissions,
      })),
    };
  });
}

/**
 * Email figures: totals and by template. What belongs to no template (an unsubscribe without an email) is a row with
 * id null.
 */
export async function readEmailAnalytics(em: EntityManager, period: Period) {
  return inSnapshot(em, async (tx) => {
    const totals = await readTotals(tx, period);
    const parts: { id: number | null; figures: Figures }[] = await readBreakdown(tx, period, 'template');
    const rest = emailRest(
      totals,
      parts.map(({ figures }) => figures),
    );
    return {
      totals: emailFigures(totals),
      byTemplate: [...parts, ...(rest ? [{ id: null, figures: rest }] : [])].map(({ id, figures }) => ({
        templateId: id,
        ...emailFigures(figures),
      })),
      series: (await readSeries(tx, period)).map(({ at, figures }) => ({ at, ...emailFigures(figures) })),
    };
  });
}

const EMAIL_METRICS = [
  'emails_sent',
  'emails_failed',
  'opens',
  'unique_opens',
  'clicks',
  'unique_clicks',
  'bounces',
  'unsubscribes',
] as const;

/** The email figures that belong to no part: totals minus the sum of the parts; null if all are zero. */
function emailRest(totals: Figures, parts: Figures[]): Figures | null {
  const rest = { ...totals };
  for (const metric of EMAIL_METRICS) rest[metric] -= sum(parts.map((part) => part[metric]));
  return EMAIL_METRICS.some((metric) => rest[metric] !== 0) ? rest : null;
}

/** Contact figures: how many there are, how many are new, by status. */
export async function readContactAnalytics(em: EntityManager, period: Period) {
  return inSnapshot(em, async (tx) => {
    const byStatus = await rows<{ status: string; count: number }>(
      tx,
      sql`select status, count(*) as count from contacts group by status order by status`,
    );
    const figures = await readTotals(tx, period);
    return {
      totals: {
        total: sum(byStatus.map((row) => row.count)),
        new: figures.contacts_new,
        unsubscribes: figures.unsubscribes,
      },
      byStatus,
      series: (await readSeries(tx, period)).map(({ at, figures: point }) => ({
        at,
        new: point.contacts_new,
        unsubscribes: point.unsubscribes,
      })),
    };
  });
}

/** Campaign figures: totals and by campaign. */
export async function readCampaignAnalytics(em: EntityManager, period: Period) {
  const present = (figures: Figures) => ({
    entries: figures.campaign_entries,
    completions: figures.campaign_completions,
    ...emailFigures(figures),
  });
  return inSnapshot(em, async (tx) => ({
    totals: present(await readTotals(tx, period, 'campaign')),
    byCampaign: (await readBreakdown(tx, period, 'campaign')).map(({ id, figures }) => ({
      campaignId: id,
      ...present(figures),
    })),
    series: (await readSeries(tx, period, 'campaign')).map(({ at, figures }) => ({ at, ...present(figures) })),
  }));
}

/** Form figures: totals and by form, including deleted forms. */
export async function readFormAnalytics(em: EntityManager, period: Period) {
  const present = ({ form_views: views, submissions }: Figures) => ({
    views,
    submissions,
    conversionRate: rate(submissions, views),
  });
  return inSnapshot(em, async (tx) => ({
    totals: present(await readTotals(tx, period, 'form')),
    byForm: (await readBreakdown(tx, period, 'form')).map(({ id, figures }) => ({ formId: id, ...present(figures) })),
    series: (await readSeries(tx, period, 'form')).map(({ at, figures }) => ({ at, submissions: figures.submissions })),
  }));
}
