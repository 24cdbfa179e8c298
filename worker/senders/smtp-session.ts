import type { Socket } from 'node:net';
import { isNegative, isPositive, outcomeOfLoss, outcomeOfRefusal, type Outcome, type Step } from './smtp-outcome.ts';
import { ReplyReader, type Reply } from './smtp-replies.ts';

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
  /** Rejects only where it is not usable. Whatever happens, at most one dot is sent, and only after `beforeDot` answered true. */
  send(envelope: Envelope, message: Buffer, hooks: SendHooks): Promise<Outcome>;
  /** Says QUIT and closes; does not wait for the answer. */
  quit(): void;
}

export interface SessionOptions {
  provider: string;
  /** What the server answered to EHLO. */
  ehlo: string;
  /** Until all of a message but the dot is handed over. */
  handoverMs: number;
  /** One whole message. */
  messageMs: number;
}

/** Whoever waits for the server. */
interface Listener {
  replied(reply: Reply): void;
  lost(error: Error): void;
}

interface Attempt {
  outcome: Outcome;
  /** `reset`: a transaction was begun that has to be ended before the next message. */
  after: 'keep' | 'reset' | 'close';
}

const RESET_MS = 5_000;
const QUIT_MS = 2_000;
/** The server is about to close the connection, whatever it says it to. */
const CLOSING = 421;
const [LF, CR, DOT] = [10, 13, 46];
const LINE_THEN_DOT = Buffer.from('\n.');

/** Whether every line of a message ends with CR LF. */
function hasWholeLines(message: Buffer): boolean {
  const { length } = message;
  let before = 0;
  for (let at = 0; at < length; at += 1) {
    const byte = message[at]!;
    if ((byte === LF) !== (before === CR)) return false;
    before = byte;
  }
  return before === LF;
}

/**
 * A message as it goes over the wire (RFC 5321, section 4.5.2), up to the dot: every line ends with CR LF, and a dot that begins one
 * is doubled, so that nothing in it can be taken for its end.
 */
function onTheWire(message: Buffer): Buffer {
  const whole = hasWholeLines(message) ? message : Buffer.from(`${message.toString('latin1').replace(/\r\n|\r|\n/g, '\r\n').replace(/\r\n$/, '')}\r\n`, 'latin1');
  const pieces: Buffer[] = whole[0] === DOT ? [Buffer.of(DOT)] : [];
  let from = 0;
  for (let at = whole.indexOf(LINE_THEN_DOT); at >= 0; at = whole.indexOf(LINE_THEN_DOT, from)) {
    // Up to the dot and with it; what follows begins with the same dot.
    pieces.push(whole.subarray(from, at + 2));
    from = at + 1;
  }
  return pieces.length === 0 ? whole : Buffer.concat([...pieces, whole.subarray(from)]);
}

/** Mail transactions (RFC 5321, section 3.3) over a socket whose session is open. */
export class Session implements SmtpSession {
  readonly provider: string;
  readonly #socket: Socket;
  readonly #options: SessionOptions;
  readonly #pipelining: boolean;
  readonly #smtpUtf8: boolean;
  readonly #reader = new ReplyReader();
  #listener: Listener | null = null;
  #sending = false;

