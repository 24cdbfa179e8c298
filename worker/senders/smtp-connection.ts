import type { Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import type { NodemailerError } from 'nodemailer/lib/errors';
import { parseConnectionUrl } from 'nodemailer/lib/shared';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { classifyFailure } from './smtp-outcome.ts';
import type { Outcome } from './smtp-outcome.ts';

export interface SmtpTimeouts {
  /** From the DNS lookup to the end of the TLS handshake. Default 15 s. */
  connectMs?: number;
  /** Until the greeting; and, with connectMs, until the session is ready. Default 30 s. */
  greetingMs?: number;
  /** Without a byte either way; RFC 5321 section 4.5.3.2 wants 10 minutes after the dot. Default 10 min. */
  silenceMs?: number;
  /** Until all of a message but the dot is handed over: nothing is in doubt before. Default 30 s. */
  handoverMs?: number;
  /** One whole message, against a server that trickles. Default 15 min. */
  messageMs?: number;
}

export interface Envelope {
  from: string;
  to: string;
}

export interface SendHooks {
  /** Asked when everything but the final dot is on the wire: does the lease still hold? A throw counts as no. */
  beforeDot: () => Promise<boolean>;
}

/** One authenticated SMTP connection; sends one message at a time. */
export interface SmtpSession {
  /** host:port, for the record of attempts. */
  readonly provider: string;
  /** Whether another message can be sent over it. */
  readonly usable: boolean;
  /** Never rejects. Whatever happens, at most one dot is sent, and only after `beforeDot` answered true. */
  send(envelope: Envelope, message: Buffer, hooks: SendHooks): Promise<Outcome>;
  /** Says QUIT and closes; does not wait for the answer. */
  quit(): void;
}

/** A connection that could not be opened; its outcome is always a retry that is the provider's fault. */
export class SmtpOpenError extends Error {
  override readonly name = 'SmtpOpenError';
  readonly outcome: Outcome;

  constructor(error: NodemailerError, provider: string) {
    super(error.message, { cause: error });
    this.outcome = { kind: 'retry', reply: error.response || null, error: error.message, providerFault: true, provider };
  }
}

const RESET_MS = 5_000;
const QUIT_MS = 2_000;

/** `smtp://user:password@host:port?requireTLS=true`, as nodemailer reads it; `tls.` prefixes options of the TLS layer. */
export function readUrl(url: string) {
  const { auth, ...options } = parseConnectionUrl(url);
  const port = options.port ?? (options.secure ? 465 : 587);
  return { auth, options: { ...options, port }, provider: `${options.host ?? 'localhost'}:${port}` };
}

const [LF, CR, DOT] = [10, 13, 46];

/** Whether every line of a message ends with CR LF and none begins with a dot. */
function isFit(message: Buffer): boolean {
  if (message[0] === DOT || message.at(-1) !== LF) return false;
  for (let at = 0; at < message.length; at += 1) {
    const byte = message[at];
    if (byte === LF && (message[at - 1] !== CR || message[at + 1] === DOT)) return false;
    if (byte === CR && message[at + 1] !== LF) return false;
  }
  return true;
}

/**
 * A message as it goes over the wire (RFC 5321, section 4.5.2), up to the dot: one that begins a line is doubled, and every line
 * ends with CR LF, so that nothing in it can be taken for its end.
 */
function onTheWire(message: Buffer): Buffer {
  if (isFit(message)) return message;
  const lines = message.toString('latin1').replace(/\r\n|\r|\n/g, '\r\n').replace(/\r\n$/, '');
  return Buffer.from(`${lines.replace(/^\./gm, '..')}\r\n`, 'latin1');
}

class Session implements SmtpSession {
  readonly provider: string;
  readonly #connection: SMTPConnection;
  readonly #handoverMs: number;
  readonly #messageMs: number;
  #sending = false;

  constructor(connection: SMTPConnection, provider: string, { handoverMs = 30_000, messageMs = 900_000 }: SmtpTimeouts) {
    this.#connection = connection;
    this.provider = provider;
    this.#handoverMs = handoverMs;
    this.#messageMs = messageMs;
  }

  get usable(): boolean {
    const socket = this.#connection._socket;
    return !this.#sending && !this.#connection.destroyed && Boolean(socket && socket.writable);
  }

  quit(): void {
    const connection = this.#connection;
    if (!this.usable) return connection.close();
    connection.quit();
    // A server that does not answer keeps neither the socket nor the process.
    if (connection._socket) connection._socket.unref();
    setTimeout(() => connection.close(), QUIT_MS).unref();
  }

  async send(envelope: Envelope, message: Buffer, hooks: SendHooks): Promise<Outcome> {
    if (!this.usable) throw new Error('the SMTP session is not usable');
    this.#sending = true;
    try {
      const { outcome, transactionOpen } = await this.#attempt(envelope, message, hooks);
      if (transactionOpen) await this.#reset();
      return outcome;
    } finally {
      this.#sending = false;
    }
  }

  #attempt(envelope: Envelope, message: Buffer, { beforeDot }: SendHooks): Promise<{ outcome: Outcome; transactionOpen: boolean }> {
    const connection = this.#connection;
    const { provider } = this;
    const socket = connection._socket as Socket;
    return new Promise((resolve) => {
      let state: 'sending' | 'released' | 'settled' = 'sending';

      const settle = (outcome: Outcome, after: 'keep' | 'reset' | 'close'): void => {
        if (state === 'settled') return;
        state = 'settled';
        clearTimeout(deadline);
        clearTimeout(handover);
        connection.off('end', onEnd);
        // Destroys the socket: a message that has no dot yet never gets one.
        if (after === 'close') connection.close();
        resolve({ outcome, transactionOpen: after === 'reset' });
      };
      const fail = (error: NodemailerError): void => {
        const outcome = classifyFailure(error, state === 'released', provider);
        // After a reply to a command before DATA the session goes on; after a reply to the dot it is clean.
        const replied = error.response && error.code !== 'ECONNECTION' && !connection.destroyed;
        if (replied && error.code === 'EENVELOPE') settle(outcome, 'reset');
        else settle(outcome, replied && state === 'released' && outcome.kind !== 'unknown' ? 'keep' : 'close');
      };
      // The connection reports its own end right after this event; this is for an end that it would not report.
      const onEnd = (): void => void setImmediate(() => fail(new Error('the connection ended')));
      const deadline = setTimeout(() => fail(new Error('the message took too long')), this.#messageMs);
      const handover = setTimeout(() => fail(new Error('the message could not be handed over in time')), this.#handoverMs);

      // nodemailer asks no more of a message than `pipe`. What it would pipe into looks at every byte, and writes the dot when
      // it ends: it never gets anything, and both the message and its dot are written here.
      const body = {
        pipe(unused: Duplex): void {
          unused.unpipe();
          unused.destroy();
          // Called back when the kernel has all of it, so that nothing but the dot is left to send.
          socket.write(onTheWire(message), (error) => void (error ?? askForDot()));
        },
      };
      const askForDot = async (): Promise<void> => {
        clearTimeout(handover);
        const holds = state === 'sending' && (await beforeDot().catch(() => false));
        // Settled meanwhile, by an early reply or a lost connection: nothing may be released any more.
        if (state !== 'sending') return;
        if (!holds) return settle({ kind: 'not_released', provider }, 'close');
        state = 'released';
        socket.write('.\r\n');
      };

      connection.once('end', onEnd);
      connection.send({ from: envelope.from, to: [envelope.to] }, body as unknown as Readable, (error, info) => {
        if (error) return fail(error);
        if (state === 'released') return settle({ kind: 'sent', reply: info.response, provider }, 'keep');
        // An answer to a message that has not ended is out of order: it accepted nothing.
        const early = 'the server answered before the end of the message';
        settle({ kind: 'retry', reply: info.response, error: early, providerFault: false, provider }, 'close');
      });
    });
  }

  /** Ends a transaction that stopped before DATA, for the next message; a session that does not answer is closed. */
  #reset(): Promise<void> {
    return new Promise((resolve) => {
      const done = (error?: unknown): void => {
        clearTimeout(deadline);
        this.#connection.off('end', done);
        if (error) this.#connection.close();
        resolve();
      };
      const deadline = setTimeout(() => done(new Error('no answer to RSET')), RESET_MS);
      this.#connection.once('end', done);
      this.#connection.reset((error) => done(error));
    });
  }
}

/**
 * Opens one connection to the provider of an SMTP URL, with TLS as the URL and the server say, and logs in when the URL
 * has credentials and the server offers it. Rejects with SmtpOpenError.
 */
export function openConnection(url: string, { timeouts = {}, ...named }: { timeouts?: SmtpTimeouts; provider?: string } = {}): Promise<SmtpSession> {
  const { auth, options, provider: address } = readUrl(url);
  const { provider = address } = named;
  const { connectMs = 15_000, greetingMs = 30_000 } = timeouts;
  const connection = new SMTPConnection({
    ...options,
    connectionTimeout: connectMs,
    greetingTimeout: greetingMs,
    socketTimeout: timeouts.silenceMs ?? 600_000,
    // Destroy at once: an orderly end in the middle of a message could be taken for its end.
    socketCloseTimeout: 0,
    logger: false,
  });
  return new Promise((resolve, reject) => {
    let open = false;
    const refuse = (error: NodemailerError): void => {
      // Later errors reach the send in flight through its callback, and end an idle session quietly.
      if (open) return;
      clearTimeout(deadline);
      reject(new SmtpOpenError(error, provider));
      connection.close();
    };
    const ready = (): void => {
      open = true;
      clearTimeout(deadline);
      resolve(new Session(connection, provider, timeouts));
    };
    const deadline = setTimeout(() => refuse(new Error('the session was not ready in time')), connectMs + greetingMs);
    connection.on('error', refuse);
    connection.once('end', () => refuse(new Error('the connection ended before it was ready')));
    connection.connect((error) => {
      if (error) return refuse(error);
      if (!auth || !connection.allowsAuth) return ready();
      connection.login(auth, (loginError) => (loginError ? refuse(loginError) : ready()));
    });
  });
}
