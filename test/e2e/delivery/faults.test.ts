import assert from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, test } from '@jest/globals';
import { withClient } from '../../../dev/stack/postgres.ts';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { queueEmails, type EmailRequest } from '../../../domain/emails/ledger/queue-emails.ts';
import { markLostEmails } from '../../../domain/emails/ledger/recover-emails.ts';
import { EMAIL_READY_PING } from '../../../transport/streams.ts';
import { startSenders } from '../../../worker/senders/index.ts';
import { makeContact, makeTemplate, untilStatus } from '../../support/mail/emails.ts';
import { holdOpen, startScriptedSmtp, type ScriptedSmtp } from '../../support/mail/scripted-smtp.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';

// Senders are started by each test, with the providers that it scripts; rows are accepted at once, without the topic.
let service: Service;
let templateId: number;
const providers: ScriptedSmtp[] = [];
beforeAll(async () => {
  service = await startService();
  templateId = await makeTemplate(service);
});
// What a test left queued is not the next one's.
beforeEach(() => engine(sql`update emails set status = 'SUPPRESSED' where status in ('QUEUED', 'SENDING')`));
afterAll(async () => {
  for (const provider of providers) await provider.stop();
  await service.stop();
});

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
const wake = () => service.deps.nats.connection.publish(EMAIL_READY_PING);
let made = 0;

async function provider(script: ScriptedSmtp['script'] = {}): Promise<ScriptedSmtp> {
  const smtp = await startScriptedSmtp(script);
  providers.push(smtp);
  return smtp;
}

function senders(smtp: ScriptedSmtp | ScriptedSmtp[], connections = 5) {
  const running = startSenders({
    ...service.deps,
    env: {
      ...service.deps.env,
      SMTP_URL: [smtp]
        .flat()
        .map((each) => each.url)
        .join(','),
      SEND_CONNECTIONS: connections,
    },
  });
  onTestFinished(() => running.stop());
  return running;
}

/** Queues mails to addresses of their own; returns their ids. */
async function queue(count: number, fields: Partial<EmailRequest> = {}): Promise<number[]> {
  const requests = Array.from({ length: count }, (): EmailRequest => {
    made += 1;
    return {
      sendKey: `m${made}`,
      templateId,
      contactId: null,
      toAddress: `m${made}@example.org`,
      lane: 'bulk',
      requestId: null,
      accepted: true,
      ...fields,
    };
  });
  const queued = await engineEm(service.deps.orm).transactional((tx) => queueEmails(tx, 'default', requests));
  wake();
  return queued.map((email) => email.emailId);
}

const counted = async (ids: number[]): Promise<Record<string, number>> => {
  const found = await engine<{ status: string; n: number }>(
    sql`select status, count(*)::int as n from emails where id = any(${ids}::bigint[]) group by 1`,
  );
  return Object.fromEntries(found.map((row) => [row.status, row.n]));
};
const untilAll = (ids: number[], status: string, timeoutMs = 60_000) =>
  until(
    `all are ${status}`,
    // Our own connections end too when Postgres goes away.
    async () => (await counted(ids).catch((): Record<string, number> => ({})))[status] === ids.length,
    timeoutMs,
  );
const twice = (list: string[]) => list.filter((address, index) => list.indexOf(address) !== index);

test('a connection that ends after the dot and before the reply makes UNKNOWN, and nothing sends it again', async () => {
  const smtp = await provider({ dot: (to) => (to === lost ? 'drop' : '250 ok') });
  const [id] = await queue(1);
  const lost = `m${made}@example.org`;
  const running = senders(smtp);
  const email = await untilStatus(service, id!, 'UNKNOWN');
  assert.deepEqual([email.reason, email.attempts], ['no_reply', 1]);
  const others = await queue(20);
  await untilAll(others, 'SENT');
  await running.stop();
  assert.equal(smtp.dots.filter((to) => to === lost).length, 1);
  assert.deepEqual(await counted([id!]), { UNKNOWN: 1 });
});

