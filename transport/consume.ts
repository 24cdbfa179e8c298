import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../config/logger.ts';
import { beginAtZero, type Metrics } from '../config/metrics.ts';
import type { Tracing } from '../config/tracing.ts';
import type { Orm } from '../db/orm.ts';
import { isConnectionLost, pgError } from '../db/errors.ts';
import { backoff } from '../lib/time/backoff.ts';
import { deadLetter, letterOf, type FailedPart } from './dead-letters.ts';
import { MessageQueue } from './message-queue.ts';
import { isUnanswered, type JsMsg, type Nats } from './nats.ts';

/** The most messages, and the most bytes of them, that are handled together. */
const BATCH = 500;
const BATCH_BYTES = 256 * 1024;
/** The same for messages that are handled in order: tenants wait for each other's transactions. */
const IN_ORDER_BYTES = 64 * 1024;
/**
 * The time from one batch to the next, unless a full batch waits: messages that arrive meanwhile share a transaction.
 */
const PACE_MS = 50;
/** A message that waited here longer than this extends its ack deadline; else the server would soon redeliver it. */
const STILL_WAITING_MS = 10_000;
const MAX_TRIES = 8;
/** The most tries to write a dead letter; unlimited while Postgres or NATS is unavailable. */
const MAX_LETTER_TRIES = 4;
/** Such an error says nothing about the message, so it is retried without end. SQLSTATE class 53: no disk, no memory. */
export const isPostgresDown = (error: unknown): boolean =>
  isConnectionLost(error) || (pgError(error)?.code?.startsWith('53') ?? false);
const backoffMs = (deliveries: number): number => backoff(deliveries, 500, 60_000);
/** The longest wait while Postgres is down, so that handling goes on soon after it is back. */
const DOWN_BACKOFF_MS = 5_000;

export interface Consumer {
  stop: () => Promise<void>;
}

/** Thrown for a message that can never be handled: it is dead-lettered without retries. */
export class PoisonError extends Error {
  override readonly name = 'PoisonError';
}

/** The dependencies of a consumer. */
export interface ConsumerDeps {
  orm: Orm;
  nats: Nats;
  log: Logger;
  metrics: Metrics;
  tracing: Tracing | null;
}

interface Consumed {
  stream: string;
  /** Name of the durable consumer. */
  name: string;
  /** The most messages that are handled together, and half of those that wait in this process. */
  batch?: number;
  handle: (messages: JsMsg[]) => Promise<void>;
  /**
   * Called for a message that failed alone, with the error: handles its parts one by one. Returns those that failed;
   * null if the message as a whole failed.
   */
  handleParts?: (message: JsMsg, error: unknown) => Promise<FailedPart[] | null>;
  inOrder?: InOrder;
}

/** For a consumer of which one process at a time handles the messages, in their order (`consumeInOrder`). */
interface InOrder {
  /** Messages of one lane are handled in their order; lanes take turns. */
  laneOf: (message: JsMsg) => string;
  /** How many messages wait in this process at most: those of a lane must not keep others out. */
  waiting: number;
  /** Called for each message when it comes. */
  onArrival: (message: JsMsg) => void;
}

/**
 * Reads a durable consumer in batches, calls `handle`, and acks after it returns. If it throws, each message is tried
 * alone, and then its parts; what still fails is redelivered with backoff and dead-lettered after a bounded number of
 * tries, unless Postgres is down. With `inOrder`, it is not redelivered: it is tried again before anything else.
 */
