import { createHash } from 'node:crypto';

/** What stays of an erased address: SHA-256 (hex) of the tenant's id, a line feed and the address as it is compared. */
export const addressDigest = (tenantId: string, emailKey: string): string => createHash('sha256').update(`${tenantId}\n${emailKey}`).digest('hex');

/** `addressDigest` in SQL, of two SQL expressions. */
export const addressDigestSql = (tenantId: string, emailKey: string): string =>
  `encode(sha256(convert_to(${tenantId} || E'\\n' || ${emailKey}, 'UTF8')), 'hex')`;

/** As what the suppression of an erased address is kept: found by whoever has the address, and by nobody else. */
export const erasedKey = (tenantId: string, emailKey: string): string => `erased:${addressDigest(tenantId, emailKey)}`;
