import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import pg from 'pg';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { startBounceReader } from '../../../worker/bounces/index.ts';
import { withMailboxLock } from '../../../worker/bounces/mailbox-lock.ts';
import { optOutAddressOf, returnPathOf } from '../../../domain/emails/mime/return-path.ts';
import { bounceMail, makeMailed } from '../../support/mail/bounces.ts';
import { makeContact, makeTemplate, published, send, untilStatus } from '../../support/mail/emails.ts';
import { startImapServer, type ImapServer } from '../../support/mail/imap-server.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { killWorkerProcesses, startWorkerProcess } from '../../support/worker-process.ts';

let service: Service;
let imap: ImapServer;
beforeAll(async () => {
  imap = await startImapServer();
  service = await startService({
    worker: ['intake', 'consumers', 'senders', 'relay'],
    env: { BOUNCE_ADDRESS: 'bounces@example.com' },
  });
});
afterAll(async () => {
  await killWorkerProcesses();
  await service.stop();
  await imap.stop();
});

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
const statusOf = async (id: number): Promise<string> => (await service.api('GET', `/contacts/${id}`)).body.status;
const lastUid = async () =>
  (await engine<{ last_uid: number }>(sql`select last_uid from bounce_mailboxes where mailbox = ${imap.name}`))[0]
    ?.last_uid ?? 0;
const bounces = async (emailId: number) =>
  (await engine(sql`select 1 from email_bounces where email_id = ${emailId}`)).length;
const idles = () => until('somebody reads the mailbox', () => imap.connections.size > 0);

/** Runs a reader in this process for the time of `work`. */
async function reading(work: () => Promise<void>): Promise<void> {
  const reader = startBounceReader({ ...service.deps, env: { ...service.deps.env, BOUNCE_IMAP_URL: imap.url } });
  try {
    await work();
  } finally {
    await reader.stop();
  }
}

const startReader = () => startWorkerProcess(service, ['consumers'], { BOUNCE_IMAP_URL: imap.url });

test('a mail goes out with a return path of its own; what comes back to it while the reader idles counts at once', () =>
  reading(async () => {
    const contact = await makeContact(service);
    const emailId = await send(service, { templateId: await makeTemplate(service), recipientId: contact.id });
    await untilStatus(service, emailId, 'SENT');
    const mail = await until('it has come', () => service.sink.mails.find(({ to }) => to[0] === contact.email));
    assert.match(mail.from, /^bounces\+[a-z2-7]{28,37}@example\.com$/);
    assert.equal(mail.parsed.from!.value[0]!.address, 'no-reply@example.com');

    await idles();
    const report = bounceMail(service, emailId, { to: contact.email });
    assert.ok(report.includes(`Delivered-To: ${mail.from}`));
    imap.append(report);
    await untilStatus(service, emailId, 'BOUNCED');
    assert.equal(await statusOf(contact.id), 'bounced');
    const { body } = await service.api('GET', `/emails/${emailId}/explain`);
    const { gate, passed, reason } = body.gates.at(-1);
    assert.deepEqual([gate, passed, reason], ['bounce', false, 'hard_bounce 5.1.1']);
  }));

