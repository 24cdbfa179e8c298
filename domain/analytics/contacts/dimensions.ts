import { sql, type RawBuilder } from '../../../db/orm.ts';

/** What figures cover: everything (''), or only what belongs to a campaign, a template, a form or a link. */
export type Dimension = '' | 'campaign' | 'template' | 'form' | 'link';

/** What contacts are counted for, each once, however often they did it. */
export type ContactMetric = 'mailed' | 'opened' | 'clicked' | 'converted';

/** The contact metric that an event of a metric counts for. Opens and clicks by machines count for none. */
const CONTACT_METRICS = {
  emails_sent: 'mailed',
  opens: 'opened',
  clicks: 'clicked',
  submissions: 'converted',
  goals_met: 'converted',
} as const satisfies Record<string, ContactMetric>;

/** Whether events of a metric count contacts. */
export const countsContacts = (metric: string): boolean => Object.hasOwn(CONTACT_METRICS, metric);

/** SQL for whether a row `e` of analytics_events counts a contact. */
export const hasContact = sql`e.contact_id is not null and e.metric in (${sql.join(Object.keys(CONTACT_METRICS).map((metric) => sql.lit(metric)))})`;

/** SQL for the contact metric of such a row. */
export const contactMetric = sql`case e.metric ${sql.join(
  Object.entries(CONTACT_METRICS).map(([metric, counted]) => sql`when ${sql.lit(metric)} then ${sql.lit(counted)}`),
  sql` `,
)} end`;

/** SQL for the id that such a row has in a dimension; null = it does not belong there. The template 0 is none. */
export const dimensionIds: Record<Dimension, RawBuilder<unknown>> = {
  '': sql`0::bigint`,
  campaign: sql`e.campaign_id`,
  template: sql`case when e.metric in ('opens', 'clicks') then coalesce(e.template_id, 0) end`,
  form: sql`e.form_id`,
  link: sql`e.link_id`,
};
