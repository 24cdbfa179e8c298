import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { makeContact, makeTemplate, published, send } from '../../support/mail/emails.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: ['relay'] });
});
afterAll(() => service.stop());

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
const tokenOf = (emailId: number, contactId: number | null, address: string | null = null) =>
  service.deps.links.unsubscribeToken({ tenantId: 'default', emailId, contactId, address });
const page = (method: string, token: string, body?: unknown, headers = {}) =>
  service.api(method, `/emails/unsubscribe/${token}`, body, { token: null, headers });

async function queuedTo(contact: { id: number }, fields: object = {}) {
  return send(service, {
    templateId: await makeTemplate(service, fields as Record<string, unknown>),
    recipientId: contact.id,
  });
}

test('GET shows a page and changes nothing, whoever follows the link', async () => {
  const contact = await makeContact(service);
  const token = tokenOf(await queuedTo(contact), contact.id);
  for (const method of ['GET', 'HEAD', 'GET']) {
    const shown = await page(method, `${token}?utm_source=scanner`);
    assert.equal(shown.status, 200);
    assert.match(shown.headers.get('content-type')!, /^text\/html/);
    const policy = shown.headers.get('content-security-policy')!;
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /form-action 'self'/);
    assert.doesNotMatch(policy, /script-src|upgrade-insecure/);
    if (method === 'GET') {
      assert.match(shown.body, /<form method="post"><button type="submit">/);
      assert.match(shown.body, /<html lang="en">/);
      assert.doesNotMatch(shown.body, /<script/i);
    }
  }
  assert.equal((await service.api('GET', `/contacts/${contact.id}`)).body.status, 'active');
  assert.deepEqual(await engine(sql`select 1 from suppressions`), []);
});

test('POST unsubscribes at once: contact, address, queued marketing mail; repeated it changes nothing', async () => {
  const contact = await makeContact(service);
  const marketing = await queuedTo(contact);
  const transactional = await queuedTo(contact, { category: 'transactional' });
  const token = tokenOf(marketing, contact.id);
  // As mailbox providers do it (RFC 8058), in both encodings, and as the page does it.
  const oneClick = new FormData();
  oneClick.set('List-Unsubscribe', 'One-Click');
  const answers = await Promise.all([
    page('POST', token, new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })),
    page('POST', token, oneClick),
    page('POST', token),
    page('POST', token, 'junk'),
  ]);
  assert.deepEqual(
    answers.map((answer) => answer.status),
    [200, 200, 200, 200],
  );
  assert.match(answers[0].body, /You are unsubscribed/);

  const { body: after } = await service.api('GET', `/contacts/${contact.id}`);
  assert.equal(after.status, 'unsubscribed');
  assert.equal(after.version, 2);
  assert.deepEqual(await engine(sql`select email_key, reason, source from suppressions`), [
    { email_key: contact.email, reason: 'unsubscribed', source: 'email' },
  ]);
  const statuses = await Promise.all(
    [marketing, transactional].map(async (id) => (await service.api('GET', `/emails/${id}`)).body),
  );
  assert.deepEqual(
    statuses.map((email) => [email.status, email.reason]),
    [
      ['SUPPRESSED', 'contact_unsubscribed'],
      ['QUEUED', null],
    ],
  );
  const { body: tracked } = await service.api('GET', `/emails/tracking/${marketing}`);
  assert.deepEqual(
    tracked.events.map((event: { type: string; first: boolean }) => [event.type, event.first]),
    [['UNSUBSCRIBE', true]],
  );
  const events = await until('the event is out', async () => {
    const found = await published(service, 'CONTACT_UNSUBSCRIBED');
    return found.length > 0 && found;
  });
  assert.deepEqual(
    events.map(({ data }) => [data.contactId, data.emailId, data.reason]),
    [[contact.id, marketing, 'link']],
  );
  assert.equal(
    (await published(service, 'CONTACT_UPDATED')).filter(({ data }) => data.contactId === contact.id).length,
    1,
  );
});

test('a stricter status stays, and so does a stricter suppression', async () => {
  const contact = await makeContact(service);
  const emailId = await queuedTo(contact);
  await engine(sql`update contacts set status = 'complained' where id = ${contact.id}`);
  await engine(
    sql`insert into suppressions (tenant_id, email_key, reason) values ('default', ${contact.email}, 'complained')`,
  );
  assert.equal((await page('POST', tokenOf(emailId, contact.id))).status, 200);
  assert.equal((await service.api('GET', `/contacts/${contact.id}`)).body.status, 'complained');
  assert.deepEqual(await engine(sql`select reason from suppressions where email_key = ${contact.email}`), [
    { reason: 'complained' },
  ]);
});

test('the token holds when the contact has moved on: the address the mail went to and the present one are suppressed', async () => {
  const contact = await makeContact(service);
  const emailId = await queuedTo(contact);
  await engine(sql`update emails set status = 'SENT', to_address = ${contact.email} where id = ${emailId}`);
  const moved = `moved-${contact.email}`;
  await service.api('PUT', `/contacts/${contact.id}`, { email: moved });
  await page('POST', tokenOf(emailId, contact.id));
  const suppressed = await engine<{ email_key: string }>(
    sql`select email_key from suppressions where email_key in (${contact.email}, ${moved}) order by 1`,
  );
  assert.deepEqual(
    suppressed.map((row) => row.email_key),
    [moved, contact.email].sort(),
  );

  // Deleted: the address is still known from the ledger.
  const gone = await makeContact(service);
  const toGone = await queuedTo(gone);
  await engine(sql`update emails set status = 'SENT', to_address = ${gone.email} where id = ${toGone}`);
  assert.equal((await service.api('DELETE', `/contacts/${gone.id}`)).status, 204);
  assert.equal((await page('POST', tokenOf(toGone, gone.id))).status, 200);
  assert.equal((await engine(sql`select 1 from suppressions where email_key = ${gone.email}`)).length, 1);
});

test('a bare address unsubscribes too, and gets no marketing mail any more', async () => {
  const templateId = await makeTemplate(service);
  const emailId = await send(service, { templateId, to: 'Bare@Example.org' });
  assert.equal((await page('POST', tokenOf(emailId, null, 'Bare@Example.org'))).status, 200);
  const again = await service.api('POST', '/emails/send', { templateId, to: 'bare@example.org' });
  assert.equal(again.body.status, 'SUPPRESSED');
});

test('a token that is not ours is refused and changes nothing', async () => {
  const contact = await makeContact(service);
  const token = tokenOf(await queuedTo(contact), contact.id);
  const forged = token.slice(0, -2) + (token.endsWith('AA') ? 'BB' : 'AA');
  for (const bad of [forged, 'x', service.deps.links.openTrackingId(1)]) {
    for (const method of ['GET', 'POST']) {
      const answer = await page(method, bad);
      assert.deepEqual([answer.status, answer.body.code], [400, 'token_invalid'], `${method} ${bad}`);
    }
  }
  assert.equal((await service.api('GET', `/contacts/${contact.id}`)).body.status, 'active');
});
