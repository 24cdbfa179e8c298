import assert from 'node:assert/strict';
import { sql } from '../../../db/orm.ts';
import { engine, linkOf, nthMail } from './account-mails.ts';
import type { Service } from '../service.ts';

/** Creates a sender and returns it. */
export async function makeSender(service: Service, fields: Record<string, unknown>) {
  const answer = await service.api('POST', '/emails/senders', fields);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

/** Creates a sender and marks its address as confirmed without an email; returns its id. */
export async function makeConfirmedSender(service: Service, email: string): Promise<number> {
  const { id } = await makeSender(service, { email });
  await engine(service, sql`update email_senders set confirmed_at = now() where id = ${id}`);
  return id as number;
}

/** The path of the confirmation page in the nth email to a sender's address. */
export async function confirmationPath(service: Service, email: string, n = 1): Promise<string> {
  const { pathname } = linkOf(await nthMail(service, email, n));
  assert.match(pathname, /^\/api\/v1\/emails\/confirm-sender\/[\w-]+$/);
  return pathname.slice('/api/v1'.length);
}

/** Confirms a sender's address like its owner: through the page in the nth email. */
export async function confirmByMail(service: Service, email: string, n = 1): Promise<void> {
  const answer = await service.api('POST', await confirmationPath(service, email, n), undefined, { token: null });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
}
