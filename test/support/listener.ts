import { connect, type NatsConnection } from 'nats';
import type { Nats } from '../../transport/nats.ts';
import { consumerConfig, ensureConsumer } from '../../transport/streams.ts';
import { until } from './until.ts';

/** Connects with the login in `url`. */
export function connectTo(url: string): Promise<NatsConnection> {
  const { host, username: user, password: pass } = new URL(url);
  return connect({ servers: host, user, pass, reconnect: false });
}

/** Creates streams with a message in each, and consumers of the service, as targets of an attack. */
export async function makeVictims({ jsm, js }: Nats, subjects: readonly string[]): Promise<void> {
  for (const subject of subjects) await js.publish(subject, '{}');
  for await (const { config } of jsm.streams.list()) await ensureConsumer(jsm, config.name, consumerConfig('own'));
}

/**
 * Everything that a listener must not change: streams with their contents, and the service's consumers with their
 * progress.
 */
export async function stateOf({ jsm }: Nats): Promise<unknown> {
  const state = [];
  for await (const {
    config,
    state: { messages, last_seq, num_deleted },
  } of jsm.streams.list()) {
    const consumers = [];
    for await (const info of jsm.consumers.list(config.name)) {
      // Consumers that feed a copy progress by themselves.
      if (info.name.startsWith('copy-')) continue;
      const { name, delivered, ack_floor, num_ack_pending, num_pending, num_redelivered } = info;
      consumers.push([
        name,
        info.config,
        info.paused ?? false,
        delivered.stream_seq,
        ack_floor.stream_seq,
        num_ack_pending,
        num_pending,
        num_redelivered,
      ]);
    }
    state.push([config, { messages, last_seq, num_deleted }, consumers]);
  }
  return state;
}

const STREAMS = [
  'EVENTS',
  'EVENT_BATCHES',
  'EMAIL_SEND_REQUESTS',
  'LISTENER_REQUESTS',
  'TRACKING_HITS',
  'FILES',
  'DEAD_LETTERS',
];

/** Subjects that only the service publishes to, or that control JetStream. */
const FOREIGN = [
  'events.default.CONTACT_CREATED',
  'batches.CONTACT_CREATED',
  'tracking.hits',
  'files.key.0',
  'dead.scoring',
  'outbox.ping',
  'email.ready',
  'email.send.requestz',
  'email.send.requests.L1',
  'email.send.requests.LISTENERS',
  ...STREAMS.flatMap((stream) => [
    `$JS.API.STREAM.PURGE.${stream}`,
    `$JS.API.STREAM.DELETE.${stream}`,
    `$JS.API.CONSUMER.DELETE.${stream}.own`,
    `$JS.API.CONSUMER.PAUSE.${stream}.own`,
  ]),
];

/** Subjects that a listener may not publish to or request at all. */
const FORBIDDEN = [
  ...FOREIGN.filter((subject) => !/CONSUMER\.\w+\.EVENTS/.test(subject)),
  'events.acme.CONTACT_CREATED',
  'copies.x',
  '$JS.FC.EVENTS.copy.x',
  '$JS.PERENNIAL.API.CONSUMER.RESET.EVENTS.copy',
  '$JS.API.STREAM.LIST',
  '$JS.API.STREAM.MSG.DELETE.EVENTS',
  '$JS.API.STREAM.UPDATE.EVENTS',
  '$JS.API.STREAM.SNAPSHOT.EVENTS',
  '$JS.API.STREAM.CREATE.MORE',
  '$SYS.REQ.SERVER.PING',
  '$JS.API.ACCOUNT.PURGE.PERENNIAL',
  '$KV.x.y',
  '$O.x.C.y',
  ...STREAMS.filter((stream) => stream !== 'EVENTS').flatMap((stream) => [
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.STREAM.MSG.GET.${stream}`,
    `$JS.API.DIRECT.GET.${stream}`,
    `$JS.API.CONSUMER.CREATE.${stream}.mine`,
    `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.mine`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.own`,
    `$JS.API.CONSUMER.INFO.${stream}.own`,
    `$JS.ACK.${stream}.own.1.1.1.1.0`,
  ]),
];

