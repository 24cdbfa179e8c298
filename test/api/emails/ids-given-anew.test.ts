import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { sql } from '../../../db/orm.ts';
import { makeContactToken } from '../../../domain/addresses/contact-token.ts';
import { makeMailed } from '../../support/mail/bounces.ts';
import { makeContact } from '../../support/mail/emails.ts';
import type { Service } from '../../support/service.ts';
import { startVisitors, type Visitors } from '../../support/visits.ts';

let service: Service;
let site: Visitors;
beforeAll(async () => {
  ({ service, site } = await startVisitors());
});
afterAll(() => service.stop());

/**
 * Links of before Postgres was put back to an older copy, in which the ids of their contact and email were not given
 * yet: others have them now.
 */
const BEFORE = new Date(Date.now() - 3_600_000);
const tokenOf = (contactId: number, emailId: number | null, madeAt: Date | null | undefined): string =>
  service.deps.links.unsubscribeToken({ tenantId: 'default', emailId, contactId, madeAt });
const post = (path: string, body?: unknown) =>
  service.api('POST', path, body, { token: null, headers: { accept: 'application/json' } });
const statusOf = async (id: number): Promise<string> => (await service.api('GET', `/contacts/${id}`)).body.status;

test('a link to unsubscribe does not unsubscribe who was given the id of its contact or email', async () => {
  const { contact, emailId } = await makeMailed(service);
  for (const email of [emailId, null]) {
    const token = tokenOf(contact.id, email, BEFORE);
    assert.equal((await post(`/emails/unsubscribe/${token}`)).status, 200);
    const choice = new URLSearchParams([['unsubscribe', 'all']]);
    assert.equal((await post(`/emails/preferences/${token}`, choice)).status, 200);
  }
  assert.equal(await statusOf(contact.id), 'active');
  const suppressed = await site.engine(sql`select 1 from suppressions`);
  assert.deepEqual(suppressed, []);
});

test('the web view of an email shows nobody the email that was given its id', async () => {
  const { emailId } = await makeMailed(service);
  const view = (token: string) => service.api('GET', `/emails/view/${token}`, undefined, { token: null });
  const { links } = service.deps;
  assert.equal((await view(links.viewToken(emailId, BEFORE))).body.code, 'token_invalid');
  for (const token of [links.viewToken(emailId, new Date()), links.emailToken('view', emailId)])
    assert.equal((await view(token)).status, 200);
});

test('links of now, and those of earlier releases, which say no time, work', async () => {
  for (const madeAt of [undefined, null]) {
    for (const withEmail of [true, false]) {
      const { contact, emailId } = await makeMailed(service);
      const token = tokenOf(contact.id, withEmail ? emailId : null, madeAt);
      assert.equal((await post(`/emails/unsubscribe/${token}`)).status, 200);
      assert.equal(await statusOf(contact.id), 'unsubscribed');
    }
  }
});

test('a link works for the contact that its own was merged into, also if that was made later', async () => {
  const { contact, emailId } = await makeMailed(service);
  const tokens = [tokenOf(contact.id, emailId, undefined), tokenOf(contact.id, null, undefined)];
  for (const token of tokens) {
    const later = await makeContact(service);
    await site.engine(sql`update contacts set created_at = now() + interval '1 hour' where id = ${later.id}`);
    await site.engine(sql`update emails set contact_id = ${later.id} where id = ${emailId}`);
    await site.engine(sql`delete from merged_contacts where contact_id = ${contact.id}`);
    await site.engine(
      sql`insert into merged_contacts (tenant_id, contact_id, merged_into) values ('default', ${contact.id}, ${later.id})`,
    );
    assert.equal((await post(`/emails/unsubscribe/${token}`)).status, 200);
    assert.equal(await statusOf(later.id), 'unsubscribed');
  }
});

test('a token in a link to a form or a page names nobody else', async () => {
  const { id, email } = await makeContact(service);
  const old = makeContactToken(service.deps.links, 'default', id, BEFORE.getTime());
  assert.equal((await site.visit(id, { contactToken: old })).status, 204);
  assert.deepEqual(await site.visitsOf(id), []);
  await site.visit(id);
  assert.equal((await site.visitsOf(id)).length, 1);

  const fields = [
    { name: 'email', label: 'Email', type: 'email', required: true },
    { name: 'company', label: 'Company', type: 'text' },
  ];
  const { body: form } = await service.api('POST', '/forms', {
    name: 'Lead',
    fields,
    enableProgressiveProfiling: true,
  });
  const page = async (token: string): Promise<string> => {
    const answer = await service.api('GET', `/forms/${form.id}/page?contactToken=${token}`, undefined, { token: null });
    return String(answer.body);
  };
  assert.ok(!(await page(old)).includes(old));
  assert.ok((await page(site.tokenOf(id))).includes('contactToken'));
  assert.ok(!(await page(old)).includes(email));
});
