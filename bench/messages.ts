/**
 * `npm run bench:messages -- --only texts,pushes,stop --messages 20000 --pairs 3 --connections 100,200`: marketing texts
 * per second of one sender process, all the way from the ledger to MESSAGE_SENT, compared to node:http posting the same
 * bodies, signed as webhooks are, over as many connections; and pushes to browsers, each with keys of its own, compared
 * to `web-push` preparing and node:http posting them in one process. Of what waits in the ledger, and of what is written
 * to it meanwhile. `--consumers` also runs the consumers of the events on the same processors; without it, events wait in
 * their stream. `stop`: how long texts still go to those who text STOP while they are sent.
 */
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { engineEm, rows, sql } from '../db/orm.ts';
import { makeDevice } from '../dev/fakes/device.ts';
import { ACCOUNT, gatewayProvider, receiveText, startGateway } from '../dev/fakes/gateway.ts';
import { freePorts } from '../dev/stack/ports.ts';
import { makeSiteKeys } from '../domain/channels/push/site-keys.ts';
import { subscriptionDigest } from '../domain/channels/push/subscription-digest.ts';
import { queueMessages } from '../domain/channels/queue/queue-messages.ts';
import { startService, type Service } from '../test/support/service.ts';
import { until } from '../test/support/until.ts';
import { at } from './support/load.ts';
import { endProcess, processorSeconds, startProcess, startWorker } from './support/processes.ts';
import { onStack, printPairs } from './support/stack.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'texts,pushes,stop' },
    pairs: { type: 'string', default: '3' },
    messages: { type: 'string', default: '20000' },
    connections: { type: 'string', default: '100,200' },
    consumers: { type: 'boolean', default: false },
  },
});
const [pairs, messages] = [Number(values.pairs), Number(values.messages)];
const HOUR_MS = 3_600_000;
const BATCH = 500;
/** Making keys takes long, so browsers share some. */
const KEYS = 20;
const FIRST_NUMBER = 2_025_500_000;
const NUMBERS = 1_000;
const TEXTS_EACH = 10;
const STOPS = 200;
const PAYLOAD = {
  title: 'The sale has begun',
  body: 'Everything that is left is cheaper',
  url: 'https://example.com/',
};

interface Setting {
  service: Service;
  receiver: string;
  connections: number;
}
type Channel = 'sms' | 'push';

const engine = <T>({ service }: Setting, query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));

