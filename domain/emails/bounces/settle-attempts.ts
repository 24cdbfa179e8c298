import type { EntityManager } from '../../../db/orm.ts';
import { settleEmails, type Settlement } from '../ledger/settle-emails.ts';
import type { Failure } from './judge-failure.ts';
import { recordReports } from './record-reports.ts';
import { keptText, type DeliveryReport } from './report.ts';

/** The outcome of one attempt; of one that a server refused for good also why. */
export interface SettledAttempt extends Settlement {
  failure?: Failure;
}

/** Refusals that say something about the address: they are bounces. The others leave it alone. */
const BOUNCES: ReadonlySet<Failure['verdict']> = new Set(['address', 'mailbox']);

/**
 * Settles attempts, in one engine transaction, and records the refusals that are bounces: a dead address is suppressed,
 * a full mailbox counts as a soft bounce. Returns the number settled.
 */
export async function settleAttempts(em: EntityManager, attempts: readonly SettledAttempt[]): Promise<number> {
  return em.transactional(async (tx) => {
    const settled = await settleEmails(tx, attempts);
    const failed = new Set(settled.filter(({ status }) => status === 'FAILED').map(({ id }) => id));
    const at = new Date();
    const reports = attempts.flatMap(({ id, attempt, reply, failure }): DeliveryReport[] =>
      failure && failed.has(id) && BOUNCES.has(failure.verdict)
        ? [
            {
              emailId: id,
              source: 'smtp',
              eventKey: `attempt/${attempt}`,
              at,
              outcomes: [{ ...failure, recipients: [], diagnostic: keptText(reply) }],
            },
          ]
        : [],
    );
    if (reports.length > 0) await recordReports(tx, reports);
    return settled.length;
  });
}
