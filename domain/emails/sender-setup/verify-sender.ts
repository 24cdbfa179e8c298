import { LockMode } from '@mikro-orm/core';
import { EmailSender } from '../../../db/entities/email-senders.ts';
import { freshEm, type EntityManager } from '../../../db/orm.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { AppError, notFound } from '../../../lib/checks/errors.ts';
import { checkRecord, type ResolveTxt } from '../senders/record.ts';
import { publicDkimKey } from '../senders/shown-key.ts';

/**
 * Looks up the DNS record of a sender's key and stores whether it is right, which verifies its domain. If the record
 * was found before and is missing now, the domain is no longer verified; if it was not found yet, as after a change of
 * keys, this does not change. Throws 404, 409 `conflict` without a key, 409 `dns_record_invalid` with what is wrong,
 * 503 if the DNS does not respond.
 */
export async function verifySender(
  em: EntityManager,
  resolve: ResolveTxt,
  author: Author,
  id: number,
): Promise<EmailSender> {
  const before = await freshEm(em).findOne(EmailSender, { id });
  if (!before) throw notFound('sender', id);
  const key = publicDkimKey(before);
  if (!key) throw new AppError('conflict', 'The sender has no DKIM key');
  const violation = await checkRecord(resolve, { ...key, tenantId: before.dkimBrought ? before.tenantId : null });
  const sender = await em.transactional(async (tx) => {
    const found = await tx.findOne(EmailSender, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!found) throw notFound('sender', id);
    if (
      found.dkimPublicKey !== key.publicKey ||
      found.dkimSelector !== key.selector ||
      found.dkimDomain !== key.domain
    ) {
      throw new AppError('conflict', 'The key was changed at the same time; try again');
    }
    const had = found.verifiedDomain ?? null;
    if (!violation) found.verifiedDomain = key.domain;
    else if (found.dkimVerifiedAt) found.verifiedDomain = null;
    found.dkimVerifiedAt = violation ? null : new Date();
    await tx.flush();
    if ((found.verifiedDomain ?? null) !== had) {
      const action = found.verifiedDomain ? 'email_sender.domain_verified' : 'email_sender.domain_lost';
      await appendAudit(tx, author, {
        action,
        resourceType: 'email_sender',
        resourceId: id,
        before: { domain: had },
        after: { domain: found.verifiedDomain ?? null },
      });
    }
    return found;
  });
  if (violation) throw new AppError('dns_record_invalid', violation.message, { errors: [violation] });
  return sender;
}
