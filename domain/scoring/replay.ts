import { LockMode } from '@mikro-orm/core';
import { ScoringReplay, ScoringRule } from '../../db/entities/scoring.ts';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { appendWorkflow } from '../../events/outbox.ts';
import { workflowId } from '../../workflows/registry.ts';
import { appendAudit, type Author } from '../audit/audit.ts';
import { AppError, assertValid, notFound, type Violation } from '../common/errors.ts';
import type { Subject } from './score-rows.ts';
import { NO_FIGURES, surveyReplay, type ReplayOf } from './replay-page.ts';

/** Up to so many contacts or companies, a dry run is answered at once. */
const AT_ONCE = 10_000;

/** The violations of the start of a replay. */
export const replayViolations = ({ from }: { from?: string }, now = new Date()): Violation[] =>
  from !== undefined && !(new Date(from) < now)
    ? [{ path: '/from', code: 'out_of_range', message: 'must be in the past' }]
    : [];

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
 * got. Runs as the workflow `scoringReplay`; a dry run over few contacts is answered at once. Throws 404, 400, and 409
 * if the rule is not active, counts new contacts for companies, or is being replayed.
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
    assertReplayable(rule);
    const replay = {
      ...{ tenantId, ruleId, dryRun, untilAt },
      fromAt: new Date(from),
      ruleVersion: rule.version,
      cursor: 0,
      figures: NO_FIGURES,
    };
    if (dryRun && (await isSmall(tx, rule)))
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

function assertReplayable({ active, target, eventType }: ScoringRule): void {
  if (!active) throw new AppError('conflict', 'The rule is not active; a replay would take all its points away');
  if (target === 'company' && eventType === 'CONTACT_CREATED')
    throw new AppError(
      'conflict',
      "A company's history does not say which contact was created, so this rule cannot be replayed",
    );
}

async function isSmall(tx: EntityManager, { target }: ScoringRule): Promise<boolean> {
  const [found] = await rows<{ n: number }>(
    tx,
    sql`select count(*) as n from (select 1 from ${sql.table(target === 'contact' ? 'contacts' : 'companies')} limit ${AT_ONCE + 1}) few`,
  );
  return found!.n <= AT_ONCE;
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
  await appendWorkflow(tx, 'scoringReplay', workflow);
  return started;
}

/** Throws 404. */
export async function readReplay(em: EntityManager, id: number): Promise<ReplayView> {
  const replay = await em.findOne(ScoringReplay, { id });
  if (!replay) throw notFound('replay', id);
  const { target } = await em.findOneOrFail(ScoringRule, { id: replay.ruleId }, { fields: ['target'] });
  return { ...replay, target };
}
