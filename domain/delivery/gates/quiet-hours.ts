import { sql, type RawBuilder } from '../../../db/orm.ts';
import { addressDigestSql } from '../../addresses/digest.ts';

/**
 * Joins the quiet hours of the recipient as `q.quiet_hours` to an email or message `e` with its contact `c`, if `when`
 * holds. They hang on the key of the email address, also after an erasure.
 */
export const quietHoursJoin = (when: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  left join lateral (
    select nullif(p.quiet_hours, 'null') as quiet_hours from channel_preferences p
    where ${when} and p.tenant_id = e.tenant_id
      and p.address = any(array[c.email_key, 'erased:' || ${sql.raw(addressDigestSql('e.tenant_id', 'c.email_key'))}])
    order by p.updated_at desc limit 1) q on true`;
