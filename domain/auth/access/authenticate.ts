import type { Asked, Statement } from '../../../db/pipelined-transactions.ts';
import type { AppError } from '../../../lib/checks/errors.ts';
import { unauthorized, verifyAccessToken, type AccessClaims, type TokenSecrets } from './access-token.ts';
import type { Principal } from '../../audit/principal.ts';

/** The content of an Authorization header: the claims of a signed access token, or an API key. */
export type Credentials = { claims: AccessClaims } | { apiKey: string };

/** Reads the header without querying the database. Throws 401 `unauthorized` or `token_expired`. */
export function readCredentials(secrets: TokenSecrets, authorization: string): Credentials {
  const match = /^Bearer +([\w.~+/-]+=*)$/i.exec(authorization);
  if (!match) throw unauthorized('Send a Bearer token in the Authorization header');
  const token = match[1]!;
  return token.startsWith('pk_') ? { apiKey: token } : { claims: verifyAccessToken(secrets, token) };
}

const sessions: Statement = {
  name: 'sessions',
  text: `
    select a.ord::int as ord, u.username, u.active, s.id is not null as live,
      (select string_agg(distinct p, ' ') from roles r, unnest(r.permissions) p where r.tenant_id = u.tenant_id and r.name = any(u.roles)) as permissions
    from unnest($1::uuid[], $2::text[], $3::bigint[]) with ordinality as a(session_id, tenant_id, user_id, ord)
    join users u on u.tenant_id = a.tenant_id and u.id = a.user_id
    left join sessions s on s.id = a.session_id and s.tenant_id = u.tenant_id and s.user_id = u.id and s.revoked_at is null`,
};

interface SessionRow {
  ord: number;
  username: string;
  active: boolean;
  live: boolean;
  permissions: string | null;
}

/**
 * The query for the callers of some sessions. Runs with the engine's role, because tenants in tokens are not confirmed
 * before their sessions are found.
 */
export function sessionsQuery(claims: readonly AccessClaims[]): Asked {
  return [
    sessions,
    [claims.map((one) => one.sessionId), claims.map((one) => one.tenantId), claims.map((one) => one.userId)],
  ];
}

/**
 * The callers, one for each of the claims, from the rows of `askSessions`. Queried for every request, so that a
 * logout, a disabled user or a changed role takes effect at once in every process. An AppError is a 401 `unauthorized`
 * or `token_revoked`.
 */
export function readSessions(
  claims: readonly AccessClaims[],
  found: readonly Record<string, unknown>[],
): (Principal | AppError)[] {
  const rows = new Map((found as unknown as SessionRow[]).map((row) => [row.ord - 1, row]));
  return claims.map(({ userId, tenantId, sessionId }, index) => {
    const row = rows.get(index);
    if (!row?.active) return unauthorized('The user no longer exists or is disabled');
    if (!row.live) return unauthorized('The session of this access token has ended', 'token_revoked');
    return {
      actor: { type: 'user', id: userId, name: row.username },
      tenantId,
      permissions: permissionSet(row.permissions ?? ''),
      sessionId,
    };
  });
}

/** Cached, because there are few different sets, and creating one costs more than the rest of `readSessions`. */
const sets = new Map<string, ReadonlySet<string>>();
const MAX_SETS = 1000;

function permissionSet(listed: string): ReadonlySet<string> {
  let set = sets.get(listed);
  if (!set) {
    if (sets.size >= MAX_SETS) sets.clear();
    set = new Set(listed.split(' '));
    sets.set(listed, set);
  }
  return set;
}
