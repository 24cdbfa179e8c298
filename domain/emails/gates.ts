import { sql } from '../../db/orm.ts';
import { addressDigestSql } from '../contacts/erasure/digest.ts';

/** The gates that every email passes when it is queued and again when it is started, in the order explain shows them. */
export const GATES = ['template', 'contact', 'status', 'suppression'] as const;
export type Gate = (typeof GATES)[number];

/**
 * What the gates look at, joined to `e`, which has tenant_id, template_id, contact_id and, for a mail to a bare
 * address, `to_key` (the address as it is compared). What hangs on the address is looked up in subqueries: these use the
 * index on it whatever the planner knows of the tables, where a join may read a whole tenant for each email.
 */
export const gateJoins = sql`
  left join email_templates t on t.tenant_id = e.tenant_id and t.id = e.template_id
  left join contacts c on c.tenant_id = e.tenant_id and c.id = e.contact_id
  cross join lateral (select
    case when e.contact_id is not null then c.status
         else (select k.status from contacts k where k.tenant_id = e.tenant_id and k.email_key = e.to_key) end as status,
    (select s.reason from suppressions s where s.tenant_id = e.tenant_id and s.email_key = any(case
       when e.contact_id is null then array[e.to_key, 'erased:' || ${sql.raw(addressDigestSql('e.tenant_id', 'e.to_key'))}] else array[c.email_key] end)
     order by s.reason in ('bounced', 'complained') desc limit 1) as suppressed
  ) a`;

/**
 * Why the email must not go, null if it may. Transactional mail passes unsubscribes, but nothing is ever sent to an
 * address that bounced or complained, or on behalf of a contact that is gone.
 */
export const refusal = sql`case
  when t.id is null then 'template_deleted'
  when e.contact_id is not null and c.id is null then 'contact_deleted'
  when a.status in ('bounced', 'complained') then 'contact_' || a.status
  when a.suppressed in ('bounced', 'complained') then 'address_' || a.suppressed
  when t.category = 'transactional' then null
  when a.status <> 'active' then 'contact_' || a.status
  when a.suppressed is not null then 'address_' || a.suppressed
end`;

/** The gate that a reason comes from; null for reasons that are no gate's (a stopped campaign, for one). */
export function gateOf(reason: string | null): Gate | null {
  if (reason === 'template_deleted') return 'template';
  if (reason === 'contact_deleted') return 'contact';
  if (reason?.startsWith('contact_')) return 'status';
  return reason?.startsWith('address_') ? 'suppression' : null;
}
