import { setTimeout as delay } from 'node:timers/promises';
import { EnvError } from '../config/env.ts';
import { isWithoutJetStream, nullIfMissing, resetConsumer, type Nats } from './nats.ts';
import { copyConfig, copyConsumerConfig, ensureConsumer, EVENTS } from './streams.ts';

/** A NATS account of other programs that contains a copy of the stream EVENTS. */
export interface Copy {
  account: string;
  /** The tenant whose events are copied; null = all tenants. */
  tenantId: string | null;
}

const CAUGHT_UP_MS = 30_000;
const POLL_MS = 50;

/** The copies that the setting NATS_LISTENERS names. */
export function copiesOf(setting: string): Copy[] {
  return setting
    .split(',')
    .filter(Boolean)
    .map((text) => {
      const [account = '', tenantId = null] = text.split(':');
      return { account, tenantId };
    });
}

/** A handle on JetStream of the copy's account. Throws EnvError if the account has none. */
export async function insideOf({ connection, acks }: Nats, { account }: Copy): Promise<Nats> {
  const options = { apiPrefix: `$JS.${account}.API`, timeout: 10_000 };
  const jsm = await connection.jetstreamManager(options).catch((error: unknown) => {
    if (!isWithoutJetStream(error)) throw error;
    throw new EnvError(
      `NATS_LISTENERS: JetStream of the account ${account} does not respond; enable JetStream for it and add the imports shown in docs/operating.md`,
      { cause: error },
    );
  });
  return { connection, acks, js: connection.jetstream(options), jsm };
}

/**
 * Creates missing copies. Each is a mirror that the server keeps up to date from what a consumer of the service
 * delivers. A copy that was deleted, or that is of another tenant, is recreated from the first stored event; consumers
 * of its listeners are lost.
 */
export async function ensureCopies(nats: Nats, copies: readonly Copy[], eventsMaxAge: string): Promise<void> {
  for (const copy of copies) {
    const feeder = copyConsumerConfig(copy.account, copy.tenantId);
    const { jsm } = await insideOf(nats, copy);
    const info = await jsm.streams.info(EVENTS).catch(nullIfMissing);
    const before = await nats.jsm.consumers.info(EVENTS, feeder.durable_name!).catch(nullIfMissing);
    await ensureConsumer(nats.jsm, EVENTS, feeder);
    if (info && before?.config.filter_subject === feeder.filter_subject) {
      await jsm.streams.update(EVENTS, copyConfig(copy.account, eventsMaxAge));
      continue;
    }
    if (info) await jsm.streams.delete(EVENTS).catch(nullIfMissing);
    // Without a reset it would continue at its position. Deleting and recreating it is unsafe from concurrent
    // processes.
    await resetConsumer(nats, EVENTS, feeder.durable_name!, 1);
    await jsm.streams.add(copyConfig(copy.account, eventsMaxAge));
  }
}

/**
 * Resolves when the copy has received everything that was in transit. What was erased from EVENTS before this call is
 * then either in the copy already or will never arrive.
 */
export async function untilCaughtUp(nats: Nats, copy: Copy, onWait: () => void): Promise<void> {
  const { delivered } = await nats.jsm.consumers.info(
    EVENTS,
    copyConsumerConfig(copy.account, copy.tenantId).durable_name!,
  );
  const { jsm } = await insideOf(nats, copy);
  const deadline = Date.now() + CAUGHT_UP_MS;
  while ((await jsm.streams.info(EVENTS)).state.last_seq < delivered.stream_seq) {
    if (Date.now() > deadline)
      throw new Error(`The copy of ${EVENTS} in the NATS account ${copy.account} does not catch up`);
    onWait();
    await delay(POLL_MS);
  }
}
