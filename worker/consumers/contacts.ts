import { preparedHint, rows, sql, type EntityManager } from '../../db/orm.ts';
import { wakeAwaiting } from '../../domain/campaigns/execution/awaited-events.ts';
import { isByExecution } from '../../domain/campaigns/execution/depth.ts';
import { lockContacts } from '../../domain/contact-values/lock-contacts.ts';
import type { ChangeKind } from '../../domain/membership/filter/change-kinds.ts';
import { refreshMemberships } from '../../domain/membership/members/refresh-memberships.ts';
import type { EventHandler } from '../../transport/event-handler.ts';
import { contactOf, type AnyEvent, type EventType, FILTER_EVENTS } from '../../events/contracts.ts';

interface Activity {
  contact: number;
  type: EventType;
  at: string;
  event: string;
  automated: boolean;
  email: number | null;
  message: number | null;
  data: Record<string, unknown>;
  requestId: string | null;
}

/** The changes, besides the event itself, on which segment memberships may depend; absent = none, null = any. */
const CHANGES: Partial<Record<EventType, ChangeKind[] | null>> = {
  CONTACT_CREATED: null,
  CONTACT_UPDATED: ['contact', 'company'],
  CONTACT_UNSUBSCRIBED: ['contact'],
  EMAIL_BOUNCED: ['contact'],
  SCORE_UPDATED: ['score'],
};

/** Records activities of contacts, re-evaluates their segment memberships, and wakes executions that wait for them. */
export const contactHandler: EventHandler = {
  name: 'contact',
  types: FILTER_EVENTS,
  async handle(tx, events) {
    const byTenant = [...Map.groupBy(events, (event) => event.tenantid)].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [tenantId, group] of byTenant) await record(tx, tenantId, group);
  },
  afterCommit: wakeAwaiting,
};

async function record(tx: EntityManager, tenantId: string, events: AnyEvent[]): Promise<void> {
  const activities = events.flatMap((event) => activityOf(event) ?? []);
  let contacts = [...new Set(activities.map(({ contact }) => contact))];
  const isRecorded = await recordedElsewhere(tx, tenantId, activities);
  const others = activities.filter((activity) => !isRecorded(activity));
  const locked = others.length > 0;
  if (locked) {
    contacts = await lockContacts(tx, tenantId, contacts);
    const existing = new Set(contacts);
    await insertActivities(
      tx,
      tenantId,
      others.filter(({ contact }) => existing.has(contact)),
    );
  }
  const causes = causesOf(activities);
  const triggering = new Set(
    activities.filter(({ data }) => data['runTriggers'] !== false).map(({ contact }) => contact),
  );
  await refreshMemberships(tx, tenantId, contacts, {
    ...(causes ? { causes } : {}),
    committed: !locked,
    locked,
    // Only these matter to what follows: a campaign that it triggers must know that another one caused it.
    requestIds: new Map(
      activities.flatMap(({ contact, requestId }) => (isByExecution(requestId) ? [[contact, requestId] as const] : [])),
    ),
    untriggered: new Set(contacts.filter((contact) => !triggering.has(contact))),
  });
}

/**
 * Returns whether an activity is in the timeline without a row in contact_activities: EMAIL_SENT if its email has an
 * activity id, CONTACT_CREATED if its contact has one. Those of releases before have none.
 */
async function recordedElsewhere(
  tx: EntityManager,
  tenantId: string,
  activities: readonly Activity[],
): Promise<(activity: Activity) => boolean> {
  const emails = activities.flatMap(({ type, email }) => (type === 'EMAIL_SENT' ? (email ?? []) : []));
  const contacts = activities.flatMap(({ type, contact }) => (type === 'CONTACT_CREATED' ? contact : []));
  const among = async (table: string, column: string, ids: number[]): Promise<Set<number>> => {
    if (ids.length === 0) return new Set();
    const found = await rows<{ id: number }>(
      tx,
      // Looked up one by one: a plan made for a small table would read all rows of the tenant when it has grown.
      sql`${preparedHint}
      select r.id from unnest(${ids}::bigint[]) as listed(id) cross join lateral (
        select id, tenant_id from ${sql.table(table)} where id = listed.id and ${sql.ref(column)} is not null offset 0) r
      where r.tenant_id = ${tenantId}`,
    );
    return new Set(found.map(({ id }) => id));
  };
  const sent = await among('emails', 'activity_id', emails);
  const created = await among('contacts', 'created_activity_id', contacts);
  return ({ type, email, contact }) =>
    (type === 'EMAIL_SENT' && email !== null && sent.has(email)) ||
    (type === 'CONTACT_CREATED' && created.has(contact));
}

async function insertActivities(tx: EntityManager, tenantId: string, activities: readonly Activity[]): Promise<void> {
  if (activities.length === 0) return;
  // Filters can also refer to the template, campaign and step of an email or message. Looked up by id alone, so that the primary
  // key is used whatever statistics the planner has.
  await rows(
    tx,
    sql`${preparedHint}
    insert into contact_activities (tenant_id, contact_id, type, occurred_at, event_id, automated, data)
    select ${tenantId}, r.contact, r.type, r.at, r.event, r.automated, r.data || jsonb_strip_nulls(jsonb_build_object(
      'templateId', coalesce(e.template_id, m.template_id), 'campaignId', coalesce(e.campaign_id, m.campaign_id),
      'executionId', coalesce(e.execution_id, m.execution_id), 'stepId', coalesce(e.step_id, m.step_id)))
    from jsonb_to_recordset(${JSON.stringify(activities)}::jsonb)
      as r(contact bigint, type text, at timestamptz, event uuid, automated boolean, email bigint, message bigint, data jsonb)
    left join lateral (select * from emails where id = r.email offset 0) e on e.tenant_id = ${tenantId}
    left join lateral (select * from messages where id = r.message offset 0) m on m.tenant_id = ${tenantId}
    order by r.at`,
  );
}

/** The changes for which memberships must be re-evaluated; null = all. */
function causesOf(activities: Activity[]): Set<ChangeKind> | null {
  const causes = new Set<ChangeKind>();
  for (const { type, data } of activities) {
    const changes = CHANGES[type];
    if (changes === null) return null;
    causes.add(`event:${type}`);
    changes?.forEach((cause) => causes.add(cause));
    if (type === 'SEGMENT_ENTERED' || type === 'SEGMENT_LEFT')
      causes.add('lists').add(`member:${Number(data['segmentId'])}`);
  }
  return causes;
}

/** Null if the event concerns no contact (an address without one). */
function activityOf(event: AnyEvent): Activity | null {
  const { tenantId: _tenant, timestamp: _at, ...data } = event.data as Record<string, unknown>;
  const contact = contactOf(event);
  if (contact === null) return null;
  const email = (data['emailId'] ?? null) as number | null;
  const message = (data['messageId'] ?? null) as number | null;
  return {
    contact,
    type: event.type,
    at: event.time,
    event: event.id,
    automated: data['automated'] === true,
    email,
    message,
    data,
    requestId: event.requestid ?? null,
  };
}
