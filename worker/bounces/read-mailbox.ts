import { ImapFlow, type FetchMessageObject } from 'imapflow';
import type { Deps } from '../../runtime/deps.ts';
import { pgError } from '../../db/errors.ts';
import { engineEm, freshTransaction } from '../../db/orm.ts';
import { readCursor, saveCursor, type MailboxCursor } from '../../domain/emails/bounces/mailbox-cursor.ts';
import { readArrived, type Arrived } from '../../domain/emails/bounces/parse-report.ts';
import { recordReports } from '../../domain/emails/bounces/record-reports.ts';
import { recordOptOuts } from '../../domain/choices/subscription/record-opt-outs.ts';
import { Wake } from '../../lib/async/wake.ts';
import type { Mailbox } from './mailbox-url.ts';

/** Servers report new mail immediately (IDLE, RFC 2177); polling is for those that do not, or not always. */
const POLL_MS = 30_000;
/** The report itself precedes the email that it returns. */
const MAX_BYTES = 512 * 1024;
const MESSAGES_AT_ONCE = 20;

/**
 * Reads a mailbox until `signal` aborts, starting after the last message whose effects are committed. Changes and marks
 * nothing in it. Calls `opened` when the mailbox is open. Throws when the connection ends.
 */
export async function readMailbox(
  deps: Deps,
  mailbox: Mailbox,
  signal: AbortSignal,
  opened: () => void,
): Promise<void> {
  const client = new ImapFlow({ ...mailbox.connection, logger: false, disableAutoIdle: true });
  const wake = new Wake(POLL_MS);
  let failure: unknown = null;
  client.on('exists', () => wake.now());
  client.on('error', (error) => {
    failure = error;
  });
  client.on('close', () => wake.now());
  const stop = (): void => {
    client.close();
  };
  signal.addEventListener('abort', stop);
  try {
    signal.throwIfAborted();
    await client.connect();
    const { uidValidity } = await client.mailboxOpen(mailbox.folder, { readOnly: true });
    opened();
    let cursor = await startOf(deps, mailbox, Number(uidValidity));
    while (client.usable) {
      cursor = await readNew(deps, client, mailbox, cursor, signal);
      // Ends with the next command.
      void client.idle().catch(() => undefined);
      await wake.wait();
      if (client.usable) await client.noop();
    }
    throw new Error('the connection to the mailbox ended', { cause: failure });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    client.close();
  }
}

/**
 * Where to continue. With another UIDVALIDITY all UIDs are invalid, so the whole mailbox is read again; reports already
 * processed do not count twice.
 */
async function startOf({ orm }: Deps, mailbox: Mailbox, uidValidity: number): Promise<MailboxCursor> {
  const cursor = await engineEm(orm).transactional((tx) => readCursor(tx, mailbox.name));
  return cursor?.uidValidity === uidValidity ? cursor : { uidValidity, lastUid: 0 };
}

/**
 * Processes the messages after the cursor, in order; returns the new cursor. Stops before a report on an email that is
 * still being sent: once the email's lease has ended, the report says what became of it.
 */
async function readNew(
  deps: Deps,
  client: ImapFlow,
  mailbox: Mailbox,
  cursor: MailboxCursor,
  signal: AbortSignal,
): Promise<MailboxCursor> {
  const { uidValidity } = cursor;
  const found = (await client.search({ uid: `${cursor.lastUid + 1}:*` }, { uid: true })) || [];
  // "n:*" is never empty (RFC 9051, 9): if no message follows n, it is the last one.
  const uids = found.filter((uid) => uid > cursor.lastUid).sort((a, b) => a - b);
  let { lastUid } = cursor;
  for (let at = 0; at < uids.length; at += MESSAGES_AT_ONCE) {
    const wanted = uids.slice(at, at + MESSAGES_AT_ONCE);
    const messages = await client.fetchAll(
      wanted,
      { uid: true, internalDate: true, source: { start: 0, maxLength: MAX_BYTES } },
      { uid: true },
    );
    for (const message of messages.sort((a, b) => a.uid - b.uid)) {
      signal.throwIfAborted();
      const next = { uidValidity, lastUid: message.uid };
      if (!(await takeIn(deps, mailbox, message, next))) return { uidValidity, lastUid };
      lastUid = message.uid;
    }
    lastUid = wanted.at(-1)!;
  }
  return { uidValidity, lastUid };
}

/** Thrown to roll back a report on an email that is still being sent. */
class StillSendingError extends Error {}

/**
 * Commits the effects of a message together with the new cursor. A message that is no report and no opt-out only moves the cursor.
 * Returns false, without any effect, if an email of the report is still being sent.
 */
async function takeIn(
  deps: Deps,
  mailbox: Mailbox,
  { uid, source, internalDate }: FetchMessageObject,
  cursor: MailboxCursor,
): Promise<boolean> {
  const { report, optOut }: Partial<Arrived> = source ? await readArrived(source, deps.links) : {};
  const em = engineEm(deps.orm);
  const commit = (withReport: boolean): Promise<void> =>
    freshTransaction(em, async (tx) => {
      const at = new Date(internalDate ?? Date.now());
      if (optOut && withReport) await recordOptOuts(tx, [{ ...optOut, source: 'mailbox', at }]);
      if (report && withReport) {
        const { deferred } = await recordReports(tx, [{ ...report, source: 'mailbox', at }]);
        if (deferred > 0) throw new StillSendingError();
      }
      await saveCursor(tx, mailbox.name, cursor);
    });
  try {
    await commit(true);
    if (report)
      deps.log.debug(
        { emailId: report.emailId, uid, outcomes: report.outcomes.map(({ verdict }) => verdict) },
        'received a delivery report',
      );
    if (optOut) deps.log.debug({ emailId: optOut.emailId, uid }, 'received an opt-out by mail');
  } catch (error) {
    if (error instanceof StillSendingError) return false;
    // Data that the database rejects (classes 22, 23) would be rejected every time; no other message may be skipped.
    if (!/^2[23]/.test(pgError(error)?.code ?? '')) throw error;
    deps.log.error({ err: error, uid, mailbox: mailbox.name }, 'could not process a delivery report, skipping it');
    await commit(false);
  }
  return true;
}
