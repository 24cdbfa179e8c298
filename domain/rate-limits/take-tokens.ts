import type { Asked, Statement } from '../../db/pipelined-transactions.ts';

/** A bucket's limits: it is refilled by `perMinute` tokens per minute, up to `burst`. */
export interface RateLimit {
  perMinute: number;
  burst: number;
}

/** A request for one token, and the bucket to take it from. */
export interface TokenWanted {
  bucket: string;
  tenantId: string;
  /**
   * SHA-256 of an API key. If the key exists, the key's own bucket is used instead. So unknown keys do not get buckets
   * of their own.
   */
  keyHash: string | null;
}

export interface TokenTaken {
  allowed: boolean;
  /** Whole tokens left in the bucket. */
  remaining: number;
  /** Seconds until the bucket is full again. */
  resetSeconds: number;
  /** Seconds until a token is available; 0 if there is one. */
  retrySeconds: number;
}

// A token bucket: adds the tokens since the last use, up to the burst. Rows are locked in order, so that processes
// that take from the same buckets wait for each other instead of deadlocking.
const available = `least($4::float8, b.tokens + greatest(0, extract(epoch from now() - b.at)) * $5::float8)`;
const given = `least(excluded.taken, floor(${available}))::int`;
const takeTokens: Statement = {
  name: 'take-tokens',
  text: `
    with asked as (
      select a.ord, a.tenant_id, coalesce((select 'api_key/' || k.id from api_keys k where k.key_hash = a.key_hash), a.bucket) as bucket
      from unnest($1::text[], $2::text[], $3::text[]) with ordinality as a(bucket, tenant_id, key_hash, ord)
    ), wanted as (
      select bucket, min(tenant_id) as tenant_id, least(count(*), $4)::int as n from asked group by bucket
    ), taken as (
      insert into rate_buckets as b (bucket, tenant_id, tokens, at, taken)
      select bucket, tenant_id, $4 - n, now(), n from wanted order by bucket
      on conflict (bucket) do update set tokens = ${available} - ${given}, taken = ${given}, at = greatest(b.at, now())
      returning b.bucket, b.tokens, b.taken
    )
    select a.bucket, t.tokens, t.taken from asked a join taken t using (bucket) order by a.ord`,
};

/** The statement that takes one token for each request, with the engine's role. */
export function takeTokensQuery(wanted: readonly TokenWanted[], { perMinute, burst }: RateLimit): Asked {
  return [
    takeTokens,
    [
      wanted.map((one) => one.bucket),
      wanted.map((one) => one.tenantId),
      wanted.map((one) => one.keyHash),
      burst,
      perMinute / 60,
    ],
  ];
}

/**
 * The results, from the rows of `askTokens`. If several requests use the same bucket, the first ones get the available
 * tokens.
 */
export function readTokens(found: readonly Record<string, unknown>[], { perMinute, burst }: RateLimit): TokenTaken[] {
  const perSecond = perMinute / 60;
  const served = new Map<string, number>();
  return (found as unknown as { bucket: string; tokens: number; taken: number }[]).map(({ bucket, tokens, taken }) => {
    const before = served.get(bucket) ?? 0;
    served.set(bucket, before + 1);
    const allowed = before < taken;
    return {
      allowed,
      remaining: allowed ? Math.floor(tokens) + taken - before - 1 : 0,
      resetSeconds: Math.ceil((burst - tokens) / perSecond),
      retrySeconds: tokens >= 1 ? 0 : Math.max(1, Math.ceil((1 - tokens) / perSecond)),
    };
  });
}
