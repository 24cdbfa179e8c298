import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { queueEmails, type EmailRequest } from '../../../domain/emails/ledger/queue-emails.ts';
import { makeContact, makeTemplate } from '../../support/mail/emails.ts';
import { startService, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
const suppress = (emailKey: string, reason: string) =>
  engine(sql`
  insert into suppressions (tenant_id, email_key, reason) values ('default', ${emailKey}, ${reason})`);
const setStatus = (id: number, status: string) => engine(sql`update contacts set status = ${status} where id = ${id}`);

test('an accepted send is a QUEUED ledger row with its request in the outbox', async () => {
  const [templateId, contact] = [await makeTemplate(service), await makeContact(service)];
  const answer = await service.api('POST', '/emails/send', { templateId, recipientId: contact.id, data: { order: 7 } });
  assert.equal(answer.status, 202);
  const { emailId } = answer.body;
  assert.deepEqual(answer.body, { emailId, status: 'QUEUED' });
  assert.equal(answer.headers.get('location'), `/api/v1/emails/${emailId}`);
  const { body: email } = await service.api('GET', `/emails/${emailId}`);
  const { createdAt: _c, updatedAt: _u, ...fields } = email;
  assert.deepEqual(fields, {
    id: emailId,
    templateId,
    contentVersion: null,
    contactId: contact.id,
    to: null,
    campaignId: null,
    executionId: null,
    stepId: null,
    externalId: null,
    lane: 'journey',
    status: 'QUEUED',
    reason: null,
    attempts: 0,
    provider: null,
    sentAt: null,
    tenantId: 'default',
  });
  const [request] = await engine<{ requests: unknown }>(
    sql`select requests from outbox_send_requests order by id desc limit 1`,
  );
  assert.deepEqual(request!.requests, [{ emailId, templateId, recipientId: contact.id, campaignId: null }]);
  const explained = await service.api('GET', `/emails/${emailId}/explain`);
  assert.deepEqual(
    explained.body.gates.map((gate: { gate: string; passed: boolean }) => [gate.gate, gate.passed]),
    [
      ['template', true],
      ['contact', true],
      ['status', true],
      ['suppression', true],
      ['topic', true],
      ['sender', true],
      ['frequency_cap', true],
      ['priority', true],
      ['intake', false],
    ],
  );
  assert.deepEqual(explained.body.attempts, []);
});

test('a send needs one recipient, an address that is one, and things that exist', async () => {
  const [templateId, contact] = [await makeTemplate(service), await makeContact(service)];
  const send = async (body: object) => {
    const {
      status,
      body: { code, errors },
    } = await service.api('POST', '/emails/send', body);
    return [status, code, ...errors.map(({ path }: { path: string }) => path)];
  };
  assert.deepEqual(await send({ templateId }), [400, 'validation_failed', '/recipientId']);
  assert.deepEqual(await send({ templateId, recipientId: contact.id, to: 'a@example.org' }), [
    400,
    'validation_failed',
    '/recipientId',
  ]);
  assert.deepEqual(await send({ templateId, to: 'a@b@example.org' }), [400, 'validation_failed', '/to']);
  assert.deepEqual(await send({ templateId, to: 'a@example.org\r\nBcc: b@example.org' }), [
    400,
    'validation_failed',
    '/to',
  ]);
  assert.deepEqual(await send({ templateId: '1', to: 'a@example.org' }), [400, 'validation_failed', '/templateId']);
  assert.deepEqual(await send({ templateId: 999_999, to: 'a@example.org' }), [404, 'not_found', '/templateId']);
  assert.deepEqual(await send({ templateId, recipientId: 999_999 }), [404, 'not_found', '/recipientId']);
  assert.deepEqual(await send({ templateId, recipientId: contact.id, campaignId: 999_999 }), [
    404,
    'not_found',
    '/campaignId',
  ]);
  const nothing = await service.api('POST', '/emails/send', {
    templateId: 999_997,
    recipientId: 999_998,
    campaignId: 999_999,
  });
  assert.deepEqual(
    [nothing.status, nothing.body.code, nothing.body.detail],
    [404, 'not_found', 'There is no template 999997, no contact 999998, no campaign 999999'],
  );
  assert.deepEqual(
    nothing.body.errors,
    [
      ['templateId', 'template', 999_997],
      ['recipientId', 'contact', 999_998],
      ['campaignId', 'campaign', 999_999],
    ].map(([member, what, id]) => ({ path: `/${member}`, code: 'not_found', message: `there is no ${what} ${id}` })),
  );
});

test('the gates: only active contacts and free addresses get marketing mail; bounced and complained get nothing', async () => {
  const ids = {
    marketing: await makeTemplate(service),
    transactional: await makeTemplate(service, { category: 'transactional' }),
  };
  const outcome = async (category: keyof typeof ids, recipient: object) => {
    const { body } = await service.api('POST', '/emails/send', { templateId: ids[category], ...recipient });
    const { body: email } = await service.api('GET', `/emails/${body.emailId}`);
    assert.equal(body.status, email.status);
    return email.reason ?? email.status;
  };
  for (const [status, marketing, transactional] of [
    ['active', 'QUEUED', 'QUEUED'],
    ['pending', 'contact_pending', 'QUEUED'],
    ['unsubscribed', 'contact_unsubscribed', 'QUEUED'],
    ['archived', 'contact_archived', 'QUEUED'],
    ['bounced', 'contact_bounced', 'contact_bounced'],
    ['complained', 'contact_complained', 'contact_complained'],
  ] as const) {
    const contact = await makeContact(service);
    await setStatus(contact.id, status);
    assert.equal(await outcome('marketing', { recipientId: contact.id }), marketing, status);
    assert.equal(await outcome('transactional', { recipientId: contact.id }), transactional, status);
    // The same person by the bare address, however it is written.
    assert.equal(await outcome('marketing', { to: contact.email.toUpperCase() }), marketing, status);
  }
  for (const [reason, marketing, transactional] of [
    ['unsubscribed', 'address_unsubscribed', 'QUEUED'],
    ['manual', 'address_manual', 'QUEUED'],
    ['bounced', 'address_bounced', 'address_bounced'],
    ['complained', 'address_complained', 'address_complained'],
  ] as const) {
    const address = `${reason}@example.org`;
    await suppress(address, reason);
    assert.equal(await outcome('marketing', { to: address }), marketing);
    assert.equal(await outcome('transactional', { to: address }), transactional);
  }
});

test('explain names the gate that stopped a suppressed email, and those it passed', async () => {
  const [templateId, contact] = [await makeTemplate(service), await makeContact(service)];
  await setStatus(contact.id, 'unsubscribed');
  const {
    body: { emailId },
  } = await service.api('POST', '/emails/send', { templateId, recipientId: contact.id });
  const { body } = await service.api('GET', `/emails/${emailId}/explain`);
  assert.equal(body.status, 'SUPPRESSED');
  assert.deepEqual(
    body.gates.map((gate: { gate: string; passed: boolean; reason: string }) => [gate.gate, gate.passed, gate.reason]),
    [
      ['template', true, null],
      ['contact', true, null],
      ['status', false, 'contact_unsubscribed'],
    ],
  );
  assert.equal((await service.api('GET', '/emails/999999/explain')).status, 404);
});

test('the same call under an Idempotency-Key is one email', async () => {
  const [templateId, contact] = [await makeTemplate(service), await makeContact(service)];
  const send = (body: object, key: string) =>
    service.api('POST', '/emails/send', body, { headers: { 'idempotency-key': key } });
  const calls = await Promise.all(
    Array.from({ length: 5 }, () => send({ templateId, recipientId: contact.id }, 'order-1')),
  );
  const accepted = calls.filter((call) => call.status === 202);
  assert.ok(accepted.length > 0);
  assert.equal(new Set(accepted.map((call) => call.body.emailId)).size, 1);
  const other = await send({ templateId, recipientId: contact.id }, 'order-2');
  assert.notEqual(other.body.emailId, accepted[0]!.body.emailId);
  const { body } = await service.api('GET', `/emails?contactId=${contact.id}&includeTotal=true`);
  assert.equal(body.page.total, 2);
});

test('lists filter by contact, campaign, status and external id', async () => {
  const [templateId, contact] = [await makeTemplate(service), await makeContact(service)];
  await engineEm(service.deps.orm).transactional((tx) =>
    queueEmails(tx, 'default', [
      {
        sendKey: 'external:abc',
        externalId: 'abc',
        templateId,
        contactId: contact.id,
        lane: 'journey',
        requestId: null,
        campaignId: 4711,
      },
      { sendKey: 'k2', templateId, contactId: contact.id, lane: 'bulk', requestId: null },
    ]),
  );
  const list = async (query: string) =>
    (await service.api('GET', `/emails?${query}`)).body.data.map((email: { lane: string }) => email.lane);
  assert.deepEqual(await list(`contactId=${contact.id}`), ['bulk', 'journey']);
  assert.deepEqual(await list('campaignId=4711'), ['journey']);
  assert.deepEqual(await list('externalId=abc'), ['journey']);
  assert.deepEqual(await list(`contactId=${contact.id}&status=SENT`), []);
  assert.equal((await service.api('GET', '/emails?status=LOST')).status, 400);
});

test('queueEmails: one email per send key, in one call, in two, and at the same time', async () => {
  const [templateId, contact] = [await makeTemplate(service), await makeContact(service)];
  const request = (sendKey: string, more: Partial<EmailRequest> = {}): EmailRequest => ({
    sendKey,
    templateId,
    contactId: contact.id,
    lane: 'journey',
    requestId: 'r1',
    ...more,
  });
  const queue = (requests: EmailRequest[]) =>
    engineEm(service.deps.orm).transactional((tx) => queueEmails(tx, 'default', requests));
  const requested = async () =>
    (
      await engine<{ n: number }>(
        sql`select coalesce(sum(jsonb_array_length(requests)), 0)::int as n from outbox_send_requests`,
      )
    )[0]!.n;

  const before = await requested();
  const first = await queue([request('a'), request('b'), request('a', { lane: 'bulk' })]);
  assert.deepEqual(
    first.map((email) => [email.sendKey, email.status, email.isNew]),
    [
      ['a', 'QUEUED', true],
      ['b', 'QUEUED', true],
      ['a', 'QUEUED', true],
    ],
  );
  assert.equal(first[0]!.emailId, first[2]!.emailId);
  const second = await queue([request('c', { accepted: true }), request('b'), request('d', { templateId: 999_999 })]);
  assert.deepEqual(
    second.map((email) => [email.sendKey, email.isNew, email.reason]),
    [
      ['c', true, null],
      ['b', false, null],
      ['d', true, 'template_deleted'],
    ],
  );
  assert.equal(second[1]!.emailId, first[1]!.emailId);
  // Requests for a and b; c is accepted already, d was refused.
  assert.equal(await requested(), before + 2);
  const twins = await Promise.all(Array.from({ length: 8 }, () => queue([request('twin')])));
  assert.equal(new Set(twins.map(([email]) => email!.emailId)).size, 1);
  assert.equal(twins.filter(([email]) => email!.isNew).length, 1);
  assert.deepEqual(await queue([]), []);
});