test('a connection that ends before the dot costs nothing: it is tried again, and sent once', async () => {
  let drops = 3;
  const smtp = await provider({ rcpt: () => ((drops -= 1) >= 0 ? 'drop' : '250 ok') });
  const ids = await queue(5);
  const running = senders(smtp, 1);
  for (const attempt of [1, 2, 3]) {
    await until(
      `${attempt} are put off`,
      async () =>
        (await engine(sql`select 1 from email_attempts where email_id = any(${ids}::bigint[]) and outcome = 'queued'`))
          .length >= attempt,
      60_000,
    );
  }
  await engine(sql`update emails set next_attempt_at = now() where id = any(${ids}::bigint[]) and status = 'QUEUED'`);
  await untilAll(ids, 'SENT');
  await running.stop();
  assert.deepEqual(twice(smtp.accepted), []);
  assert.equal(smtp.dots.length, 5);
});

test('an email of a step that was on its way at the stop, and comes back, is suppressed', async () => {
  const isStopped = Promise.withResolvers<void>();
  const smtp = await provider({ dot: () => isStopped.promise.then(() => '451 later') });
  const { body: campaign } = await service.api('POST', '/campaigns', {
    ...{ name: 'Stops', steps: [{ id: 'one', type: 'EMAIL', config: { templateId } }] },
  });
  await service.api('POST', `/campaigns/${campaign.id}/start`);
  const [execution] = await engine<{ id: number }>(sql`
    insert into campaign_executions (tenant_id, campaign_id, campaign_version, contact_id, entry_no, entry_key, state)
    values ('default', ${campaign.id}, 1, ${(await makeContact(service)).id}, 1, 'test', '{}') returning id`);
  const of = { campaignId: campaign.id, executionId: execution!.id, stepId: 'one', lane: 'journey' as const };
  const [id] = await queue(1, of);
  senders(smtp);
  await untilStatus(service, id!, 'SENDING');
  assert.equal((await service.api('POST', `/campaigns/${campaign.id}/stop`)).status, 202);
  isStopped.resolve();
  await untilStatus(service, id!, 'QUEUED');
  smtp.script = {};
  await engine(sql`update emails set next_attempt_at = now() where id = ${id} and status = 'QUEUED'`);
  wake();
  const email = await untilStatus(service, id!, 'SUPPRESSED');
  assert.deepEqual([email.reason, smtp.accepted], ['stopped', []]);
});

test('failover: what the first provider does not take goes by the second, which it gives up when the first is back', async () => {
  const [first, second] = [await provider(), await provider()];
  await first.stop();
  const running = senders([first, second]);
  const down = await queue(50);
  await untilAll(down, 'SENT');
  assert.equal(second.accepted.length, 50);
  await first.start();
  await until('the first has mail again', async () => {
    await untilAll(await queue(1), 'SENT');
    return first.accepted.length > 0;
  });
  const before = second.accepted.length;
  const up = await queue(20);
  await untilAll(up, 'SENT');
  await running.stop();
  assert.equal(second.accepted.length, before);
  assert.deepEqual(twice([...first.accepted, ...second.accepted]), []);
});

test('a provider that dies in the middle: all arrive, nobody twice, and only what was on its connections may be UNKNOWN', async () => {
  const [first, second] = [await provider(), await provider()];
  const running = senders([first, second]);
  const ids = await queue(300);
  await until('it is in the middle', () => first.accepted.length > 50, 30_000);
  const open = first.connections.size;
  await first.stop();
  await until(
    'all have an end',
    async () => {
      const { SENT = 0, UNKNOWN = 0 } = await counted(ids);
      return SENT + UNKNOWN === ids.length;
    },
    60_000,
  );
  await running.stop();
  const { SENT = 0, UNKNOWN = 0 } = await counted(ids);
  assert.ok(UNKNOWN <= open, `${UNKNOWN} UNKNOWN, ${open} connections`);
  const all = [...first.accepted, ...second.accepted];
  assert.deepEqual(twice(all), []);
  assert.ok(all.length >= SENT);
  assert.deepEqual(twice([...first.dots, ...second.dots]), []);
});

