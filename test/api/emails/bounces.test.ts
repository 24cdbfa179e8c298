import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql, tenantEm } from '../../../db/orm.ts';
import { eraseRecords } from '../../../domain/contacts/erasure/erase-records.ts';
import { classifyHits } from '../../../domain/tracking/classify-hits.ts';
import { recordHits } from '../../../domain/tracking/record-hits.ts';
import { settleAttempts } from '../../../domain/emails/bounces/settle-attempts.ts';
import type { Settlement } from '../../../domain/emails/ledger/settle-emails.ts';
import { markLostEmails } from '../../../domain/emails/ledger/recover-emails.ts';
import { makeMailed, makeSent, reportOf, takeIn } from '../../support/mail/bounces.ts';
import { makeContact, published, startAs } from '../../support/mail/emails.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { BROWSER } from '../../support/visits.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: ['relay'] });
});
afterAll(() => service.stop());

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
const emailOf = async (id: number) => (await service.api('GET', `/emails/${id}`)).body;
const stateOf = async (id: number) => {
  const { status, reason } = await emailOf(id);
  return [status, reason];
};
const statusOf = async (id: number): Promise<string> => (await service.api('GET', `/contacts/${id}`)).body.status;
const reasonOf = async (address: string): Promise<string | null> =>
  (await service.api('GET', `/emails/suppressions?email=${encodeURIComponent(address)}`)).body.data[0]?.reason ?? null;
const gatesOf = async (id: number) =>
  (await service.api('GET', `/emails/${id}/explain`)).body.gates
    .map(({ gate, passed, reason }: { gate: string; passed: boolean; reason: string | null }) => [gate, passed, reason])
    .slice(-3);
/** Waits until all that was committed so far is published, then answers the events of a type about an email. */
async function toldOf(type: 'EMAIL_BOUNCED' | 'EMAIL_SENT', emailId: number) {
  await until('the outbox is empty', async () => (await engine(sql`select 1 from outbox_events limit 1`)).length === 0);
  const events = await published(service, type);
  return events
    .map(({ data }) => data as { emailId: number; contactId?: number; status?: string; hard?: boolean })
    .filter((data) => data.emailId === emailId);
}
async function hit(emailId: number, type: 'OPEN' | 'CLICK', automated = false): Promise<void> {
  await engineEm(service.deps.orm).transactional((tx) =>
    recordHits(tx, [
      {
        id: randomUUID(),
        type,
        emailId,
        at: new Date().toISOString(),
        madeAt: null,
        url: type === 'CLICK' ? 'https://example.com/one' : null,
        ip: null,
        userAgent: BROWSER,
        automated,
      },
    ]),
  );
  await classifyHits(engineEm(service.deps.orm), 0);
}

test('a hard bounce: the ledger, the contact, the suppression and the explanation say so, once', async () => {
  const { contact, emailId } = await makeMailed(service);
  const { sentAt } = await emailOf(emailId);
  const report = reportOf(emailId, 'address', {
    statusCode: '5.1.1',
    diagnostic: `550 5.1.1 <${contact.email}> unknown`,
  });
  for (let n = 0; n < 3; n += 1) await takeIn(service, report, report);
  assert.deepEqual(await stateOf(emailId), ['BOUNCED', 'hard_bounce']);
  assert.equal((await emailOf(emailId)).sentAt, sentAt, 'it was sent when it was sent');
  assert.deepEqual([await statusOf(contact.id), await reasonOf(contact.email)], ['bounced', 'bounced']);
  assert.deepEqual(await gatesOf(emailId), [
    ['intake', true, null],
    ['provider', true, null],
    ['bounce', false, 'hard_bounce 5.1.1'],
  ]);
  const [told, ...more] = await toldOf('EMAIL_BOUNCED', emailId);
  assert.deepEqual([told!.contactId, told!.hard, more.length], [contact.id, true, 0]);
  assert.deepEqual(await toldOf('EMAIL_SENT', emailId), [], 'that it was sent its sender has told');
  const updates = (await published(service, 'CONTACT_UPDATED')).filter(({ data }) => data.contactId === contact.id);
  assert.equal(updates.length, 1);
  assert.equal((await engine(sql`select 1 from email_bounces where email_id = ${emailId}`)).length, 1);
});

test('simultaneous twins of a report, and reports by several ways, are one bounce', async () => {
  const { contact, emailId } = await makeMailed(service);
  const report = reportOf(emailId, 'address');
  await Promise.all([
    ...Array.from({ length: 5 }, () => takeIn(service, report)),
    takeIn(service, reportOf(emailId, 'address', { source: 'ses' })),
    takeIn(service, reportOf(emailId, 'mailbox', { source: 'sendgrid' })),
  ]);
  assert.equal((await emailOf(emailId)).status, 'BOUNCED');
  assert.equal(await statusOf(contact.id), 'bounced');
  assert.equal((await toldOf('EMAIL_BOUNCED', emailId)).length, 1);
  assert.equal((await engine(sql`select 1 from email_bounces where email_id = ${emailId}`)).length, 3);
});

