import type { ProviderSetting } from '../../../config/smtp-url.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { GONE_AFTER_SECONDS } from './report-health.ts';

/** A provider's configuration, and its health as reported by the running sender processes. */
export interface ProviderHealth {
  provider: string;
  /** Position in the failover order, from 1. */
  order: number;
  /**
   * DOWN: no process uses it until its pause ends (`restsUntil`), except for a trial message. DEGRADED: paused for
   * some processes, failed since the last success, or no sender process is running.
   */
  status: 'UP' | 'DEGRADED' | 'DOWN';
  connections: number;
  ratePerMinute: number | null;
  processes: number;
  /** Failures in a row, of the process with the most. */
  failures: number;
  restsUntil: Date | null;
  lastError: string | null;
  lastErrorAt: Date | null;
  lastSentAt: Date | null;
  /** By the running processes, since each started. */
  sent: number;
  seenAt: Date | null;
}

interface HealthRow {
  provider: string;
  processes: number;
  down: number;
  failures: number;
  rests_until: Date | null;
  last_error: string | null;
  last_error_at: Date | null;
  last_sent_at: Date | null;
  sent: number;
  seen_at: Date;
}

/**
 * The health of SMTP_URL's providers, in failover order. `connections` is the default from SEND_CONNECTIONS. Engine
 * `em`.
 */
export async function readHealth(
  em: EntityManager,
  settings: readonly ProviderSetting[],
  connections: number,
): Promise<ProviderHealth[]> {
  const found = await em.transactional((tx) =>
    rows<HealthRow>(
      tx,
      sql`
    select provider, count(*)::int as processes, count(*) filter (where state <> 'closed' and failures > 0)::int as down, max(failures)::int as failures,
           max(rests_until) filter (where state = 'open') as rests_until,
           (array_agg(last_error order by last_error_at desc nulls last))[1] as last_error, max(last_error_at) as last_error_at,
           max(last_sent_at) as last_sent_at, sum(sent)::bigint as sent, max(seen_at) as seen_at
    from email_providers where seen_at > now() - make_interval(secs => ${GONE_AFTER_SECONDS}) group by provider`,
    ),
  );
  const rowOf = new Map(found.map((row) => [row.provider, row]));
  return settings.map((setting, index): ProviderHealth => {
    const row = rowOf.get(setting.provider);
    const status = !row ? 'DEGRADED' : row.down === row.processes ? 'DOWN' : row.failures > 0 ? 'DEGRADED' : 'UP';
    return {
      provider: setting.provider,
      order: index + 1,
      status,
      connections: setting.connections ?? connections,
      ratePerMinute: setting.ratePerMinute,
      processes: row?.processes ?? 0,
      failures: row?.failures ?? 0,
      restsUntil: row?.rests_until ?? null,
      lastError: row?.last_error ?? null,
      lastErrorAt: row?.last_error_at ?? null,
      lastSentAt: row?.last_sent_at ?? null,
      sent: Number(row?.sent ?? 0),
      seenAt: row?.seen_at ?? null,
    };
  });
}
