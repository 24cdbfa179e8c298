import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { queueEmails } from '../../../domain/emails/ledger/queue-emails.ts';
import { insertMailing } from '../../support/mail/campaign-emails.ts';
import { makeTemplate } from '../../support/mail/emails.ts';
import { startScriptedSmtp, type ScriptedSmtp } from '../../support/mail/scripted-smtp.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { killWorkerProcesses, startWorkerProcess } from '../../support/worker-process.ts';

const CONNECTIONS = 4;
const IN_DOUBT = 20;
let service: Service;
let smtp: ScriptedSmtp;
beforeAll(async () => {
  service = await startService();
  smtp = await startScriptedSmtp();
});
afterAll(async () => {
  await killWorkerProcesses();
  await service.stop();
  await smtp.stop();
});

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));

const startSender = () =>
  startWorkerProcess(service, ['senders'], {
    SMTP_URL: smtp.url,
    SEND_CONNECTIONS: String(CONNECTIONS),
    SEND_IN_DOUBT: String(IN_DOUBT),
  });

/** Leases end as if their time had passed. */
const passLeases = async () => {
  for (const table of ['emails', 'email_batches'])
    await engine(
      sql`update ${sql.table(table)} set lease_until = now() - interval '1 s' where lease_until is not null`,
    );
};

test('kill -9 of the senders in the middle, again and again: no one gets it twice, no one is lost', async () => {
  const templateId = await makeTemplate(service);
  const queued = await engineEm(service.deps.orm).transactional((tx) =>
    queueEmails(
      tx,
      'default',
      Array.from({ length: 150 }, (_, n) => ({
        sendKey: `k${n}`,
        templateId,
        contactId: null,
        toAddress: `k${n}@example.org`,
        lane: 'bulk' as const,
        requestId: null,
        accepted: true,
      })),
    ),
  );
  assert.ok(queued.every((email) => email.status === 'QUEUED'));
  await insertMailing(service.deps.orm, { name: 'mailing', templateId, count: 150 });
  for (let kill = 1; kill <= 3; kill += 1) {
    const child = startSender();
    const goal = smtp.accepted.length + 40;
    await until('it is in the middle', () => smtp.accepted.length >= goal, 60_000);
    await child.end('SIGKILL');
    await passLeases();
  }
  const last = startSender();
  await until(
    'all have an end',
    async () => (await engine(sql`select 1 from emails where status in ('QUEUED', 'SENDING')`)).length === 0,
    90_000,
  );
  await last.end('SIGTERM');

  const found = await engine<{ to_address: string; status: string }>(
    sql`select to_address, status from emails order by id`,
  );
  const of = (status: string) => found.filter((row) => row.status === status).map((row) => row.to_address);
  assert.equal(of('SENT').length + of('UNKNOWN').length, 300);
  assert.ok(of('UNKNOWN').length <= 3 * IN_DOUBT, `${of('UNKNOWN').length} UNKNOWN after three kills`);
  assert.equal(new Set(smtp.dots).size, smtp.dots.length, 'a final dot was sent twice');
  const accepted = new Set(smtp.accepted);
  assert.deepEqual(
    of('SENT').filter((address) => !accepted.has(address)),
    [],
  );
  // What is not SENT though it was accepted is UNKNOWN, and is said to be.
  assert.ok([...accepted].every((address) => of('SENT').includes(address) || of('UNKNOWN').includes(address)));
});

test('SIGTERM in the middle settles all that was on the way: nothing is UNKNOWN', async () => {
  const templateId = await makeTemplate(service);
  await engine(sql`delete from emails`);
  await engine(sql`delete from contacts`);
  smtp.accepted.length = 0;
  smtp.dots.length = 0;
  await engineEm(service.deps.orm).transactional((tx) =>
    queueEmails(
      tx,
      'default',
      Array.from({ length: 75 }, (_, n) => ({
        sendKey: `t${n}`,
        templateId,
        contactId: null,
        toAddress: `t${n}@example.org`,
        lane: 'bulk' as const,
        requestId: null,
        accepted: true,
      })),
    ),
  );
  await insertMailing(service.deps.orm, { name: 'mailing', templateId, count: 75 });
  const first = startSender();
  await until('it is in the middle', () => smtp.accepted.length >= 30, 60_000);
  await first.end('SIGTERM');
  const left = await engine<{ status: string; held: number; n: number }>(
    sql`select status, count(holder)::int as held, count(*)::int as n from emails group by 1 order by 1`,
  );
  assert.deepEqual(
    left.map((row) => row.status).filter((status) => status !== 'QUEUED'),
    ['SENT'],
  );
  assert.ok(
    left.every((row) => row.held === 0),
    'leases are given back',
  );
  assert.deepEqual(await engine(sql`select 1 from email_batches where lease_until > now()`), []);
  assert.equal(left.find((row) => row.status === 'SENT')!.n, smtp.accepted.length);
  const second = startSender();
  await until('the rest is sent', () => smtp.accepted.length === 150, 60_000);
  await second.end('SIGTERM');
  assert.equal(new Set(smtp.dots).size, 150);
});
