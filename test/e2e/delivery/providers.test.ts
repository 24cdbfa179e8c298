import assert from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { takeRate } from '../../../domain/emails/providers/take-rate.ts';
import { queueEmails, type EmailRequest } from '../../../domain/emails/ledger/queue-emails.ts';
import { EMAIL_READY_PING } from '../../../transport/streams.ts';
import { startSenders } from '../../../worker/senders/index.ts';
import { makeTemplate } from '../../support/mail/emails.ts';
import { holdOpen, startScriptedSmtp, type ScriptedSmtp } from '../../support/mail/scripted-smtp.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';

// Senders are started by each test, with the providers that it scripts; rows are accepted at once, without the topic.
let service: Service;
let templateId: number;
const started: ScriptedSmtp[] = [];
beforeAll(async () => {
  service = await startService();
  templateId = await makeTemplate(service);
});
// What a test left queued is not the next one's.
beforeEach(() => engine(sql`update emails set status = 'SUPPRESSED' where status in ('QUEUED', 'SENDING')`));
afterAll(async () => {
  for (const smtp of started) await smtp.stop();
  await service.stop();
});

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
let made = 0;

async function provider(script: ScriptedSmtp['script'] = {}): Promise<ScriptedSmtp> {
  const smtp = await startScriptedSmtp(script);
  started.push(smtp);
  return smtp;
}

/** A sender process by these providers; the API knows them too. */
function senders(
  urls: readonly string[],
  env: { SEND_CONNECTIONS?: number; SEND_CONNECTIONS_PER_DOMAIN?: number } = {},
) {
  service.deps.env.SMTP_URL = urls.join(',');
  const running = startSenders({ ...service.deps, env: { ...service.deps.env, SEND_CONNECTIONS: 5, ...env } });
  onTestFinished(() => running.stop());
  return running;
}

async function queue(count: number, domain = 'example.org'): Promise<number[]> {
  const requests = Array.from({ length: count }, (): EmailRequest => {
    made += 1;
    return {
      sendKey: `p${made}`,
      templateId,
      contactId: null,
      toAddress: `p${made}@${domain}`,
      lane: 'bulk',
      requestId: null,
      accepted: true,
    };
  });
  const queued = await engineEm(service.deps.orm).transactional((tx) => queueEmails(tx, 'default', requests));
  service.deps.nats.connection.publish(EMAIL_READY_PING);
  return queued.map((email) => email.emailId);
}

const counted = async (ids: number[]): Promise<Record<string, number>> => {
  const found = await engine<{ status: string; n: number }>(
    sql`select status, count(*)::int as n from emails where id = any(${ids}::bigint[]) group by 1`,
  );
  return Object.fromEntries(found.map((row) => [row.status, row.n]));
};
const untilAll = (ids: number[], status: string, timeoutMs = 60_000) =>
  until(`all are ${status}`, async () => (await counted(ids))[status] === ids.length, timeoutMs);
const twice = (list: string[]) => list.filter((address, index) => list.indexOf(address) !== index);
const health = async () => (await service.api('GET', '/emails/providers')).body.data;

test('A dies in the middle of 2,000: B takes over, nobody is mailed twice, A is tried again with one message, and all of it can be read', async () => {
  const [a, b] = [await provider(), await provider()];
  const name = (smtp: ScriptedSmtp) => `127.0.0.1:${smtp.port}`;
  const running = senders([a.url.replace('//', '//user:secret-word@'), b.url]);
  const ids = await queue(2000);
  await until('it is in the middle', () => a.accepted.length > 500, 60_000);
  const onA = a.accepted.length;
  const open = a.connections.size;
  await a.stop();
  await until(
    'A is told to be down, and why',
    async () =>
      (await health()).find(
        (one: { provider: string; status: string }) => one.provider === name(a) && one.status === 'DOWN',
      ),
    30_000,
  );
  const [first, second] = await health();
  assert.deepEqual(
    [first.provider, first.order, first.processes, second.order, second.status],
    [name(a), 1, 1, 2, 'UP'],
  );
  assert.match(first.lastError, /ECONNREFUSED|ECONNRESET|EPIPE|closed|ended/);
  assert.ok(first.failures >= 5 && first.lastErrorAt);
  assert.doesNotMatch(JSON.stringify(await health()), /secret|user:/);
  await until(
    'all have an end',
    async () => {
      const { SENT = 0, UNKNOWN = 0 } = await counted(ids);
      return SENT + UNKNOWN === ids.length;
    },
    120_000,
  );
  const { SENT = 0, UNKNOWN = 0 } = await counted(ids);
  assert.ok(UNKNOWN <= open, `${UNKNOWN} UNKNOWN, ${open} connections`);
  assert.deepEqual(twice([...a.accepted, ...b.accepted]), []);
  assert.deepEqual(twice([...a.dots, ...b.dots]), []);
  assert.ok(a.accepted.length + b.accepted.length >= SENT && b.accepted.length >= 2000 - onA - open - 5);

  // Its answers are held: as long as it has not shown that it works, it has one message.
  const gate = holdOpen();
  a.script.dot = async () => {
    await gate.opened;
    return '250 ok';
  };
  const dots = a.dots.length;
  await a.start();
  const more = await until(
    'A has a message again',
    async () => {
      const some = await queue(10);
      await until('they have gone, or are on A', async () => ((await counted(some)).SENT ?? 0) >= 9, 30_000);
      return a.dots.length > dots ? some : null;
    },
    60_000,
  );
  assert.equal(a.dots.length, dots + 1);
  gate.open();
  await untilAll(more, 'SENT');
  await until('A is told to be up', async () => (await health())[0].status === 'UP', 30_000);
  const last = await queue(50);
  await untilAll(last, 'SENT');
  assert.ok(a.accepted.length >= onA + 50);
  await running.stop();
  assert.deepEqual(
    await health().then((all: { status: string; processes: number }[]) =>
      all.map(({ status, processes }) => [status, processes]),
    ),
    [
      ['DEGRADED', 0],
      ['DEGRADED', 0],
    ],
  );
});