test('with all providers down nothing is burned, and all goes out when one is back', async () => {
  const smtp = await provider();
  const running = senders(smtp);
  await untilAll(await queue(20), 'SENT');
  await smtp.stop();
  const ids = await queue(30);
  await until(
    'they are ready for a connection that does not come',
    async () => (await engine(sql`select 1 from emails where holder is not null`)).length === 30,
  );
  assert.deepEqual(await counted(ids), { QUEUED: 30 });
  await smtp.start();
  await untilAll(ids, 'SENT');
  await running.stop();
  const [tried] = await engine<{ attempts: number }>(
    sql`select sum(attempt)::int as attempts from emails where id = any(${ids}::bigint[])`,
  );
  assert.ok(tried!.attempts >= 30 && tried!.attempts <= 35, `${tried!.attempts} attempts for 30 mails`);
  assert.deepEqual(twice(smtp.dots), []);
});

test('a password reset and a journey are not behind a campaign', async () => {
  const smtp = await provider({
    dot: async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return '250 ok';
    },
  });
  const campaign = await queue(1000);
  const running = senders(smtp, 2);
  await until('the campaign is being sent', () => smtp.accepted.length > 5);
  const urgent = [...(await queue(2, { lane: 'transactional' })), ...(await queue(2, { lane: 'journey' }))];
  const queuedAt = smtp.accepted.length;
  await untilAll(urgent, 'SENT');
  const ahead = Math.max(...urgent.map((_, n) => smtp.accepted.indexOf(`m${made - n}@example.org`))) - queuedAt;
  assert.ok(ahead < 200, `${ahead} of the campaign went ahead`);
  assert.ok(queuedAt < 700, `the campaign was nearly over: ${queuedAt}`);
  // Nor does the campaign stand still.
  await queue(60, { lane: 'transactional' });
  const at = (await counted(campaign)).SENT!;
  await until('the campaign goes on', async () => (await counted(campaign)).SENT! > at);
  await running.stop();
});

test('stop lets what is on a connection end, starts nothing more, and gives the rest back at once', async () => {
  const gate = holdOpen();
  let held = true;
  const smtp = await provider({
    dot: async () => {
      if (held) await gate.opened;
      return '250 ok';
    },
  });
  const ids = await queue(10);
  const running = senders(smtp, 1);
  await until('one is on the wire', () => smtp.dots.length === 1);
  const stopped = running.stop();
  const other = await provider();
  const second = senders(other);
  await until('the rest is sent by another', async () => (await counted(ids)).SENT === 9, 30_000);
  assert.deepEqual(await counted(ids), { SENT: 9, SENDING: 1 });
  held = false;
  gate.open();
  await stopped;
  assert.deepEqual(await counted(ids), { SENT: 10 });
  await second.stop();
  assert.deepEqual(twice([...smtp.accepted, ...other.accepted]), []);
});

/** Runs senders with so many connections in use: before its first success a provider gets one. */
async function warmSenders(smtp: ScriptedSmtp, connections: number) {
  const running = senders(smtp, connections);
  await untilAll(await queue(1), 'SENT');
  smtp.dots.length = 0;
  return running;
}

test('a stop that waits no longer puts back what was not released: only a dot without its reply is in doubt', async () => {
  const never = holdOpen();
  const smtp = await provider();
  const running = await warmSenders(smtp, 4);
  smtp.script.rcpt = async (to) => {
    if (to !== lost) await never.opened;
    return '250 ok';
  };
  smtp.script.dot = async () => {
    await never.opened;
    return '250 ok';
  };
  const first = await queue(1);
  const lost = `m${made}@example.org`;
  await until('one dot is sent', () => smtp.dots.length === 1);
  const ids = await queue(3);
  await untilAll(ids, 'SENDING');
  await running.stop(0);
  assert.deepEqual(await counted(ids), { QUEUED: 3 });
  assert.deepEqual(await counted(first), { SENDING: 1 });
  never.open();
  const next = await provider();
  const last = senders(next);
  await untilAll(ids, 'SENT');
  await last.stop();
  assert.equal(smtp.dots.length, 1);
  assert.equal(next.dots.length, 3);
});