async function call({ service }: Setting, method: string, path: string, body: object): Promise<{ id: number }> {
  const answer = await service.api(method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Makes contacts with numbers that may be texted at any hour. */
async function makeContacts(setting: Setting, count: number): Promise<{ id: number; phone: string }[]> {
  await call(setting, 'PUT', '/channels/settings', { smsConsent: 'implied', sendWindows: { sms: null } });
  return engine(
    setting,
    sql`
    insert into contacts (tenant_id, first_name, last_name, email, email_key, phone, phone_e164)
    select 'default', 'First' || n, 'Last', 'bench' || n || '@example.net', 'bench' || n || '@example.net', '+1' || number, '+1' || number
    from generate_series(1, ${count}::int) n cross join lateral (select ${FIRST_NUMBER}::bigint + n as number) numbers returning id, phone`,
  );
}

/** Makes contacts, each with a number and a browser. Returns their ids. */
async function fill(setting: Setting): Promise<number[]> {
  await call(setting, 'POST', '/channels/providers', gatewayProvider(setting.receiver));
  const contacts = await makeContacts(setting, messages);
  const [siteId] = await engine<{ id: number }>(setting, sql`select nextval('push_sites_id_seq') as id`);
  const site = makeSiteKeys(setting.service.deps.env, { tenantId: 'default', id: siteId!.id });
  await engine(
    setting,
    sql`
    insert into push_sites (id, tenant_id, name, origins, subject, site_key, public_key, private_key)
    values (${siteId!.id}, 'default', 'Bench', '{http://localhost}', 'mailto:bench@example.com', 'bench', ${site.publicKey}, ${site.privateKey})`,
  );
  const keys = Array.from({ length: KEYS }, () => makeDevice(setting.receiver).subscription.keys);
  const browsers = contacts.map(({ id }, n) => {
    const endpoint = `${setting.receiver}/push/${id}`;
    return { id, endpoint, digest: subscriptionDigest('webpush', endpoint), ...keys[n % KEYS]! };
  });
  await engine(
    setting,
    sql`
    insert into push_subscriptions (tenant_id, type, contact_id, site_id, endpoint, digest, p256dh, auth)
    select 'default', 'webpush', r.id, ${siteId!.id}, r.endpoint, r.digest, r.p256dh, r.auth
    from jsonb_to_recordset(${JSON.stringify(browsers)}::jsonb) as r(id bigint, endpoint text, digest text, p256dh text, auth text)`,
  );
  return contacts.map(({ id }) => id);
}

const templateOf = {
  sms: {
    channel: 'sms',
    name: 'Text',
    category: 'marketing',
    body: 'Dear {{ contact.firstName }}, the sale has begun.',
  },
  push: { channel: 'push', name: 'Push', category: 'marketing', ...PAYLOAD },
};

/** Writes a message to each contact into the ledger; `isHeld`: they wait until `release`. */
async function queue(
  { service }: Setting,
  {
    channel,
    contacts,
    templateId,
    isHeld,
  }: { channel: Channel; contacts: number[]; templateId: number; isHeld: boolean },
  run: string,
): Promise<void> {
  for (let from = 0; from < contacts.length; from += BATCH)
    await engineEm(service.deps.orm).transactional(async (tx) => {
      const queued = await queueMessages(
        tx,
        'default',
        contacts.slice(from, from + BATCH).map((contactId) => ({
          sendKey: `bench:${run}:${contactId}`,
          ...{ channel, templateId, contactId, lane: 'bulk' as const, requestId: null },
        })),
      );
      const refused = queued.find(({ status }) => status !== 'QUEUED');
      if (refused) throw new Error(`a message is ${refused.status}: ${refused.reason}`);
      if (isHeld)
        await rows(
          tx,
          sql`update message_sends set next_attempt_at = now() + interval '1 day' where tenant_id = 'default' and message_id = any(${queued.map(({ messageId }) => messageId)}::bigint[])`,
        );
    });
}

/** Resolves when all have come, and are settled. Returns how many a second that were. */
async function sent(setting: Setting, begun: number): Promise<number> {
  // The receiver's count first, because counting the rows is work that would be measured too.
  for (let arrived = 0; arrived < messages; await delay(50))
    arrived += Number(await (await fetch(`${setting.receiver}/taken`)).text());
  await until(
    'all are settled',
    async () => {
      const [open] = await engine<{ n: number }>(
        setting,
        sql`select count(*) as n from message_sends where status in ('QUEUED', 'SENDING')`,
      );
      return open!.n === 0;
    },
    HOUR_MS,
  );
  const rate = messages / ((performance.now() - begun) / 1000);
  const [wrong] = await engine<{ n: number }>(
    setting,
    sql`select count(*) as n from message_sends where status <> 'SENT' or attempt <> 1`,
  );
  if (wrong!.n > 0) throw new Error(`${wrong!.n} were not sent the first time`);
  return rate;
}

/** What the same costs without a ledger: seconds, and CPU seconds of the process. */
async function reference(setting: Setting, channel: Channel): Promise<[number, number]> {
  const posts = {
    // Signed as webhooks are: the same reference as that of `bench:webhooks`.
    text: [
      resolve('bench/references/bare-posts.ts'),
      `${setting.receiver}/2010-04-01/Accounts/${ACCOUNT.accountSid}/Messages.json`,
      ...[String(messages), String(setting.connections)],
      new URLSearchParams({
        ...{ To: `+1${FIRST_NUMBER}`, Body: 'Dear First1, the sale has begun.', From: ACCOUNT.from },
        StatusCallback: 'http://127.0.0.1/api/v1/channels/webhooks/1?send=1234',
      }).toString(),
    ],
    push: [
      resolve('bench/references/bare-pushes.ts'),
      ...[setting.receiver, String(messages), String(setting.connections)],
      // As long as ours, with the tag and the token.
      JSON.stringify({ ...PAYLOAD, tag: '1234567', token: 'x'.repeat(80) }),
    ],
  };
  const { stdout } = await promisify(execFile)(process.execPath, channel === 'sms' ? posts.text : posts.push);
  await fetch(`${setting.receiver}/taken`);
  return stdout.split(' ').map(Number) as [number, number];
}

async function measure(setting: Setting, channel: Channel, contacts: number[]): Promise<void> {
  const { id: templateId } = await call(setting, 'POST', '/channels/templates', templateOf[channel]);
  const sender = startWorker(setting.service, 'senders');
  const others = startWorker(setting.service, values.consumers ? 'relay,consumers' : 'relay');
  const held: [number, number][] = [];
  const now: [number, number][] = [];
  const cost: [number, number][] = [];
  try {
    // The first is not counted: its code is compiled while it sends.
    for (let pair = -1; pair < pairs; pair += 1) {
      await queue(setting, { channel, contacts, templateId, isHeld: true }, `held:${channel}:${pair}`);
      const used = await processorSeconds(sender);
      await engine(setting, sql`update message_sends set next_attempt_at = now() where status = 'QUEUED'`);
      const begun = performance.now();
      setting.service.deps.pingOutbox('message_sends', ['bulk']);
      const ofHeld = await sent(setting, begun);
      if (pair < 0) {
        console.log(`the first ${messages} after the start: ${Math.round(ofHeld)}/s`);
        continue;
      }
      const spent = (await processorSeconds(sender)) - used;
      const [seconds, cpu] = await reference(setting, channel);
      held.push([ofHeld, messages / seconds]);
      cost.push([(cpu * 1000) / messages, (spent * 1000) / messages]);
      const started = performance.now();
      const queueing = queue(setting, { channel, contacts, templateId, isHeld: false }, `now:${channel}:${pair}`);
      const [ofNow] = await Promise.all([sent(setting, started), queueing]);
      now.push([ofNow, messages / seconds]);
    }
  } finally {
    await Promise.all([sender, others].map(endProcess));
  }
  const what = channel === 'sms' ? 'texts' : 'pushes';
  const against = channel === 'sms' ? 'bare posts' : 'web-push and bare posts';
  console.log(`${messages} ${what} over ${setting.connections} connections`);
  printPairs(`${what}/s`, 'of what waited', against, held);
  printPairs(`${what}/s`, 'of what is written meanwhile', against, now);
  printPairs('ms', `CPU of ${against}`, 'of the sender', cost);
}

/** Texts STOP from some of the numbers while each gets many texts. */
async function measureStop(service: Service): Promise<void> {
  const gateway = await startGateway();
  const setting = { service, receiver: gateway.url, connections: service.deps.env.MESSAGE_CONNECTIONS };
  const { id: providerId } = await call(setting, 'POST', '/channels/providers', gateway.provider());
  const contacts = await makeContacts(setting, NUMBERS);
  const { id: templateId } = await call(setting, 'POST', '/channels/templates', templateOf.sms);
  const sender = startWorker(service, 'senders,relay');
  const url = `${service.url}/api/v1/channels/webhooks/${providerId}`;
  const open = async (): Promise<number> =>
    (
      await engine<{ n: number }>(
        setting,
        sql`select count(*) as n from message_sends where status in ('QUEUED', 'SENDING')`,
      )
    )[0]!.n;
  try {
    const ids = contacts.map(({ id }) => id);
    for (let n = 0; n < TEXTS_EACH; n += 1)
      await queue(setting, { channel: 'sms', contacts: ids, templateId, isHeld: true }, `stop:${n}`);
    await engine(setting, sql`update message_sends set next_attempt_at = now() where status = 'QUEUED'`);
    await until('texts go', () => gateway.accepted.length > NUMBERS);
    const stopped: { phone: string; came: number; answered: number }[] = [];
    for (const { phone } of contacts.slice(0, STOPS)) {
      const came = Date.now();
      const answer = await receiveText(gateway, url, { from: phone, text: 'STOP' });
      if (answer.status >= 300) throw new Error(`STOP was answered with ${answer.status}`);
      stopped.push({ phone, came, answered: Date.now() });
    }
    const meanwhile = await open();
    await until('all are settled', async () => (await open()) === 0, HOUR_MS);
    const answers = stopped.map(({ came, answered }) => answered - came).sort((a, b) => a - b);
    const goneAfter = (one: (typeof stopped)[number], from: number): number[] =>
      gateway.accepted
        .filter((text) => text.to === one.phone && /sale/.test(text.text) && text.at > from)
        .map((text) => text.at - one.came);
    const late = stopped.flatMap((one) => goneAfter(one, one.came)).sort((a, b) => a - b);
    const after = stopped.flatMap((one) => goneAfter(one, one.answered));
    console.log(
      `${STOPS} of ${NUMBERS} numbers text STOP while each gets ${TEXTS_EACH} texts; ${meanwhile} were open after the last`,
    );
    console.log(`  STOP was answered after ${at(answers, 0.5)} ms (median), ${at(answers, 0.99)} ms (p99)`);
    console.log(
      `  texts that went after a STOP had come: ${late.length}, the last after ${late.at(-1) ?? 0} ms; after its answer: ${after.length}`,
    );
  } finally {
    await endProcess(sender);
    await gateway.close();
  }
}

await onStack(1 + values.connections.split(',').length, async () => {
  if (values.only.includes('stop')) {
    const service = await startService({ env: { OUTBOUND_ALLOW: '127.0.0.1/32', LOG_LEVEL: 'silent' } });
    await measureStop(service).finally(() => service.stop());
  }
  if (!/texts|pushes/.test(values.only)) return;
  const [port = 0] = await freePorts(1);
  const receiver = startProcess(process.execPath, [resolve('bench/references/message-receiver.ts'), String(port)]);
  try {
    for (const connections of values.connections.split(',').map(Number)) {
      const service = await startService({
        env: {
          ...{ OUTBOUND_ALLOW: '127.0.0.1/32', PUSH_HOSTS: '127.0.0.1', LOG_LEVEL: 'silent' },
          MESSAGE_CONNECTIONS: String(connections),
        },
      });
      const setting = { service, receiver: `http://127.0.0.1:${port}`, connections };
      try {
        const contacts = await fill(setting);
        if (values.only.includes('texts')) await measure(setting, 'sms', contacts);
        if (values.only.includes('pushes')) await measure(setting, 'push', contacts);
      } finally {
        await service.stop();
      }
    }
  } finally {
    await endProcess(receiver);
  }
});
