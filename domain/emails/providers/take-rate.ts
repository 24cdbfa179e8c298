import { rows, sql, type EntityManager } from '../../../db/orm.ts';

/** The burst after a pause: one second's worth of the rate. */
const BURST_SECONDS = 1;

/**
 * Takes up to `count` messages of a provider's rate, which all sender processes share. Generic cell rate algorithm: a
 * single time stores how much of the rate is used. Returns how many were granted, and in how many milliseconds the
 * next is available. Engine `em`.
 */
export async function takeRate(
  em: EntityManager,
  { provider, ratePerMinute }: { provider: string; ratePerMinute: number },
  count: number,
): Promise<{ granted: number; waitMs: number }> {
  const gap = 60 / ratePerMinute;
  const burst = Math.max(1, Math.floor(BURST_SECONDS / gap));
  return em.transactional(async (tx) => {
    await rows(
      tx,
      sql`insert into email_provider_rates (provider, due_at) values (${provider}, now() - interval '1 hour') on conflict do nothing`,
    );
    const [taken] = await rows<{ granted: number; wait: number }>(
      tx,
      sql`
      update email_provider_rates r set due_at = t.due_at + make_interval(secs => t.granted * ${gap}::float8)
      from (
        select provider, greatest(due_at, at) as due_at, at,
               least(${count}::int, greatest(0, floor(${burst}::int - extract(epoch from greatest(due_at, at) - at) / ${gap}::float8)))::int as granted
        -- The time after acquiring the lock, not when the transaction started to wait for it.
        from (select provider, due_at, clock_timestamp() as at from email_provider_rates where provider = ${provider} for update) u
      ) t where r.provider = t.provider
      returning t.granted, extract(epoch from r.due_at - t.at)::float8 - ${(burst - 1) * gap}::float8 as wait`,
    );
    return { granted: taken!.granted, waitMs: Math.max(0, Math.ceil(taken!.wait * 1000)) };
  });
}
