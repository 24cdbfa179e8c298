import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { queueEmails } from '../emails/queue-emails.ts';
import { keepVersion } from '../emails/templates.ts';
import type { MailToken, SystemMailKey } from './mail-token.ts';
import { systemTemplate } from './system-templates.ts';

export interface SystemMail {
  key: SystemMailKey;
  to: string;
  /** The token whose link the mail carries; `invitedBy` names who invites. */
  token: MailToken;
  data?: { invitedBy?: string };
  requestId: string | null;
  /** What makes it one mail, unique in the tenant. */
  sendKey: string;
}

/**
 * Queues a mail of the service itself in the transaction `tx` (the tenant's or the engine's); senders may take it as
 * soon as this commits. What is stored of its token says nothing to who reads it. Answers the email's id.
 */
export async function queueSystemMail(tx: EntityManager, tenantId: string, { key, to, token, data, requestId, sendKey }: SystemMail): Promise<number> {
  const templateId = await keepTemplate(tx, tenantId, key);
  const [queued] = await queueEmails(tx, tenantId, [{
    sendKey, templateId, contactId: null, toAddress: to, lane: 'transactional', data: { ...data, token: { id: token.id, hash: token.hash } }, requestId, accepted: true,
  }]);
  return queued!.emailId;
}

/** The id of the tenant's template of a system mail, made or brought up to what this release says. */
async function keepTemplate(tx: EntityManager, tenantId: string, key: SystemMailKey): Promise<number> {
  const { name, subject, content, text } = systemTemplate(key);
  const find = async (): Promise<number | undefined> => {
    const [found] = await rows<{ id: number }>(tx, sql`
      select id from email_templates where tenant_id = ${tenantId} and system_key = ${key}
        and (subject, content, text, category) = (${subject}, ${content}, ${text}, 'transactional')`);
    return found?.id;
  };
  const known = await find();
  if (known !== undefined) return known;
  const [kept] = await rows<{ id: number }>(tx, sql`
    insert into email_templates as t (tenant_id, system_key, name, subject, content, text, category)
    values (${tenantId}, ${key}, ${name}, ${subject}, ${content}, ${text}, 'transactional')
    on conflict (tenant_id, system_key) do update set name = excluded.name, subject = excluded.subject, content = excluded.content, text = excluded.text,
      category = excluded.category, content_version = t.content_version + 1, version = t.version + 1, updated_at = now()
    where (t.subject, t.content, t.text, t.category) is distinct from (excluded.subject, excluded.content, excluded.text, excluded.category)
    returning id`);
  // A twin of another transaction did the same meanwhile.
  if (!kept) return (await find())!;
  await keepVersion(tx, { tenantId, id: kept.id });
  return kept.id;
}
