import type { Deps } from '../../runtime/deps.ts';
import { beginAtZero } from '../../config/metrics.ts';
import { engineEm } from '../../db/orm.ts';
import { repeatSendRequests, markLostEmails } from '../../domain/emails/ledger/recover-emails.ts';
import { lanesOfPing } from '../consumers/emails.ts';
import { EMAIL_READY_PING } from '../../transport/streams.ts';
import { every } from '../../runtime/every.ts';
import { Sender } from './sender.ts';

/** Of attempts (`Outcome`), and the statuses of emails that end or wait before one. */
const EMAIL_OUTCOMES = ['sent', 'rejected', 'retry', 'not_released', 'unknown', 'suppressed', 'failed', 'queued'];
const RECOVER_EVERY_MS = 5_000;
const REQUEST_AGAIN_EVERY_MS = 15_000;
const REQUEST_AGAIN_AFTER_SECONDS = 60;

/** Starts this process's senders, and the recovery of emails that dead senders and lost requests left behind. */
export function startSenders(deps: Deps): { stop: (waitMs?: number) => Promise<void> } {
  beginAtZero(deps.metrics.emails, 'outcome', EMAIL_OUTCOMES);
  const sender = new Sender(deps);
  const ping = deps.nats.connection.subscribe(EMAIL_READY_PING, {
    callback: (error, message) => {
      if (!error) sender.wake(lanesOfPing(message.string()));
    },
  });
  const recovery = every(RECOVER_EVERY_MS, deps.log, 'could not mark lost emails UNKNOWN', async () => {
    const unknown = await markLostEmails(engineEm(deps.orm));
    if (unknown > 0)
      deps.log.warn({ emails: unknown }, 'a sender process lost its leases while sending: its emails are now UNKNOWN');
  });
  const reconciler = every(REQUEST_AGAIN_EVERY_MS, deps.log, 'could not repeat send requests', async () => {
    const repeated = await repeatSendRequests(engineEm(deps.orm), REQUEST_AGAIN_AFTER_SECONDS);
    if (repeated > 0) deps.log.warn({ emails: repeated }, 'repeating send requests that were not processed');
  });
  return {
    async stop(waitMs) {
      ping.unsubscribe();
      await Promise.all([sender.stop(waitMs), recovery.stop(), reconciler.stop()]);
    },
  };
}
