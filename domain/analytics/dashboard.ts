import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { ALL_ROWS, readBreakdown, type BreakdownQuery } from './breakdowns.ts';
import { emailFigures, emailTotals } from './email-figures.ts';
import type { Period } from '../common/period.ts';
import { readContacts, type Contacts } from './read-contacts.ts';
import { rate } from '../common/rate.ts';
import { readCounts, type Figures } from './read-counts.ts';
import { inSnapshot } from './snapshot.ts';

/** The figures of the dashboard. Like all of these, read in one snapshot, with the `period` that they cover. */
export async function readDashboard(em: EntityManager, asked: Period) {
  return inSnapshot(em, asked, async (tx, period) => {
    const figures = await readDashboardEvents(tx, period);
    const [state] = await rows<{ contacts: number; active: number; running: number }>(
      tx,
      sql`
      select (select count(*) from contacts) as contacts,
        (select count(*) from campaigns where status = 'ACTIVE') as active,
        (select count(*) from campaign_executions where status = 'RUNNING') as running`,
    );
    return {
      ...figures,
      contacts: { total: state!.contacts, ...figures.contacts },
      campaigns: { active: state!.active, running: state!.running, ...figures.campaigns },
    };
  });
}

/** What happened in the period, without what is counted now. */
async function readDashboardEvents(tx: EntityManager, period: Period) {
  const { totals, series } = await readCounts(tx, period);
  const contacts = (await readContacts(tx, period))(0);
  return {
    contacts: { new: totals.contacts_new },
    emails: emailTotals(totals, contacts),
    conversions: {
      total: totals.submissions + totals.goals_met,
      goals: totals.goals_met,
      submissions: totals.submissions,
      contacts: contacts.converted,
      rate: rate(contacts.converted, contacts.mailed),
    },
    campaigns: { completed: totals.campaign_completions },
    forms: { views: totals.form_views, submissions: totals.submissions },
    series: series.map(({ at, figures: point }) => ({
      at,
      contacts: point.contacts_new,
      sent: point.emails_sent,
      opens: point.opens,
      clicks: point.clicks,
      bounces: point.bounces,
      unsubscribes: point.unsubscribes,
      views: point.form_views,
      submissions: point.submissions,
      conversions: point.submissions + point.goals_met,
    })),
  };
}

/**
 * Email figures: totals and by template. What belongs to no template (an unsubscribe without an email) is a row with
 * id null.
 */
export async function readEmailAnalytics(em: EntityManager, asked: Period, query: BreakdownQuery = ALL_ROWS) {
  return inSnapshot(em, asked, async (tx, period) => {
    const { data, page } = await readBreakdown(tx, period, 'template', query);
    return {
      ...(await readEmails(tx, period)),
      byTemplate: data.map(({ id, name, figures, contacts }) => ({
        templateId: id || null,
        name,
        ...emailTotals(figures, contacts),
      })),
      page,
    };
  });
}

/** Email figures: totals and by link. `url` is null if it was erased, because it named a person. */
export async function readLinkAnalytics(em: EntityManager, asked: Period, query: BreakdownQuery = ALL_ROWS) {
  return inSnapshot(em, asked, async (tx, period) => {
    const { data, page } = await readBreakdown(tx, period, 'link', query);
    return {
      ...(await readEmails(tx, period)),
      byLink: data.map(({ id, name, figures, contacts }) => ({
        linkId: id,
        url: name,
        clicks: figures.clicks,
        contactsClicked: contacts.clicked,
        automatedClicks: figures.automated_clicks,
      })),
      page,
    };
  });
}

async function readEmails(tx: EntityManager, period: Period) {
  const { totals, series } = await readCounts(tx, period);
  return {
    totals: emailTotals(totals, (await readContacts(tx, period))(0)),
    series: series.map(({ at, figures }) => ({ at, ...emailFigures(figures) })),
  };
}

