import { preparedHint, rows, sql, type EntityManager } from '../../db/orm.ts';
import { contactOf, type AnyEvent } from '../../events/contracts.ts';
import { referencesOfEvents, systemTemplatesAmong } from '../emails/ledger/event-emails.ts';
import { countsContacts, type Dimension } from './contacts/dimensions.ts';
import { idsOfLinks } from './links.ts';
import { EMAIL_METRICS, firstMetric, metricOf, type Metric } from './metrics.ts';
import { HOUR_MS, WINDOW_MS } from '../common/period.ts';
import { addCounts, arrayOf, type Count } from './windows.ts';

interface EventFields {
  first?: boolean;
  url?: string;
  emailId?: number;
  campaignId?: number;
  templateId?: number;
  formId?: number;
}

/** What is known of an event that is counted. */
interface Fact {
  id: string;
  tenantId: string;
  metric: Metric;
  time: string;
  at: number;
  contactId: number | null;
  campaignId: number | undefined;
  templateId: number | undefined;
  formId: number | undefined;
  linkId: number | undefined;
  emailId: number | undefined;
  first: boolean;
}

/**
 * Counts events that were not counted before, by the event's own time, so late events are counted correctly, in the
 * engine transaction `tx`: stores the events, adds to the counts of their windows, and notes that the sets of contacts of
 * their hours and days have to be made again. Three statements, however many events, and one to leave out emails of the
 * service itself (password resets, notifications to users, …); two more for new links.
 */
export async function foldEvents(tx: EntityManager, events: AnyEvent[]): Promise<void> {
  const facts = await factsOf(tx, events);
  if (facts.length === 0) return;
  await storeEvents(tx, facts);
  await addCounts(tx, countsOf(facts));
  await noteChanges(tx, facts);
}

const emailMetrics = new Set<Metric>(EMAIL_METRICS);

async function factsOf(tx: EntityManager, events: readonly AnyEvent[]): Promise<Fact[]> {
  const referenceOf = await referencesOfEvents(tx, events);
  const linkOf = await idsOfLinks(
    tx,
    events.flatMap(({ type, tenantid, data }) =>
      type === 'EMAIL_CLICKED' ? [{ tenantId: tenantid, url: data.url }] : [],
    ),
  );
  // Most events of a batch have its time.
  let [time, at] = ['', 0];
  const facts: Fact[] = [];
  const templateOf = (event: AnyEvent) => (event.data as EventFields).templateId ?? referenceOf(event).templateId;
  const system = await systemTemplatesAmong(
    tx,
    events.flatMap((event) => (emailMetrics.has(metricOf(event)!) ? (templateOf(event) ?? []) : [])),
  );
  for (const event of events) {
    const metric = metricOf(event);
    if (!metric || system.has(templateOf(event) ?? 0)) continue;
    if (event.time !== time) [time, at] = [event.time, Date.parse(event.time)];
    const data = event.data as EventFields;
    const { campaignId, templateId } = { ...referenceOf(event), ...data };
    facts.push({
      id: event.id,
      tenantId: event.tenantid,
      metric,
      time,
      at,
      contactId: contactOf(event),
      campaignId,
      templateId,
      formId: data.formId,
      linkId: data.url === undefined ? undefined : linkOf({ tenantId: event.tenantid, url: data.url }),
      emailId: data.emailId,
      first: data.first ?? false,
    });
  }
  return facts;
}

async function storeEvents(tx: EntityManager, facts: readonly Fact[]): Promise<void> {
  const column = (of: (fact: Fact) => string | number | null | undefined): string => arrayOf(facts.map(of));
  await rows(
    tx,
    sql`${preparedHint}
    insert into analytics_events (event_id, tenant_id, metric, at, contact_id, campaign_id, template_id, form_id, link_id, email_id)
    select * from unnest(${column(({ id }) => id)}::uuid[], ${facts.map(({ tenantId }) => tenantId)}::text[], ${column(({ metric }) => metric)}::text[],
      ${column(({ time }) => time)}::timestamptz[], ${column(({ contactId }) => contactId)}::bigint[],
      ${column(({ campaignId }) => campaignId)}::bigint[], ${column(({ templateId }) => templateId)}::bigint[],
      ${column(({ formId }) => formId)}::bigint[], ${column(({ linkId }) => linkId)}::bigint[], ${column(({ emailId }) => emailId)}::bigint[])`,
  );
}

function* dimensionsOf({ metric, campaignId, templateId, formId, linkId }: Fact): Generator<[Dimension, number]> {
  yield ['', 0];
  if (campaignId) yield ['campaign', campaignId];
  if (templateId) yield ['template', templateId];
  else if (emailMetrics.has(metric)) yield ['template', 0];
  if (formId) yield ['form', formId];
  if (linkId) yield ['link', linkId];
}

function countsOf(facts: readonly Fact[]): Count[] {
  const counts = new Map<string, Count>();
  const add = (tenantId: string, metric: Metric, dimension: Dimension, id: number, at: number): void => {
    const key = `${metric}/${dimension}/${id}/${at}/${tenantId}`;
    const count = counts.get(key);
    if (count) count.n += 1;
    else counts.set(key, { tenantId, metric, dimension, id, at, n: 1 });
  };
  for (const fact of facts) {
    const { tenantId, metric } = fact;
    const first = fact.first ? firstMetric[metric] : undefined;
    const at = Math.floor(fact.at / WINDOW_MS) * WINDOW_MS;
    for (const [dimension, id] of dimensionsOf(fact)) {
      add(tenantId, metric, dimension, id, at);
      if (first && dimension !== 'link') add(tenantId, first, dimension, id, at);
    }
  }
  return [...counts.values()];
}

/** Notes in which hours and days contacts did something, see roll-contacts.ts. In key order, to avoid deadlocks. */
async function noteChanges(tx: EntityManager, facts: readonly Fact[]): Promise<void> {
  const changes = new Map<string, { tenantId: string; at: number; n: number }>();
  for (const { tenantId, metric, contactId, at: moment } of facts) {
    if (contactId === null || !countsContacts(metric)) continue;
    const at = Math.floor(moment / HOUR_MS) * HOUR_MS;
    const key = `${at}/${tenantId}`;
    const change = changes.get(key);
    if (change) change.n += 1;
    else changes.set(key, { tenantId, at, n: 1 });
  }
  if (changes.size === 0) return;
  const all = [...changes.values()];
  await rows(
    tx,
    sql`${preparedHint}
    insert into analytics_rollups (tenant_id, minutes, at, changes)
    select c.tenant_id, w.minutes, date_bin(w.length, c.at, 'epoch'), sum(c.n)::bigint
    from unnest(${all.map(({ tenantId }) => tenantId)}::text[], ${arrayOf(all.map(({ at }) => new Date(at).toISOString()))}::timestamptz[],
      ${arrayOf(all.map(({ n }) => n))}::bigint[]) as c(tenant_id, at, n)
    cross join (values (60::smallint, '1 hour'::interval), (1440, '1 day')) w(minutes, length)
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (tenant_id, minutes, at) do update set changes = analytics_rollups.changes + excluded.changes, changed_at = now()`,
  );
}
