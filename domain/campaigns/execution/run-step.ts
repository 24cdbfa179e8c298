import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendEvents, type NewEvent } from '../../../events/outbox.ts';
import { AppError } from '../../../lib/checks/errors.ts';
import { advance, type Entered, jump, type Moment, openGoals, plan, wokenBy } from './advance.ts';
import { awaitOthers, beginLook, isWoken } from './awaited-events.ts';
import { causedBy } from './depth.ts';
import { type Ahead, aheadOf, type ExecutionState, type StepAnswer, type StepRequest } from './execution.ts';
import type { LoadDefinition } from '../../campaign-definitions/load-definition.ts';
import { lockExecution, type LockedExecution } from './lock-execution.ts';
import { findMetGoal, performEffect, reachedGoal, type StepCommands } from './perform-effect.ts';
import { sendKeyOf, type CallAnswer, type RenderedTexts } from './performed.ts';
import { saveProgress, type Progress, type StepRecord } from './save-progress.ts';
import { renderStepTexts, textsOf, textsToRender, type TextsToRender } from './step-texts.ts';
import { webhookCall, type WebhookCall } from './webhook-call.ts';

/** What running steps needs of others. */
export interface StepTools {
  load: LoadDefinition;
  commands: StepCommands;
}

/**
 * Runs the current step of an execution: its effect, its record and the next position are committed in one transaction.
 * A WAIT that is over has no effect, so the step after it runs in the same call. A call that is repeated after its
 * commit (recognised by `seq`) does nothing and returns the same, without the wait if an event has come since. Returns
 * `end` if the execution is no longer running. `runId` is the workflow's run.
 *
 * An AppError with a status below 500 is final: retries are useless. The caller then calls again with its message as
 * `failure`, which ends the execution as FAILED at that step.
 *
 * `call`: the step calls a URL, which no transaction may wait for. The caller makes the call and calls again with its
 * `answer`, which is recorded even if the campaign was paused meanwhile.
 */
export async function runStep(
  em: EntityManager,
  tools: StepTools,
  request: StepRequest,
  { runId, failure, answer }: { runId: string; failure?: string | undefined; answer?: CallAnswer },
): Promise<StepAnswer | { call: WebhookCall }> {
  let texts: RenderedTexts | undefined;
  for (;;) {
    const outcome = await em.transactional(async (tx): Promise<Taken> => {
      const execution = await lockExecution(tx, request);
      if (!execution || execution.runSeq !== request.runSeq) return { end: true };
      if (execution.status === 'FAILED' && failure === undefined)
        throw new AppError('conflict', execution.exitReason ?? undefined);
      if (execution.status !== 'RUNNING') return { end: true };
      if (execution.stepSeq > request.seq) return { ahead: await aheadAgain(tx, request, execution.state.ahead) };
      return execution.campaignStatus === 'PAUSED' && !answer
        ? park(tx, request, runId)
        : takeStep(tx, tools, execution, { ...request, runId, failure, answer, texts });
    });
    if ('texts' in outcome) {
      texts = await renderStepTexts(outcome.texts);
      continue;
    }
    // Park first, then check the campaign again: a resume sets ACTIVE first, then wakes parked executions, so none is
    // missed.
    if (!('parked' in outcome) || (await isPaused(em, request))) return outcome;
  }
}

/**
 * What comes next, for a call that is repeated after its commit. An event that came since then has woken the workflow,
 * which counts that as answered by this call: so it must look at once.
 */
async function aheadAgain(tx: EntityManager, { tenantId, executionId }: StepRequest, ahead: Ahead): Promise<Ahead> {
  const { waitUntil, ...atOnce } = ahead;
  return waitUntil !== undefined && (await isWoken(tx, tenantId, executionId)) ? atOnce : ahead;
}

async function park(tx: EntityManager, { tenantId, executionId }: StepRequest, runId: string): Promise<StepAnswer> {
  await rows(
    tx,
    sql`update campaign_executions set parked = true, run_id = ${runId} where tenant_id = ${tenantId} and id = ${executionId}`,
  );
  return { parked: true };
}

async function isPaused(em: EntityManager, { tenantId, executionId }: StepRequest): Promise<boolean> {
  const found = await em.transactional((tx) =>
    rows(
      tx,
      sql`
    select 1 from campaign_executions e join campaigns k on k.tenant_id = e.tenant_id and k.id = e.campaign_id
    where e.tenant_id = ${tenantId} and e.id = ${executionId} and k.status = 'PAUSED'`,
    ),
  );
  return found.length > 0;
}

/** What a transaction comes to: an answer, or what has to be done before the step can be taken. */
type Taken = StepAnswer | { call: WebhookCall } | { texts: TextsToRender };

interface Run extends StepRequest {
  runId: string;
  /** Why the current step cannot be run. */
  failure: string | undefined;
  answer: CallAnswer | undefined;
  texts: RenderedTexts | undefined;
}