test('a complaint stays one when a bounce comes after it, and takes the place of a bounce', async () => {
  const first = await makeMailed(service);
  await takeIn(service, reportOf(first.emailId, 'complaint'));
  assert.deepEqual(await stateOf(first.emailId), ['COMPLAINED', 'complaint']);
  await takeIn(service, reportOf(first.emailId, 'address'));
  assert.deepEqual(await stateOf(first.emailId), ['COMPLAINED', 'complaint']);
  assert.deepEqual(
    [await statusOf(first.contact.id), await reasonOf(first.contact.email)],
    ['complained', 'complained'],
  );
  assert.deepEqual(await toldOf('EMAIL_BOUNCED', first.emailId), []);
  const second = await makeMailed(service);
  await takeIn(service, reportOf(second.emailId, 'mailbox'));
  assert.deepEqual(
    [await stateOf(second.emailId), await statusOf(second.contact.id)],
    [['BOUNCED', 'soft_bounce'], 'active'],
  );
  await takeIn(service, reportOf(second.emailId, 'complaint'));
  assert.deepEqual(
    [await stateOf(second.emailId), await statusOf(second.contact.id)],
    [['COMPLAINED', 'complaint'], 'complained'],
  );
  const gates = await gatesOf(second.emailId);
  assert.deepEqual(gates.slice(1), [
    ['bounce', false, 'soft_bounce'],
    ['complaint', false, 'complaint'],
  ]);
});

test('a soft bounce becomes a hard one, told of once', async () => {
  const { contact, emailId } = await makeMailed(service);
  await takeIn(service, reportOf(emailId, 'mailbox', { statusCode: '4.2.2' }));
  await takeIn(service, reportOf(emailId, 'address', { statusCode: '5.1.1' }));
  assert.deepEqual([await stateOf(emailId), await statusOf(contact.id)], [['BOUNCED', 'hard_bounce'], 'bounced']);
  assert.deepEqual(
    (await toldOf('EMAIL_BOUNCED', emailId)).map(({ hard }) => hard),
    [false],
  );
});

test('the fifth mail that bounces softly suppresses the address; one that arrived begins the count anew', async () => {
  const contact = await makeContact(service);
  const bounce = async () => {
    const emailId = await makeSent(service, { contactId: contact.id });
    const soft = reportOf(emailId, 'mailbox', { statusCode: '4.2.2' });
    await takeIn(service, soft, reportOf(emailId, 'mailbox', { source: 'ses' }));
    await takeIn(service, soft);
  };
  for (let n = 0; n < 4; n += 1) await bounce();
  assert.equal(await statusOf(contact.id), 'active', 'four mails, eight reports');
  const opened = await makeSent(service, { contactId: contact.id });
  await hit(opened, 'OPEN', true);
  await hit(opened, 'OPEN');
  for (let n = 0; n < 4; n += 1) await bounce();
  assert.equal(await statusOf(contact.id), 'active', 'four since one was opened');
  await takeIn(service, reportOf(await makeSent(service, { contactId: contact.id }), 'delivered'));
  for (let n = 0; n < 4; n += 1) await bounce();
  assert.equal(await statusOf(contact.id), 'active', 'four since one was delivered');
  await hit(await makeSent(service, { contactId: contact.id }), 'OPEN', true);
  await bounce();
  assert.equal(await statusOf(contact.id), 'bounced', 'what a machine opened says nothing');
  assert.equal(await reasonOf(contact.email), 'bounced');

  const [{ id } = { id: 0 }] = (await service.api('GET', `/emails/suppressions?email=${contact.email}`)).body.data;
  await service.api('DELETE', `/emails/suppressions/${id}`);
  await bounce();
  assert.equal(await statusOf(contact.id), 'active', 'whoever lets mail to it again has another five');
  for (let n = 0; n < 4; n += 1) await bounce();
  assert.equal(await statusOf(contact.id), 'bounced');
});

test('five soft bounces that arrive together suppress too, and those of a bare address', async () => {
  const address = 'bare-and-full@example.org';
  const ids = [];
  for (let n = 0; n < 6; n += 1) ids.push(await makeSent(service, { address }));
  await takeIn(service, ...ids.map((id) => reportOf(id, 'mailbox')));
  assert.equal(await reasonOf(address), 'bounced');
});

