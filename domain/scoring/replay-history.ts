import { createHash } from 'node:crypto';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { totalOf } from './decay.ts';
import { matchesRule } from './match-rule.ts';
import type { Awarded, PastEvent } from './replay-score.ts';
import type { RuleRow } from './score-events.ts';
import type { Score } from './score-rows.ts';

/** The history rows of the rule, by contact or company. */
export async function storedAwards(
  tx: EntityManager,
  tenantId: string,
  { id, target }: RuleRow,
  ids: readonly number[],
): Promise<Map<number, Awarded[]>> {
  const found = await rows<Omit<Awarded, 'at'> & { at: Date; subjectId: number }>(
    tx,
    sql`
    select id, subject_id as "subjectId", event_id as "eventId", at, points, half_life_days as "halfLifeDays"
    from score_history
    where tenant_id = ${tenantId} and subject = ${target} and subject_id = any(${[...ids]}::bigint[]) and rule_id = ${id}`,
  );
  return Map.groupBy(
    found.map(({ at, ...row }) => ({ ...row, at: at.getTime() })),
    ({ subjectId }) => subjectId,
  );
}

/** The events of the rule's type in the timelines, by contact or company. */
export async function pastEvents(
  tx: EntityManager,
  tenantId: string,
  rule: RuleRow,
  span: {
    fromAt: Date;
    untilAt: Date;
    members: readonly { id: number; subjectId: number }[];
    stored: ReadonlyMap<number, readonly Awarded[]>;
  },
): Promise<Map<number, PastEvent[]>> {
  const contactIds = span.members.map(({ id }) => id);
  const inSpan = (at: ReturnType<typeof sql>) =>
    sql`${at} >= ${span.fromAt}::timestamptz and ${at} < ${span.untilAt}::timestamptz`;
  const found = await rows<{ contactId: number; eventId: string | null; at: Date; data: object }>(
    tx,
    sql`
    select contact_id as "contactId", event_id as "eventId", occurred_at as at, data from contact_activities
    where tenant_id = ${tenantId} and contact_id = any(${contactIds}::bigint[]) and type = ${rule.event_type}
      and ${inSpan(sql`occurred_at`)} and not automated
    ${
      rule.event_type === 'CONTACT_CREATED'
        ? sql`union all select id, null, created_at, '{}' from contacts
          where tenant_id = ${tenantId} and id = any(${contactIds}::bigint[]) and created_activity_id is not null
            and ${inSpan(sql`created_at`)}`
        : sql``
    }`,
  );
  const subjectOf = new Map(span.members.map(({ id, subjectId }) => [id, subjectId]));
  const events = found.map(({ contactId, eventId, at, data }) => {
    const subjectId = subjectOf.get(contactId)!;
    return {
      subjectId,
      // The timeline has the creation of a contact without the id of its event; a contact is created once.
      eventId: eventId ?? span.stored.get(subjectId)?.[0]?.eventId ?? creationId(tenantId, contactId),
      at: at.getTime(),
      matches: matchesRule(rule.conditions, data),
    };
  });
  return Map.groupBy(events, ({ subjectId }) => subjectId);
}

/** A UUID of version 8 (RFC 9562) that stands for the event of a contact's creation. */
function creationId(tenantId: string, contactId: number): string {
  const hex = createHash('sha256').update(`CONTACT_CREATED/${tenantId}/${contactId}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

/** Writes the changes of a rule's history; `now` (ms since 1970) is the time of the totals of new rows. */
export async function saveReplayedHistory(
  tx: EntityManager,
  { id: ruleId, event_type: eventType }: RuleRow,
  writes: { removed: number[]; updated: Awarded[]; added: (Awarded & { score: Score })[] },
  now: number,
): Promise<void> {
  await rows(tx, sql`delete from score_history where id = any(${writes.removed}::bigint[])`);
  await rows(
    tx,
    sql`
    update score_history h set points = r.points, half_life_days = r."halfLifeDays"
    from jsonb_to_recordset(${JSON.stringify(writes.updated)}::jsonb) as r(id bigint, points int, "halfLifeDays" float8)
    where h.id = r.id and (h.points, h.half_life_days) is distinct from (r.points, r."halfLifeDays")`,
  );
  const added = writes.added.map(({ score: { tenantId: t, subject: s, subjectId: id, portions }, ...row }) => ({
    ...{ t, s, id, e: row.eventId, p: row.points, h: row.halfLifeDays },
    total: totalOf(portions, now),
    at: new Date(row.at).toISOString(),
  }));
  await rows(
    tx,
    sql`
    insert into score_history (tenant_id, subject, subject_id, rule_id, half_life_days, event_id, event_type, points, total, at)
    select t, s, id, ${ruleId}, h, e, ${eventType}, p, total, at
    from jsonb_to_recordset(${JSON.stringify(added)}::jsonb)
      as r(t text, s text, id bigint, h float8, e uuid, p int, total bigint, at timestamptz)
    order by at`,
  );
}
