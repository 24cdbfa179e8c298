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

/** The connection and its JetStream handles. Only this file uses the client library directly. */
export interface Nats {
  connection: NatsConnection;
  js: JetStreamClient;
  jsm: JetStreamManager;
  /** For `publishAll`. */
  acks: Acks;
}

/** Error codes of a missing, closing or silent server, of JetStream that is not up yet, and of an unknown host name. */
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

/** Error codes of a request that got no response: no stream takes the subject, or the connection was closed. */
const UNANSWERED: ReadonlySet<string> = new Set([
  ErrorCode.NoResponders,
  ErrorCode.ConnectionClosed,
  ErrorCode.ConnectionDraining,
]);

/** The code of JetStream's errors that say that it cannot store anything now. */
const UNAVAILABLE = 503;

/** Whether an error of `connectNats` means that the server, or its JetStream, is not available (yet). */
export function isAway(error: unknown): boolean {
  return AWAY.has((error as { code?: unknown }).code);
}

/** Whether a request failed because the server, or its JetStream, is not available, has no room or does not respond. */
export function isUnanswered(error: unknown): boolean {
  if (!(error instanceof NatsError)) return false;
  return isAway(error) || UNANSWERED.has(error.code) || error.api_error?.code === UNAVAILABLE;
}

const WITHOUT_JETSTREAM = new Set<string>([ErrorCode.JetStreamNotEnabled, ErrorCode.NoResponders]);

/** Whether an error means that an account has no JetStream, or does not export it to the service's account. */
export function isWithoutJetStream(error: unknown): boolean {
  return error instanceof NatsError && WITHOUT_JETSTREAM.has(error.code);
}

