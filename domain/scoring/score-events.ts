import { preparedHint, rows, sql, type EntityManager } from '../../db/orm.ts';
import { appendEventsOfTenants, type NewEvent } from '../../events/outbox.ts';
import type { AnyEvent, EventType } from '../../events/contracts.ts';
import { fireThresholds } from './fire-thresholds.ts';
import { matchesRule, qualificationOf, type RuleCondition } from './match-rule.ts';
import { DEFAULT_LEVELS } from '../../db/entities/scoring.ts';
import { referencesOfEvents } from '../emails/ledger/event-emails.ts';

/** Event types that rules can award points for. SCORE_UPDATED is not one: a score must not feed itself. */
export const SCORABLE_EVENTS = [
  'CONTACT_CREATED',
  'CONTACT_UNSUBSCRIBED',
  'EMAIL_OPENED',
  'EMAIL_CLICKED',
  'EMAIL_BOUNCED',
  'FORM_SUBMITTED',
  'CAMPAIGN_COMPLETED',
  'GOAL_MET',
  'WEBSITE_VISITED',
] as const satisfies readonly EventType[];

interface RuleRow {
  id: number;
  tenant_id: string;
  event_type: string;
  points: number;
  weight: number;
  conditions: RuleCondition[];
  max_per_contact: number | null;
  target: 'contact' | 'company';
}

type Subject = 'contact' | 'company';
const keyOf = (tenantId: string, subject: Subject, id: number, ruleId?: number): string =>
  `${tenantId}/${subject}/${id}/${ruleId ?? ''}`;

/** The rule id, in the history only, of points that no rule has awarded; the API and events show null. */
export const NO_RULE = 0;

/** What a change of a score comes from: an event, or a step of a campaign. */
interface Cause {
  id: string;
  type: string;
  time: string;
  requestid?: string;
}

/** A change of a score, which becomes a history row. */
interface Change {
  tenantId: string;
  subject: Subject;
  subjectId: number;
  contactId: number;
  ruleId: number;
  cause: Cause;
  points: number;
  previous: number;
  total: number;
}

async function rulesFor(tx: EntityManager, events: AnyEvent[]): Promise<Map<string, RuleRow[]>> {
  const found = await rows<RuleRow>(
    tx,
    sql`${preparedHint}
    select id, tenant_id, event_type, points, weight, conditions, max_per_contact, target from scoring_rules
    where active and tenant_id = any(${[...new Set(events.map((event) => event.tenantid))]}) and event_type = any(${[...new Set(events.map((event) => event.type))]})
    order by id`,
  );
  return Map.groupBy(found, (rule) => `${rule.tenant_id}/${rule.event_type}`);
}

/** Locks the contacts in id order, then their companies: all processes use this order, which avoids deadlocks. */
async function lockSubjects(
  tx: EntityManager,
  pairs: { t: string; id: number }[],
): Promise<Map<string, number | null>> {
  const contacts = await rows<{ tenant_id: string; id: number; company_id: number | null }>(
    tx,
    sql`${preparedHint}
    select c.tenant_id, c.id, c.company_id from contacts c
    join jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as p(t text, id bigint) on c.tenant_id = p.t and c.id = p.id
    order by c.tenant_id, c.id for no key update of c`,
  );
  const companies = contacts
    .filter((contact) => contact.company_id !== null)
    .map((contact) => ({ t: contact.tenant_id, id: contact.company_id }));
  if (companies.length > 0) {
    await rows(
      tx,
      sql`${preparedHint}
      select c.id from companies c
      join jsonb_to_recordset(${JSON.stringify(companies)}::jsonb) as p(t text, id bigint) on c.tenant_id = p.t and c.id = p.id
      order by c.tenant_id, c.id for no key update of c`,
    );
  }
  return new Map(contacts.map((contact) => [`${contact.tenant_id}/${contact.id}`, contact.company_id]));
}