  /** The socket is the session's from here on. */
  constructor(socket: Socket, options: SessionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.provider = options.provider;
    const offers = (keyword: string): boolean => new RegExp(`^250[ -]${keyword}\\b`, 'im').test(options.ehlo);
    this.#pipelining = offers('PIPELINING');
    this.#smtpUtf8 = offers('SMTPUTF8');
    socket.on('data', (bytes) => this.#heard(bytes));
    socket.on('error', (error) => this.#lose(error));
    socket.on('timeout', () => this.#lose(new Error('the server has been silent for too long')));
    socket.on('end', () => this.#lose(new Error('the server ended the connection')));
    socket.on('close', () => this.#lose(new Error('the connection closed')));
  }

  get usable(): boolean {
    return !this.#sending && !this.#socket.destroyed && this.#socket.writable;
  }

  quit(): void {
    const socket = this.#socket;
    if (!this.usable) return void socket.destroy();
    socket.write('QUIT\r\n');
    // Whatever it answers; a server that does not keeps neither the socket nor the process.
    this.#listener = { replied: () => socket.destroy(), lost: () => undefined };
    socket.unref();
    setTimeout(() => socket.destroy(), QUIT_MS).unref();
  }

  async send(envelope: Envelope, message: Buffer, hooks: SendHooks): Promise<Outcome> {
    if (!this.usable) throw new Error('the SMTP session is not usable');
    this.#sending = true;
    try {
      const { outcome, after } = await this.#attempt(envelope, message, hooks);
      if (after === 'reset') await this.#reset();
      return outcome;
    } finally {
      this.#sending = false;
    }
  }

  #heard(bytes: Buffer): void {
    try {
      for (const reply of this.#reader.read(bytes)) {
        // Unasked, it says that it is closing, or nothing that could be trusted.
        if (this.#listener) this.#listener.replied(reply);
        else this.#socket.destroy();
      }
    } catch (error) {
      this.#lose(error as Error);
    }
  }

  /** Destroys the socket at once: a message that has no dot yet never gets one. */
  #lose(error: Error): void {
    this.#socket.destroy();
    this.#listener?.lost(error);
  }

  #attempt({ from, to }: Envelope, message: Buffer, { beforeDot }: SendHooks): Promise<Attempt> {
    const { provider } = this;
    const socket = this.#socket;
    if (/[\r\n<>\0]/.test(from + to)) {
      return Promise.resolve({ outcome: { kind: 'retry', reply: null, error: 'an address that can not stand in an envelope', providerFault: false, provider }, after: 'keep' });
    }
    const utf8 = this.#smtpUtf8 && /[^\0-\x7f]/.test(from + to) ? ' SMTPUTF8' : '';
    const commands: [Step, string][] = [['MAIL', `MAIL FROM:<${from}>${utf8}\r\n`], ['RCPT', `RCPT TO:<${to}>\r\n`], ['DATA', 'DATA\r\n']];
    /** What was said and not answered yet. */
    const said: Step[] = [];
    let refusal: Outcome | null = null;
    let isClosing = false;
    let state: 'sending' | 'released' | 'settled' = 'sending';

    return new Promise((resolve) => {
      const settle = (outcome: Outcome, after: Attempt['after']): void => {
        if (state === 'settled') return;
        state = 'settled';
        clearTimeout(deadline);
        clearTimeout(handover);
        this.#listener = null;
        if (after === 'close' || isClosing) socket.destroy();
        resolve({ outcome, after: socket.destroyed ? 'close' : after });
      };
      const lost = (error: Error): void => settle(refusal ?? outcomeOfLoss(error, state === 'released', provider), 'close');
      const deadline = setTimeout(() => lost(new Error('the message took too long')), this.#options.messageMs);
      const handover = setTimeout(() => lost(new Error('the message could not be handed over in time')), this.#options.handoverMs);

      /** The next command, or with pipelining (RFC 2920) all of them at once. */
      const say = (): void => {
        const next = commands.splice(0, this.#pipelining ? commands.length : 1);
        said.push(...next.map(([step]) => step));
        socket.write(next.map(([, command]) => command).join(''));
      };
      const askForDot = async (): Promise<void> => {
        clearTimeout(handover);
        const holds = state === 'sending' && (await Promise.resolve().then(beforeDot).catch(() => false));
        // Settled meanwhile, by an early reply or a lost connection: nothing may be released any more.
        if (state !== 'sending') return;
        if (!holds) return settle({ kind: 'not_released', provider }, 'close');
        state = 'released';
        said.push('dot');
        socket.write('.\r\n');
      };
      const replied = (reply: Reply): void => {
        const step = said.shift();
        if (step === undefined) {
          // An answer to a message that has not ended is out of order: it accepted nothing.
          const early = 'the server answered before the end of the message';
          return settle({ kind: 'retry', reply: reply.text, error: early, providerFault: false, provider }, 'close');
        }
        const positive = isPositive(reply, step);
        isClosing ||= reply.code === CLOSING || !(positive || isNegative(reply));
        if (step === 'dot') {
          const outcome: Outcome = positive ? { kind: 'sent', reply: reply.text, provider } : outcomeOfRefusal(reply, step, provider);
          return settle(outcome, 'keep');
        }
        if (!positive) refusal ??= outcomeOfRefusal(reply, step, provider);
        if (said.length > 0) return;
        // A server that awaits a message nevertheless would take what comes next for one.
        if (refusal) return settle(refusal, positive && step === 'DATA' ? 'close' : 'reset');
        if (commands.length > 0) return say();
        // Called back when the kernel has all of it, so that nothing but the dot is left to send.
        socket.write(onTheWire(message), (error) => (error ? lost(error) : void askForDot()));
      };

      this.#listener = { replied, lost };
      say();
    });
  }

  /** Ends a transaction that stopped before DATA, for the next message; a session that does not answer is closed. */
  #reset(): Promise<void> {
    return new Promise((resolve) => {
      const done = (isReset: boolean): void => {
        clearTimeout(deadline);
        this.#listener = null;
        if (!isReset) this.#socket.destroy();
        resolve();
      };
      const deadline = setTimeout(done, RESET_MS, false);
      this.#listener = { replied: ({ code }) => done(code === 250), lost: () => done(false) };
      this.#socket.write('RSET\r\n');
    });
  }
}