/** Contact figures: how many there are, how many are new, by status. */
export async function readContactAnalytics(em: EntityManager, asked: Period) {
  return inSnapshot(em, asked, async (tx, period) => {
    const byStatus = await rows<{ status: string; count: number }>(
      tx,
      sql`select status, count(*) as count from contacts group by status order by status`,
    );
    const { totals, series } = await readContactEvents(tx, period);
    return {
      totals: { total: byStatus.reduce((sum, { count }) => sum + count, 0), ...totals },
      byStatus,
      series,
    };
  });
}

async function readContactEvents(tx: EntityManager, period: Period) {
  const { totals, series } = await readCounts(tx, period);
  return {
    totals: { new: totals.contacts_new, unsubscribes: totals.unsubscribes },
    series: series.map(({ at, figures: point }) => ({
      at,
      new: point.contacts_new,
      unsubscribes: point.unsubscribes,
    })),
  };
}

const campaignFigures = (figures: Figures) => ({
  entries: figures.campaign_entries,
  completions: figures.campaign_completions,
  ...emailFigures(figures),
});

const campaignTotals = (figures: Figures, contacts: Contacts) => ({
  ...campaignFigures(figures),
  ...emailTotals(figures, contacts),
  conversions: {
    total: figures.goals_met,
    contacts: contacts.converted,
    rate: rate(contacts.converted, contacts.mailed),
  },
});

/** Campaign figures: totals and by campaign, including deleted campaigns. */
export async function readCampaignAnalytics(em: EntityManager, asked: Period, query: BreakdownQuery = ALL_ROWS) {
  return inSnapshot(em, asked, async (tx, period) => {
    const { totals, series } = await readCampaigns(tx, period);
    const { data, page } = await readBreakdown(tx, period, 'campaign', query);
    return {
      totals,
      byCampaign: data.map(({ id, name, figures, contacts }) => ({
        campaignId: id,
        name,
        ...campaignTotals(figures, contacts),
      })),
      page,
      series,
    };
  });
}

async function readCampaigns(tx: EntityManager, period: Period) {
  const { totals, series } = await readCounts(tx, period, 'campaign');
  return {
    totals: campaignTotals(totals, (await readContacts(tx, period, 'campaign'))(0)),
    series: series.map(({ at, figures }) => ({ at, ...campaignFigures(figures) })),
  };
}

const formFigures = ({ form_views: views, submissions }: Figures) => ({
  views,
  submissions,
  conversionRate: rate(submissions, views),
});

/** Form figures: totals and by form, including deleted forms. `contacts` are those that submitted. */
export async function readFormAnalytics(em: EntityManager, asked: Period, query: BreakdownQuery = ALL_ROWS) {
  return inSnapshot(em, asked, async (tx, period) => {
    const { totals, series } = await readForms(tx, period);
    const { data, page } = await readBreakdown(tx, period, 'form', query);
    return {
      totals,
      byForm: data.map(({ id, name, figures, contacts }) => ({
        formId: id,
        name,
        ...formFigures(figures),
        contacts: contacts.converted,
      })),
      page,
      series,
    };
  });
}

async function readForms(tx: EntityManager, period: Period) {
  const { totals, series } = await readCounts(tx, period, 'form');
  return {
    totals: { ...formFigures(totals), contacts: (await readContacts(tx, period, 'form'))(0).converted },
    series: series.map(({ at, figures }) => ({ at, ...formFigures(figures) })),
  };
}

const inOwnSnapshot =
  <T extends object>(read: (tx: EntityManager, period: Period) => Promise<T>) =>
  (em: EntityManager, asked: Period): Promise<T & { period: Period }> =>
    inSnapshot(em, asked, read);

/** The same figures without breakdowns, which are most of the work, and without what is counted now. */
export const totalsReaders = {
  dashboard: inOwnSnapshot(readDashboardEvents),
  emails: inOwnSnapshot(readEmails),
  contacts: inOwnSnapshot(readContactEvents),
  campaigns: inOwnSnapshot(readCampaigns),
  forms: inOwnSnapshot(readForms),
};
