import type { AnyEvent, EventType } from '../../events/contracts.ts';

/** The events that are counted, and the metric that each counts for; of some not all count, see `metricOf`. */
const METRICS = {
  CONTACT_CREATED: 'contacts_new',
  CONTACT_UNSUBSCRIBED: 'unsubscribes',
  EMAIL_SENT: 'emails_sent',
  EMAIL_OPENED: 'opens',
  EMAIL_CLICKED: 'clicks',
  EMAIL_BOUNCED: 'bounces',
  FORM_SUBMITTED: 'submissions',
  CAMPAIGN_TRIGGERED: 'campaign_entries',
  CAMPAIGN_COMPLETED: 'campaign_completions',
  GOAL_MET: 'goals_met',
} as const satisfies Partial<Record<EventType, string>>;

export const COUNTED_EVENTS = Object.keys(METRICS) as (keyof typeof METRICS)[];

/**
 * What is counted. `unique_opens` and `unique_clicks` are the first ones of each email; `automated_…` are those by
 * machines, which count for nothing else.
 */
export const ALL_METRICS = [
  ...Object.values(METRICS),
  'emails_failed',
  'unique_opens',
  'unique_clicks',
  'automated_opens',
  'automated_clicks',
  'form_views',
] as const;
export type Metric = (typeof ALL_METRICS)[number];

/** The metrics of emails: what belongs to no template is counted for the template 0. */
export const EMAIL_METRICS = [
  'emails_sent',
  'emails_failed',
  'opens',
  'unique_opens',
  'automated_opens',
  'clicks',
  'unique_clicks',
  'automated_clicks',
  'bounces',
  'unsubscribes',
] as const satisfies readonly Metric[];

/** The metric that an event counts for, or null. */
export function metricOf({ type, data }: AnyEvent): Metric | null {
  switch (type) {
    case 'EMAIL_SENT':
      if (data.status === 'SENT') return 'emails_sent';
      return data.status === 'FAILED' ? 'emails_failed' : null;
    case 'EMAIL_OPENED':
      return data.automated ? 'automated_opens' : 'opens';
    case 'EMAIL_CLICKED':
      return data.automated ? 'automated_clicks' : 'clicks';
    case 'CONTACT_UNSUBSCRIBED':
      // The contact that was merged unsubscribed before, and was counted then.
      return data.reason === 'merge' ? null : 'unsubscribes';
    default:
      return METRICS[type as keyof typeof METRICS] ?? null;
  }
}

/** The metric that the first open or click of an email also counts for. */
export const firstMetric: Partial<Record<Metric, Metric>> = { opens: 'unique_opens', clicks: 'unique_clicks' };