async function takeStep(
  tx: EntityManager,
  { load, commands }: StepTools,
  execution: LockedExecution,
  run: Run,
): Promise<Taken> {
  const { tenantId, executionId, runId } = run;
  const { campaignId, contactId, timezone, startedAt, runSeq } = execution;
  const begun = performance.now();
  const definition = await load(tx, { tenantId, campaignId, version: execution.campaignVersion });
  // Use this machine's clock too: an activity may run long after it was scheduled.
  const now = new Date(Math.max(run.at, Date.now()));
  const moment: Moment = { now, timezone };
  const records: StepRecord[] = [];
  const met: NewEvent[] = [];
  const { position: from } = execution.state;
  let position = from;
  let entered = Date.parse(execution.state.enteredAt);

  const record = (result: string, reason: string | null): void => {
    const { id: stepId, type } = definition.steps[position.stepIndex]!;
    const visit = position.visits[position.stepIndex]!;
    const durationMs = Math.round(Math.max(0, now.getTime() - entered) + performance.now() - begun);
    records.push({ seq: execution.stepSeq + records.length + 1, stepId, visit, type, result, reason, durationMs });
    entered = now.getTime();
  };
  const save = async (progress: Progress): Promise<void> => {
    const stepId = definition.steps[progress.currentStep]?.id ?? null;
    await saveProgress(tx, { tenantId, executionId, campaignId, runSeq, runId, now }, records, progress, stepId);
    const after = 'state' in progress ? progress.state.position : null;
    await awaitOthers(tx, { tenantId, executionId, contactId }, definition, from, after);
    await appendEvents(tx, { tenantId, requestId: causedBy(executionId) }, met);
  };
  const stateAt = (outcome: Entered): ExecutionState => ({
    position: outcome.position,
    enteredAt: new Date(entered).toISOString(),
    ahead: aheadOf(definition, execution.stepSeq + records.length, outcome, moment),
  });
  const finish = async (end: Exclude<Progress, { status: 'RUNNING' }>): Promise<StepAnswer> => {
    await save(end);
    if (end.status === 'COMPLETED') {
      const data = { campaignId, contactId, executionId };
      await appendEvents(tx, { tenantId, requestId: causedBy(executionId) }, [{ type: 'CAMPAIGN_COMPLETED', data }]);
    }
    return { end: true };
  };

  const goOn = async (outcome: Entered): Promise<StepAnswer> => {
    const state = stateAt(outcome);
    await save({ status: 'RUNNING', currentStep: outcome.next.currentStep, exitReason: null, state });
    return { ahead: state.ahead };
  };
  const stay = () => advance(definition, position, { kind: 'wait', until: now }, moment) as Entered;

  if (!execution.contactExists)
    return finish({ status: 'STOPPED', currentStep: position.stepIndex, exitReason: 'contact_deleted' });
  if (wokenBy(definition, position).size > 0) await beginLook(tx, tenantId, executionId);
  for (;;) {
    const goals = openGoals(definition, position);
    // A step that failed, or has called, is recorded as such, even if a goal was met meanwhile.
    const isOver = run.failure !== undefined || run.answer !== undefined;
    const found = isOver ? null : await findMetGoal(tx, goals, { tenantId, executionId, contactId, startedAt });
    if (found && found.goal.stepIndex !== position.stepIndex) {
      record('skipped', `the goal ${found.goal.stepId} is met`);
      ({ position } = jump(definition, position, found.goal, moment));
    }
    const effect = plan(definition, position, moment);
    if (run.failure !== undefined && effect.effect !== 'none') {
      record('failed', run.answer?.reason ?? run.failure);
      return finish({
        status: 'FAILED',
        currentStep: position.stepIndex,
        exitReason: run.failure,
        state: stateAt(stay()),
      });
    }
    const stepId = definition.steps[position.stepIndex]!.id;
    const visit = position.visits[position.stepIndex]!;
    const { frequencyCap, priority } = definition.entry;
    const by = {
      tenantId,
      executionId,
      campaignId,
      contactId,
      startedAt,
      enteredAt: new Date(entered),
      stepId,
      visit,
      at: now,
      frequencyCap,
      priority,
      answer: run.answer,
      texts: run.texts,
    };
    if (effect.effect === 'webhook' && !run.answer) {
      // Steps before it are committed first, so that the execution is seen at the step whose call may take long.
      if (records.length > 0) return goOn(stay());
      const { campaignVersion, state } = execution;
      return { call: await webhookCall(tx, effect, by, { campaignVersion, enteredAt: state.enteredAt }) };
    }
    // The steps before it are taken again then, with it: nothing of this transaction is committed but that it looked.
    const texts = found ? [] : textsOf(effect);
    if (texts.length > 0 && run.texts?.sendKey !== sendKeyOf(by)) return { texts: await textsToRender(tx, texts, by) };
    const performed = found ? reachedGoal(found.verdict) : await performEffect(tx, commands, effect, by);
    const outcome = advance(definition, position, performed.result, moment);
    const stops = 'end' in outcome && outcome.end.status === 'STOPPED';
    if (performed.result.kind !== 'wait') record(stops ? 'stop' : performed.recorded, performed.reason);
    if (performed.result.kind === 'goal' && performed.result.met) {
      const data = { campaignId, executionId, contactId, stepId };
      met.push({ type: 'GOAL_MET', data });
    }
    if ('end' in outcome) return finish(outcome.end);
    ({ position } = outcome);
    if (effect.effect === 'none' && !outcome.next.waitUntil && !outcome.next.looks) continue;
    return goOn(outcome);
  }
}
