import { randomUUID } from 'node:crypto';
import { freshTransaction, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { stopExecutionsOfContact } from '../../campaigns/execution/stop-executions.ts';
import { findTokenRecipient } from '../../emails/consent/concerned-addresses.ts';
import { suppressAddresses } from '../../emails/consent/suppress-addresses.ts';
import type { TokenSubject } from '../../addresses/tokens.ts';
import { suppressMarketingTo } from '../../emails/ledger/suppress-emails.ts';

/** The origin of an unsubscribe request. */
export interface Visitor {
  requestId: string | null;
  ip: string | null;
  userAgent: string | null;
}

/**
 * Unsubscribes the recipient of an email: suppresses the address that the email was sent to and the contact's current
 * address, sets the contact to unsubscribed, stops its executions of campaigns with `exitOnUnsubscribe`, and
 * suppresses its QUEUED marketing emails. Also works for deleted contacts and bare addresses. Idempotent.
 */
export async function unsubscribe(em: EntityManager, subject: TokenSubject, visitor: Visitor): Promise<void> {
  await freshTransaction(em, (tx) => optOut(tx, subject, visitor));
}

/** The same in the transaction `tx`. Without a visitor, the caller has recorded the request with its email. */
export async function optOut(tx: EntityManager, subject: TokenSubject, visitor: Visitor | null): Promise<void> {
  const { tenantId, emailId } = subject;
  const { isKnown, contactId, emailKeys } = await findTokenRecipient(tx, subject, { lock: true });
  if (contactId !== null) await stopExecutionsOfContact(tx, tenantId, contactId, 'unsubscribed');
  if (contactId !== null) await suppressMarketingTo(tx, tenantId, contactId, 'contact_unsubscribed');
  if (isKnown && visitor) await recordUnsubscribe(tx, subject, visitor);
  await suppressAddresses(
    tx,
    { tenantId, requestId: visitor?.requestId ?? null },
    'unsubscribed',
    emailKeys.map((emailKey) => ({ emailKey, contactId, emailId })),
  );
}

async function recordUnsubscribe(
  tx: EntityManager,
  { tenantId, emailId }: TokenSubject,
  { ip, userAgent }: Visitor,
): Promise<void> {
  await rows(
    tx,
    sql`
    insert into email_events (tenant_id, email_id, campaign_id, event_id, type, at, ip, user_agent, automated, first)
    select e.tenant_id, e.id, e.campaign_id, ${randomUUID()}::uuid, 'UNSUBSCRIBE', now(), ${ip}, ${userAgent}, false, true
    from emails e where e.tenant_id = ${tenantId} and e.id = ${emailId} and not exists (select 1 from email_events where tenant_id = ${tenantId} and email_id = ${emailId} and type = 'UNSUBSCRIBE')`,
  );
}
