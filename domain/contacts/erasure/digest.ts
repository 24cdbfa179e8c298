import { createHash } from 'node:crypto';
import type { RawBuilder } from 'kysely';
import { sql } from '../../../db/orm.ts';

/** What stays of an erased address: SHA-256 (hex) of the tenant's id, a line feed and the address as it is compared. */
export const addressDigest = (tenantId: string, emailKey: string): string => createHash('sha256').update(`${tenantId}\n${emailKey}`).digest('hex');

/** As what the suppression of an erased address is kept: found by whoever has the address, and by nobody else. */
export const erasedKey = (tenantId: string, emailKey: string): string => `erased:${addressDigest(tenantId, emailKey)}`;

/** `erasedKey` in SQL. */
export const erasedKeySql = (tenantId: RawBuilder<unknown>, emailKey: RawBuilder<unknown>): RawBuilder<string> =>
  sql`'erased:' || encode(sha256(convert_to(${tenantId} || E'\\n' || ${emailKey}, 'UTF8')), 'hex')`;
