import { creationIdSql } from '../../../events/creation-id.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { matchesWhere } from '../../membership/filter/match-where.ts';
import type { Awarded, PastEvent } from './replay-score.ts';
import type { RuleRow } from '../scores/score-events.ts';

/** How many events are read at once: their data is not kept. */
const AT_ONCE = 2_000;

/** A contact, and what its events score for: itself or its company. */
export interface Member {
  id: number;
  subjectId: number;
}

export interface Span {
  tenantId: string;
  fromAt: Date;
  untilAt: Date;
}

/** Whether the time `at` is in the span. */
export const isIn = ({ fromAt, untilAt }: Omit<Span, 'tenantId'>, at: ReturnType<typeof sql>) =>
  sql`${at} >= ${fromAt}::timestamptz and ${at} < ${untilAt}::timestamptz`;

interface EventRow {
  subjectId: number;
  eventId: string;
  at: Date;
  data: object | null;
  scorable: boolean;
}

/**
 * The events of the rule's type in the timelines, by contact or company: those of the members, and for companies also
 * those for which they have points although the contact has left them. An event counts for the company that has its
 * points, if one has, wherever its contact is now.
 */
export async function pastEvents(
  tx: EntityManager,
  span: Span,
  rule: RuleRow,
  members: readonly Member[],
  stored: ReadonlyMap<number, readonly Awarded[]>,
): Promise<Map<number, PastEvent[]>> {
  const events = new Map<number, PastEvent[]>();
  const add = ({ subjectId, eventId, at, data, scorable }: EventRow): void => {
    const matches = scorable && matchesWhere(rule.conditions, data ?? {});
    const event = { eventId, at: at.getTime(), matches };
    (events.get(subjectId) ?? events.set(subjectId, []).get(subjectId)!).push(event);
  };
  await eachRow(tx, eventsOf(span, rule, members), add);
  if (rule.target === 'company') await eachRow(tx, eventsOfFormer(span, rule, unexplained(span, stored, events)), add);
  return events;
}

/** Only what the conditions need. */
const dataFor = ({ conditions }: RuleRow) => (conditions.length === 0 ? sql`null::jsonb` : sql`a.data`);

/**
 * Whether an event may score, as when it comes. One that may not is read all the same: points that it got before are
 * taken away.
 */
const isScorable = ({ event_type: type }: RuleRow) =>
  type === 'MESSAGE_SENT' ? sql`coalesce(a.data ->> 'status' = 'SENT', false)` : sql`true`;

/** Contacts are looked up one by one: a plan made for small tables would go through all activities for each. */
function eventsOf(span: Span, rule: RuleRow, members: readonly Member[]) {
  const { tenantId } = span;
  const listed = sql`
    unnest(${members.map(({ id }) => id)}::bigint[], ${members.map(({ subjectId }) => subjectId)}::bigint[]) as m(id, subject)`;
  const creations = sql`
    union all select m.subject, c.* from ${listed} cross join lateral (
      select ${sql.raw(creationIdSql('tenant_id', 'id'))}, created_at, null::jsonb, true from contacts
      where tenant_id = ${tenantId} and id = m.id and created_activity_id is not null and ${isIn(span, sql`created_at`)}
      offset 0) c`;
  const atAnotherCompany = sql`
    exists (select 1 from score_history h where h.tenant_id = ${tenantId} and h.subject = 'company'
      and h.rule_id = ${rule.id} and h.event_id = e.event_id and h.subject_id <> e.subject offset 0)`;
  return sql`
    select e.subject as "subjectId", e.event_id as "eventId", e.occurred_at as at, e.data, e.scorable from (
      select m.subject, a.* from ${listed} cross join lateral (
        select a.event_id, a.occurred_at, ${dataFor(rule)} as data, ${isScorable(rule)} as scorable from contact_activities a
        where a.tenant_id = ${tenantId} and a.contact_id = m.id and a.type = ${rule.event_type}
          and ${isIn(span, sql`a.occurred_at`)} and not a.automated offset 0) a
      ${rule.event_type === 'CONTACT_CREATED' ? creations : sql``}) e
    ${rule.target === 'company' ? sql`where not ${atAnotherCompany}` : sql``}`;
}

/** What companies got in the span for events that are not among `events`. */
function unexplained(
  { fromAt, untilAt }: Span,
  stored: ReadonlyMap<number, readonly Awarded[]>,
  events: ReadonlyMap<number, readonly PastEvent[]>,
) {
  return [...stored].flatMap(([subject, awarded]) => {
    const found = new Set(events.get(subject)?.map(({ eventId }) => eventId));
    return awarded
      .filter(({ eventId, at }) => at >= fromAt.getTime() && at < untilAt.getTime() && !found.has(eventId))
      .map(({ eventId, at }) => ({ subject, event: eventId, at: new Date(at).toISOString() }));
  });
}

/** The history of companies has no contacts, so these events are found by their times. */
const eventsOfFormer = ({ tenantId }: Span, rule: RuleRow, awarded: readonly object[]) => sql`
  select r.subject as "subjectId", a.event_id as "eventId", a.occurred_at as at, ${dataFor(rule)} as data,
    ${isScorable(rule)} as scorable
  from jsonb_to_recordset(${JSON.stringify(awarded)}::jsonb) as r(subject bigint, event uuid, at timestamptz)
  join contact_activities a on a.occurred_at = r.at and a.event_id = r.event
    and a.tenant_id = ${tenantId} and a.type = ${rule.event_type} and not a.automated`;

/** Calls `use` for each row of a query, of which only some are in memory at a time. */
async function eachRow(tx: EntityManager, query: ReturnType<typeof sql>, use: (row: EventRow) => void): Promise<void> {
  await rows(tx, sql`declare past_events no scroll cursor for ${query}`);
  for (;;) {
    const found = await rows<EventRow>(tx, sql`fetch ${sql.lit(AT_ONCE)} from past_events`);
    found.forEach(use);
    if (found.length < AT_ONCE) break;
  }
  await rows(tx, sql`close past_events`);
}
