import { beginAtZero } from '../../config/metrics.ts';
import { EMAIL_LANES, type EmailLane } from '../../db/entities/emails.ts';
import { engineEm } from '../../db/orm.ts';
import { expireAnswers } from '../../domain/channels/inbound/record-inbound.ts';
import { markLostSends } from '../../domain/channels/ledger/recover-sends.ts';
import { MESSAGE_READY_PING } from '../../transport/streams.ts';
import type { Deps } from '../../runtime/deps.ts';
import { every } from '../../runtime/every.ts';
import { Sender } from './sender.ts';

const RECOVER_EVERY_MS = 5_000;

/** Starts this process's senders of text messages and pushes, and the recovery of what dead senders left behind. */
export function startMessageSenders(deps: Deps): { stop: () => Promise<void> } {
  beginAtZero(deps.metrics.messages, 'outcome', ['sent', 'queued', 'failed', 'suppressed', 'unknown']);
  const sender = new Sender(deps);
  const ping = deps.nats.connection.subscribe(MESSAGE_READY_PING, {
    callback: (error, message) => {
      const lanes = message
        .string()
        .split(' ')
        .filter((lane): lane is EmailLane => (EMAIL_LANES as readonly string[]).includes(lane));
      if (!error) sender.wake(lanes);
    },
  });
  const recovery = every(RECOVER_EVERY_MS, deps.log, 'could not mark lost messages UNKNOWN', async () => {
    const unknown = await markLostSends(engineEm(deps.orm));
    if (unknown > 0)
      deps.log.warn({ messages: unknown }, 'a sender lost its leases while sending: its messages are now UNKNOWN');
  });
  const expiry = every(RECOVER_EVERY_MS, deps.log, 'could not give up late answers to texts', () =>
    expireAnswers(engineEm(deps.orm)),
  );
  return {
    async stop() {
      ping.unsubscribe();
      await Promise.all([sender.stop(), recovery.stop(), expiry.stop()]);
    },
  };
}
