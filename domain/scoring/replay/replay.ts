import { LockMode } from '@mikro-orm/core';
import { ScoringReplay, ScoringRule } from '../../../db/entities/scoring.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendJob } from '../../../events/outbox.ts';
import { workflowId } from '../../../registry/workflows.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { AppError, assertValid, notFound, type Violation } from '../../../lib/checks/errors.ts';
import { parseDateTime } from '../../../lib/time/instants.ts';
import { isIn } from './replay-events.ts';
import type { Subject } from '../scores/score-rows.ts';
import { NO_FIGURES, surveyReplay, type ReplayOf } from './replay-page.ts';

/** Up to so many contacts and companies of the tenant, and events, a dry run is answered at once. */
const CONTACTS_AT_ONCE = 10_000;
const EVENTS_AT_ONCE = 50_000;

/** The violations of the start of a replay. */
export function replayViolations({ from }: { from?: string }, now = new Date()): Violation[] {
  if (from === undefined) return [];
  const at = parseDateTime(from);
  return at && at < now
    ? []
    : [{ path: '/from', code: 'out_of_range', message: 'must be a date-time in the past, of the year 1000 or later' }];
}

export interface ReplayInput {
  from: string;
  dryRun?: boolean;
}

/** A replay: a job that is running or over, or a dry run that is done without one (`id` null). */
export type ReplayView = Omit<ReplayOf, 'tenantId' | 'cursor' | 'ruleVersion'> &
  Pick<ScoringReplay, 'status'> & {
    id: number | null;
    target: Subject;
    createdAt: Date;
    finishedAt?: Date | null;
  };

/**
 * Replays a rule over the events since `from`: they get the points that the rule gives now, instead of those that they
 * got. Runs as the workflow `scoringReplay`; a dry run over few contacts and events is answered at once. Throws 404,
 * 400, and 409 if the rule is not active or is being replayed.
 */
export async function requestReplay(
  em: EntityManager,
  author: Author,
  ruleId: number,
  { from, dryRun = false }: ReplayInput,
): Promise<ReplayView> {
  const { tenantId } = author;
  return em.transactional(async (tx) => {
    const rule = await tx.findOne(
      ScoringRule,
      { id: ruleId, deletedAt: null },
      dryRun ? {} : { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    if (!rule) throw notFound('scoring rule', ruleId);
    const untilAt = new Date();
    assertValid(replayViolations({ from }, untilAt));
    if (!rule.active) throw new AppError('conflict', 'The rule is not active; a replay would take all its points away');
    const replay = {
      ...{ tenantId, ruleId, dryRun, untilAt },
      fromAt: parseDateTime(from)!,
      ruleVersion: rule.version,
      cursor: 0,
      figures: NO_FIGURES,
    };
    if (dryRun && (await isSmall(tx, rule, replay)))
      return {
        ...replay,
        figures: await surveyReplay(tx, replay),
        id: null,
        target: rule.target,
        status: 'COMPLETED' as const,
        createdAt: untilAt,
        finishedAt: new Date(),
      };
    const other = dryRun ? null : await tx.findOne(ScoringReplay, { ruleId, status: 'RUNNING', dryRun: false });
    if (other) throw new AppError('conflict', `Replay ${other.id} of the rule is still running`);
    return { ...(await startReplay(tx, author, rule, replay)), target: rule.target };
  });
}

async function isSmall(
  tx: EntityManager,
  { eventType }: ScoringRule,
  replay: Pick<ReplayOf, 'tenantId' | 'fromAt' | 'untilAt'>,
): Promise<boolean> {
  const { tenantId } = replay;
  const isUpTo = async (limit: number, query: ReturnType<typeof sql>): Promise<boolean> => {
    const [found] = await rows<{ n: number }>(
      tx,
      sql`select count(*) as n from (select 1 from ${query} limit ${limit + 1}) few`,
    );
    return found!.n <= limit;
  };
  // The events of few contacts only: there is no index for all events of a type.
  return (
    (await isUpTo(CONTACTS_AT_ONCE, sql`contacts where tenant_id = ${tenantId}`)) &&
    (await isUpTo(CONTACTS_AT_ONCE, sql`companies where tenant_id = ${tenantId}`)) &&
    (await isUpTo(
      EVENTS_AT_ONCE,
      sql`contacts c cross join lateral (
        select 1 from contact_activities a
        where a.tenant_id = c.tenant_id and a.contact_id = c.id and a.type = ${eventType}
          and ${isIn(replay, sql`a.occurred_at`)} offset 0) its
        where c.tenant_id = ${tenantId}`,
    ))
  );
}

async function startReplay(
  tx: EntityManager,
  author: Author,
  rule: ScoringRule,
  replay: ReplayOf,
): Promise<ScoringReplay> {
  const [next] = await rows<{ id: number }>(tx, sql`select nextval('scoring_replays_id_seq') as id`);
  const workflow = { tenantId: author.tenantId, replayId: next!.id };
  const started = tx.create(ScoringReplay, {
    ...replay,
    id: next!.id,
    workflowId: workflowId('scoringReplay', workflow),
    createdAt: replay.untilAt,
  });
  await tx.flush();
  if (!replay.dryRun) {
    // From now on, who scores an event from before looks whether the replay has done so. The version stays the same.
    await rows(tx, sql`update scoring_rules set replayed_until = ${replay.untilAt}::timestamptz where id = ${rule.id}`);
    await appendAudit(tx, author, {
      action: 'scoring_rule.replayed',
      resourceType: 'scoring_rule',
      resourceId: rule.id,
      after: { from: replay.fromAt, replayId: started.id },
    });
  }
  await appendJob(tx, 'scoringReplay', workflow);
  return started;
}

/** Throws 404. */
export async function readReplay(em: EntityManager, id: number): Promise<ReplayView> {
  const replay = await em.findOne(ScoringReplay, { id });
  if (!replay) throw notFound('replay', id);
  const { target } = await em.findOneOrFail(ScoringRule, { id: replay.ruleId }, { fields: ['target'] });
  return { ...replay, target };
}