test('a mail to the address of List-Unsubscribe unsubscribes its recipient, once', async () => {
  const { contact, emailId } = await makeMailed(service);
  const to = optOutAddressOf(emailId, 'bounces@example.com', service.deps.links);
  const mail = (id: string, address = to) =>
    `Return-Path: <${contact.email}>\r\nDelivered-To: ${address.toUpperCase()}\r\nFrom: ${contact.email}\r\nTo: ${address}\r\n` +
    `Subject: unsubscribe\r\nMessage-ID: <${id}@mx.example.org>\r\n\r\nThis message was made by a mail program.\r\n`;
  const read = await lastUid();
  await reading(async () => {
    // Neither a token of somebody else nor the return path is that address.
    imap.append(mail('one', to.replace(/\+..../, '+aaaa')));
    imap.append(mail('two', returnPathOf(emailId, 'bounces@example.com', service.deps.links)));
    await until('both were read', async () => (await lastUid()) === read + 2);
    assert.equal(await statusOf(contact.id), 'active');
    imap.append(mail('three'));
    await until('it counts', async () => (await statusOf(contact.id)) === 'unsubscribed');
    const { body } = await service.api('GET', `/emails/tracking/${emailId}`);
    assert.deepEqual([body.events[0].type, body.events[0].userAgent], ['UNSUBSCRIBE', 'mailbox']);
    const { data } = (await service.api('GET', '/emails/suppressions?limit=200')).body;
    const held = data.find(({ email }: { email: string }) => email === contact.email);
    assert.equal((await service.api('DELETE', `/emails/suppressions/${held.id}`)).status, 204);
    imap.append(mail('three'));
    await until('it was read again', async () => (await lastUid()) === read + 4);
    assert.equal(await statusOf(contact.id), 'active', 'who subscribed again stays so');
  });
});

test('what came while nobody read is taken in later, from where it stopped', async () => {
  const [one, two] = [await makeMailed(service), await makeMailed(service)];
  imap.append(bounceMail(service, one.emailId, { to: one.contact.email }));
  await reading(async () => {
    await untilStatus(service, one.emailId, 'BOUNCED');
  });
  const read = await lastUid();
  imap.append(bounceMail(service, two.emailId, { to: two.contact.email, status: '5.2.2' }));
  await reading(async () => {
    await untilStatus(service, two.emailId, 'BOUNCED');
  });
  assert.equal(await statusOf(two.contact.id), 'active', 'a full mailbox');
  assert.equal(await lastUid(), read + 1);
});

test('a report on an email that is still being sent is read again when the sender is known to be lost', async () => {
  const [contact, other] = [await makeContact(service), await makeMailed(service)];
  const [sending] = (await engine<{ id: number }>(sql`
    insert into emails (tenant_id, send_key, template_id, contact_id, lane, status, attempt, provider, accepted_at, next_attempt_at,
      content_version, link_count, to_address, holder, lease_until)
    values ('default', 'still-sending', ${await makeTemplate(service)}, ${contact.id}, 'journey', 'SENDING', 1, 'mx:25', now(), now(),
      1, 2, ${contact.email}, 'sender-x', now() + interval '1 hour') returning id`)) as [{ id: number }];
  const read = await lastUid();
  imap.append('Subject: hello\r\n\r\nhello\r\n');
  imap.append(bounceMail(service, sending.id, { to: contact.email, action: 'delivered', status: '2.0.0' }));
  imap.append(bounceMail(service, other.emailId, { to: other.contact.email }));
  await reading(async () => {
    await until('the message before the report was read', async () => (await lastUid()) > read);
    await engine(sql`update emails set lease_until = now() - interval '1 s' where id = ${sending.id}`);
    await untilStatus(service, sending.id, 'UNKNOWN');
    assert.equal(await lastUid(), read + 1);
    // A new message wakes the reader, which else looks again after a while.
    imap.append('Subject: hello\r\n\r\nhello\r\n');
    await untilStatus(service, sending.id, 'DELIVERED');
    await untilStatus(service, other.emailId, 'BOUNCED');
    await until('all are read', async () => (await lastUid()) === read + 4);
  });
});

test("rubbish, other people's mail and a huge one stop nobody", () =>
  reading(async () => {
    const { contact, emailId } = await makeMailed(service);
    const before = await lastUid();
    const report = bounceMail(service, emailId, { to: contact.email });
    const rubbish = [
      '',
      '\r\n\r\n',
      'no header at all',
      `Content-Type: multipart/report; boundary=x\r\n\r\n${'--x\r\n'.repeat(2000)}`,
      '\u0000\u00ff\u0001',
      report
        .replace(/bounces\+[a-z2-7]{20}/g, `bounces+${'a'.repeat(20)}`)
        .replace(/Message-ID: <[\w-]{25,}@/, 'Message-ID: <x@'),
    ];
    for (const mail of rubbish) imap.append(mail);
    imap.append(report.replace('\r\n\r\n--b--', `\r\n\r\n${`${'x'.repeat(998)}\r\n`.repeat(3000)}\r\n--b--`));
    await untilStatus(service, emailId, 'BOUNCED');
    assert.equal(await bounces(emailId), 1);
    await until('all were passed', async () => (await lastUid()) === before + rubbish.length + 1);
  }));

