import type { Deps } from '../runtime/deps.ts';
import { engineEm, rows, sql } from '../db/orm.ts';
import { deleteUsedChallenges } from '../domain/forms/captcha.ts';
import { deleteExpiredAnswers } from '../domain/idempotency/answers.ts';
import { deleteFullBuckets } from '../domain/rate-limits/delete-full-buckets.ts';
import { applyDecay } from '../domain/scoring/apply-decay.ts';
import { deleteOldVisits } from '../domain/scoring/record-web-visits.ts';
import { expireReportFiles } from '../domain/reports/report-files.ts';
import { sweepSegments } from '../domain/segments/membership/sweep-segments.ts';
import { every } from '../runtime/every.ts';
import { removeFiles, watchFileStore } from '../runtime/kept-files.ts';

const HOUR_MS = 3_600_000;
const DELETE_MS = 600_000;
const MINUTE_MS = 60_000;
const DECAY_MS = 5_000;

/**
 * Deletes old rows from tables that would only grow, and files without rows, and keeps segments and scores up to date
 * with the clock. Any number of processes may do this at once.
 */
export function startUpkeep(deps: Deps): { stop: () => Promise<void> } {
  const { orm, log } = deps;
  const loops = [
    every(HOUR_MS, log, 'could not maintain inbox partitions', () => keepPartitions(deps)),
    every(DELETE_MS, log, 'could not delete expired idempotent responses', async () => {
      while ((await deleteExpiredAnswers(engineEm(orm))) > 0);
    }),
    every(DELETE_MS, log, 'could not delete full rate-limit buckets', () => deleteFullBuckets(engineEm(orm))),
    every(DELETE_MS, log, 'could not delete expired CAPTCHA challenges', () => deleteUsedChallenges(engineEm(orm))),
    every(MINUTE_MS, log, 'could not delete notes of visits', () => deleteOldVisits(engineEm(orm))),
    every(DECAY_MS, log, 'could not bring scores up to date', () => applyDecay(orm)),
    every(DELETE_MS, log, 'could not expire files of reports', async () => {
      while ((await expireReportFiles(engineEm(orm))) > 0);
    }),
    every(MINUTE_MS, log, 'could not sweep time-dependent segments', () => sweepSegments(orm)),
    every(MINUTE_MS, log, 'could not remove files that are no longer needed', () => removeFiles(deps)),
    every(MINUTE_MS, log, 'could not measure the store of files', () => watchFileStore(deps)),
  ];
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

/**
 * Creates the inbox partitions for today and the next days, and drops those old enough that nothing is redelivered from
 * them. Both wait for the transactions of consumers, and all others wait behind them, so this gives up soon and is
 * retried the next time.
 */
export async function keepPartitions({ orm }: Pick<Deps, 'orm'>): Promise<void> {
  for (const statement of [
    sql`select ensure_inbox_partition(current_date + n) from generate_series(0, 2) n`,
    sql`select drop_inbox_partitions(current_date - 30)`,
  ]) {
    await engineEm(orm).transactional(async (tx) => {
      await rows(tx, sql`set local lock_timeout = '500ms'`);
      await rows(tx, statement);
    });
  }
}
