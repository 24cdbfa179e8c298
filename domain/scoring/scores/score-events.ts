import { isDeepStrictEqual } from 'node:util';
import { preparedHint, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { contactOf, type AnyEvent } from '../../../events/contracts.ts';
import { referencesOfEvents } from '../../emails/ledger/event-emails.ts';
import { applyChanges, NO_RULE } from './apply-changes.ts';
import { award, type Cause, type Change, type Changed } from './award.ts';
import { totalOf } from './decay.ts';
import { lockCompanies, lockScoredContacts } from './lock-subjects.ts';
import { matchesWhere } from '../../membership/filter/match-where.ts';
import type { RuleCondition } from '../rules/rules.ts';
import { keyOf, readScores, type ScoreKey, type Subject } from './score-rows.ts';

export interface RuleRow {
  id: number;
  tenant_id: string;
  event_type: string;
  points: number;
  weight: number;
  conditions: RuleCondition[];
  max_per_contact: number | null;
  decay: { halfLifeDays: number } | null;
  target: Subject;
  replayed_until: Date | null;
}

/** Whether rules may give points for an event: MESSAGE_SENT also tells of what failed. */
const isScorable = ({ type, data }: AnyEvent): boolean => type !== 'MESSAGE_SENT' || data.status === 'SENT';

/** The columns of a rule that awards need. */
export const RULE_COLUMNS = sql`id, tenant_id, event_type, points, weight, conditions, max_per_contact, decay, target, replayed_until`;

/** What a rule awards for an event that matches it. */
export const awardOf = ({ id, points, weight, decay, max_per_contact: cap }: RuleRow) => ({
  ruleId: id,
  points: Math.round(points * weight),
  halfLifeDays: decay?.halfLifeDays ?? 0,
  cap,
});

async function rulesFor(tx: EntityManager, events: AnyEvent[]): Promise<Map<string, RuleRow[]>> {
  const found = await rows<RuleRow>(
    tx,
    sql`${preparedHint}
    select ${RULE_COLUMNS} from scoring_rules
    where active and tenant_id = any(${[...new Set(events.map((event) => event.tenantid))]}) and event_type = any(${[...new Set(events.map((event) => event.type))]})
    order by id`,
  );
  return Map.groupBy(found, (rule) => `${rule.tenant_id}/${rule.event_type}`);
}

interface Candidate {
  event: AnyEvent;
  rule: RuleRow;
  contactId: number;
  key: ScoreKey;
}

/**
 * Leaves out what a replay of the rule has awarded already: it may be ahead of the delivery of an event. Another company
 * may have the points of an event, whose contact has moved since.
 */
async function withoutReplayed(tx: EntityManager, candidates: Candidate[]): Promise<Candidate[]> {
  const idOf = ({ event, rule, key }: Candidate): string => `${rule.id}/${key.subjectId}/${event.id}`;
  const doubtful = candidates.filter(
    ({ event, rule }) =>
      rule.target === 'company' ||
      (rule.replayed_until !== null && Date.parse(event.time) < rule.replayed_until.getTime()),
  );
  if (doubtful.length === 0) return candidates;
  const asked = doubtful.map((one) => ({
    ...{ n: idOf(one), t: one.key.tenantId, s: one.key.subject, id: one.key.subjectId, r: one.rule.id },
    e: one.event.id,
  }));
  const awarded = await rows<{ n: string }>(
    tx,
    sql`
    select r.n from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb)
      as r(n text, t text, s text, id bigint, r bigint, e uuid)
    where case r.s
      when 'company' then exists (select 1 from score_history h where h.tenant_id = r.t and h.subject = 'company'
        and h.rule_id = r.r and h.event_id = r.e)
      else exists (select 1 from score_history h where h.tenant_id = r.t and h.subject = 'contact' and h.subject_id = r.id
        and h.rule_id = r.r and h.event_id = r.e) end`,
  );
  const done = new Set(awarded.map(({ n }) => n));
  return candidates.filter((one) => !done.has(idOf(one)));
}

/** A filter for the matches of events and rules that are among these, whose contacts and companies are locked. */
function among(expected: readonly { event: AnyEvent; rule: RuleRow }[]) {
  const keyOf = ({ event, rule }: { event: AnyEvent; rule: RuleRow }): string => `${rule.id}/${event.id}`;
  const keys = new Set(expected.map(keyOf));
  return (match: { event: AnyEvent; rule: RuleRow }): boolean => keys.has(keyOf(match));
}

/**
 * Awards points for events that were not scored before: writes history, per-rule scores, totals, thresholds and
 * SCORE_UPDATED in the engine transaction `tx`. Ignores automated opens and clicks, and messages that failed.
 */
export async function scoreEvents(tx: EntityManager, events: AnyEvent[]): Promise<void> {
  const rules = await rulesFor(tx, events);
  if (rules.size === 0) return;
  const referenceOf = await referencesOfEvents(tx, events);
  const matchesOf = (current: typeof rules) =>
    events.flatMap((event) => {
      const contactId = contactOf(event);
      const { automated } = event.data as { automated?: boolean };
      if (!contactId || automated || !isScorable(event)) return [];
      return (current.get(`${event.tenantid}/${event.type}`) ?? [])
        .filter((rule) => matchesWhere(rule.conditions, { ...referenceOf(event), ...event.data }))
        .map((rule) => ({ event, rule, contactId, tenantId: event.tenantid, at: Date.parse(event.time) }));
    });
  const expected = matchesOf(rules);
  if (expected.length === 0) return;

  const companies = await lockScoredContacts(
    tx,
    expected.map(({ tenantId, contactId }) => ({ tenantId, id: contactId })),
  );
  await lockCompanies(
    tx,
    expected.flatMap(({ rule, tenantId, contactId }) => {
      const id = rule.target === 'company' ? companies.get(`${tenantId}/${contactId}`) : null;
      return id == null ? [] : [{ tenantId, id }];
    }),
  );
  // Read again: while this waited for the locks, a replay may have begun (`replayed_until`), or a rule been changed.
  const current = await rulesFor(tx, events);
  const matches = isDeepStrictEqual(current, rules) ? expected : matchesOf(current).filter(among(expected));
  matches.sort((one, other) => one.at - other.at);
  const found = matches.flatMap(({ event, rule, contactId, tenantId }) => {
    const companyId = companies.get(`${tenantId}/${contactId}`);
    const subjectId = rule.target === 'contact' ? contactId : companyId;
    // The contact was deleted, or has no company for a rule with target company.
    if (companyId === undefined || subjectId == null) return [];
    return [{ event, rule, contactId, key: { tenantId, subject: rule.target, subjectId } }];
  });
  const candidates = await withoutReplayed(tx, found);
  const scores = await readScores(
    tx,
    candidates.map(({ key }) => key),
  );
  const now = Date.now();
  const changes: Change[] = [];
  const changed: Changed = new Map();
  for (const { event, rule, contactId, key } of candidates) {
    const score = scores.get(keyOf(key))!;
    const change = await award(tx, changed, score, contactId, event, awardOf(rule), now);
    if (change) changes.push(change);
  }
  await applyChanges(tx, changes, changed, now);
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
  if (!(await lockScoredContacts(tx, [{ tenantId, id: contactId }])).has(`${tenantId}/${contactId}`)) return null;
  const key = { tenantId, subject: 'contact', subjectId: contactId } as const;
  const score = (await readScores(tx, [key])).get(keyOf(key))!;
  const now = Date.now();
  const changed: Changed = new Map();
  const given = { ruleId: NO_RULE, points, halfLifeDays: 0, cap: null };
  const change = await award(tx, changed, score, contactId, cause, given, now);
  await applyChanges(tx, change ? [change] : [], changed, now);
  return totalOf(score.portions, now);
}
