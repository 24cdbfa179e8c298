import { LRUCache } from 'lru-cache';
import { eachBounded } from '../../activities/each-bounded.ts';
import { startExecutions, wakeWorkflow } from '../../activities/start-executions.ts';
import { engineEm } from '../../db/orm.ts';
import type { Findings } from '../../domain/reconciliation/comparison.ts';
import type { ListedWorkflows } from '../../domain/reconciliation/listed-workflows.ts';
import {
  beingClosed,
  COMPARED_TYPES,
  inOutbox,
  nextOpenRows,
  type OpenRow,
  readStartable,
  type Startable,
} from '../../domain/reconciliation/open-rows.ts';
import { isBuildDue } from '../../domain/membership/members/build-segment.ts';
import type { Deps } from '../../runtime/deps.ts';
import { describeWorkflow, lastEventTime, listOpenWorkflows, startWorkflow } from '../../runtime/temporal.ts';
import type { WorkflowStart, WorkflowType } from '../../registry/workflows.ts';
import { Found } from './found.ts';
import { compareSchedules } from './schedules.ts';

/** Rows that changed later than this are left alone: whoever changed them also starts and tells their workflows. */
const GRACE_MS = 60_000;
const PAGE = 1000;
const AT_ONCE = 20;
/** The most suspects that are kept from one round to the next. */
const SUSPECTS = 10_000;
/** The most executions in a round that are looked at because something is due: many are when workers are behind. */
const DUE_LOOKS = 500;

/** What a process keeps from one round to the next. Losing it delays what is found. */
export interface Memory {
  /** Open workflows without an open row. They are ended if the next round finds them again. */
  suspects: Set<string>;
  /** The last execution that was looked at because it was due; null: none is left of that turn. */
  dueAfter: number | null;
  /** By workflow id: the state of the row for which the workflow was woken, and how long the history was then. */
  woken: LRUCache<string, { state: string; runId: string | null; events: number }>;
}

export const newMemory = (): Memory => ({
  suspects: new Set(),
  dueAfter: null,
  woken: new LRUCache({ max: SUSPECTS }),
});

export interface RoundOptions {
  graceMs?: number;
  signal?: AbortSignal;
}

/**
 * Compares once what is open in Postgres with the open workflows, and makes them agree: rows are right. Temporal's list
 * is not up to date, so each finding is looked up by its id before anything is done about it, and each row is read
 * again. Any part may be repeated, also by another process at once.
 */
export async function compareOnce(
  deps: Deps,
  listed: ListedWorkflows,
  memory: Memory,
  { graceMs = GRACE_MS, signal = new AbortController().signal }: RoundOptions = {},
): Promise<Findings> {
  const found = new Found(deps, signal);
  // Rows are read after the list: a row is written before its workflow is started.
  const before = new Date(Date.now() - graceMs);
  await listed.clear();
  for await (const page of listOpenWorkflows(deps.temporal, COMPARED_TYPES)) {
    await listed.add(page);
    await found.breathe();
  }
  const round: Round = { deps, listed, memory, before, found, looks: DUE_LOOKS };
  const compared: WorkflowType[] = [];
  for (const type of COMPARED_TYPES)
    if (await found.attempt(type, `the rows of all ${type}`, () => compareRows(round, type))) compared.push(type);
  if (round.looks > 0) memory.dueAfter = null;
  await endOrphans(round, compared);
  await found.attempt('campaignSchedule', 'all schedules', () => compareSchedules(deps, before, found));
  found.tell();
  return found.counts;
}

interface Round {
  deps: Deps;
  listed: ListedWorkflows;
  memory: Memory;
  before: Date;
  found: Found;
  /** How many executions may still be looked at because something is due. */
  looks: number;
}

async function compareRows(round: Round, type: WorkflowType): Promise<null> {
  const { deps, listed, before, found } = round;
  for (let after: string | null = null; ;) {
    const page = await nextOpenRows(engineEm(deps.orm), type, { after, before, limit: PAGE });
    const open = await listed.take(page.map(({ workflowId }) => workflowId));
    const settled = page.filter(({ isSettled }) => isSettled);
    const [there, missing] = [
      settled.filter((row) => open.has(row.workflowId)),
      settled.filter((row) => !open.has(row.workflowId)),
    ];
    if (missing.length > 0) await startMissing(round, type, missing);
    await wakeUnaware(
      round,
      type,
      there.filter(({ dueState }) => dueState !== null),
    );
    if (page.length < PAGE) return null;
    after = page.at(-1)!.key;
    await found.breathe();
  }
}

/** Those among rows whose workflow is not open, looked up by their ids. */
async function withoutWorkflow(
  { deps, found }: Round,
  type: WorkflowType,
  looked: readonly OpenRow[],
): Promise<OpenRow[]> {
  const gone: OpenRow[] = [];
  await eachBounded(looked, AT_ONCE, async (row) => {
    await found.attempt(type, row.workflowId, async () => {
      if (!(await describeWorkflow(deps.temporal, row.workflowId)).isOpen) gone.push(row);
      return null;
    });
  });
  return gone;
}