test('soft bounces for the fault of the sender or a policy never suppress, however many', async () => {
  const { contact } = await makeMailed(service);
  for (let n = 0; n < 4; n += 1)
    for (const verdict of ['policy', 'sender', 'content'] as const)
      await takeIn(service, reportOf(await makeSent(service, { contactId: contact.id }), verdict));
  for (const verdict of ['temporary', 'unclear', 'mailbox', 'mailbox'] as const)
    await takeIn(service, reportOf(await makeSent(service, { contactId: contact.id }), verdict));
  assert.equal(await statusOf(contact.id), 'active');
  await takeIn(service, reportOf(await makeSent(service, { contactId: contact.id }), 'unclear'));
  assert.equal(await statusOf(contact.id), 'bounced', 'the fifth that says something about the address');
});

test("the address that bounced is suppressed: not the contact's new one, but whoever has it by now", async () => {
  const { contact, emailId } = await makeMailed(service);
  await service.api('PUT', `/contacts/${contact.id}`, { email: `new-${contact.email}` });
  const heir = await makeContact(service, { email: contact.email });
  await takeIn(service, reportOf(emailId, 'address'));
  assert.deepEqual([await statusOf(contact.id), await statusOf(heir.id)], ['active', 'bounced']);
  assert.deepEqual([await reasonOf(contact.email), await reasonOf(`new-${contact.email}`)], ['bounced', null]);
});

test('of several recipients the one counts that the mail went to', async () => {
  const { contact, emailId } = await makeMailed(service);
  const outcome = (verdict: 'address' | 'mailbox', recipient: string) => ({
    verdict,
    recipients: [recipient],
    statusCode: null,
    diagnostic: null,
  });
  await takeIn(service, {
    ...reportOf(emailId, 'address'),
    outcomes: [outcome('address', 'else@example.org'), outcome('mailbox', contact.email.toUpperCase())],
  });
  assert.deepEqual([await stateOf(emailId), await statusOf(contact.id)], [['BOUNCED', 'soft_bounce'], 'active']);
});

test('UNKNOWN is settled by what comes back, opens, clicks or is delivered, and then told as sent', async () => {
  const settle = {
    hard_bounce: ['BOUNCED', (id: number) => takeIn(service, reportOf(id, 'address'))],
    complaint: ['COMPLAINED', (id: number) => takeIn(service, reportOf(id, 'complaint'))],
    confirmed_by_mailgun: [
      'DELIVERED',
      (id: number) => takeIn(service, reportOf(id, 'delivered', { source: 'mailgun' })),
    ],
    confirmed_by_open: ['SENT', (id: number) => hit(id, 'OPEN')],
    confirmed_by_click: ['SENT', (id: number) => hit(id, 'CLICK')],
  } as const;
  for (const [reason, [status, act]] of Object.entries(settle)) {
    const { emailId } = await makeMailed(service, 'UNKNOWN');
    assert.equal((await emailOf(emailId)).sentAt, null);
    await act(emailId);
    assert.deepEqual(await stateOf(emailId), [status, reason]);
    assert.ok((await emailOf(emailId)).sentAt, reason);
    assert.deepEqual(
      (await toldOf('EMAIL_SENT', emailId)).map((data) => data.status),
      ['SENT'],
      reason,
    );
    // The holder that was thought dead comes too late.
    await settleAttempts(engineEm(service.deps.orm), [
      { id: emailId, tenantId: 'default', attempt: 1, provider: 'mx:25', result: 'FAILED', reply: '550 no' },
    ]);
    assert.deepEqual(await stateOf(emailId), [status, reason]);
  }
  const { emailId } = await makeMailed(service, 'UNKNOWN');
  await hit(emailId, 'OPEN', true);
  assert.equal((await emailOf(emailId)).status, 'UNKNOWN', 'a machine opens what it likes');
});

test('delivered: SENT becomes DELIVERED, a bounce makes it BOUNCED, and not the other way round', async () => {
  const { emailId } = await makeMailed(service);
  await takeIn(service, reportOf(emailId, 'delivered', { source: 'postmark' }));
  assert.deepEqual(await gatesOf(emailId), [
    ['intake', true, null],
    ['provider', true, null],
    ['delivery', true, 'confirmed_by_postmark'],
  ]);
  assert.deepEqual(await toldOf('EMAIL_SENT', emailId), []);
  await takeIn(service, reportOf(emailId, 'address'));
  await takeIn(service, reportOf(emailId, 'delivered'));
  assert.deepEqual(await stateOf(emailId), ['BOUNCED', 'hard_bounce']);
});

