import { rows, sql, tenantEm, type Orm } from '../../db/orm.ts';
import { unauthorized, verifyAccessToken, type TokenSecrets } from './access-token.ts';
import type { Principal } from './principal.ts';

interface CallerRow {
  username: string;
  active: boolean;
  revoked: boolean;
  permissions: string[];
}

/**
 * The caller behind an Authorization header. Asks the database each time, so that a logout or a disabled user counts
 * at once on every process. Throws 401 with its code.
 */
export async function authenticate(orm: Orm, secrets: TokenSecrets, authorization: string): Promise<Principal> {
  const match = /^Bearer +([\w.~+/-]+=*)$/i.exec(authorization);
  if (!match) throw unauthorized('Send a Bearer token in the Authorization header');
  const claims = verifyAccessToken(secrets, match[1]!);
  const [caller] = await tenantEm(orm, claims.tenantId).transactional((tx) =>
    rows<CallerRow>(tx, sql`
      select u.username, u.active,
        exists (select 1 from revoked_tokens r where r.jti = ${claims.jti}::uuid) as revoked,
        array(select distinct p from roles r, unnest(r.permissions) p where r.tenant_id = u.tenant_id and r.name = any(u.roles)) as permissions
      from users u where u.id = ${claims.userId}`),
  );
  if (!caller?.active) throw unauthorized('The user does not exist any more or is disabled');
  if (caller.revoked) throw unauthorized('The access token was revoked', 'token_revoked');
  return {
    userId: claims.userId, username: caller.username, tenantId: claims.tenantId, permissions: new Set(caller.permissions),
    token: { jti: claims.jti, family: claims.family, expiresAt: claims.expiresAt },
  };
}