export async function consumeBatches(deps: ConsumerDeps, options: Consumed): Promise<Consumer> {
  const { log, nats } = deps;
  const { stream, name, handle, inOrder } = options;
  const batchSize = options.batch ?? BATCH;
  const batchBytes = inOrder ? IN_ORDER_BYTES : BATCH_BYTES;
  beginAtZero(deps.metrics.consumed, 'outcome', ['done', 'retried', 'dead', 'lost'], { consumer: name });
  const queue = new MessageQueue(inOrder?.laneOf ?? (() => ''));
  let stopping = false;
  let wake: () => void = () => {};
  /** Of messages in order: those that wait or are being handled, and the last one that came. */
  const inHand = new Set<number>();
  let lastSeq = 0;
  const { promise: stopped, resolve: endWaits } = Promise.withResolvers<void>();

  /** Returns after how many milliseconds the message has to be tried again; null if it is done with. */
  const fail = async (message: JsMsg, failed: readonly FailedPart[], deliveries: number): Promise<number | null> => {
    const givenUp = failed.filter(
      ({ error }) => error instanceof PoisonError || (deliveries >= MAX_TRIES && !isPostgresDown(error)),
    );
    const about = { consumer: name, stream, seq: message.seq, subject: message.subject, deliveries };
    for (const part of givenUp) {
      const { letter, error } = part;
      try {
        await deadLetter(deps, name, message, part);
      } catch (problem) {
        const tries = deliveries - (error instanceof PoisonError ? 0 : MAX_TRIES - 1);
        if (tries < MAX_LETTER_TRIES || isUnanswered(problem) || isPostgresDown(problem)) {
          log.error({ ...about, err: problem }, 'could not write a dead letter, will retry');
          return backoffMs(tries);
        }
        // Drop it, or it would block the messages behind it forever.
        deps.metrics.consumed.inc({ consumer: name, outcome: 'lost' });
        log.error({ ...about, err: problem }, 'message dropped: its dead letter could not be written');
        continue;
      }
      deps.metrics.consumed.inc({ consumer: name, outcome: 'dead' });
      log.error({ ...about, err: error, subject: letter.subject }, 'message moved to the dead letters');
    }
    const others = failed.filter((part) => !givenUp.includes(part));
    if (others.length === 0) return null;
    deps.metrics.consumed.inc({ consumer: name, outcome: 'retried' }, others.length);
    log.warn({ ...about, err: others[0]!.error, failed: others.length }, 'message failed, will be retried');
    const isDown = others.some(({ error }) => isPostgresDown(error));
    return Math.min(backoffMs(deliveries), isDown ? DOWN_BACKOFF_MS : Infinity);
  };

  const traced = (messages: JsMsg[]): Promise<void> =>
    deps.tracing === null
      ? handle(messages)
      : deps.tracing.span(
          `process ${name}`,
          {
            kind: 'CONSUMER',
            attributes: {
              'messaging.system': 'nats',
              'messaging.destination.name': stream,
              'messaging.consumer.group.name': name,
              'messaging.batch.message_count': messages.length,
            },
          },
          () => handle(messages),
        );

  const process = async (messages: JsMsg[], tries = 1): Promise<void> => {
    try {
      await traced(messages);
      for (const message of messages) message.ack();
      deps.metrics.consumed.inc({ consumer: name, outcome: 'done' }, messages.length);
    } catch (error) {
      if (messages.length > 1) {
        for (const message of messages) await process([message]);
        return;
      }
      const [message] = messages as [JsMsg];
      const parts = await options.handleParts?.(message, error).catch((problem: unknown) => {
        log.warn({ err: problem, consumer: name, seq: message.seq }, 'could not handle the parts of a message');
        return null;
      });
      const failed = parts ?? [{ letter: letterOf(message), error }];
      if (failed.length === 0) deps.metrics.consumed.inc({ consumer: name, outcome: 'done' });
      const againIn =
        failed.length === 0 ? null : await fail(message, failed, inOrder ? tries : message.info.deliveryCount);
      if (againIn === null) return message.ack();
      if (!inOrder) return message.nak(againIn);
      await Promise.race([delay(againIn), stopped]);
      // What is not acked when this ends is delivered again to whoever goes on.
      if (!stopping) await process([message], tries + 1);
    }
  };

  const isBatchWaiting = (): boolean => queue.length >= batchSize || queue.bytes >= batchBytes;

  const consumer = await nats.js.consumers.get(stream, name);
  const source = await consumer.consume({
    max_messages: inOrder?.waiting ?? batchSize * 2,
    callback: (message) => {
      inOrder?.onArrival(message);
      if (inOrder && inHand.has(message.seq)) return;
      // It was handled, and its acknowledgement was lost.
      if (inOrder && message.seq <= lastSeq) return message.ack();
      lastSeq = message.seq;
      inHand.add(message.seq);
      queue.push(message);
      wake();
    },
  });

  const loop = (async () => {
    while (!stopping || queue.length > 0) {
      if (queue.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const begun = performance.now();
      const batch = queue.take(batchSize, batchBytes);
      // If the server redelivers a message nevertheless, the inbox drops the duplicate.
      for (const { message, at } of batch) if (begun - at > STILL_WAITING_MS) message.working();
      await process(batch.map(({ message }) => message));
      for (const { message } of batch) inHand.delete(message.seq);
      if (!isBatchWaiting() && !stopping) await delay(Math.max(0, begun + PACE_MS - performance.now()));
    }
  })();

  return {
    async stop() {
      stopping = true;
      endWaits();
      await source.close();
      // Not handled yet: nak, so that the server gives it to another process at once. In order, that begins anew.
      for (const message of queue.clear()) if (!inOrder) message.nak();
      wake();
      await loop;
    },
  };
}
