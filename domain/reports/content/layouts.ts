import type {
  readCampaignAnalytics,
  readContactAnalytics,
  readDashboard,
  readEmailAnalytics,
  readFormAnalytics,
} from '../../analytics/dashboard.ts';
import type { ReportType } from '../../../db/entities/reports.ts';
import type { FigureKind } from './content.ts';

/** What the API answers for each type. */
export interface FiguresOf {
  dashboard: Awaited<ReturnType<typeof readDashboard>>;
  campaigns: Awaited<ReturnType<typeof readCampaignAnalytics>>;
  contacts: Awaited<ReturnType<typeof readContactAnalytics>>;
  emails: Awaited<ReturnType<typeof readEmailAnalytics>>;
  forms: Awaited<ReturnType<typeof readFormAnalytics>>;
}

/** The paths of all numbers in an answer: `emails.openRate`. */
type Path<T> = {
  [K in keyof T & string]: T[K] extends number
    ? K
    : T[K] extends readonly unknown[]
      ? never
      : T[K] extends object
        ? `${K}.${Path<T[K]>}`
        : never;
}[keyof T & string];

/** Breakdowns by the name of their list in an answer. */
export interface Breakdown {
  key: string;
  title: string;
  /** The member that names a row: an id, or `status`. */
  by: string;
  /** What the ids are of. */
  of: 'template' | 'campaign' | 'form' | 'status';
  /** Rows are in the descending order of this figure. */
  orderBy: string;
  columns: readonly string[];
  chart: { title: string; figures: readonly string[] };
}

export interface Layout {
  title: string;
  keyFigures: readonly string[];
  /** What is counted now, so that it has no value in the period before. */
  now: readonly string[];
  series: readonly string[];
  charts: readonly { title: string; kind: 'line' | 'bar'; unit?: FigureKind; figures: readonly string[] }[];
  breakdown?: Breakdown;
}

type SeriesOf<T extends ReportType> = Exclude<keyof FiguresOf[T]['series'][number] & string, 'at'>;
/** A layout whose paths and fields exist in the answer of its type. */
interface LayoutOf<T extends ReportType> extends Layout {
  keyFigures: readonly Path<FiguresOf[T]>[];
  now: readonly Path<FiguresOf[T]>[];
  series: readonly SeriesOf<T>[];
}

/** Columns of tables are in the order of their importance: paper shows those that fit. */
const EMAIL_COLUMNS = [
  'sent',
  'delivered',
  'opens',
  'clicks',
  'openRate',
  'clickRate',
  'bounces',
  'unsubscribes',
] as const;
const CONVERSION_COLUMNS = ['conversions.total', 'conversions.contacts', 'conversions.rate'] as const;
/** Those of points in time have none. */
const PEOPLE_COLUMNS = ['contactsOpened', 'contactsClicked'] as const;
const OTHER_EMAIL_COLUMNS = ['failed', 'uniqueOpens', 'uniqueClicks', 'automatedOpens', 'automatedClicks'] as const;

