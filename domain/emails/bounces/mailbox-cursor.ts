import { rows, sql, type EntityManager } from '../../../db/orm.ts';

/** How far a mailbox was read: a UID is valid only with its UIDVALIDITY (RFC 9051, section 2.3.1.1). */
export interface MailboxCursor {
  uidValidity: number;
  lastUid: number;
}

/**
 * The cursor of a mailbox (`user@host:port/folder`); null if it was never read. In an engine transaction, like
 * `saveCursor`.
 */
export async function readCursor(tx: EntityManager, mailbox: string): Promise<MailboxCursor | null> {
  const [found] = await rows<MailboxCursor>(
    tx,
    sql`
    select uid_validity as "uidValidity", last_uid as "lastUid" from bounce_mailboxes where mailbox = ${mailbox}`,
  );
  return found ?? null;
}

export async function saveCursor(
  tx: EntityManager,
  mailbox: string,
  { uidValidity, lastUid }: MailboxCursor,
): Promise<void> {
  await rows(
    tx,
    sql`
    insert into bounce_mailboxes (mailbox, uid_validity, last_uid) values (${mailbox}, ${uidValidity}, ${lastUid})
    on conflict (mailbox) do update set uid_validity = excluded.uid_validity, last_uid = excluded.last_uid, updated_at = now()`,
  );
}
