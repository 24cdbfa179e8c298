import { rows, sql, type EntityManager } from '../../../db/orm.ts';

/** How far a mailbox was read: a UID means something under its UIDVALIDITY only (RFC 9051, 2.3.1.1). */
export interface MailboxCursor {
  uidValidity: number;
  lastUid: number;
}

/** Null for a mailbox (`user@host:port/folder`) that was never read. Engine transaction, as for the other. */
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
