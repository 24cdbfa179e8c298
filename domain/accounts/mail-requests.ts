import { LockMode } from '@mikro-orm/core';
import { engineEm, rows, sql, type Orm } from '../../db/orm.ts';
import { User } from '../../db/entities/auth.ts';
import { isViolation } from '../common/fields.ts';
import { assertValid, type Violation } from '../../lib/checks/errors.ts';
import type { LinkSigner } from '../addresses/tokens.ts';
import { readEmail } from './account.ts';
import { awaitsVerification, emailNewToken, type UserTokenPurpose } from './user-tokens.ts';
import { DEFAULT_TENANT } from '../auth/access/built-in-roles.ts';

/** The violations of a user's address. */
export function addressViolations(email: string | undefined): Violation[] {
  const address = email === undefined ? null : readEmail(email);
  return isViolation(address) ? [{ path: '/email', ...address }] : [];
}

/**
 * Stores a request for an email. The worker looks up later whether the address has a user, so that the response does
 * the same work in the same time either way. Throws 400 for an invalid address.
 */
export async function requestMail(
  orm: Orm,
  purpose: UserTokenPurpose,
  email: string,
  requestId: string,
): Promise<void> {
  assertValid(addressViolations(email));
  const address = readEmail(email) as Exclude<ReturnType<typeof readEmail>, { code: string }>;
  // With the engine's role, because the tenant is not known before the user is found.
  await engineEm(orm).transactional((tx) =>
    rows(
      tx,
      sql`
    insert into account_mail_requests (tenant_id, email_key, purpose, request_id) values (${DEFAULT_TENANT}, ${address.emailKey}, ${purpose}, ${requestId})`,
    ),
  );
}

/** Processes the stored requests. Deletes those for addresses without a user, and those older than an hour. */
export async function serveMailRequests({ orm, links }: { orm: Orm; links: LinkSigner }): Promise<void> {
  await engineEm(orm).transactional((tx) =>
    rows(
      tx,
      sql`
    delete from account_mail_requests where id in (
      select id from account_mail_requests r
      where created_at < now() - interval '1 hour' or not exists (select 1 from users u where u.email_key = r.email_key)
      for update skip locked)`,
    ),
  );
  while (await serveOne(orm, links));
}

/**
 * Processes one request in one transaction, so that another process takes it over if this one crashes. Returns whether
 * there was one.
 */
async function serveOne(orm: Orm, links: LinkSigner): Promise<boolean> {
  return engineEm(orm).transactional(async (tx) => {
    const [request] = await rows<{ email_key: string; purpose: UserTokenPurpose; request_id: string | null }>(
      tx,
      sql`
      delete from account_mail_requests where id = (select id from account_mail_requests order by id limit 1 for update skip locked)
      returning email_key, purpose, request_id`,
    );
    if (!request) return false;
    const { purpose } = request;
    const user = await tx.findOne(User, { emailKey: request.email_key }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!user || (purpose === 'verify_email' && user.emailVerified)) return true;
    if (user.active || (await awaitsVerification(tx, user)))
      await emailNewToken(tx, links, user, purpose, request.request_id);
    return true;
  });
}
