import { rows, sql, tenantEm, type Orm } from '../../db/orm.ts';
import { unauthorized, verifyAccessToken, type TokenSecrets } from './access-token.ts';
import type { Principal } from './principal.ts';

interface CallerRow {
  username: string;
  active: boolean;
  live: boolean;
  permissions: string[];
}

/**
 * The caller behind an Authorization header. Asks the database each time, so that a logout, a disabled user or a role
 * that changed counts at once on every process. Throws 401 `unauthorized`, `token_expired` or `token_revoked`.
 */
export async function authenticate(orm: Orm, secrets: TokenSecrets, authorization: string): Promise<Principal> {
  const match = /^Bearer +([\w.~+/-]+=*)$/i.exec(authorization);
  if (!match) throw unauthorized('Send a Bearer token in the Authorization header');
  const { userId, tenantId, sessionId } = verifyAccessToken(secrets, match[1]!);
  const [caller] = await tenantEm(orm, tenantId).transactional((tx) =>
    rows<CallerRow>(tx, sql`
      select u.username, u.active,
        exists (select 1 from sessions s where s.id = ${sessionId}::uuid and s.tenant_id = u.tenant_id and s.user_id = u.id and s.revoked_at is null) as live,
        array(select distinct p from roles r, unnest(r.permissions) p where r.tenant_id = u.tenant_id and r.name = any(u.roles)) as permissions
      from users u where u.id = ${userId}`),
  );
  if (!caller?.active) throw unauthorized('The user does not exist any more or is disabled');
  if (!caller.live) throw unauthorized('The session of this access token has ended', 'token_revoked');
  return { actor: { type: 'user', id: userId, name: caller.username }, tenantId, permissions: new Set(caller.permissions), sessionId };
}
