import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { End } from './advance.ts';
import type { ExecutionState } from './execution.ts';

/** A completed step: a row of `campaign_step_executions`. */
export interface StepRecord {
  seq: number;
  stepId: string;
  visit: number;
  type: string;
  /** See `result` of a step in the API description. */
  result: string;
  reason: string | null;
  durationMs: number;
}

/** Where an execution goes: to a step, or to an end. A FAILED one keeps its position for a retry. */
export type Progress =
  | { status: 'RUNNING'; currentStep: number; exitReason: null; state: ExecutionState }
  | { status: 'FAILED'; currentStep: number; exitReason: string; state: ExecutionState }
  | End;

/** The execution to move, the run of its workflow that moves it, and the journey's current time. */
export interface Mover {
  tenantId: string;
  executionId: number;
  campaignId: number;
  runSeq: number;
  runId: string;
  now: Date;
}

/** Records steps and moves their execution, in one statement. Throws if another run or transaction has moved it. */
export async function saveProgress(
  tx: EntityManager,
  by: Mover,
  records: StepRecord[],
  progress: Progress,
  currentStepId: string | null,
): Promise<void> {
  const { tenantId, executionId, campaignId, now } = by;
  const state = 'state' in progress ? JSON.stringify(progress.state) : null;
  const finishedAt = progress.status === 'RUNNING' ? null : now;
  const moved = await rows(
    tx,
    sql`
    with moved as (
      update campaign_executions
      set status = ${progress.status}, current_step = ${progress.currentStep}, current_step_id = ${currentStepId},
        state = coalesce(${state}::jsonb, state), step_seq = step_seq + ${records.length}, exit_reason = ${progress.exitReason},
        finished_at = ${finishedAt}::timestamptz, run_id = ${by.runId}, parked = false, updated_at = ${now}::timestamptz
      where tenant_id = ${tenantId} and id = ${executionId} and status = 'RUNNING' and run_seq = ${by.runSeq}
      returning id
    ), recorded as (
      insert into campaign_step_executions
        (tenant_id, execution_id, seq, campaign_id, step_id, visit, type, result, reason, executed_at, duration_ms)
      select ${tenantId}, moved.id, r.seq, ${campaignId}::bigint, r."stepId", r.visit, r.type, r.result, r.reason, ${now}::timestamptz, r."durationMs"
      from moved, jsonb_to_recordset(${JSON.stringify(records)}::jsonb) as r(
        seq int, "stepId" text, visit int, type text, result text, reason text, "durationMs" bigint)
    )
    select id from moved`,
  );
  if (moved.length === 0) throw new Error(`Execution ${executionId} was moved by another transaction`);
}