/** What the report of each type shows of the figures. */
export const LAYOUTS: { [T in ReportType]: LayoutOf<T> } = {
  dashboard: {
    title: 'Dashboard',
    keyFigures: [
      'contacts.total',
      'contacts.new',
      'emails.unsubscribes',
      'conversions.total',
      'emails.sent',
      'emails.delivered',
      'emails.openRate',
      'emails.clickRate',
      'emails.opens',
      'emails.clicks',
      'emails.bounces',
      'emails.failed',
      'conversions.rate',
      'conversions.contacts',
      'conversions.goals',
      'conversions.submissions',
      'emails.uniqueOpens',
      'emails.uniqueClicks',
      'emails.contactsOpened',
      'emails.contactsClicked',
      'emails.automatedOpens',
      'emails.automatedClicks',
      'forms.views',
      'forms.submissions',
      'campaigns.completed',
      'campaigns.active',
      'campaigns.running',
    ],
    now: ['contacts.total', 'campaigns.active', 'campaigns.running'],
    series: ['contacts', 'sent', 'opens', 'clicks', 'bounces', 'unsubscribes', 'views', 'submissions', 'conversions'],
    charts: [
      { title: 'Emails', kind: 'line', figures: ['sent', 'opens', 'clicks'] },
      { title: 'New contacts and form submissions', kind: 'bar', figures: ['contacts', 'submissions'] },
      { title: 'Unsubscribes', kind: 'bar', figures: ['unsubscribes'] },
    ],
  },
  campaigns: {
    title: 'Campaigns',
    keyFigures: [
      'totals.entries',
      'totals.completions',
      'totals.sent',
      'totals.delivered',
      'totals.openRate',
      'totals.clickRate',
      'totals.bounces',
      'totals.unsubscribes',
      'totals.opens',
      'totals.clicks',
      'totals.failed',
      'totals.conversions.total',
      'totals.conversions.contacts',
      'totals.conversions.rate',
      'totals.uniqueOpens',
      'totals.uniqueClicks',
      'totals.contactsOpened',
      'totals.contactsClicked',
      'totals.automatedOpens',
      'totals.automatedClicks',
    ],
    now: [],
    series: ['entries', 'completions', ...EMAIL_COLUMNS, ...OTHER_EMAIL_COLUMNS],
    charts: [
      { title: 'Emails of campaigns', kind: 'line', figures: ['sent', 'opens', 'clicks'] },
      { title: 'Entries and completions', kind: 'bar', figures: ['entries', 'completions'] },
    ],
    breakdown: {
      key: 'byCampaign',
      title: 'By campaign',
      by: 'campaignId',
      of: 'campaign',
      orderBy: 'sent',
      columns: [
        'entries',
        'completions',
        ...EMAIL_COLUMNS,
        ...CONVERSION_COLUMNS,
        ...PEOPLE_COLUMNS,
        ...OTHER_EMAIL_COLUMNS,
      ],
      chart: { title: 'Campaigns with the most emails', figures: ['sent', 'opens', 'clicks'] },
    },
  },
  contacts: {
    title: 'Contacts',
    keyFigures: ['totals.total', 'totals.new', 'totals.unsubscribes'],
    now: ['totals.total'],
    series: ['new', 'unsubscribes'],
    charts: [
      { title: 'New contacts', kind: 'line', figures: ['new'] },
      { title: 'Unsubscribes', kind: 'bar', figures: ['unsubscribes'] },
    ],
    breakdown: {
      key: 'byStatus',
      title: 'All contacts by status, now',
      by: 'status',
      of: 'status',
      orderBy: 'count',
      columns: ['count'],
      chart: { title: 'All contacts by status, now', figures: ['count'] },
    },
  },
  emails: {
    title: 'Emails',
    keyFigures: [
      'totals.sent',
      'totals.delivered',
      'totals.openRate',
      'totals.clickRate',
      'totals.opens',
      'totals.clicks',
      'totals.bounces',
      'totals.unsubscribes',
      'totals.failed',
      'totals.uniqueOpens',
      'totals.uniqueClicks',
      'totals.contactsOpened',
      'totals.contactsClicked',
      'totals.automatedOpens',
      'totals.automatedClicks',
    ],
    now: [],
    series: [...EMAIL_COLUMNS, ...OTHER_EMAIL_COLUMNS],
    charts: [
      { title: 'Emails sent, opened and clicked', kind: 'line', figures: ['sent', 'opens', 'clicks'] },
      { title: 'Open rate and click rate', kind: 'line', unit: 'percent', figures: ['openRate', 'clickRate'] },
      { title: 'Bounces and unsubscribes', kind: 'bar', figures: ['bounces', 'unsubscribes'] },
    ],
    breakdown: {
      key: 'byTemplate',
      title: 'By template',
      by: 'templateId',
      of: 'template',
      orderBy: 'sent',
      columns: [...EMAIL_COLUMNS, ...PEOPLE_COLUMNS, ...OTHER_EMAIL_COLUMNS],
      chart: { title: 'Most sent templates', figures: ['sent', 'opens', 'clicks'] },
    },
  },
  forms: {
    title: 'Forms',
    keyFigures: ['totals.views', 'totals.submissions', 'totals.conversionRate', 'totals.contacts'],
    now: [],
    series: ['views', 'submissions', 'conversionRate'],
    charts: [{ title: 'Submissions', kind: 'line', figures: ['submissions'] }],
    breakdown: {
      key: 'byForm',
      title: 'By form',
      by: 'formId',
      of: 'form',
      orderBy: 'submissions',
      columns: ['views', 'submissions', 'conversionRate', 'contacts'],
      chart: { title: 'Forms with the most submissions', figures: ['views', 'submissions'] },
    },
  },
};