/** The current totals and per-rule scores of the subjects of these candidates. */
async function currentScores(
  tx: EntityManager,
  candidates: { tenantId: string; subject: Subject; subjectId: number }[],
) {
  const subjects = new Map(
    candidates.map(({ tenantId: t, subject: s, subjectId: id }) => [keyOf(t, s, id), { t, s, id }]),
  );
  // Looked up one by one: a plan made for a small table would read all of it when it has grown.
  const asked = sql`jsonb_to_recordset(${JSON.stringify([...subjects.values()])}::jsonb) as r(t text, s text, id bigint)`;
  const totals = await rows<{ tenant_id: string; subject: Subject; subject_id: number; total: number }>(
    tx,
    sql`${preparedHint}
    select t.* from ${asked} cross join lateral (
      select tenant_id, subject, subject_id, total from score_totals
      where tenant_id = r.t and subject = r.s and subject_id = r.id offset 0) t`,
  );
  const byRule = await rows<{
    tenant_id: string;
    subject: Subject;
    subject_id: number;
    rule_id: number;
    score: number;
  }>(
    tx,
    sql`${preparedHint}
    select b.* from ${asked} cross join lateral (
      select tenant_id, subject, subject_id, rule_id, score from scores_by_rule
      where tenant_id = r.t and subject = r.s and subject_id = r.id offset 0) b`,
  );
  return {
    totals: new Map(totals.map((row) => [keyOf(row.tenant_id, row.subject, row.subject_id), row.total])),
    byRule: new Map(byRule.map((row) => [keyOf(row.tenant_id, row.subject, row.subject_id, row.rule_id), row.score])),
  };
}

/** The part of an award that the rule's cap allows (`maxPerContact` limits the points of one rule for one contact). */
function capped(points: number, score: number, cap: number | null): number {
  if (cap === null) return points;
  return points >= 0 ? Math.max(0, Math.min(points, cap - score)) : Math.min(0, Math.max(points, -cap - score));
}

async function saveChanges(tx: EntityManager, changes: Change[]): Promise<void> {
  const payload = JSON.stringify(
    changes.map((c) => ({
      t: c.tenantId,
      s: c.subject,
      id: c.subjectId,
      r: c.ruleId,
      e: c.cause.id,
      ty: c.cause.type,
      p: c.points,
      total: c.total,
      at: c.cause.time,
    })),
  );
  const source = sql`jsonb_to_recordset(${payload}::jsonb) as r(t text, s text, id bigint, r bigint, e uuid, ty text, p int, total bigint, at timestamptz)`;
  await rows(
    tx,
    sql`${preparedHint}
    insert into score_history (tenant_id, subject, subject_id, rule_id, event_id, event_type, points, total, at)
    select t, s, id, r, e, ty, p, total, at from ${source}`,
  );
  await rows(
    tx,
    sql`${preparedHint}
    insert into scores_by_rule (tenant_id, subject, subject_id, rule_id, score, events)
    select t, s, id, r, sum(p), count(*) from ${source} where r <> ${NO_RULE} group by t, s, id, r order by t, s, id, r
    on conflict (tenant_id, subject, subject_id, rule_id)
    do update set score = scores_by_rule.score + excluded.score, events = scores_by_rule.events + excluded.events`,
  );
  await rows(
    tx,
    sql`${preparedHint}
    insert into score_totals (tenant_id, subject, subject_id, total, updated_at)
    select t, s, id, sum(p), now() from ${source} group by t, s, id order by t, s, id
    on conflict (tenant_id, subject, subject_id)
    do update set total = score_totals.total + excluded.total, updated_at = excluded.updated_at`,
  );
}

/**
 * Awards points for events that were not scored before: writes history, per-rule scores, totals, thresholds and
 * SCORE_UPDATED in the engine transaction `tx`. Ignores automated opens and clicks.
 */
