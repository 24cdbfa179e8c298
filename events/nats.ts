import {
  connect,
  createInbox,
  ErrorCode,
  headers,
  NatsError,
  RequestStrategy,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  type Subscription,
} from 'nats';

export type { JetStreamClient, JetStreamManager, JsMsg, NatsConnection };

/** The connection and its JetStream handles. This file is the only one that knows the client library. */
export interface Nats {
  connection: NatsConnection;
  js: JetStreamClient;
  jsm: JetStreamManager;
  /** For `publishAll`. */
  acks: Acks;
}

/** No server, one that closes or is silent, one whose JetStream is not up yet, a name that is not known yet. */
const AWAY: ReadonlySet<unknown> = new Set([
  ErrorCode.ConnectionRefused,
  ErrorCode.ConnectionTimeout,
  ErrorCode.Disconnect,
  ErrorCode.Timeout,
  ErrorCode.JetStreamNotEnabled,
  'ENOTFOUND',
  'EAI_AGAIN',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** No stream is there to take it, or the connection has ended. */
const UNANSWERED: ReadonlySet<string> = new Set([
  ErrorCode.NoResponders,
  ErrorCode.ConnectionClosed,
  ErrorCode.ConnectionDraining,
]);

/** Whether an error of `connectNats` says that the server, or its JetStream, is not there (yet). */
export function isAway(error: unknown): boolean {
  return AWAY.has((error as { code?: unknown }).code);
}

/** Whether what was asked of a connection failed because the server, or its JetStream, is not there or does not answer. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof NatsError && (isAway(error) || UNANSWERED.has(error.code));
}

/** Whether an account has no JetStream, or none that it shares with ours. */
export function isWithoutJetStream(error: unknown): boolean {
  return (
    error instanceof NatsError &&
    (error.code === ErrorCode.JetStreamNotEnabled || error.code === ErrorCode.NoResponders)
  );
}

/** Connects with the credentials in the URL and reconnects for ever. */
export async function connectNats(url: string, name: string): Promise<Nats> {
  const servers = url.split(',').map((address) => new URL(address));
  const connection = await connect({
    servers: servers.map((server) => server.host),
    user: decodeURIComponent(servers[0]!.username) || undefined,
    pass: decodeURIComponent(servers[0]!.password) || undefined,
    name: `perennial-${name}`,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 500,
    // A stack trace for each publication took more time than publishing.
    noAsyncTraces: true,
  });
  try {
    return {
      connection,
      js: connection.jetstream({ timeout: 10_000 }),
      jsm: await connection.jetstreamManager(),
      acks: new Acks(connection),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

export interface Message {
  subject: string;
  /** JetStream keeps one message of an id. */
  id?: string;
  data: Uint8Array;
  contentType?: string;
}

const ACK_TIMEOUT_MS = 10_000;
const MOST_IN_FLIGHT = 2_000;

/**
 * Publishes messages to JetStream in their order; resolves with their number when every one is stored, rejects when one is refused or not
 * acknowledged within `timeoutMs`. As `js.publish` for each, but with one timer for thousands of acknowledgements, and without
 * the error that the client makes for each request that succeeds.
 */
export async function publishAll(nats: Nats, messages: Iterable<Message>, timeoutMs = ACK_TIMEOUT_MS): Promise<number> {
  let count = 0;
  let together: Message[] = [];
  for (const message of messages) {
    together.push(message);
    if (together.length < MOST_IN_FLIGHT) continue;
    await nats.acks.publish(together, timeoutMs);
    count += together.length;
    together = [];
  }
  if (together.length > 0) await nats.acks.publish(together, timeoutMs);
  return count + together.length;
}

/** Messages on their way to JetStream, and who waits for them. */
interface Flight {
  number: number;
  /** Which of its messages are not acknowledged yet. */
  open: Set<number>;
  resolve(): void;
  reject(error: Error): void;
}

/**
 * What JetStream answers to what was published, over one subscription for as long as the connection lives: to make one for each
 * publication is work for both sides, and the client keeps subscriptions in a Map, whose outgrown tables keep each other and
 * everything in them (`docs/decisions/0028-speed-of-clicks.md`).
 */
class Acks {
  readonly #connection: NatsConnection;
  readonly #inbox = createInbox();
  readonly #flights: Flight[] = [];
  #subscription: Subscription;
  #flown = 0;

  constructor(connection: NatsConnection) {
    this.#connection = connection;
    this.#subscription = this.#subscribe();
  }

  #subscribe(): Subscription {
    return this.#connection.subscribe(`${this.#inbox}.*`, { callback: (error, ack) => this.#take(error, ack) });
  }

  async publish(messages: readonly Message[], timeoutMs: number): Promise<void> {
    // It ends when the server refuses it (permissions that were changed), and may be allowed again; on a connection that closes this throws.
    if (this.#subscription.isClosed() || this.#subscription.isDraining()) this.#subscription = this.#subscribe();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const flight: Flight = { number: this.#flown, open: new Set(messages.keys()), resolve, reject };
    this.#flown += 1;
    this.#flights.push(flight);
    const timer = setTimeout(
      () => reject(new Error(`${flight.open.size} messages were not acknowledged by JetStream`)),
      timeoutMs,
    );
    try {
      for (const [n, { subject, id, data, contentType }] of messages.entries()) {
        this.#connection.publish(subject, data, {
          reply: `${this.#inbox}.${flight.number}-${n}`,
          ...headersOf(id, contentType),
        });
      }
      await promise;
    } finally {
      clearTimeout(timer);
      this.#flights.splice(this.#flights.indexOf(flight), 1);
    }
  }

  #take(error: Error | null, ack: Msg): void {
    // It has no subject: the subscription itself was refused.
    if (error) return this.#flights.forEach((flight) => flight.reject(error));
    const [number, n] = ack.subject
      .slice(this.#inbox.length + 1)
      .split('-')
      .map(Number);
    const flight = this.#flights.find((one) => one.number === number);
    // It was given up.
    if (!flight) return;
    const refusal = refusalOf(ack);
    if (refusal) return flight.reject(new Error(`JetStream refused a message: ${refusal}`));
    flight.open.delete(n!);
    if (flight.open.size === 0) flight.resolve();
  }
}

function headersOf(id: string | undefined, contentType: string | undefined): { headers?: MsgHdrs } {
  if (id === undefined && contentType === undefined) return {};
  const added = headers();
  if (id !== undefined) added.set('Nats-Msg-Id', id);
  if (contentType !== undefined) added.set('Content-Type', contentType);
  return { headers: added };
}

/** Why a message was not stored: no stream takes its subject, or the stream's own reason. */
function refusalOf(ack: Msg): string | null {
  if (ack.headers?.hasError) return ack.headers.description || String(ack.headers.code);
  return ack.json<{ error?: { description?: string } }>().error?.description ?? null;
}

export interface StoredMessage {
  seq: number;
  data: Uint8Array;
}

const READ_TIMEOUT_MS = 10_000;
const MOST_READ_BYTES = 4 * 1024 * 1024;

/**
 * The next messages of a stream under `subject`, from `seq` on, without a consumer: an account may have no room for one. The stream
 * must have `allow_direct`. Throws when they do not all come.
 */
export async function readMessages(
  { connection, js }: Nats,
  stream: string,
  seq: number,
  subject: string,
  most: number,
): Promise<{ messages: StoredMessage[]; more: boolean }> {
  const asked = encode({ seq, next_by_subj: subject, batch: most, max_bytes: MOST_READ_BYTES });
  const answers = await connection.requestMany(`${js.apiPrefix}.DIRECT.GET.${stream}`, asked, {
    strategy: RequestStrategy.SentinelMsg,
    maxWait: READ_TIMEOUT_MS,
  });
  const messages: StoredMessage[] = [];
  for await (const { headers: said, data } of answers) {
    // 204 ends a batch; 404: there is none.
    if (said?.code === 404) return { messages, more: false };
    if (said?.code === 204) return { messages, more: said.get('Nats-Num-Pending') !== '0' };
    if (said?.hasError) throw new Error(`The stream ${stream} cannot be read: ${said.code} ${said.description}`);
    messages.push({ seq: Number(said?.get('Nats-Sequence')), data });
  }
  // The client takes an empty message for the end.
  if (messages.at(-1)?.data.length === 0) return { messages, more: true };
  throw new Error(`The stream ${stream} cannot be read: JetStream does not respond`);
}

const codeOf = (error: unknown): number | undefined =>
  error instanceof NatsError ? error.api_error?.err_code : undefined;

/** Whether JetStream has no such message. */
export const isNotFound = (error: unknown): boolean => codeOf(error) === 10037;

/** Whether JetStream has no such stream or consumer. */
export const isMissing = (error: unknown): boolean => codeOf(error) === 10059 || codeOf(error) === 10014;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
export const encode = (value: unknown): Uint8Array => encoder.encode(JSON.stringify(value));
export const decodeText = (data: Uint8Array): string => decoder.decode(data);
