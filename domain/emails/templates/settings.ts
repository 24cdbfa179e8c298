import { isDeepStrictEqual } from 'node:util';
import { LockMode } from '@mikro-orm/core';
import { EmailSettings } from '../../../db/entities/email-senders.ts';
import { retriedTransaction, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { checkSendWindow } from '../../campaigns/definition/entry.ts';
import type { SendWindow } from '../../common/local-time.ts';
import { assertValid } from '../../common/errors.ts';
import { duePostponedEmails } from '../ledger/accept-emails.ts';

export interface EmailSettingsInput {
  frequencyCap?: { maxEmails: number; perDays: number } | null;
  sendWindow?: SendWindow | null;
}

/** The tenant's rules for marketing email; null if not set. */
export async function readEmailSettings(
  em: EntityManager,
  tenantId: string,
): Promise<Pick<EmailSettings, 'frequencyCap' | 'sendWindow'> & { version: number }> {
  const found = await em.findOne(EmailSettings, { tenantId });
  return {
    frequencyCap: found?.frequencyCap ?? null,
    sendWindow: found?.sendWindow ?? null,
    version: found?.version ?? 1,
  };
}

/**
 * Changes the given rules, which also apply to emails that are already queued. `check` gets the current rules, locked.
 * Throws 400.
 */
export async function updateEmailSettings(
  em: EntityManager,
  author: Author,
  input: EmailSettingsInput,
  check: (current: EmailSettings) => void,
): Promise<EmailSettings> {
  const { tenantId } = author;
  assertValid(checkSendWindow({ sendWindow: input.sendWindow }));
  return retriedTransaction(em, async (tx) => {
    await rows(tx, sql`insert into email_settings (tenant_id) values (${tenantId}) on conflict do nothing`);
    const settings = await tx.findOneOrFail(EmailSettings, { tenantId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    check(settings);
    const shown = () => ({ frequencyCap: settings.frequencyCap ?? null, sendWindow: settings.sendWindow ?? null });
    const before = shown();
    tx.assign(
      settings,
      Object.fromEntries(
        Object.entries(input).filter(
          ([field, value]) => value !== undefined && !isDeepStrictEqual(value, before[field as keyof typeof before]),
        ),
      ),
    );
    await tx.flush();
    if (!isDeepStrictEqual(before.sendWindow, shown().sendWindow)) await duePostponedEmails(tx, tenantId);
    await appendAudit(tx, author, {
      action: 'email_settings.updated',
      resourceType: 'email_settings',
      resourceId: null,
      before,
      after: shown(),
    });
    return settings;
  });
}
