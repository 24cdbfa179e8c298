import { stableId } from '../lib/text/stable-id.ts';

/** The id of the event CONTACT_CREATED of a contact: always the same, so that it is known without being kept. */
export const creationId = (tenantId: string, contactId: number): string =>
  stableId(`CONTACT_CREATED/${tenantId}/${contactId}`);

/** `creationId` in SQL, for two SQL expressions. */
export const creationIdSql = (tenantId: string, contactId: string): string =>
  `left(encode(sha256(convert_to('CONTACT_CREATED/' || ${tenantId} || '/' || ${contactId}, 'UTF8')), 'hex'), 32)::uuid`;