test('what comes in about mail on a connection waits for its holder', async () => {
  const settled = async (result: 'SENT' | 'UNKNOWN', act: (id: number) => Promise<unknown>) => {
    const { emailId } = await makeMailed(service, 'SENDING');
    await act(emailId);
    assert.equal((await emailOf(emailId)).status, 'SENDING');
    await settleAttempts(engineEm(service.deps.orm), [
      { id: emailId, tenantId: 'default', attempt: 1, provider: 'mx:25', result, reply: null },
    ]);
    assert.equal((await toldOf('EMAIL_SENT', emailId)).length, 1);
    return stateOf(emailId);
  };
  assert.deepEqual(await settled('SENT', (id) => takeIn(service, reportOf(id, 'address'))), ['BOUNCED', 'hard_bounce']);
  assert.deepEqual(await settled('UNKNOWN', (id) => takeIn(service, reportOf(id, 'mailbox'))), [
    'BOUNCED',
    'soft_bounce',
  ]);
  assert.deepEqual(await settled('UNKNOWN', (id) => hit(id, 'CLICK')), ['SENT', 'confirmed_by_click']);

  const swept = await makeMailed(service, 'SENDING');
  await hit(swept.emailId, 'OPEN');
  await engine(sql`update emails set lease_until = now() - interval '1 s' where id = ${swept.emailId}`);
  await markLostEmails(engineEm(service.deps.orm));
  assert.deepEqual(await stateOf(swept.emailId), ['SENT', 'confirmed_by_open']);

  const { emailId } = await makeMailed(service, 'SENDING');
  assert.deepEqual(await takeIn(service, reportOf(emailId, 'delivered')), { deferred: 1 }, 'it is to come again');
  assert.equal((await emailOf(emailId)).status, 'SENDING');
});

test('a bounce that comes while the holder settles is not lost, whoever is first', async () => {
  for (let round = 0; round < 30; round += 1) {
    const { emailId } = await makeMailed(service, 'SENDING');
    const sent: Settlement[] = [
      { id: emailId, tenantId: 'default', attempt: 1, provider: 'mx:25', result: 'SENT', reply: null },
    ];
    await Promise.all([
      round % 2 === 0 ? settleAttempts(engineEm(service.deps.orm), sent) : startAs(service, 'me', [], { sent }),
      takeIn(service, reportOf(emailId, 'address')),
    ]);
    assert.deepEqual(await stateOf(emailId), ['BOUNCED', 'hard_bounce']);
    assert.deepEqual(
      [(await toldOf('EMAIL_SENT', emailId)).length, (await toldOf('EMAIL_BOUNCED', emailId)).length],
      [1, 1],
    );
  }
});

test('what says nothing, or is about nothing, changes nothing', async () => {
  const { contact, emailId } = await makeMailed(service);
  const failed = (await makeMailed(service, 'FAILED')).emailId;
  await takeIn(service, reportOf(emailId, 'none'), reportOf(999_999_999, 'address'));
  await takeIn(service);
  assert.deepEqual([await stateOf(emailId), await statusOf(contact.id)], [['SENT', null], 'active']);
  await takeIn(service, reportOf(failed, 'delivered'), reportOf(failed, 'mailbox'));
  assert.equal((await emailOf(failed)).status, 'FAILED');
});

test('erasure: diagnostics and addresses go, what comes later is dropped, and the data export shows what there was', async () => {
  const { contact, emailId } = await makeMailed(service);
  const later = await makeSent(service, { contactId: contact.id });
  await takeIn(
    service,
    reportOf(emailId, 'mailbox', {
      statusCode: '4.2.2',
      diagnostic: `452 <${contact.email}> is full`,
      eventKey: `<${contact.email}.1@mx.example.net>`,
    }),
  );
  const { body: held } = await service.api('GET', `/contacts/${contact.id}/data-export`);
  const exported = held.emails.find((email: { id: number }) => email.id === emailId).bounces;
  assert.deepEqual(
    exported.map(({ kind, source, statusCode, diagnostic }: Record<string, unknown>) => [
      kind,
      source,
      statusCode,
      diagnostic,
    ]),
    [['soft', 'mailbox', '4.2.2', `452 <${contact.email}> is full`]],
  );

  const { body: job } = await service.api('POST', `/contacts/${contact.id}/erase`);
  await eraseRecords(tenantEm(service.deps.orm, 'default'), 'default', job.id);
  const kept = await engine<Record<string, unknown>>(sql`select * from email_bounces where email_id = ${emailId}`);
  assert.equal(kept.length, 1);
  assert.doesNotMatch(JSON.stringify(kept), new RegExp(contact.email.split('@')[0]!));
  await takeIn(
    service,
    reportOf(emailId, 'address', { recipients: [contact.email], diagnostic: contact.email }),
    reportOf(later, 'complaint', { recipients: [contact.email] }),
  );
  assert.equal((await engine(sql`select 1 from email_bounces where email_id in (${emailId}, ${later})`)).length, 1);
  assert.equal((await engine(sql`select 1 from suppressions where email_key = ${contact.email}`)).length, 0);
});
