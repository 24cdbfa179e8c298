import { rows, sql, type EntityManager } from '../../db/orm.ts';

/** What a comparison of rows with workflows found, and mended. */
export interface Findings {
  /** Rows without a workflow, whose workflow was started. */
  started: number;
  /** Workflows without a row, which were ended. */
  ended: number;
  /** Workflows that did not know what their row says, and were woken. */
  woken: number;
  /** Rows and workflows that could not be made to agree. */
  failed: number;
}

/** Stores what a comparison found. `nextMs`: within this time the next one should have finished. */
export async function saveComparison(em: EntityManager, found: Findings, nextMs: number): Promise<void> {
  const { started, ended, woken, failed } = found;
  await em.transactional((tx) =>
    rows(
      tx,
      sql`
      update workflow_comparison set started = ${started}, ended = ${ended}, woken = ${woken},
        failed = ${failed}, finished_at = now(), due_at = now() + ${nextMs / 1000} * interval '1 second'`,
    ),
  );
}

/** A comparison may take longer than the one before, and may fail. */
export const LATE_MS = 600_000;

/**
 * Throws if the last comparison found something, or should have finished since. What started at `startedAt`, after a
 * long stop, gives it the time that it has after another one.
 */
export async function assertCompared(em: EntityManager, startedAt: Date): Promise<void> {
  const [last] = await em.transactional((tx) =>
    rows<Findings & { late: boolean }>(
      tx,
      sql`
      select started, ended, woken, failed, greatest(due_at, ${new Date(startedAt.getTime() + LATE_MS)}::timestamptz) < now() as late
      from workflow_comparison`,
    ),
  );
  if (!last || last.late) throw new Error('rows were not compared with workflows for too long');
  const { started, ended, woken, failed } = last;
  if (started + ended + woken + failed === 0) return;
  const tried = failed === 0 ? '' : `, ${failed} could not be mended and are tried again (the log names them)`;
  throw new Error(`rows and workflows did not agree: ${started} started, ${ended} ended, ${woken} woken${tried}`);
}