/** The label, kind and direction of every figure, by the end of its path, as much of it as makes that clear. */
export const FIGURES: Record<string, { label: string; kind?: FigureKind; higherIsBetter?: boolean }> = {
  'contacts.total': { label: 'Contacts' },
  'totals.total': { label: 'Contacts' },
  'contacts.new': { label: 'New contacts', higherIsBetter: true },
  'conversions.total': { label: 'Conversions', higherIsBetter: true },
  'conversions.contacts': { label: 'Converted contacts', higherIsBetter: true },
  'conversions.goals': { label: 'Goals met', higherIsBetter: true },
  'conversions.submissions': { label: 'Conversions by forms', higherIsBetter: true },
  'totals.contacts': { label: 'Converted contacts', higherIsBetter: true },
  'byForm.contacts': { label: 'Converted contacts', higherIsBetter: true },
  conversions: { label: 'Conversions', higherIsBetter: true },
  contactsOpened: { label: 'Contacts who opened', higherIsBetter: true },
  contactsClicked: { label: 'Contacts who clicked', higherIsBetter: true },
  uniqueOpens: { label: 'Emails opened', higherIsBetter: true },
  uniqueClicks: { label: 'Emails clicked', higherIsBetter: true },
  automatedOpens: { label: 'Automated opens' },
  automatedClicks: { label: 'Automated clicks' },
  'conversions.rate': { label: 'Conversion rate', kind: 'percent', higherIsBetter: true },
  'campaigns.active': { label: 'Active campaigns' },
  'campaigns.running': { label: 'Contacts in campaigns' },
  'campaigns.completed': { label: 'Campaign completions', higherIsBetter: true },
  'emails.sent': { label: 'Emails sent', higherIsBetter: true },
  'forms.views': { label: 'Form views', higherIsBetter: true },
  'forms.submissions': { label: 'Form submissions', higherIsBetter: true },
  new: { label: 'New contacts', higherIsBetter: true },
  contacts: { label: 'New contacts' },
  count: { label: 'Contacts' },
  entries: { label: 'Entries', higherIsBetter: true },
  completions: { label: 'Completions', higherIsBetter: true },
  sent: { label: 'Sent', higherIsBetter: true },
  delivered: { label: 'Delivered', higherIsBetter: true },
  failed: { label: 'Failed', higherIsBetter: false },
  opens: { label: 'Opens', higherIsBetter: true },
  clicks: { label: 'Clicks', higherIsBetter: true },
  bounces: { label: 'Bounces', higherIsBetter: false },
  unsubscribes: { label: 'Unsubscribes', higherIsBetter: false },
  openRate: { label: 'Open rate', kind: 'percent', higherIsBetter: true },
  clickRate: { label: 'Click rate', kind: 'percent', higherIsBetter: true },
  views: { label: 'Views', higherIsBetter: true },
  submissions: { label: 'Submissions', higherIsBetter: true },
  conversionRate: { label: 'Conversion rate', kind: 'percent', higherIsBetter: true },
};

/** What a figure is called and how it is shown, by its path, which may begin with the name of its list. */
export function figureOf(path: string): { label: string; kind: FigureKind; higherIsBetter: boolean | null } {
  const parts = path.split('.');
  const known = parts.map((_, from) => parts.slice(from).join('.')).find((end) => Object.hasOwn(FIGURES, end));
  if (known === undefined) throw new Error(`the figure ${path} has no label`);
  const { label, kind = 'integer', higherIsBetter = null } = FIGURES[known]!;
  return { label, kind, higherIsBetter };
}
