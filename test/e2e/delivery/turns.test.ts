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
/** So many are started before messages go ahead of their starts. */
const AHEAD_AFTER = 100;
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

test('what was accepted is settled before its connection takes another', async () => {
  const ids = await queue(AHEAD_AFTER * 2);
  let most = 0;
  senderWith(async (real, ...turn) => {
    const answer = await real(...turn);
    // Whatever dies now leaves these in doubt, with what the provider has and the ledger does not know of.
    most = Math.max(most, count(await read(ids), 'SENDING'));
    return answer;
  });
  const emails = await untilSent(ids);
  assert.deepEqual([...new Set(accepted(emails))], [1]);
  assert.ok(most > 1 && most <= 5, `${most} were in doubt at once, by five connections`);
});

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

interface Held {
  smtp: ScriptedSmtp;
  /** The emails after those that went ahead, in their order. */
  ids: number[];
  /** Lets the turn go on; `how` it ends. */
  go: (how?: 'committed' | 'lost before' | 'lost after') => void;
}

/**
 * A sender with one connection, after so many emails that messages go ahead, with `count` more: its turn that starts the first of
 * these, and settles the one before, waits for `go`.
 */
async function heldTurn(count: number, script: Script = {}): Promise<Held> {
  const smtp = await startScriptedSmtp(script);
  onTestFinished(() => smtp.stop());
  const gate = Promise.withResolvers<'committed' | 'lost before' | 'lost after'>();
  onTestFinished(() => gate.resolve('committed'));
  let held = false;
  const before = await queue(AHEAD_AFTER + 1);
  const ids = await queue(count);
  senderWith(
    async (real, ...turn) => {
      if (held || smtp.accepted.length <= AHEAD_AFTER) return real(...turn);
      held = true;
      const how = await gate.promise;
      if (how === 'lost before') throw lost;
      const answer = await real(...turn);
      if (how === 'lost after') throw lost;
      return answer;
    },
    { SMTP_URL: smtp.url, SEND_CONNECTIONS: 1 },
  );
  await until('the turn waits', () => held, 60_000);
  assert.equal(smtp.accepted.length, before.length);
  return { smtp, ids, go: (how = 'committed') => gate.resolve(how) };
}

const isHandedOver = (smtp: ScriptedSmtp): boolean => smtp.unfinished.endsWith('--\r\n');

for (const [server, ehlo] of [
  ['a server without pipelining', '250 ok'],
  ['a server with pipelining', '250-ok\r\n250 PIPELINING'],
] as const) {
  test(`${server}: while Postgres settles a message and starts the next, that goes over the connection, but for its dot`, async () => {
    const afterDots: string[] = [];
    const { smtp, ids, go } = await heldTurn(1, {
      ehlo,
      dot: (_, after) => {
        afterDots.push(after);
        return '250 accepted';
      },
    });
    await until('all but the dot is there', () => isHandedOver(smtp));
    const [{ address }] = (await read(ids)) as [Row];
    assert.equal(
      afterDots.at(-1)!.includes(`RCPT TO:<${address}>`),
      ehlo.includes('PIPELINING'),
      'the envelope goes with the dot before it',
    );
    const before = smtp.accepted.length;
    const inDoubt = await engine<{ status: string }>(
      sql`select status from emails where to_address = ${smtp.accepted.at(-1)!}`,
    );
    assert.deepEqual(
      [inDoubt[0]!.status, (await read(ids))[0]!.status, smtp.dots.length],
      ['SENDING', 'QUEUED', before],
    );
    go();
    const [email] = await untilSent(ids);
    assert.deepEqual([smtp.accepted.slice(before), email!.attempt], [[email!.address], 1]);
  });

  for (const how of ['lost before', 'lost after'] as const) {
    test(`${server}: a message that went ahead of a turn whose answer was ${how === 'lost after' ? 'lost after it was committed' : 'lost'}: no dot, and later once`, async () => {
      const { smtp, ids, go } = await heldTurn(2, { ehlo });
      await until('all but the dot is there', () => isHandedOver(smtp));
      const before = smtp.dots.length;
      go(how);
      const emails = await untilSent(ids);
      assert.deepEqual(smtp.dots.slice(before).sort(), emails.map(({ address }) => address).sort());
      assert.equal(new Set(smtp.dots).size, smtp.dots.length);
    });
  }

  test(`${server}: a message whose email is not started gets no dot and its connection ends; the next ones do not go ahead`, async () => {
    let opened = 0;
    const {
      smtp,
      ids: [first, second, ...others],
      go,
    } = await heldTurn(4, {
      ehlo,
      greet: () => {
        opened += 1;
        return '220 ready';
      },
    });
    await until('all but the dot is there', () => isHandedOver(smtp));
    const [one, other] = (await read([first!, second!])) as [Row, Row];
    for (const { address } of [one, other])
      assert.equal((await service.api('POST', '/emails/suppressions', { email: address })).status, 201);
    const before = smtp.accepted.length;
    go();
    await untilSent(others);
    assert.deepEqual(
      (await read([first!, second!])).map(({ status }) => status),
      ['SUPPRESSED', 'SUPPRESSED'],
    );
    assert.equal(smtp.accepted.length, before + 2);
    assert.ok(!smtp.dots.includes(one.address) && !smtp.dots.includes(other.address));
    assert.equal(opened, 2, 'the second that was not started cost no connection');
  });

  for (const how of ['committed', 'lost before'] as const) {
    test(`${server}: a recipient refused before the email is started, the start ${how}: FAILED once it is`, async () => {
      const asked = new Map<string, number>();
      const { smtp, ids, go } = await heldTurn(1, {
        ehlo,
        rcpt: (to) => {
          asked.set(to, (asked.get(to) ?? 0) + 1);
          return asked.size > AHEAD_AFTER + 1 ? '550 5.1.1 nobody' : '250 ok';
        },
      });
      const [{ address }] = (await read(ids)) as [Row];
      await until('it was refused', () => asked.has(address));
      assert.equal((await read(ids))[0]!.status, 'QUEUED');
      go(how);
      await until('it has its end', async () => (await read(ids))[0]!.status === 'FAILED');
      assert.deepEqual([asked.get(address), smtp.dots.includes(address)], [how === 'committed' ? 1 : 2, false]);
    });
  }
}

