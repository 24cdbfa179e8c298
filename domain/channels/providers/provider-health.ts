import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { GONE_AFTER_SECONDS } from '../../emails/providers/report-health.ts';

/** The name of a channel's provider in the reports of senders, beside those of mail, which are host:port. */
export const providerName = (id: number): string => `channels/${id}`;

export interface ProviderHealth {
  /**
   * DOWN: no sender uses it until its pause ends. DEGRADED: it failed since its last success, or is paused for some
   * senders. UP else, also before its first use.
   */
  status: 'UP' | 'DEGRADED' | 'DOWN';
  /** The last time that a sender reported a failure; null while it is UP. */
  since: Date | null;
  lastError: string | null;
}

export type HealthOf = (id: number) => ProviderHealth;

/** Of a provider that nobody has used. */
export const UNUSED: ProviderHealth = { status: 'UP', since: null, lastError: null };

/** The health of these providers, as the running senders report it. Engine `em`. */
export async function readProviderHealth(em: EntityManager, ids: readonly number[]): Promise<HealthOf> {
  const found = await em.transactional((tx) =>
    rows<{
      provider: string;
      processes: number;
      down: number;
      failures: number;
      since: Date | null;
      error: string | null;
    }>(
      tx,
      sql`
    select provider, count(*)::int as processes, count(*) filter (where state <> 'closed' and failures > 0)::int as down,
      max(failures)::int as failures, max(last_error_at) as since,
      (array_agg(last_error order by last_error_at desc nulls last))[1] as error
    from email_providers where provider = any(${ids.map(providerName)}::text[]) and seen_at > now() - make_interval(secs => ${GONE_AFTER_SECONDS})
    group by provider`,
    ),
  );
  const byName = new Map(found.map((row) => [row.provider, row]));
  return (id) => {
    const row = byName.get(providerName(id));
    if (!row) return UNUSED;
    const status = row.down === row.processes ? 'DOWN' : row.failures > 0 ? 'DEGRADED' : 'UP';
    return { status, since: status === 'UP' ? null : row.since, lastError: row.error };
  };
}