test('a connection that is lost is made again, and the server may have been away', () =>
  reading(async () => {
    const [one, two] = [await makeMailed(service), await makeMailed(service)];
    await idles();
    for (const socket of imap.connections) socket.destroy();
    imap.append(bounceMail(service, one.emailId, { to: one.contact.email }));
    await untilStatus(service, one.emailId, 'BOUNCED');
    await imap.stop();
    imap.append(bounceMail(service, two.emailId, { to: two.contact.email }));
    await imap.start();
    await untilStatus(service, two.emailId, 'BOUNCED');
  }));

test('under another UIDVALIDITY all is read again, and nothing counts twice', async () => {
  const { contact, emailId } = await makeMailed(service);
  const count = async () => (await engine<{ n: number }>(sql`select count(*)::int as n from email_bounces`))[0]!.n;
  const [before, uid] = [await count(), await lastUid()];
  await imap.stop();
  imap.renumber();
  await imap.start();
  imap.append(bounceMail(service, emailId, { to: contact.email }));
  await reading(async () => {
    await untilStatus(service, emailId, 'BOUNCED');
    assert.equal(await lastUid(), 1001 + uid);
  });
  assert.equal(await count(), before + 1);
  const [cursor] = await engine<{ uid_validity: number }>(
    sql`select uid_validity from bounce_mailboxes where mailbox = ${imap.name}`,
  );
  assert.equal(cursor!.uid_validity, 2);
});

test('one process reads at a time; when it is killed between effect and commit the next one does it once', async () => {
  const { contact, emailId } = await makeMailed(service);
  const read = await lastUid();
  const [blocker, watcher] = [1, 2].map(
    () => new pg.Client({ connectionString: service.slot.env['DATABASE_MIGRATION_URL'] }),
  ) as [pg.Client, pg.Client];
  await Promise.all([blocker.connect(), watcher.connect()]);
  await until('nobody reads the mailbox', () => imap.connections.size === 0);
  await blocker.query('begin');
  await blocker.query('select 1 from bounce_mailboxes where mailbox = $1 for update', [imap.name]);

  const first = startReader();
  await until('the first has the mailbox', () => imap.connections.size === 1, 60_000);
  imap.append(bounceMail(service, emailId, { to: contact.email }));
  await until(
    'its effects wait for the cursor',
    async () => {
      const { rows: waiting } = await watcher.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ilike '%bounce_mailboxes%'`,
      );
      return waiting.length > 0;
    },
    60_000,
  );
  const second = await withMailboxLock(service.slot.env['DATABASE_URL']!, imap.name, new AbortController().signal, () =>
    assert.fail('it has a reader'),
  );
  assert.equal(second, false, 'others stand by');
  assert.equal(await bounces(emailId), 0);
  await first.end('SIGKILL');
  await blocker.query('rollback');
  await Promise.all([blocker.end(), watcher.end()]);
  assert.deepEqual([await bounces(emailId), await statusOf(contact.id), await lastUid()], [0, 'active', read]);

  const next = startReader();
  await untilStatus(service, emailId, 'BOUNCED', 60_000);
  await until('the cursor is behind it', async () => (await lastUid()) === read + 1);
  await next.end('SIGTERM');
  assert.deepEqual([await bounces(emailId), await statusOf(contact.id)], [1, 'bounced']);
  const told = await until('it is told of', async () => {
    const found = (await published(service, 'EMAIL_BOUNCED')).filter(({ data }) => data.emailId === emailId);
    return found.length > 0 && found;
  });
  assert.equal(told.length, 1);
});