test('emails that were thought lost, and were not released, go back and are sent once; what an operator says meanwhile stands', async () => {
  const gate = holdOpen();
  const smtp = await provider();
  const running = await warmSenders(smtp, 3);
  smtp.script.rcpt = async () => {
    await gate.opened;
    return '450 later';
  };
  const [back, done, again] = await queue(3);
  const ids = [back!, done!, again!];
  await untilAll(ids, 'SENDING');
  // As if the processes had been frozen for longer than their leases.
  await engine(sql`update emails set lease_until = now() - interval '1 s' where id = any(${ids}::bigint[])`);
  await markLostEmails(engineEm(service.deps.orm));
  assert.deepEqual(await counted(ids), { UNKNOWN: 3 });
  assert.equal((await service.api('POST', `/emails/${done}/resolve`, { outcome: 'sent' })).status, 200);
  assert.equal((await service.api('POST', `/emails/${again}/resolve`, { outcome: 'resend' })).status, 200);
  smtp.script = {};
  gate.open();
  await untilAll([back!], 'QUEUED');
  await untilAll([again!], 'SENT');
  const attempts = await engine<{ id: number; outcome: string }>(
    sql`select email_id as id, outcome from email_attempts where email_id = any(${ids}::bigint[]) order by email_id`,
  );
  assert.deepEqual(attempts, [
    { id: back, outcome: 'queued' },
    { id: done, outcome: 'unknown' },
    { id: again, outcome: 'unknown' },
  ]);
  await engine(sql`update emails set next_attempt_at = now() where id = ${back} and status = 'QUEUED'`);
  wake();
  await untilAll(ids, 'SENT');
  await running.stop();
  assert.equal(smtp.dots.length, 2);
});

test('a holder that was thought dead settles after all; what it has not released it does not send', async () => {
  const gate = holdOpen();
  const smtp = await provider({
    dot: async () => {
      await gate.opened;
      return '250 ok';
    },
  });
  const [id] = await queue(1);
  const running = senders(smtp, 1);
  await until('it is on the wire', () => smtp.dots.length === 1);
  // As if the process had been frozen for longer than its lease.
  await engine(sql`update emails set lease_until = now() - interval '1 s' where id = ${id}`);
  await markLostEmails(engineEm(service.deps.orm));
  assert.deepEqual(await counted([id!]), { UNKNOWN: 1 });
  gate.open();
  await untilStatus(service, id!, 'SENT');
  await running.stop();
  assert.equal(smtp.dots.length, 1);
});

test('while Postgres is away, outcomes are kept and settled when it is back', async () => {
  const gate = holdOpen();
  const smtp = await provider({
    dot: async () => {
      await gate.opened;
      return '250 ok';
    },
  });
  const ids = await queue(3);
  const running = senders(smtp, 3);
  // Until the first success one connection is all that is used.
  await until('one is on the wire', () => smtp.dots.length === 1);
  const url = new URL(service.slot.env['DATABASE_MIGRATION_URL']!);
  const database = url.pathname.slice(1);
  url.pathname = '/postgres';
  await withClient(url.href, async (client) => {
    await client.query(`ALTER DATABASE ${database} WITH allow_connections false`);
    await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [database]);
    gate.open();
    await until('the provider has it', () => smtp.accepted.length === 1);
    await client.query(`ALTER DATABASE ${database} WITH allow_connections true`);
  });
  await untilAll(ids, 'SENT');
  await running.stop();
  assert.deepEqual(twice(smtp.dots), []);
  assert.equal(smtp.dots.length, 3);
});
