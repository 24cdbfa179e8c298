import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { isOfToken, type LinkSigner } from './tokens.ts';

const LIFETIME_MS = 30 * 86_400_000;

/**
 * A token that stands for a contact in forms: for whoever received its email, or was made a contact by a submission.
 * Valid for 30 days; it proves nothing else.
 */
export const makeContactToken = (links: LinkSigner, tenantId: string, contactId: number, now = Date.now()): string =>
  links.sign('contact', [tenantId, String(contactId), String(now + LIFETIME_MS)]);

/** A contact of a tenant, named by a token. Its row must be of the token (`isOfToken`). */
export interface TokenContact {
  contactId: number;
  madeAt: Date;
}

/** The contact of a tenant that a token names; null if it is not a valid token. */
export function readContactToken(
  links: LinkSigner,
  token: unknown,
  tenantId: string,
  now = Date.now(),
): TokenContact | null {
  const payload = typeof token === 'string' ? links.verify('contact', token) : null;
  if (!payload || payload[0] !== tenantId || !(Number(payload[2]) > now)) return null;
  return { contactId: Number(payload[1]), madeAt: new Date(Number(payload[2]) - LIFETIME_MS) };
}

/** The id of the contact that a token stands for; null if it is not a valid token, or its id was given to another one. */
export async function findTokenContact(
  em: EntityManager,
  links: LinkSigner,
  token: unknown,
  tenantId: string,
): Promise<number | null> {
  const named = readContactToken(links, token, tenantId);
  if (!named) return null;
  const [row] = await em.transactional((tx) =>
    rows<{ createdAt: Date }>(
      tx,
      sql`select created_at as "createdAt" from contacts where tenant_id = ${tenantId} and id = ${named.contactId}`,
    ),
  );
  return row && !isOfToken(row, named.madeAt) ? null : named.contactId;
}
