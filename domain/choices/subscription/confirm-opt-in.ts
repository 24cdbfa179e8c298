import { freshTransaction, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendEvents } from '../../../events/outbox.ts';
import { appendAudit } from '../../audit/audit.ts';
import { addToListIfThere } from '../../membership/members/change-list-members.ts';
import type { ContactStatus } from '../../contact-values/contact-values.ts';
import { erasedKey } from '../../addresses/digest.ts';
import { lockContacts } from '../../contact-values/lock-contacts.ts';
import { AppError } from '../../../lib/checks/errors.ts';
import { refreshMemberships } from '../../membership/members/refresh-memberships.ts';
import type { Visitor } from './unsubscribe.ts';
import { OPT_IN_DAYS } from './opt-in-mail.ts';
import { optInDigest, type OptInToken } from './opt-in-token.ts';
import { CONFIRMABLE } from './request-opt-in.ts';

interface Asked {
  contactId: number;
  emailKey: string;
  status: ContactStatus;
  /** Not confirmed yet, and not expired. */
  isOpen: boolean;
}

/**
 * The state of a link: `open` can be confirmed; `confirmed` was confirmed, and the contact is still active. Throws 400
 * `token_invalid` for any other: expired, for an address that the contact no longer has, or confirmed and unsubscribed
 * since. Changes nothing.
 */
export async function readOptIn(em: EntityManager, token: OptInToken): Promise<'open' | 'confirmed'> {
  return em.transactional(async (tx) => stateOf(await findAsked(tx, token)));
}

/**
 * Confirms an address with the link of an email: activates the contact, removes the suppression of an opt-out, adds
 * the contact to the lists of all its open requests, and stores the proof. Idempotent. Throws 400 `token_invalid`.
 */
export async function confirmOptIn(em: EntityManager, token: OptInToken, visitor: Visitor): Promise<void> {
  const { tenantId } = token;
  await freshTransaction(em, async (tx) => {
    const { contactId } = await findAsked(tx, token);
    await lockContacts(tx, tenantId, [contactId]);
    // Read again, now that the contact is locked.
    const asked = await findAsked(tx, token);
    if (stateOf(asked) === 'confirmed') return;
    const lists = await settleRequests(tx, tenantId, contactId, visitor);
    await liftOptOut(tx, tenantId, asked.emailKey, visitor.requestId);
    if (asked.status !== 'active') await activate(tx, tenantId, contactId, visitor.requestId);
    for (const listId of lists)
      await addToListIfThere(tx, tenantId, listId, [contactId], { requestId: visitor.requestId });
  });
}

const invalid = (): AppError =>
  new AppError('token_invalid', 'The link is unknown, already used or expired; sign up again');

async function findAsked(tx: EntityManager, { tenantId, optInId, digest }: OptInToken): Promise<Asked> {
  const [asked] = await rows<Asked>(
    tx,
    sql`
    select c.id as "contactId", c.email_key as "emailKey", c.status,
      o.confirmed_at is null and o.requested_at > now() - make_interval(days => ${OPT_IN_DAYS}) as "isOpen"
    from opt_ins o join contacts c on c.tenant_id = o.tenant_id and c.id = o.contact_id
    where o.tenant_id = ${tenantId} and o.id = ${optInId} and (o.confirmed_at is not null or o.requested_at > now() - make_interval(days => ${OPT_IN_DAYS}))
      and not exists (
        select 1 from suppressions s where s.tenant_id = c.tenant_id and s.email_key = c.email_key and s.reason in ('bounced', 'complained'))`,
  );
  // The email proves only the address that it was sent to.
  if (!asked || optInDigest(tenantId, asked.emailKey) !== digest) throw invalid();
  return asked;
}

function stateOf({ status, isOpen }: Asked): 'open' | 'confirmed' {
  if (isOpen && (status === 'active' || CONFIRMABLE.includes(status))) return 'open';
  if (!isOpen && status === 'active') return 'confirmed';
  throw invalid();
}

/** Confirms all open requests of the contact at once. Returns the lists to join. */
async function settleRequests(
  tx: EntityManager,
  tenantId: string,
  contactId: number,
  { ip, userAgent }: Visitor,
): Promise<number[]> {
  const settled = await rows<{ list_id: number | null }>(
    tx,
    sql`
    update opt_ins set confirmed_at = now(), ip = ${ip}, user_agent = ${userAgent}
    where tenant_id = ${tenantId} and contact_id = ${contactId} and confirmed_at is null and requested_at > now() - make_interval(days => ${OPT_IN_DAYS})
    returning list_id`,
  );
  return [...new Set(settled.flatMap(({ list_id: id }) => id ?? []))].sort((a, b) => a - b);
}

async function liftOptOut(
  tx: EntityManager,
  tenantId: string,
  emailKey: string,
  requestId: string | null,
): Promise<void> {
  const lifted = await rows<{ id: number; reason: string; source: string | null }>(
    tx,
    sql`
    delete from suppressions where tenant_id = ${tenantId} and email_key = any(${[emailKey, erasedKey(tenantId, emailKey)]}::text[]) and reason in ('unsubscribed', 'manual')
    returning id, reason, source`,
  );
  for (const { id, reason, source } of lifted) {
    await appendAudit(
      tx,
      { tenantId, actor: null, requestId, address: null },
      {
        action: 'suppression.deleted',
        resourceType: 'suppression',
        resourceId: id,
        before: { reason, source },
        after: { by: 'opt_in' },
      },
    );
  }
}

async function activate(
  tx: EntityManager,
  tenantId: string,
  contactId: number,
  requestId: string | null,
): Promise<void> {
  const [{ version } = { version: 0 }] = await rows<{ version: number }>(
    tx,
    sql`
    update contacts set status = 'active', version = version + 1, updated_at = now() where tenant_id = ${tenantId} and id = ${contactId} returning version`,
  );
  await appendEvents(tx, { tenantId, requestId }, [
    { type: 'CONTACT_UPDATED', data: { contactId, version, changed: ['status'] } },
  ]);
  await refreshMemberships(tx, tenantId, [contactId], { causes: ['contact'], requestId });
}
