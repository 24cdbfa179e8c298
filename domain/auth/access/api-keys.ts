import { createHash, randomBytes } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import { engineEm, rows, sql, type EntityManager, type Orm } from '../../../db/orm.ts';
import type { PipelinedTransactions, Statement } from '../../../db/pipelined-transactions.ts';
import { ApiKey, User } from '../../../db/entities/auth.ts';
import { cleanText, isViolation } from '../../common/fields.ts';
import { AppError, assertValid, notFound, type Violation } from '../../../lib/checks/errors.ts';
import { unauthorized } from './access-token.ts';
import { appendAudit } from '../../audit/audit.ts';
import { assertMayGrant, permissionsHeld, readPermissions, unknownPermissions, type Granter } from './grants.ts';
import type { Principal } from '../../audit/principal.ts';

export const MAX_KEY_NAME = 100;
const KEY = /^pk_[\w-]{43}$/;
const KEY_BYTES = 32;
/** Minimum age in seconds of `lastUsedAt` before a use updates it. */
const USE_SECONDS = 60;

/** A fast hash is enough: 256 random bits cannot be guessed. */
const hashOf = (key: string): string => createHash('sha256').update(key).digest('base64url');

export interface NewKey {
  name: string;
  permissions: string[];
  expiresAt?: string | null;
}

/**
 * Creates an API key. Only this response contains the key's text. Throws 400, 403 for permissions that the creator
 * lacks or if the creator is an API key, 409 `name_taken`.
 */
export async function createApiKey(
  em: EntityManager,
  by: Granter,
  input: NewKey,
): Promise<{ apiKey: ApiKey; key: string }> {
  const { tenantId, actor } = by.caller;
  // A key that creates keys could outlive its own expiry.
  if (actor.type !== 'user')
    throw new AppError('forbidden', 'This operation requires a user login; API keys cannot call it');
  const { name, expiresAt, violations } = checkKey(input);
  assertValid(violations);
  const values = { name: name!, expiresAt, permissions: readPermissions(input.permissions) };
  assertMayGrant(by, values.permissions);
  const key = `pk_${randomBytes(KEY_BYTES).toString('base64url')}`;
  return em.transactional(async (tx) => {
    const apiKey = tx.create(ApiKey, { ...values, tenantId, keyHash: hashOf(key), createdBy: actor.id });
    await tx.flush();
    const { id, permissions } = apiKey;
    await appendAudit(tx, by.caller, {
      action: 'api_key.created',
      resourceType: 'api_key',
      resourceId: id,
      after: { name, permissions, expiresAt },
    });
    return { apiKey, key };
  });
}

/** The name and expiry of a new key, and the violations of the given fields. */
export function checkKey(input: Partial<NewKey>): {
  name: string | undefined;
  expiresAt: Date | null;
  violations: Violation[];
} {
  const errors: Violation[] = [];
  const name = input.name === undefined ? undefined : cleanText(input.name, MAX_KEY_NAME);
  if (name === null) errors.push({ path: '/name', code: 'required', message: 'must not be empty' });
  else if (isViolation(name)) errors.push({ path: '/name', ...name });
  const expiresAt = input.expiresAt ? new Date(input.expiresAt) : null;
  if (expiresAt && !(expiresAt > new Date()))
    errors.push({ path: '/expiresAt', code: 'out_of_range', message: 'must be in the future' });
  return {
    name: typeof name === 'string' ? name : undefined,
    expiresAt,
    violations: [...errors, ...unknownPermissions(input.permissions ?? [])],
  };
}

/**
 * Deletes a key, which is then invalid at once in every process. Throws 404, and 403 for a key of somebody with
 * permissions that the caller lacks.
 */
export async function deleteApiKey(
  em: EntityManager,
  by: Granter,
  id: number,
  check: (current: ApiKey) => void,
): Promise<void> {
  await em.transactional(async (tx) => {
    const apiKey = await tx.findOne(ApiKey, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!apiKey) throw notFound('API key', id);
    check(apiKey);
    await assertNotAbove(tx, by, apiKey);
    const { name, permissions } = apiKey;
    await tx.remove(apiKey).flush();
    await appendAudit(tx, by.caller, {
      action: 'api_key.deleted',
      resourceType: 'api_key',
      resourceId: id,
      before: { name, permissions },
    });
  });
}

/** Everybody may give up an own key, whatever it may do, and so may the key itself. */
async function assertNotAbove(tx: EntityManager, by: Granter, { id, createdBy, permissions }: ApiKey): Promise<void> {
  const { actor } = by.caller;
  if (actor.id === (actor.type === 'user' ? createdBy : id)) return;
  const own = actor.type === 'api_key' ? await tx.findOne(ApiKey, { id: actor.id }) : null;
  const owner = own?.createdBy === createdBy ? null : await tx.findOne(User, { id: createdBy });
  assertMayGrant(by, [...permissions, ...(await permissionsHeld(tx, owner?.roles ?? []))]);
}

const keys: Statement = {
  name: 'api-keys',
  text: `
    select k.id, k.tenant_id, k.name, k.expires_at <= now() is true as expired,
      (k.last_used_at < now() - make_interval(secs => $2)) is not false as unnoted,
      array(select distinct p from roles r, unnest(r.permissions) p
        where r.tenant_id = k.tenant_id and r.name = any(u.roles) and p = any(k.permissions)) as permissions
    from api_keys k join users u on u.tenant_id = k.tenant_id and u.id = k.created_by and u.active
    where k.key_hash = $1`,
};

interface KeyRow {
  id: number;
  tenant_id: string;
  name: string;
  permissions: string[];
  expired: boolean;
  unnoted: boolean;
}

/**
 * The principal of an API key, with those of its permissions that its creator still has; null if the key is unknown or
 * its creator is disabled. Queries the database each time, so that changes take effect at once. Throws 401
 * `token_expired`.
 */
export async function findApiKey(
  { orm, pipelined }: { orm: Orm; pipelined: PipelinedTransactions },
  key: string,
): Promise<Principal | null> {
  if (!KEY.test(key)) return null;
  // With the engine's role, because the tenant is not known before the key is found; and not in the turns of
  // connections, in which all keys of all tenants would be one.
  const [[row] = []] = await pipelined.run('engine', [[keys, [hashOf(key), USE_SECONDS]]]);
  if (!row) return null;
  const found = row as unknown as KeyRow;
  if (found.expired) throw unauthorized('The API key has expired', 'token_expired');
  if (found.unnoted) noteUse(orm, found.id);
  return {
    actor: { type: 'api_key', id: found.id, name: found.name },
    tenantId: found.tenant_id,
    permissions: new Set(found.permissions),
    sessionId: null,
  };
}

const noting = new Set<number>();

/** Updates `lastUsedAt` in the background. Errors are ignored: a later use updates it. */
function noteUse(orm: Orm, id: number): void {
  if (noting.has(id)) return;
  noting.add(id);
  void engineEm(orm)
    .transactional((tx) =>
      rows(
        tx,
        sql`
    update api_keys set last_used_at = now(), version = version + 1 where id = (
      select id from api_keys where id = ${id} and (last_used_at < now() - make_interval(secs => ${USE_SECONDS})) is not false for update skip locked)`,
      ),
    )
    .catch(() => undefined)
    .finally(() => noting.delete(id));
}
