import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../db/orm.ts';
import { repeatSendRequests } from '../../domain/emails/ledger/recover-emails.ts';
import { lanesOfPing } from '../../worker/consumers/emails.ts';
import { encode } from '../../transport/nats.ts';
import { EMAIL_READY_PING, SEND_REQUEST_SUBJECT } from '../../transport/streams.ts';
import { makeContact, makeTemplate, published, send, untilStatus } from '../support/mail/emails.ts';
import { startService, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';
import { onTestFinished } from '../support/on-test-finished.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: ['intake', 'consumers', 'relay', 'senders'] });
});
afterAll(() => service.stop());

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
const publish = (request: unknown) =>
  service.deps.nats.js.publish(SEND_REQUEST_SUBJECT, request instanceof Uint8Array ? request : encode(request));
const dead = () =>
  engine<{ body: string; error: string }>(
    sql`select body, error from dead_letters where consumer = 'email-intake' order by id`,
  );
const byExternalId = async (externalId: string) =>
  (await service.api('GET', `/emails?externalId=${encodeURIComponent(externalId)}`)).body.data;
const mailsTo = (address: string) => service.sink.mails.filter((mail) => mail.to[0] === address);

test("another program's request is delivered once under its own id, however often it is sent", async () => {
  const [templateId, contact] = [await makeTemplate(service), await makeContact(service)];
  const request = { templateId, recipientId: contact.id, emailId: 'crm/2031 é' };
  for (let times = 0; times < 3; times += 1) await publish(request);
  const [email] = await until('it is in the ledger', async () => {
    const found = await byExternalId(request.emailId);
    return found.length > 0 && found;
  });
  await untilStatus(service, email.id, 'SENT');
  await publish({ ...request, tenantId: 'default' });
  // What was published after them has gone through.
  const probe = await makeContact(service);
  await publish({ templateId, recipientId: probe.id, emailId: 'probe', campaignId: null });
  await until('the probe is sent', () => mailsTo(probe.email).length > 0);
  assert.equal(mailsTo(contact.email).length, 1);
  assert.equal((await byExternalId(request.emailId)).length, 1);
  assert.equal(email.externalId, request.emailId);
  const [event] = await until('EMAIL_SENT is published', async () => {
    const found = (await published(service, 'EMAIL_SENT')).filter(({ data }) => data.emailId === email.id);
    return found.length > 0 && found;
  });
  const { timestamp: _t, ...data } = event!.data;
  assert.deepEqual(data, {
    emailId: email.id,
    recipientId: contact.id,
    status: 'SENT',
    templateId,
    externalId: request.emailId,
    tenantId: 'default',
  });
});

test('it passes every gate: an unsubscribed contact and a missing template get a ledger row and no mail', async () => {
  const [templateId, contact] = [await makeTemplate(service), await makeContact(service)];
  await engine(sql`update contacts set status = 'unsubscribed' where id = ${contact.id}`);
  await publish({ templateId, recipientId: contact.id, emailId: 'out-1' });
  await publish({ templateId: 999_999, recipientId: contact.id, emailId: 'out-2' });
  await publish({ templateId, recipientId: 999_999, emailId: 'out-3' });
  const reasons = await until('all are judged', async () => {
    const found = (await Promise.all(['out-1', 'out-2', 'out-3'].map(byExternalId))).flat();
    return found.length === 3 && found.map((email) => [email.status, email.reason]);
  });
  assert.deepEqual(reasons, [
    ['SUPPRESSED', 'contact_unsubscribed'],
    ['SUPPRESSED', 'template_deleted'],
    ['SUPPRESSED', 'contact_deleted'],
  ]);
  assert.equal(mailsTo(contact.email).length, 0);
});

test('what can not be read is dead-lettered at once, and nothing behind it waits', async () => {
  const [templateId, contact] = [await makeTemplate(service), await makeContact(service)];
  const bad: unknown[] = [
    new TextEncoder().encode('{"templateId": '),
    7,
    null,
    [],
    {},
    { emailId: 'x' },
    { templateId: 'one', recipientId: 1, emailId: 'y' },
    { templateId, recipientId: null, emailId: 'z' },
    { templateId, recipientId: contact.id, emailId: '' },
    { templateId, recipientId: contact.id, emailId: 'e'.repeat(101) },
    { templateId, recipientId: contact.id, emailId: 424_242 },
    { templateId, recipientId: contact.id, emailId: 1.5 },
    { templateId, recipientId: contact.id, emailId: 'other', tenantId: 'elsewhere' },
    { templateId, recipientId: contact.id, emailId: 'nul\0' },
  ];
  for (const request of bad) await publish(request);
  await publish({ templateId, recipientId: contact.id, emailId: 'behind' });
  await until('the good one is sent', () => mailsTo(contact.email).length > 0);
  const letters = await until('all bad ones are dead letters', async () => {
    const found = await dead();
    return found.length >= bad.length && found;
  });
  assert.equal(letters.length, bad.length);
  assert.ok(letters.every((letter) => letter.error.startsWith('PoisonError')));
  assert.equal(mailsTo(contact.email).length, 1);
});

