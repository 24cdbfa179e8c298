import { isDeepStrictEqual } from 'node:util';
import { ScheduleNotFoundError, ScheduleOverlapPolicy, type Client } from '@temporalio/client';
import { workflowOf, type WorkflowInputs, type WorkflowType } from '../registry/workflows.ts';
import { shownOf } from '../registry/search-attributes.ts';

/** A Temporal Schedule that starts workflows of a type. */
export interface ScheduleOf<Type extends WorkflowType> {
  type: Type;
  input: WorkflowInputs[Type];
  cronExpressions: string[];
  timezone: string;
  /** Firings that are missed for longer than this, in ms, are left out. */
  catchUpMs: number;
  /** A new schedule makes up for firings since this time; null: for none. */
  since: Date | null;
}

/**
 * Makes the Temporal Schedule `scheduleId` what it should be; null: there is none. Leaves alone one that is right. A
 * wrong one is replaced, not updated: only a new schedule makes up, in the same request, for firings that fell into the
 * change. Returns whether it had to be changed. Throws if another process creates it meanwhile.
 */
export async function makeSchedule<Type extends WorkflowType>(
  client: Client,
  scheduleId: string,
  wanted: ScheduleOf<Type> | null,
): Promise<boolean> {
  const handle = client.schedule.getHandle(scheduleId);
  const unlessGone = (error: unknown): null => {
    if (error instanceof ScheduleNotFoundError) return null;
    throw error;
  };
  const present = await handle.describe().catch(unlessGone);
  // As it is read back: dates as texts.
  const purpose = JSON.parse(JSON.stringify(wanted ?? {})) as Record<string, unknown>;
  if (wanted && present && !present.state.paused && isDeepStrictEqual(present.memo?.['purpose'], purpose)) return false;
  if (present) await handle.delete().catch(unlessGone);
  if (!wanted) return present !== null;

  const { type, input, cronExpressions, timezone, catchUpMs, since } = wanted;
  const { id, queue } = workflowOf(type);
  const shown = shownOf(type, input);
  const now = new Date();
  const start = new Date(Math.max(since?.getTime() ?? 0, now.getTime() - catchUpMs));
  await client.schedule.create({
    scheduleId,
    spec: { cronExpressions, timezone },
    action: {
      type: 'startWorkflow',
      workflowType: type,
      workflowId: id(input),
      taskQueue: queue,
      args: [input],
      ...shown,
    },
    policies: { overlap: ScheduleOverlapPolicy.BUFFER_ONE, catchupWindow: catchUpMs },
    state: since && start < now ? { backfill: [{ start, end: now, overlap: ScheduleOverlapPolicy.BUFFER_ONE }] } : {},
    memo: { purpose },
    ...(shown.typedSearchAttributes ? { typedSearchAttributes: shown.typedSearchAttributes } : {}),
  });
  return true;
}
