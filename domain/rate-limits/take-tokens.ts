import type { Asked, Statement } from '../../db/pipelined-transactions.ts';

/** How a bucket fills: `perMinute` tokens a minute, up to `burst`. */
export interface RateLimit {
  perMinute: number;
  burst: number;
}

/** One request's token: whose bucket it comes from. */
export interface TokenWanted {
  bucket: string;
  tenantId: string;
  /** sha256 of an API key: with one that there is, the bucket is the key's. An invented key thus gets no bucket of its own. */
  keyHash: string | null;
}

export interface TokenTaken {
  allowed: boolean;
  /** Whole tokens left. */
  remaining: number;
  /** Until the bucket is full again. */
  resetSeconds: number;
  /** Until there is a token again; 0 while there is one. */
  retrySeconds: number;
}

// A token bucket: what has come since the last time is added, up to the burst. Rows are taken in order, so that
// processes that take from the same buckets at once wait for each other and never deadlock.
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

/** Asks for one token for each; the engine's statement. */
export function askTokens(wanted: readonly TokenWanted[], { perMinute, burst }: RateLimit): Asked {
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

/** What each got, from the rows of `askTokens`: of those that ask one bucket at once, the first get what there is. */
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
