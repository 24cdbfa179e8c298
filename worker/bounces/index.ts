import { setTimeout as delay } from 'node:timers/promises';
import { backoff } from '../../lib/time/backoff.ts';
import type { Deps } from '../../runtime/deps.ts';
import { withMailboxLock } from './mailbox-lock.ts';
import { readMailboxUrl } from './mailbox-url.ts';
import { readMailbox } from './read-mailbox.ts';

/** How often a process checks whether the mailbox has no reader any more. */
const STAND_BY_MS = 5_000;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Reads the mailbox of BOUNCE_IMAP_URL, if set, in one process at a time; the others are on standby. */
export function startBounceReader(deps: Deps): { stop: () => Promise<void> } {
  const { env, log } = deps;
  if (env.BOUNCE_IMAP_URL === '') return { stop: async () => {} };
  const mailbox = readMailboxUrl(env.BOUNCE_IMAP_URL);
  const stopping = new AbortController();
  let failures = 0;
  const opened = (): void => {
    failures = 0;
    log.info({ mailbox: mailbox.name }, 'reading the bounce mailbox');
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      let pauseMs = STAND_BY_MS;
      try {
        await withMailboxLock(env.DATABASE_URL, mailbox.name, stopping.signal, (signal) =>
          readMailbox(deps, mailbox, signal, opened),
        );
      } catch (error) {
        failures += 1;
        pauseMs = backoff(failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
        log.warn({ err: error, mailbox: mailbox.name, pauseMs }, 'could not read the bounce mailbox, will retry');
      }
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
