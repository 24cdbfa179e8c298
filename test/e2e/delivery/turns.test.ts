import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import type { PipelinedTransactions } from '../../../db/pipelined-transactions.ts';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { queueEmails } from '../../../domain/emails/ledger/queue-emails.ts';
import { Sender } from '../../../worker/senders/sender.ts';
import { makeTemplate } from '../../support/mail/emails.ts';
import { startScriptedSmtp, type Script, type ScriptedSmtp } from '../../support/mail/scripted-smtp.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';
import type { Env } from '../../../config/env-schema.ts';

let service: Service;
let templateId: number;
beforeAll(async () => {
  service = await startService({ env: { SEND_CONNECTIONS: '5' } });
  templateId = await makeTemplate(service);
});
afterAll(() => service.stop());

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
let made = 0;

/** Emails to bare addresses that senders may take; returns their ids. */
async function queue(count: number): Promise<number[]> {
  const requests = Array.from({ length: count }, () => {
    made += 1;
    return {
      sendKey: `turn/${made}`,
      templateId,
      contactId: null,
      toAddress: `turn${made}@example.org`,
      lane: 'journey' as const,
      requestId: null,
      accepted: true,
    };
  });
  return (await engineEm(service.deps.orm).transactional((tx) => queueEmails(tx, 'default', requests))).map(
    ({ emailId }) => emailId,
  );
}
interface Row {
  status: string;
  attempt: number;
  address: string;
}
const read = (ids: number[]): Promise<Row[]> =>
  engine(sql`select status, attempt, to_address as address from emails where id = any(${ids}::bigint[]) order by id`);
const count = (emails: Row[], status: string): number => emails.filter((email) => email.status === status).length;
const untilSent = (ids: number[]) =>
  until('all are sent', async () => {
    const emails = await read(ids);
    return count(emails, 'SENT') === ids.length && emails;
  });
/** How often each of these was accepted by the provider. */
const accepted = (emails: Row[]): number[] =>
  emails.map(({ address }) => service.sink.mails.filter((mail) => mail.to[0] === address).length);
const told = async (ids: number[]): Promise<number[]> =>
  (
    await engine<{ id: number }>(sql`
  select (e -> 'data' ->> 'emailId')::bigint as id from outbox_events o, jsonb_array_elements(o.events) e
  where o.type = 'EMAIL_SENT' and (e -> 'data' ->> 'emailId')::bigint = any(${ids}::bigint[]) order by 1`)
  ).map(({ id }) => id);

/** A sender whose turns go by `once`, which has the real ones; it lives no longer than its test. */
function senderWith(
  once: (
    real: PipelinedTransactions['once'],
    ...turn: Parameters<PipelinedTransactions['once']>
  ) => ReturnType<PipelinedTransactions['once']> = (real, ...turn) => real(...turn),
  env: Partial<Env> = {},
): Sender {
  const { pipelined } = service.deps;
  const sender = new Sender({
    ...service.deps,
    env: { ...service.deps.env, ...env },
    pipelined: { ...pipelined, once: (...turn) => once(pipelined.once, ...turn) },
  });
  onTestFinished(() => sender.stop());
  return sender;
}
const lost = new Error('the connection to the database was lost');

test('turns of which the answer is lost, committed or not: each email is accepted once and told of once', async () => {
  const ids = await queue(60);
  let turns = 0;
  const failed = { before: 0, after: 0 };
  senderWith(async (real, ...turn) => {
    turns += 1;
    if (turns > 20) return real(...turn);
    if (turns % 4 === 1) {
      failed.before += 1;
      throw lost;
    }
    const answer = await real(...turn);
    if (turns % 4 === 3) {
      failed.after += 1;
      throw lost;
    }
    return answer;
  });
  const emails = await untilSent(ids);
  assert.deepEqual([...new Set(accepted(emails))], [1]);
  assert.deepEqual(await told(ids), ids);
  assert.ok(failed.before >= 2 && failed.after >= 2, JSON.stringify(failed));
  assert.ok(
    emails.some(({ attempt }) => attempt > 1),
    'some were started, taken back and started again',
  );
});

