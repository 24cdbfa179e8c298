import { createHash } from 'node:crypto';

/** The hash kept of an erased address: SHA-256 (hex) of the tenant's id, a line feed and the address's key. */
export const addressDigest = (tenantId: string, emailKey: string): string =>
  createHash('sha256').update(`${tenantId}\n${emailKey}`).digest('hex');

/** `addressDigest` in SQL, for two SQL expressions. */
export const addressDigestSql = (tenantId: string, emailKey: string): string =>
  `encode(sha256(convert_to(${tenantId} || E'\\n' || ${emailKey}, 'UTF8')), 'hex')`;

/** The key under which an erased address stays suppressed: it can be found only by someone who knows the address. */
export const erasedKey = (tenantId: string, emailKey: string): string => `erased:${addressDigest(tenantId, emailKey)}`;