test('an own request for an email that has gone on changes nothing', async () => {
  const [templateId, contact] = [await makeTemplate(service), await makeContact(service)];
  const emailId = await send(service, { templateId, recipientId: contact.id });
  const sent = await untilStatus(service, emailId, 'SENT');
  await publish({ templateId, recipientId: contact.id, emailId, campaignId: null, tenantId: 'default' });
  const probe = await makeContact(service);
  await publish({ templateId, recipientId: probe.id, emailId: 'probe-2' });
  await until('the probe is sent', () => mailsTo(probe.email).length > 0);
  assert.deepEqual((await service.api('GET', `/emails/${emailId}`)).body, sent);
  assert.equal(mailsTo(contact.email).length, 1);
});

test('senders are told in which lanes there is something, and of nothing else', async () => {
  const lanes: string[][] = [];
  const ping = service.deps.nats.connection.subscribe(EMAIL_READY_PING, {
    callback: (_error, message) => lanes.push(lanesOfPing(message.string())),
  });
  onTestFinished(() => ping.unsubscribe());
  await service.deps.nats.connection.flush();
  const [templateId, contact] = [await makeTemplate(service), await makeContact(service)];
  const made = await engine<{ id: number }>(sql`
    insert into emails (tenant_id, send_key, template_id, contact_id, lane)
    select 'default', 'lane:' || lane, ${templateId}, ${contact.id}, lane from unnest(array['journey', 'transactional']) lane returning id`);
  for (const { id } of made) await publish({ templateId, recipientId: contact.id, emailId: id, campaignId: null });
  await until('both were told of', () => new Set(lanes.flat()).size === 2);
  assert.deepEqual([...new Set(lanes.flat())].sort(), ['journey', 'transactional']);
  for (const { id } of made) await untilStatus(service, id, 'SENT');
  // What was taken in already is nothing new.
  lanes.length = 0;
  await publish({ templateId, recipientId: contact.id, emailId: made[1]!.id, campaignId: null });
  await publish({ templateId, recipientId: contact.id, emailId: 'lane-probe' });
  await until('the probe was told of', () => lanes.length > 0);
  assert.deepEqual([...new Set(lanes.flat())], ['journey']);
  assert.deepEqual([lanesOfPing(''), lanesOfPing('bulk nonsense')], [['transactional', 'journey', 'bulk'], ['bulk']]);
});

test('a request that was lost is repeated, and loses no email', async () => {
  const [templateId, contact] = [await makeTemplate(service), await makeContact(service)];
  // As if its message had been lost with the stream: in the ledger, and nowhere else.
  const [lost] = await engine<{ id: number }>(sql`
    insert into emails (tenant_id, send_key, template_id, contact_id, lane, next_attempt_at)
    values ('default', 'lost', ${templateId}, ${contact.id}, 'journey', now() - interval '50 s') returning id`);
  const em = engineEm(service.deps.orm);
  assert.equal(await repeatSendRequests(em, 60), 0);
  assert.equal(await repeatSendRequests(em, 40), 1);
  assert.equal(await repeatSendRequests(em, 40), 0);
  await untilStatus(service, lost!.id, 'SENT');
  assert.equal(mailsTo(contact.email).length, 1);
});

test('in a service of many tenants, no other program may send', async () => {
  const many = await startService({
    worker: ['intake', 'consumers', 'relay', 'senders'],
    env: { ENABLE_MULTI_TENANT: 'true' },
  });
  try {
    await many.deps.nats.js.publish(
      SEND_REQUEST_SUBJECT,
      encode({ templateId: 1, recipientId: 1, emailId: 'x', tenantId: 'default' }),
    );
    const letters = await until('it is a dead letter', async () => {
      const found = await engineEm(many.deps.orm).transactional((tx) =>
        rows<{ error: string }>(tx, sql`select error from dead_letters`),
      );
      return found.length > 0 && found;
    });
    assert.match(letters[0]!.error, /PoisonError/);
    assert.deepEqual(await engineEm(many.deps.orm).transactional((tx) => rows(tx, sql`select 1 from emails`)), []);
  } finally {
    await many.stop();
  }
});