for (const limit of [1, 7, 40]) {
  test(`at most ${limit} emails are in doubt where SEND_IN_DOUBT is ${limit}`, async () => {
    const ids = await queue(300);
    let most = 0;
    senderWith(
      async (real, ...turn) => {
        const answer = await real(...turn);
        // Whatever dies now leaves these in doubt, with what the provider has and the ledger does not know of.
        most = Math.max(most, count(await read(ids), 'SENDING'));
        return answer;
      },
      { SEND_IN_DOUBT: limit },
    );
    const emails = await untilSent(ids);
    assert.deepEqual([...new Set(accepted(emails))], [1]);
    assert.ok(most >= Math.min(limit, 5) && most <= limit, `${most} were in doubt at once`);
  });
}

test('a sender that is stopped in the middle leaves none in doubt and none that is not told of', async () => {
  const ids = await queue(200);
  const sender = senderWith();
  await until('some are sent', async () => count(await read(ids), 'SENT') >= 20);
  await sender.stop();
  const emails = await read(ids);
  assert.equal(count(emails, 'SENT') + count(emails, 'QUEUED'), ids.length);
  assert.ok(count(emails, 'QUEUED') > 0, 'it was in the middle');
  assert.deepEqual(
    accepted(emails),
    emails.map(({ status }) => (status === 'SENT' ? 1 : 0)),
  );
  assert.equal((await told(ids)).length, count(emails, 'SENT'));
  senderWith();
  assert.deepEqual([...new Set(accepted(await untilSent(ids)))], [1]);
});

/** One connection to a scripted server, and emails that go over it. */
async function overOneConnection(
  emails: number,
  script: Script,
  env: Partial<Env> = {},
): Promise<{ ids: number[]; smtp: ScriptedSmtp; opened: () => number; sender: Sender }> {
  let opened = 0;
  const ids = await queue(emails);
  const smtp = await startScriptedSmtp({
    ehlo: '250-ok\r\n250 PIPELINING',
    greet: () => {
      opened += 1;
      return '220 ready';
    },
    ...script,
  });
  onTestFinished(() => smtp.stop());
  const sender = senderWith(undefined, { SMTP_URL: smtp.url, SEND_CONNECTIONS: 1, ...env });
  return { ids, smtp, opened: () => opened, sender };
}
const untilEnded = (ids: number[]) =>
  until('each has its end', async () => {
    const now = await read(ids);
    return count(now, 'SENT') + count(now, 'FAILED') === now.length && now;
  });

test('an email is started before anything of it goes over a connection', async () => {
  const seen: string[] = [];
  const { ids, smtp } = await overOneConnection(50, {});
  const watching = setInterval(() => {
    const to = smtp.accepted.at(-1);
    if (to)
      void engine<{ status: string }>(sql`select status from emails where to_address = ${to}`).then(([row]) =>
        seen.push(row!.status),
      );
  }, 5);
  const emails = await untilEnded(ids);
  clearInterval(watching);
  assert.ok(
    seen.every((status) => status === 'SENDING' || status === 'SENT'),
    seen.join(),
  );
  assert.deepEqual(smtp.dots.toSorted(), emails.map(({ address }) => address).toSorted());
});

test('dots that are refused end no connection, and the run goes on over it', async () => {
  let [refused, dots] = [0, 0];
  const { ids, smtp, opened } = await overOneConnection(200, {
    dot: () => {
      dots += 1;
      if (dots % 5 > 0) return '250 accepted';
      refused += 1;
      return '552 5.3.4 too large';
    },
  });
  const emails = await untilEnded(ids);
  assert.ok(refused >= 39, String(refused));
  assert.deepEqual(
    [count(emails, 'FAILED'), opened(), smtp.dots.length, new Set(smtp.dots).size],
    [refused, 1, emails.length, emails.length],
  );
});

test('a recipient that is refused by a server that takes DATA nevertheless ends two connections, not each that it comes to', async () => {
  const asked = new Map<string, number>();
  let bad = '';
  const { ids, smtp, opened } = await overOneConnection(200, {
    data: () => '354 go on',
    rcpt: (to) => {
      if (asked.size === 50) bad = to;
      asked.set(to, (asked.get(to) ?? 0) + 1);
      return to === bad ? '550 5.1.1 nobody' : '250 ok';
    },
  });
  const emails = await untilEnded(ids);
  assert.deepEqual([count(emails, 'FAILED'), smtp.dots.length], [1, emails.length - 1]);
  assert.ok(opened() <= 3 && Math.max(...asked.values()) <= 2, JSON.stringify([opened(), Math.max(...asked.values())]));
});

