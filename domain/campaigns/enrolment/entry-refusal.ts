import { sql, type RawBuilder } from '../../../db/orm.ts';
import { isBeingErased } from '../../contact-values/being-erased.ts';
import type { Entry } from '../../campaign-definitions/entry.ts';

/**
 * SQL: why a contact `c` may not enter a campaign at a time; null if it may. Contacts whose status forbids email may
 * enter; their emails are suppressed.
 */
export function entryRefusal(
  { reentry, minIntervalMinutes }: Entry,
  { tenantId, campaignId, at }: { tenantId: string; campaignId: number; at: RawBuilder<unknown> },
): RawBuilder<string | null> {
  const entered = (and: RawBuilder<unknown>): RawBuilder<unknown> => sql`exists (
    select 1 from campaign_executions e where e.tenant_id = ${tenantId} and e.campaign_id = ${campaignId} and e.contact_id = c.id
      -- It is a note of an entry that was refused, not an entry.
      and e.exit_reason is distinct from 'depth_limit' and ${and})`;
  const refusals = [
    sql`when c.status = 'archived' then 'contact_archived'`,
    sql`when ${isBeingErased(sql`c.tenant_id`, sql`c.id`)} then 'contact_erased'`,
    ...(reentry === 'never' ? [sql`when ${entered(sql`true`)} then 'already_entered'`] : []),
    ...(reentry === 'after_completion' ? [sql`when ${entered(sql`e.status = 'RUNNING'`)} then 'still_running'`] : []),
    ...(minIntervalMinutes > 0
      ? [
          sql`when ${entered(sql`e.started_at > ${at} - make_interval(mins => ${minIntervalMinutes})`)} then 'min_interval'`,
        ]
      : []),
  ];
  return sql`case ${sql.join(refusals, sql` `)} end`;
}