/** Connects with the credentials in the URL; reconnects without limit. */
export async function connectNats(url: string, name: string): Promise<Nats> {
  const servers = url.split(',').map((address) => new URL(address));
  const connection = await connect({
    servers: servers.map((server) => server.host),
    user: decodeURIComponent(servers[0]!.username) || undefined,
    pass: decodeURIComponent(servers[0]!.password) || undefined,
    name: `perennial-${name}`,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 500,
    // Creating a stack trace per publication took longer than publishing.
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

/** NATS by a connection that may come later: while `current` is null, any use fails as if the server were away. */
export function laterNats(current: () => Nats | null): Nats {
  const there = (): Nats => {
    const nats = current();
    if (!nats) throw new NatsError('NATS was never there', ErrorCode.ConnectionRefused);
    return nats;
  };
  return {
    get connection() {
      return there().connection;
    },
    get js() {
      return there().js;
    },
    get jsm() {
      return there().jsm;
    },
    get acks() {
      return there().acks;
    },
  };
}

export interface Message {
  subject: string;
  /** JetStream stores only one message per id. */
  id?: string;
  data: Uint8Array;
  contentType?: string;
}

const ACK_TIMEOUT_MS = 10_000;
const MAX_IN_FLIGHT = 2_000;

/**
 * Publishes messages to JetStream in order. Resolves with their number when all are stored; rejects if one is refused
 * or not acknowledged within `timeoutMs`. Like `js.publish` for each, but with one timer for all acknowledgements, and
 * without the error object that the client creates for every successful request.
 */
export async function publishAll(nats: Nats, messages: Iterable<Message>, timeoutMs = ACK_TIMEOUT_MS): Promise<number> {
  let count = 0;
  let together: Message[] = [];
  for (const message of messages) {
    together.push(message);
    if (together.length < MAX_IN_FLIGHT) continue;
    await nats.acks.publish(together, timeoutMs);
    count += together.length;
    together = [];
  }
  if (together.length > 0) await nats.acks.publish(together, timeoutMs);
  return count + together.length;
}

/** A group of published messages that await acknowledgement. */
interface Flight {
  number: number;
  /** The messages that are not acknowledged yet. */
  open: Set<number>;
  resolve: () => void;
  reject: (error: Error) => void;
}

/**
 * Receives JetStream's acknowledgements over one subscription for the lifetime of the connection. One subscription per
 * publication would cost both sides work, and leak memory in the client's Map of subscriptions
 * (`docs/decisions/0028-speed-of-clicks.md`).
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
    // The server may have ended it (changed permissions) and may allow it again. Throws if the connection is closed.
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
    // An error here concerns the subscription itself: it was refused.
    if (error) return this.#flights.forEach((flight) => flight.reject(error));
    const [number, n] = ack.subject
      .slice(this.#inbox.length + 1)
      .split('-')
      .map(Number);
    const flight = this.#flights.find((one) => one.number === number);
    // The publisher no longer waits for it.
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

/** Why a message was not stored: no stream takes its subject, or the stream refused it. Null if it was stored. */
function refusalOf(ack: Msg): string | null {
  if (ack.headers?.hasError) return ack.headers.description || String(ack.headers.code);
  return ack.json<{ error?: { description?: string } }>().error?.description ?? null;
}

export interface StoredMessage {
  seq: number;
  data: Uint8Array;
}

const READ_TIMEOUT_MS = 10_000;
const RESET_TIMEOUT_MS = 10_000;
const MAX_READ_BYTES = 4 * 1024 * 1024;

/**
 * Reads the next messages of a stream under `subject`, from a sequence number or a time on, without a consumer (an account may not allow
 * another). The stream must have `allow_direct`. Throws if the batch is incomplete.
 */
export async function readMessages(
  { connection, js }: Nats,
  stream: string,
  from: number | Date,
  subject: string,
  most: number,
): Promise<{ messages: StoredMessage[]; more: boolean }> {
  const first = typeof from === 'number' ? { seq: from } : { start_time: from };
  const asked = encode({ ...first, next_by_subj: subject, batch: most, max_bytes: MAX_READ_BYTES });
  const answers = await connection.requestMany(`${js.apiPrefix}.DIRECT.GET.${stream}`, asked, {
    strategy: RequestStrategy.SentinelMsg,
    maxWait: READ_TIMEOUT_MS,
  });
  const messages: StoredMessage[] = [];
  for await (const { headers: said, data } of answers) {
    // 204 ends a batch; 404: no messages.
    if (said?.code === 404) return { messages, more: false };
    if (said?.code === 204) return { messages, more: said.get('Nats-Num-Pending') !== '0' };
    if (said?.hasError) throw new Error(`The stream ${stream} cannot be read: ${said.code} ${said.description}`);
    messages.push({ seq: Number(said?.get('Nats-Sequence')), data });
  }
  // The client takes an empty message for the end of the batch.
  if (messages.at(-1)?.data.length === 0) return { messages, more: true };
  throw new Error(`The stream ${stream} cannot be read: JetStream does not respond`);
}

/** Lets a consumer go on with the message `seq`. It forgets which ones after that were delivered or acknowledged. */
export async function resetConsumer(
  { connection, js }: Pick<Nats, 'connection' | 'js'>,
  stream: string,
  name: string,
  seq: number,
): Promise<void> {
  const subject = `${js.apiPrefix}.CONSUMER.RESET.${stream}.${name}`;
  const answer = await connection.request(subject, encode({ seq }), { timeout: RESET_TIMEOUT_MS });
  const refusal = answer.json<{ error?: { description: string } }>().error;
  if (refusal) throw new Error(`The consumer ${name} of ${stream} cannot be reset: ${refusal.description}`);
}

/** Lets a consumer begin anew with the first message that was not acknowledged. */
export async function rewindConsumer(nats: Nats, stream: string, name: string): Promise<void> {
  const { ack_floor: floor, delivered } = await nats.jsm.consumers.info(stream, name);
  if (delivered.stream_seq !== floor.stream_seq) await resetConsumer(nats, stream, name, floor.stream_seq + 1);
}

/** The first stored message of a stream from `seq` on, of any subject or of one. Rejects if there is none. */
export const nextMessage = (
  jsm: JetStreamManager,
  stream: string,
  seq: number,
  subject = '>',
): Promise<{ time: Date; data: Uint8Array }> =>
  // The client's types do not know that both may be given.
  jsm.streams.getMessage(stream, { seq, next_by_subj: subject } as { seq: number });

const codeOf = (error: unknown): number | undefined =>
  error instanceof NatsError ? error.api_error?.err_code : undefined;

/** Whether JetStream has no such message. */
export const isNotFound = (error: unknown): boolean => codeOf(error) === 10037;

/** Whether JetStream cannot reserve as much storage as a stream asks for. */
export const isWithoutRoom = (error: unknown): boolean => codeOf(error) === 10047;

/** Whether a stream refused a message because it is full. */
export const isFull = (error: unknown): boolean => codeOf(error) === 10077;

/** Whether a stream refused a message because another came before it (`expect`). */
export const isOvertaken = (error: unknown): boolean => codeOf(error) === 10071;

/** Whether JetStream has no such stream or consumer. */
export const isMissing = (error: unknown): boolean => codeOf(error) === 10059 || codeOf(error) === 10014;

/** For `catch`: null if JetStream has no such stream or consumer; throws any other error. */
export function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
export const encode = (value: unknown): Uint8Array => encoder.encode(JSON.stringify(value));
export const decodeText = (data: Uint8Array): string => decoder.decode(data);
