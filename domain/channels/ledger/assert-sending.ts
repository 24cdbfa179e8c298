import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { firstDueSends } from './first-due-sends.ts';

/**
 * Throws if a send that something could send is due since two minutes, and no sender has leased any for a minute. What
 * waits for a provider that a tenant does not have is nobody's fault.
 */
export async function assertSending(em: EntityManager): Promise<void> {
  const late = await em.transactional((tx) =>
    rows(
      tx,
      sql`
      with due as materialized (${firstDueSends})
      select 1 where exists (
        select 1 from due s where s.status = 'QUEUED' and s.next_attempt_at < now() - interval '2 minutes'
          and (s.type = 'webpush' or exists (
            select 1 from channel_providers p where p.tenant_id = s.tenant_id and p.active and p.channel = case s.type when 'sms' then 'sms' else 'push' end)))
        and not exists (
          select 1 from due s where s.lease_until > now() - interval '1 minute')`,
    ),
  );
  if (late.length > 0) throw new Error('messages are due, and nobody sends them');
}
