import type { Deps } from '../runtime/deps.ts';
import { engineEm } from '../db/orm.ts';
import { foldMessageChanges } from '../domain/analytics/fold-message-changes.ts';
import { rollContacts } from '../domain/analytics/roll-contacts.ts';
import { deleteUsedChallenges } from '../domain/forms/captcha.ts';
import { deleteExpiredAnswers } from '../domain/idempotency/answers.ts';
import { deleteFullBuckets } from '../domain/rate-limits/delete-full-buckets.ts';
import { applyDecay } from '../domain/scoring/scores/apply-decay.ts';
import { deleteOldVisits } from '../domain/scoring/visits/record-web-visits.ts';
import { expireReportFiles } from '../domain/reports/report-files.ts';
import { sweepSegments } from '../domain/membership/members/sweep-segments.ts';
import { deleteAbandoned, expireDeliveries } from '../domain/webhooks/deliveries/expire-deliveries.ts';
import { every } from '../runtime/every.ts';
import { watchFigures } from '../runtime/figures-freshness.ts';
import { removeFiles, watchFileStore } from '../runtime/kept-files.ts';
import { createQueueWatch } from './queue-watch.ts';
import { keepPartitions } from './keep-partitions.ts';

const HOUR_MS = 3_600_000;
const DELETE_MS = 600_000;
const MINUTE_MS = 60_000;
const DECAY_MS = 5_000;
const ROLL_MS = 30_000;
const FOLD_MS = 5_000;
const LAG_MS = 5_000;
const QUEUES_MS = 5_000;

/**
 * Deletes old rows from tables that would only grow, and files without rows, and keeps segments and scores up to date
 * with the clock. Any number of processes may do this at once.
 */
export function startUpkeep(deps: Deps): { stop: () => Promise<void> } {
  const { orm, log } = deps;
  const loops = [
    every(HOUR_MS, log, 'could not maintain partitions', () => keepPartitions(deps)),
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
    every(ROLL_MS, log, 'could not make sets of contacts for figures', () => rollContacts(orm)),
    every(FOLD_MS, log, 'could not add to the figures of channels', () => foldMessageChanges(orm)),
    every(LAG_MS, log, 'could not measure how far figures are behind', () => watchFigures(deps)),
    every(QUEUES_MS, log, 'could not measure what waits', createQueueWatch(deps)),
    every(DELETE_MS, log, 'could not end webhooks that are too old', async () => {
      while ((await expireDeliveries(engineEm(orm))) > 0);
    }),
    every(DELETE_MS, log, 'could not delete what deleted webhooks were told', async () => {
      while ((await deleteAbandoned(engineEm(orm))) > 0);
    }),
    every(MINUTE_MS, log, 'could not remove files that are no longer needed', () => removeFiles(deps)),
    every(MINUTE_MS, log, 'could not measure the store of files', () => watchFileStore(deps)),
  ];
  return {
    stop: async () => {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}