const DEAF_TO = [
  '>',
  '*.*.*',
  'events.>',
  'batches.>',
  'email.>',
  'tracking.hits',
  'files.>',
  'dead.>',
  'copies.>',
  '$JS.>',
  '$SYS.>',
  '_INBOX_other.>',
];

/** The forbidden requests that were not refused, and the forbidden subjects that the listener could subscribe to. */
export async function notRefused(listener: NatsConnection): Promise<string[]> {
  const open: string[] = [];
  for (const subject of FORBIDDEN) {
    const refusal = await listener.request(subject, '', { timeout: 2_000 }).then(
      () => 'answered',
      (error: unknown) => String(error),
    );
    if (!/permissions violation/i.test(refusal)) open.push(`${subject}: ${refusal}`);
  }
  for (const subject of DEAF_TO) {
    const refusal = await new Promise<string>((resolve) => {
      listener.subscribe(subject, {
        callback: (error, message) => resolve(error ? String(error) : `heard ${message.subject}`),
      });
      void listener.flush().then(() => setTimeout(resolve, 500, 'allowed'));
    });
    if (!/permissions violation/i.test(refusal)) open.push(`${subject}: ${refusal}`);
  }
  return open;
}

const ask = async (listener: NatsConnection, subject: string, body: unknown): Promise<void> => {
  await listener.request(`$JS.API.${subject}`, JSON.stringify(body), { timeout: 2_000 }).catch(() => undefined);
};

/**
 * Everything that a listener can try with its permissions: to use the service's consumers, and to make the server send
 * messages, heartbeats, replies and empty statuses to subjects where it may not publish.
 */
export async function attack(listener: NatsConnection): Promise<void> {
  const create = (name: string, config: object) =>
    ask(listener, `CONSUMER.CREATE.EVENTS.${name}`, {
      stream_name: 'EVENTS',
      config: { name, durable_name: name, ack_policy: 'explicit', ...config },
    });
  for (const asked of ['INFO', 'DELETE', 'PAUSE', 'MSG.NEXT', 'RESET', 'UNPIN'])
    await ask(listener, `CONSUMER.${asked}.EVENTS.own`, {});
  for (let seq = 1; seq <= 5; seq += 1) listener.publish(`$JS.ACK.EVENTS.own.1.${seq}.${seq}.1.0`, '+TERM');
  await create('own', { filter_subject: 'events.nobody.>' });
  await create('quiet', { deliver_policy: 'new' });
  await create('plain', {});
  await create('bare', { headers_only: true });
  for (const [index, subject] of FOREIGN.entries()) {
    for (const config of [
      {},
      { headers_only: true, ack_policy: 'none' },
      { deliver_policy: 'new', idle_heartbeat: 100_000_000, flow_control: true },
    ]) {
      await create(`push-${index}`, { deliver_subject: subject, ...config });
      await ask(listener, `CONSUMER.DELETE.EVENTS.push-${index}`, {});
    }
    listener.publish('$JS.API.CONSUMER.INFO.EVENTS.plain', '', { reply: subject });
    listener.publish('$JS.API.CONSUMER.CREATE.EVENTS.plain', '{}', { reply: subject });
    for (const name of ['quiet', 'plain', 'bare'])
      listener.publish(`$JS.API.CONSUMER.MSG.NEXT.EVENTS.${name}`, '{"batch":1,"no_wait":true}', { reply: subject });
  }
  await listener.flush();
}

/** Waits until the effects of an attack have ended: the state no longer changes. */
export async function settle(nats: Nats): Promise<unknown> {
  let before = '';
  return until('nothing changes any more', async () => {
    const state = await stateOf(nats);
    const text = JSON.stringify(state);
    if (text === before) return state;
    before = text;
    await new Promise((resolve) => setTimeout(resolve, 300));
    return null;
  });
}
