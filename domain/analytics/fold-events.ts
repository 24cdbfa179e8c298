import { preparedHint, rows, sql, type EntityManager } from '../../db/orm.ts';
import type { AnyEvent, EventType } from '../../events/contracts.ts';
import { windowOf } from './period.ts';
import { referencesOfEvents } from '../emails/ledger/event-emails.ts';

/** The events that are counted. */
export const COUNTED_EVENTS = [
  'CONTACT_CREATED',
  'CONTACT_UNSUBSCRIBED',
  'EMAIL_SENT',
  'EMAIL_OPENED',
  'EMAIL_CLICKED',
  'EMAIL_BOUNCED',
  'FORM_SUBMITTED',
  'CAMPAIGN_TRIGGERED',
  'CAMPAIGN_COMPLETED',
  'GOAL_MET',
  'SCORE_UPDATED',
] as const satisfies readonly EventType[];

/** The metrics, counted in total and per campaign, template or form. */
export type Metric =
  | 'contacts_new'
  | 'unsubscribes'
  | 'emails_sent'
  | 'emails_failed'
  | 'opens'
  | 'unique_opens'
  | 'clicks'
  | 'unique_clicks'
  | 'bounces'
  | 'submissions'
  | 'form_views'
  | 'campaign_entries'
  | 'campaign_completions'
  | 'goals_met'
  | 'score_changes';

const metrics: Record<(typeof COUNTED_EVENTS)[number], Metric> = {
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
  SCORE_UPDATED: 'score_changes',
};

interface EventFields {
  status?: string;
  automated?: boolean;
  first?: boolean;
  emailId?: number;
  campaignId?: number;
  templateId?: number;
  formId?: number;
  contactId?: number | null;
  recipientId?: number | null;
}

/** The metric that the first open or click of an email also counts for. */
const uniques: Partial<Record<Metric, Metric>> = { opens: 'unique_opens', clicks: 'unique_clicks' };

/** The metric that an event counts for, or null. */
export function metricOf(event: AnyEvent): Metric | null {
  const data = event.data as EventFields;
  if (data.automated) return null;
  if (event.type === 'EMAIL_SENT') {
    if (data.status === 'SENT') return 'emails_sent';
    return data.status === 'FAILED' ? 'emails_failed' : null;
  }
  return metrics[event.type as keyof typeof metrics] ?? null;
}

function dimensionsOf(data: EventFields): [string, number][] {
  return [
    ['', 0],
    ...(data.campaignId ? [['campaign', data.campaignId] as [string, number]] : []),
    ...(data.templateId ? [['template', data.templateId] as [string, number]] : []),
    ...(data.formId ? [['form', data.formId] as [string, number]] : []),
  ];
}

/** Contacts that were mailed or converted, for the conversion rate. */
function personOf(event: AnyEvent, metric: Metric): { metric: string; contactId: number } | null {
  const data = event.data as EventFields;
  if (metric === 'emails_sent' && data.recipientId) return { metric: 'mailed', contactId: data.recipientId };
  if ((metric === 'submissions' || metric === 'goals_met') && data.contactId)
    return { metric: 'converted', contactId: data.contactId };
  return null;
}

/**
 * Adds events that were not counted before to their 5-minute windows (by the event's own time, so late events are
 * counted correctly), in the engine transaction `tx`. Upserts rows in key order to avoid deadlocks.
 */
export async function foldEvents(tx: EntityManager, events: AnyEvent[]): Promise<void> {
  const counts = new Map<string, { t: string; m: string; d: string; id: number; at: string; n: number }>();
  const people = new Map<string, { t: string; m: string; at: string; c: number }>();
  const referenceOf = await referencesOfEvents(tx, events);
  const add = (t: string, m: Metric, d: string, id: number, at: string): void => {
    const key = [t, m, d, id, at].join('/');
    const row = counts.get(key);
    if (row) row.n += 1;
    else counts.set(key, { t, m, d, id, at, n: 1 });
  };
  for (const event of events) {
    const metric = metricOf(event);
    if (!metric) continue;
    const data = event.data as EventFields;
    const unique = data.first ? uniques[metric] : undefined;
    const at = windowOf(new Date(event.time)).toISOString();
    for (const [dimension, id] of dimensionsOf({ ...referenceOf(event), ...data })) {
      add(event.tenantid, metric, dimension, id, at);
      if (unique) add(event.tenantid, unique, dimension, id, at);
    }
    const person = personOf(event, metric);
    if (person)
      people.set([event.tenantid, person.metric, at, person.contactId].join('/'), {
        t: event.tenantid,
        m: person.metric,
        at,
        c: person.contactId,
      });
  }
  if (counts.size === 0) return;
  await rows(
    tx,
    sql`${preparedHint}
    insert into analytics_windows (tenant_id, metric, dimension, dimension_id, at, count)
    select t, m, d, id, at, n from jsonb_to_recordset(${JSON.stringify([...counts.values()])}::jsonb) as r(t text, m text, d text, id bigint, at timestamptz, n bigint)
    order by t, m, d, id, at
    on conflict (tenant_id, metric, dimension, dimension_id, at) do update set count = analytics_windows.count + excluded.count`,
  );
  if (people.size > 0) {
    await rows(
      tx,
      sql`${preparedHint}
      insert into analytics_contact_windows (tenant_id, metric, at, contact_id)
      select t, m, at, c from jsonb_to_recordset(${JSON.stringify([...people.values()])}::jsonb) as r(t text, m text, at timestamptz, c bigint)
      order by t, m, at, c on conflict do nothing`,
    );
  }
}