export async function scoreEvents(tx: EntityManager, events: AnyEvent[]): Promise<void> {
  const rules = await rulesFor(tx, events);
  if (rules.size === 0) return;
  const referenceOf = await referencesOfEvents(tx, events);
  const awards = events.flatMap((event) => {
    const { contactId, automated } = event.data as { contactId?: number | null; automated?: boolean };
    if (!contactId || automated) return [];
    return (rules.get(`${event.tenantid}/${event.type}`) ?? [])
      .filter((rule) => matchesRule(rule.conditions, { ...referenceOf(event), ...event.data }))
      .map((rule) => ({ event, rule, contactId }));
  });
  if (awards.length === 0) return;

  const companies = await lockSubjects(tx, [
    ...new Map(
      awards.map(({ event, contactId }) => [`${event.tenantid}/${contactId}`, { t: event.tenantid, id: contactId }]),
    ).values(),
  ]);
  const candidates = awards.flatMap(({ event, rule, contactId }) => {
    const companyId = companies.get(`${event.tenantid}/${contactId}`);
    const subjectId = rule.target === 'contact' ? contactId : companyId;
    // The contact was deleted, or has no company for a rule with target company.
    return companyId === undefined || subjectId == null
      ? []
      : [{ event, rule, contactId, tenantId: event.tenantid, subject: rule.target, subjectId }];
  });
  if (candidates.length === 0) return;

  const { totals, byRule } = await currentScores(tx, candidates);
  const changes: Change[] = [];
  for (const { event, rule, contactId, tenantId, subject, subjectId } of candidates) {
    const totalKey = keyOf(tenantId, subject, subjectId);
    const ruleKey = keyOf(tenantId, subject, subjectId, rule.id);
    const previous = totals.get(totalKey) ?? 0;
    const score = byRule.get(ruleKey) ?? 0;
    const points = capped(Math.round(rule.points * rule.weight), score, rule.max_per_contact);
    if (points === 0) continue;
    totals.set(totalKey, previous + points);
    byRule.set(ruleKey, score + points);
    changes.push({
      tenantId,
      subject,
      subjectId,
      contactId,
      ruleId: rule.id,
      cause: event,
      points,
      previous,
      total: previous + points,
    });
  }
  await applyChanges(tx, changes);
}

/**
 * Adds points to the score of a contact for a `cause` that is no rule's, once per cause, in the transaction `tx` of the
 * tenant or the engine: history, total, thresholds and SCORE_UPDATED. Returns the new total; null if the contact does
 * not exist.
 */
export async function addPoints(
  tx: EntityManager,
  tenantId: string,
  contactId: number,
  points: number,
  cause: Cause,
): Promise<number | null> {
  if (!(await lockSubjects(tx, [{ t: tenantId, id: contactId }])).has(`${tenantId}/${contactId}`)) return null;
  const { totals } = await currentScores(tx, [{ tenantId, subject: 'contact', subjectId: contactId }]);
  const previous = totals.get(keyOf(tenantId, 'contact', contactId)) ?? 0;
  const change = { tenantId, subject: 'contact', subjectId: contactId, contactId, ruleId: NO_RULE } as const;
  await applyChanges(tx, [{ ...change, cause, points, previous, total: previous + points }]);
  return previous + points;
}

/** Writes changes of scores, whose subjects are locked, and what follows from them. */
async function applyChanges(tx: EntityManager, changes: Change[]): Promise<void> {
  if (changes.length === 0) return;
  await saveChanges(tx, changes);
  const contactChanges = changes.filter((change) => change.subject === 'contact');
  await fireThresholds(
    tx,
    contactChanges.map(({ tenantId, contactId, total, cause }) => ({
      tenantId,
      contactId,
      total,
      eventId: cause.id,
      requestId: cause.requestid ?? null,
    })),
  );
  await appendScoreEvents(tx, contactChanges);
}

async function appendScoreEvents(tx: EntityManager, changes: Change[]): Promise<void> {
  const tenants = [...new Set(changes.map((change) => change.tenantId))];
  const settings = new Map(
    (
      await rows<{ tenant_id: string; warm: number; hot: number }>(
        tx,
        sql`${preparedHint}select tenant_id, warm, hot from scoring_settings where tenant_id = any(${tenants})`,
      )
    ).map((row) => [row.tenant_id, row]),
  );
  await appendEventsOfTenants(
    tx,
    changes.map((change): { tenantId: string; event: NewEvent } => ({
      tenantId: change.tenantId,
      event: {
        type: 'SCORE_UPDATED',
        requestId: change.cause.requestid ?? null,
        data: {
          contactId: change.contactId,
          previousScore: change.previous,
          totalScore: change.total,
          ruleId: change.ruleId === NO_RULE ? null : change.ruleId,
          qualification: qualificationOf(change.total, settings.get(change.tenantId) ?? DEFAULT_LEVELS),
        },
      },
    })),
  );
}
