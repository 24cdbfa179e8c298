import { randomUUID } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import { ScoringReplay, type ReplayFigures } from '../../../db/entities/scoring.ts';
import { freshTransaction, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendNewTotals } from '../scores/apply-changes.ts';
import type { Changed } from '../scores/award.ts';
import { addToPortion, totalOf, type Portion } from '../scores/decay.ts';
import { fireThresholds } from '../thresholds/fire-thresholds.ts';
import { pastEvents } from './replay-events.ts';
import { noteChanges, saveReplayedHistory, storedAwards, type HistoryWrites } from './replay-history.ts';
import { replayScore, type Awarded } from './replay-score.ts';
import { lockMembers, membersOf, nextSubjects } from './replay-subjects.ts';
import { keyOf, portionOf, readScores, saveScores, type Score } from '../scores/score-rows.ts';
import { awardOf, RULE_COLUMNS, type RuleRow } from '../scores/score-events.ts';
import { addThresholds, reachedThresholds, withHits } from './replay-thresholds.ts';

const MAX_CHANGES = 1000;

export interface ReplayPageRequest {
  tenantId: string;
  replayId: number;
  /** The last contact or company of the previous page. */
  after: number;
}

export interface ReplayedPage {
  cursor: number;
  done: boolean;
}

export const NO_FIGURES: ReplayFigures = { examined: 0, changed: 0, before: 0, after: 0, changes: [], thresholds: [] };

/**
 * Replays a rule for the next page of contacts or companies, in one transaction. Repeated for a committed page, it does
 * nothing. Ends without the rest if the rule was changed, deleted or made inactive.
 */
export const replayPage = (em: EntityManager, request: ReplayPageRequest): Promise<ReplayedPage> =>
  freshTransaction(em, async (tx) => {
    // Locked, because an attempt that was given up may still be at work on the same page.
    const replay = await tx.findOne(
      ScoringReplay,
      { id: request.replayId },
      { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
    );
    if (replay?.status !== 'RUNNING') return { cursor: request.after, done: true };
    if (replay.cursor > request.after) return { cursor: replay.cursor, done: false };
    const page = await replayNext(tx, replay);
    tx.assign(replay, {
      cursor: page.cursor,
      figures: page.figures,
      ...(page.end ? { status: page.end, finishedAt: new Date() } : {}),
    });
    await tx.flush();
    return { cursor: page.cursor, done: page.end !== null };
  });

/** What a replay would do in all, with no effect; `replay` is not stored. */
export async function surveyReplay(tx: EntityManager, replay: ReplayOf): Promise<ReplayFigures> {
  let at = replay;
  for (;;) {
    const { cursor, figures, end } = await replayNext(tx, at);
    if (end) return figures;
    at = { ...at, cursor, figures };
  }
}

export type ReplayOf = Pick<
  ScoringReplay,
  'tenantId' | 'ruleId' | 'ruleVersion' | 'dryRun' | 'fromAt' | 'untilAt' | 'cursor' | 'figures'
>;

async function replayNext(
  tx: EntityManager,
  replay: ReplayOf,
): Promise<{ cursor: number; figures: ReplayFigures; end: 'COMPLETED' | 'CANCELLED' | null }> {
  const { tenantId, ruleId, ruleVersion, cursor: after, figures } = replay;
  const [rule] = await rows<RuleRow>(
    tx,
    sql`
    select ${RULE_COLUMNS} from scoring_rules
    where tenant_id = ${tenantId} and id = ${ruleId} and version = ${ruleVersion} and active
    ${replay.dryRun ? sql`` : sql`for share`}`,
  );
  if (!rule) return { cursor: after, figures, end: 'CANCELLED' };
  const { ids, more } = await nextSubjects(tx, replay, rule, after);
  const done = await replayFor(tx, replay, rule, ids);
  return {
    cursor: ids.at(-1) ?? after,
    figures: {
      examined: figures.examined + ids.length,
      changed: figures.changed + done.changes.length,
      before: done.changes.reduce((sum, { before }) => sum + before, figures.before),
      after: done.changes.reduce((sum, { after: now }) => sum + now, figures.after),
      changes: [...figures.changes, ...done.changes].slice(0, MAX_CHANGES),
      thresholds: addThresholds(figures.thresholds, done.thresholds),
    },
    end: more ? null : 'COMPLETED',
  };
}

async function replayFor(
  tx: EntityManager,
  replay: ReplayOf,
  rule: RuleRow,
  ids: readonly number[],
): Promise<Pick<ReplayFigures, 'changes' | 'thresholds'>> {
  const { tenantId, dryRun, fromAt, untilAt } = replay;
  const { target: subject } = rule;
  const members = await (dryRun ? membersOf(tx, tenantId, rule, ids) : lockMembers(tx, tenantId, rule, ids));
  const keys = ids.map((subjectId) => ({ tenantId, subject, subjectId }));
  const scores = await readScores(tx, keys);
  const stored = await storedAwards(tx, tenantId, rule, ids);
  const events = await pastEvents(tx, replay, rule, members, stored);
  const span = { ...awardOf(rule), from: fromAt.getTime(), until: untilAt.getTime() };
  const now = Date.now();
  const changed: Changed = new Map();
  const writes: HistoryWrites = { removed: [], updated: [], added: [] };
  const changes: ReplayFigures['changes'] = [];
  for (const id of ids) {
    const score = scores.get(keyOf({ tenantId, subject, subjectId: id }))!;
    const rowsBefore = stored.get(id) ?? [];
    const rowsAfter = replayScore(rowsBefore, events.get(id) ?? [], span);
    if (!noteChanges(writes, score, rowsBefore, rowsAfter)) continue;
    const before = totalOf(score.portions, now);
    changed.set(score, replacePortions(score, rule.id, rowsAfter));
    const after = totalOf(score.portions, now);
    if (before !== after) changes.push({ id, before, after });
  }
  const reached = subject === 'contact' ? await reachedThresholds(tx, tenantId, changes) : [];
  if (dryRun || changed.size === 0) return { changes, thresholds: reached };
  await saveReplayedHistory(tx, rule, writes, now);
  await saveScores(tx, changed, now);
  if (subject === 'company') return { changes, thresholds: [] };
  const totals = [...changed.keys()]
    .map(({ subjectId: contactId, told: previous, portions }) => ({
      ...{ tenantId, contactId, previous, total: totalOf(portions, now), ruleId: rule.id },
      requestId: null,
    }))
    .filter(({ previous, total }) => previous !== total);
  const hits = await fireThresholds(
    tx,
    totals.map(({ contactId, total }) => ({ tenantId, contactId, total, eventId: randomUUID(), requestId: null })),
  );
  await appendNewTotals(tx, totals);
  return { changes, thresholds: withHits(reached, hits) };
}

/** Makes the rule's portions those of these rows; returns all that there were and are. */
function replacePortions(score: Score, ruleId: number, awarded: readonly Awarded[]): Set<Portion> {
  const portions = new Set(score.portions.filter((portion) => portion.ruleId === ruleId));
  for (const portion of portions) Object.assign(portion, { points: 0, worth: 0, events: 0 });
  for (const { points, halfLifeDays, at } of awarded) {
    const portion = portionOf(score, ruleId, halfLifeDays);
    addToPortion(portion, points, at);
    portions.add(portion);
  }
  return portions;
}
