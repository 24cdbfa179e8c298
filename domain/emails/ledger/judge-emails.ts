import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { fromKeyToVerify, unverifiedSenderReason } from '../senders/proven.ts';
import { gateJoins, refusal } from './gates.ts';

/** What the gates say about an email that is not written. */
export interface JudgedEmail {
  /** Why it would be SUPPRESSED when it is queued; null if it would be QUEUED. */
  refusal: string | null;
  /** Why it would be SUPPRESSED when it is started, besides the frequency cap. */
  refusalAtStart: string | null;
  /** Frequency caps count and limit marketing email. */
  isMarketing: boolean;
}

/**
 * Asks the gates about an email of a template to each of these contacts, by one statement; reads only. `mailFrom` is
 * MAIL_FROM. By contact ids.
 */
export async function judgeEmails(
  tx: EntityManager,
  tenantId: string,
  templateId: number,
  contactIds: readonly number[],
  mailFrom: string,
): Promise<Map<number, JudgedEmail>> {
  const [template] = await rows<{ from: string | null }>(
    tx,
    sql`select from_email as "from" from email_templates where tenant_id = ${tenantId} and id = ${templateId}`,
  );
  const fromKey = sql`${fromKeyToVerify(template?.from, mailFrom)}::text`;
  const judged = await rows<JudgedEmail & { id: number }>(
    tx,
    sql`
    with asked as (select ${tenantId}::text as tenant_id, id as contact_id, ${templateId}::bigint as template_id,
      null::bigint as campaign_id, null::bigint as execution_id, null::text as to_key from unnest(${[...contactIds]}::bigint[]) as id)
    select e.contact_id as id, ${refusal} as refusal, ${unverifiedSenderReason(sql`e.tenant_id`, fromKey)} as "refusalAtStart",
      coalesce(t.category = 'marketing', false) as "isMarketing"
    from asked e ${gateJoins}`,
  );
  return new Map(judged.map(({ id, ...email }) => [id, email]));
}
