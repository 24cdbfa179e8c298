import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { touchOutbox } from '../../../events/outbox.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { AppError } from '../../../lib/checks/errors.ts';
import type { BoxSecrets } from '../../../lib/text/secret-box.ts';
import { lockEndpoint, noteChange } from './endpoints.ts';
import { makeKey, opensKey } from './keys.ts';

export interface RotatedKey {
  /** The new secret, which cannot be read again (v1), or the new public key (v1a). */
  secret: string | null;
  publicKey: string | null;
  /** Until then, attempts are signed with the one before, too: now, if it cannot be decrypted any more. */
  previousExpiresAt: Date;
}

const HOUR_MS = 3_600_000;

/**
 * Makes another key for an endpoint; the one before signs too for some hours. Throws 404, 409 `conflict` while the one
 * before that does. A key that cannot be decrypted signs nothing, so it is neither kept nor waited for.
 */
export async function rotateKey(
  em: EntityManager,
  env: BoxSecrets,
  author: Author,
  id: number,
  overlapHours: number,
): Promise<RotatedKey> {
  return em.transactional(async (tx) => {
    await noteChange(tx, author.tenantId);
    const endpoint = await lockEndpoint(tx, id);
    const now = new Date();
    const { key: former, previousKey, previousExpiresAt: until } = endpoint;
    const opens = (key: string | null | undefined): boolean => !!key && opensKey(env, endpoint, key);
    const isKept = opens(former);
    if (until && until > now && isKept && opens(previousKey))
      throw new AppError(
        'conflict',
        `The secret before this one is valid until ${until.toISOString()}; rotate after that`,
      );
    const previousExpiresAt = new Date(now.getTime() + (isKept ? overlapHours * HOUR_MS : 0));
    const { key, secret, publicKey } = makeKey(env, endpoint, endpoint.signature);
    tx.assign(endpoint, { previousKey: isKept ? former : null, previousExpiresAt, key, publicKey });
    await tx.flush();
    touchOutbox(tx, 'webhook_lanes');
    await appendAudit(tx, author, {
      action: 'webhook.secret_rotated',
      resourceType: 'webhook',
      resourceId: id,
      after: { overlapHours },
    });
    return { secret, publicKey, previousExpiresAt };
  });
}

/** Encrypts an endpoint's secrets with the current LINK_SECRET, unless they have changed. Runs an engine transaction. */
export async function storeSealedAgain(
  em: EntityManager,
  { tenantId, id, version }: { tenantId: string; id: number; version: number },
  sealed: { key: string; previousKey: string | null; headers: Record<string, string> },
): Promise<void> {
  await em.transactional((tx) =>
    rows(
      tx,
      sql`
      update webhook_endpoints set key = ${sealed.key}, previous_key = ${sealed.previousKey}, headers = ${JSON.stringify(sealed.headers)}::jsonb
      where tenant_id = ${tenantId} and id = ${id} and version = ${version}`,
    ),
  );
}