test('a provider that takes connections and is silent is not waited for', async () => {
  const gate = holdOpen();
  const [silent, other] = [
    await provider({
      greet: async () => {
        await gate.opened;
        return '220 at last';
      },
    }),
    await provider(),
  ];
  const running = senders([silent.url, other.url]);
  const ids = await queue(30);
  await untilAll(ids, 'SENT', 90_000);
  assert.deepEqual([silent.dots, twice(other.dots)], [[], []]);
  gate.open();
  await running.stop();
});

test('a slow domain holds no more connections than it may, and what is behind it goes past', async () => {
  const gate = holdOpen();
  let sending = 0;
  let most = 0;
  const smtp = await provider({
    dot: async (to) => {
      if (!to.endsWith('@slow.example')) return '250 ok';
      sending += 1;
      most = Math.max(most, sending);
      await gate.opened;
      sending -= 1;
      return '250 ok';
    },
  });
  const running = senders([smtp.url], { SEND_CONNECTIONS_PER_DOMAIN: 2 });
  onTestFinished(() => gate.open());
  // Until the provider has shown that it works, one message is all that it gets.
  await untilAll(await queue(1), 'SENT');
  const slow = await queue(400, 'slow.example');
  const quick = await queue(40);
  await untilAll(quick, 'SENT');
  await until('the slow domain has what it may', () => sending === 2);
  assert.deepEqual([most, (await counted(slow)).SENT], [2, undefined]);
  gate.open();
  await untilAll(slow, 'SENT', 120_000);
  await running.stop();
  assert.ok(most <= 2);
  assert.deepEqual(twice(smtp.dots), []);
});

test('a rate is one for all processes, and what it does not let through waits', async () => {
  const times: number[] = [];
  const dot = () => {
    times.push(performance.now());
    return '250 ok';
  };
  const [a, b] = [await provider({ dot }), await provider()];
  const urls = [`${a.url}?ratePerMinute=1200`, b.url];
  // Nothing is granted before this.
  const begin = performance.now();
  const running = [senders(urls), senders(urls)];
  const ids = await queue(100);
  await untilAll(ids, 'SENT');
  await Promise.all(running.map((one) => one.stop()));
  assert.deepEqual([a.accepted.length, b.accepted.length], [100, 0]);
  // What 1,200 a minute let through in the time that it took, and the second's worth that may go at once.
  const seconds = (times.at(-1)! - begin) / 1000;
  assert.ok(times.length <= 20 * (seconds + 1) + 1, `${times.length} in ${seconds.toFixed(1)} s`);
  assert.equal((await health())[0].ratePerMinute, 1200);
});

test('a rate grants what there is, once, to whoever asks', async () => {
  const em = () => engineEm(service.deps.orm);
  const slow = { provider: 'rate.example:25', ratePerMinute: 1 };
  const asked = await Promise.all(Array.from({ length: 10 }, () => takeRate(em(), slow, 3)));
  assert.equal(
    asked.reduce((sum, { granted }) => sum + granted, 0),
    1,
  );
  assert.ok(asked.every(({ waitMs }) => waitMs > 0 && waitMs <= 60_000));
  const many = { provider: 'many.example:25', ratePerMinute: 60_000 };
  assert.deepEqual(await takeRate(em(), many, 10), { granted: 10, waitMs: 0 });
  assert.ok((await takeRate(em(), many, 5000)).granted >= 990);
});