async function startMissing(round: Round, type: WorkflowType, missing: readonly OpenRow[]): Promise<void> {
  const { deps, found } = round;
  const em = engineEm(deps.orm);
  const waiting = await inOutbox(
    em,
    missing.map(({ workflowId }) => workflowId),
  );
  const gone = await withoutWorkflow(
    round,
    type,
    missing.filter(({ workflowId }) => !waiting.has(workflowId)),
  );
  if (gone.length === 0) return;
  const startable = await readStartable(
    em,
    type,
    gone.map(({ key }) => key),
  );
  if (type === 'campaignExecution') await startMissingExecutions(round, startable as Startable<'campaignExecution'>[]);
  else
    await eachBounded(startable, AT_ONCE, async ({ workflowId, input }) => {
      await found.attempt(type, workflowId, async () => {
        const start = { type, id: workflowId, input } as WorkflowStart;
        if (await waitsForAnother(round, start)) return null;
        await startWorkflow(deps.temporal, start, { missing: true });
        return 'started';
      });
    });
}

/** Starts the workflows of executions again, at the steps where their rows are. */
async function startMissingExecutions(
  { deps, found }: Round,
  missing: readonly Startable<'campaignExecution'>[],
): Promise<void> {
  for (const ofTenant of Map.groupBy(missing, ({ input }) => input.tenantId).values()) {
    const start = async (some: typeof ofTenant): Promise<void> => {
      await startExecutions(
        deps,
        some.map(({ input }) => input),
        { missing: true },
      );
      found.note(
        'campaignExecution',
        some.map(({ workflowId }) => workflowId),
        'started',
      );
    };
    // One that cannot be started stops the others: then each by itself, which costs a statement each.
    await start(ofTenant).catch(() =>
      eachBounded(ofTenant, AT_ONCE, async (one) => {
        await found.attempt('campaignExecution', one.workflowId, async () => {
          await start([one]);
          return null;
        });
      }),
    );
  }
}

/** Whether something else does the work of a row, or has to be done before it. */
async function waitsForAnother({ deps, listed }: Round, { type, input }: WorkflowStart): Promise<boolean> {
  if (type === 'segmentBuild') return !(await isBuildDue(engineEm(deps.orm), input.tenantId, input.segmentId));
  // The stop that flagged these executions.
  if (type === 'campaignStop') return listed.has('campaignStop', `campaign-stop/${input.tenantId}/`);
  return false;
}

/**
 * Wakes workflows that only wait, although something is due by their rows: the signal or the progress was lost with
 * Temporal's last seconds.
 */
async function wakeUnaware(round: Round, type: WorkflowType, due: readonly OpenRow[]): Promise<void> {
  const { deps, found, memory } = round;
  let looked = due;
  if (type === 'campaignExecution') {
    const { dueAfter } = memory;
    looked = (dueAfter === null ? due : due.filter(({ key }) => Number(key) > dueAfter)).slice(0, round.looks);
    round.looks -= looked.length;
    if (round.looks === 0 && looked.length > 0) memory.dueAfter = Number(looked.at(-1)!.key);
  }
  await eachBounded(looked, AT_ONCE, async ({ workflowId, since, dueState }) => {
    await found.attempt(type, workflowId, async () => {
      const { isOpen, isAtWork, runId, events } = await describeWorkflow(deps.temporal, workflowId);
      if (!isOpen || isAtWork) return null;
      // It was woken, has looked, and waits: it has nothing to do. If its history is not longer, that was lost again.
      const before = memory.woken.get(workflowId);
      if (before?.state === dueState && before.runId === runId && before.events < events) return null;
      // A mailing may wait for long, with nothing to do: it knows what its row said before its last event.
      if (type === 'emailCampaign') {
        const last = await lastEventTime(deps.temporal, workflowId);
        if (!last || last > since) return null;
      }
      await wakeWorkflow(deps, workflowId);
      memory.woken.set(workflowId, { state: dueState!, runId, events });
      return 'woken';
    });
  });
}

/**
 * Ends workflows of types whose rows were all compared, if their row is not open, they were found so a round ago too, and
 * they only wait: those that have something to do read their row, and end by themselves.
 */
async function endOrphans({ deps, listed, memory, found }: Round, compared: readonly WorkflowType[]): Promise<void> {
  const types = compared.filter((type) => type !== 'campaignStop');
  const rest = await listed.rest(types, SUSPECTS);
  const again = rest.filter(({ id }) => memory.suspects.has(id));
  memory.suspects = new Set(rest.map(({ id }) => id));
  const closing = await beingClosed(
    engineEm(deps.orm),
    again.map(({ id }) => id),
  );
  const orphans = again.filter(({ id }) => !closing.has(id));
  await eachBounded(orphans, AT_ONCE, async ({ id, type }) => {
    await found.attempt(type as WorkflowType, id, async () => {
      const { isOpen, isAtWork, isFailing, runId } = await describeWorkflow(deps.temporal, id);
      // What fails again and again does not notice by itself that its row is closed.
      if (!isOpen || (isAtWork && !isFailing)) return null;
      // This run only: the row may just have been opened again.
      await deps.temporal.workflow.getHandle(id, runId!).terminate('it has no open row');
      return 'ended';
    });
  });
}