/** Sends so many that messages begin with the dot before, and more, over one connection; returns what became of these, and how many connections it took. */
async function sendBegun(
  script: (to: number) => Script,
): Promise<{ emails: Row[]; opened: number; smtp: ScriptedSmtp }> {
  const ids = await queue(AHEAD_AFTER * 2);
  let opened = 0;
  const first = Number((await read(ids))[0]!.address.match(/\d+/)![0]);
  const smtp = await startScriptedSmtp({
    ehlo: '250-ok\r\n250 PIPELINING',
    greet: () => {
      opened += 1;
      return '220 ready';
    },
    ...script(first + AHEAD_AFTER),
  });
  onTestFinished(() => smtp.stop());
  senderWith(undefined, { SMTP_URL: smtp.url, SEND_CONNECTIONS: 1 });
  const emails = await until('each has its end', async () => {
    const now = await read(ids);
    return count(now, 'SENT') + count(now, 'FAILED') === now.length && now;
  });
  return { emails, opened, smtp };
}
const numberOf = (to: string): number => Number(/\d+/.exec(to)![0]);

test('dots that are refused end no connection, and what was begun with them goes on', async () => {
  let refused = 0;
  const { emails, opened, smtp } = await sendBegun((from) => ({
    dot: (to) => {
      const is = numberOf(to) > from && numberOf(to) % 5 === 0;
      refused += Number(is);
      return is ? '554 5.7.1 spam' : '250 accepted';
    },
  }));
  assert.ok(refused >= 19, String(refused));
  assert.deepEqual(
    [count(emails, 'FAILED'), opened, smtp.dots.length, new Set(smtp.dots).size],
    [refused, 1, emails.length, emails.length],
  );
});

test('a recipient that is refused by a server that takes DATA nevertheless ends two connections, not each that it comes to', async () => {
  const asked = new Map<string, number>();
  const { emails, opened, smtp } = await sendBegun((from) => ({
    data: () => '354 go on',
    rcpt: (to) => {
      asked.set(to, (asked.get(to) ?? 0) + 1);
      return numberOf(to) === from + 20 ? '550 5.1.1 nobody' : '250 ok';
    },
  }));
  assert.deepEqual(
    [count(emails, 'FAILED'), opened, smtp.dots.length, Math.max(...asked.values())],
    [1, 3, emails.length - 1, 2],
  );
});