test('a server that answers 421 in the middle of a run: each of the run is sent once', async () => {
  let dots = 0;
  const { ids, smtp } = await overOneConnection(120, {
    dot: () => {
      dots += 1;
      return dots === 60 ? '421 4.3.2 going down' : '250 accepted';
    },
  });
  const emails = await until(
    'all but the refused one are sent',
    async () => {
      const now = await read(ids);
      return count(now, 'SENT') >= now.length - 1 && now;
    },
    60_000,
  );
  // The refused one was surely not accepted: it is sent again.
  assert.equal(new Set(smtp.accepted).size, smtp.accepted.length);
  assert.ok(count(emails, 'SENT') + count(emails, 'QUEUED') + count(emails, 'SENDING') === emails.length);
});

/** A sender in the middle of a run of 100 over one connection: its 30th message waits for `reply`. */
async function inTheMiddle() {
  const gate = Promise.withResolvers<void>();
  onTestFinished(() => gate.resolve());
  let dots = 0;
  const run = await overOneConnection(100, {
    dot: async () => {
      dots += 1;
      if (dots === 30) await gate.promise;
      return '250 accepted';
    },
  });
  await until(
    'it is in the middle of a run',
    async () => dots === 30 && count(await read(run.ids), 'SENDING') >= 2,
    30_000,
  );
  return { ...run, reply: () => gate.resolve() };
}

test('a stop in the middle of a run puts back what has no connection yet, without an attempt at a provider', async () => {
  const { ids, smtp, sender, reply } = await inTheMiddle();
  const stopped = sender.stop();
  // The next one's envelope may have gone with the dot before.
  await until('the rest is put back', async () => count(await read(ids), 'SENDING') <= 2, 30_000);
  reply();
  await stopped;
  const emails = await read(ids);
  assert.deepEqual([count(emails, 'SENT'), count(emails, 'QUEUED')], [30, 70]);
  assert.equal(smtp.dots.length, 30);
  assert.deepEqual(await engine(sql`select 1 from email_attempts where email_id = any(${ids}::bigint[])`), []);
  senderWith();
  await untilSent(ids);
});

test('a sender that is stopped while a turn is under way puts back what the turn starts', async () => {
  // More than three turns can start.
  const ids = await queue(400);
  const gate = Promise.withResolvers<void>();
  let turns = 0;
  const sender = senderWith(async (real, ...turn) => {
    turns += 1;
    if (turns === 4) await gate.promise;
    return real(...turn);
  });
  await until('the turn waits', () => turns === 4);
  const stopped = sender.stop();
  gate.resolve();
  await stopped;
  const emails = await read(ids);
  assert.equal(count(emails, 'SENT') + count(emails, 'QUEUED'), ids.length);
  assert.ok(count(emails, 'QUEUED') > 0);
  senderWith();
  assert.deepEqual([...new Set(accepted(await untilSent(ids)))], [1]);
});

test('what waits too long behind a slow message is put back: a suppression stops it then', async () => {
  const { ids, smtp, reply } = await inTheMiddle();
  const waiting = (await read(ids)).filter(({ status, address }) => status !== 'SENT' && !smtp.dots.includes(address));
  // Not the first one: its envelope may have gone with the dot before.
  const unwanted = waiting.slice(1, 4).map(({ address }) => address);
  for (const email of unwanted)
    assert.equal((await service.api('POST', '/emails/suppressions', { email })).status, 201);
  await until('they are put back', async () => count(await read(ids), 'SENDING') <= 2, 30_000);
  reply();
  const emails = await until('each has its end', async () => {
    const now = await read(ids);
    return count(now, 'SENT') + count(now, 'SUPPRESSED') === now.length && now;
  });
  assert.equal(count(emails, 'SUPPRESSED'), 3);
  assert.ok(unwanted.every((address) => !smtp.dots.includes(address)));
});
