import type { Socket } from 'node:net';
import { isNegative, isPositive, outcomeOfLoss, outcomeOfRefusal, type Outcome, type Step } from './smtp-outcome.ts';
import type { Reply } from './smtp-replies.ts';

export interface Envelope {
  from: string;
  to: string;
}

export interface SendHooks {
  /**
   * Called when only the final dot is left to send, or before a small message is sent together with it: returns whether
   * the lease still holds. A throw counts as no.
   */
  beforeDot: () => Promise<boolean>;
  /**
   * Called when the final dot is sent: returns the envelope of the connection's next message, if known. With pipelining
   * it is sent together with the dot (RFC 2920, section 3.1), which saves each side a packet per message; then only
   * that message can be sent next over the connection.
   */
  following?: () => Envelope | null;
}

export interface SessionOptions {
  provider: string;
  /** The server's reply to EHLO. */
  ehlo: string;
  /** Maximum time to transmit a message up to its final dot. */
  handoverMs: number;
  /** Maximum time for one whole message. */
  messageMs: number;
}

export interface Attempt {
  outcome: Outcome;
  /** `reset`: the begun transaction must be ended (RSET) before the next message. */
  after: 'keep' | 'reset' | 'close';
}

type Answered = (reply: Reply) => void;

/** Reply code 421: the server is closing the connection, whichever command it replies to. */
const CLOSING = 421;
const [LF, DOT] = [10, 46];
const LINE_THEN_DOT = Buffer.from('\n.');

/**
 * A message up to this size is written together with its dot, which saves a packet. The send buffer of an idle
 * connection takes it at once (16 KiB is Linux's smallest default), so only the dot would be left to send anyway.
 */
const ONE_PACKET_BYTES = 16 * 1024;
const BROKEN_LINE_END = /\r(?!\n)|(?<!\r)\n/;

/** Whether every line of a message ends with CR LF. */
function hasWholeLines(message: Buffer): boolean {
  return message.at(-1) === LF && !BROKEN_LINE_END.test(message.toString('latin1'));
}

/**
 * Encodes a message for transmission, up to the final dot (RFC 5321, section 4.5.2): every line ends with CR LF, and a
 * dot at the start of a line is doubled, so that nothing in the message can be taken for its end.
 */
function onTheWire(message: Buffer): Buffer {
  const whole = hasWholeLines(message)
    ? message
    : Buffer.from(
        `${message
          .toString('latin1')
          .replace(/\r\n|\r|\n/g, '\r\n')
          .replace(/\r\n$/, '')}\r\n`,
        'latin1',
      );
  const pieces: Buffer[] = whole[0] === DOT ? [Buffer.of(DOT)] : [];
  let from = 0;
  for (let at = whole.indexOf(LINE_THEN_DOT); at >= 0; at = whole.indexOf(LINE_THEN_DOT, from)) {
    // This piece ends with the dot and the next one starts with it again, which doubles it.
    pieces.push(whole.subarray(from, at + 2));
    from = at + 1;
  }
  return pieces.length === 0 ? whole : Buffer.concat([...pieces, whole.subarray(from)]);
}

/** The socket of a session, and the commands that await a reply. Replies come in the order of the commands. */
export class Wire {
  readonly socket: Socket;
  readonly options: SessionOptions;
  readonly pipelining: boolean;
  readonly smtpUtf8: boolean;
  readonly #said: Answered[] = [];

  constructor(socket: Socket, options: SessionOptions) {
    this.socket = socket;
    this.options = options;
    const offers = (keyword: string): boolean => new RegExp(`^250[ -]${keyword}\\b`, 'im').test(options.ehlo);
    this.pipelining = offers('PIPELINING');
    this.smtpUtf8 = offers('SMTPUTF8');
  }

  /** Registers the callback for the reply to a command that is about to be written. */
  expectReply(answered: Answered): void {
    this.#said.push(answered);
  }

  /** Passes a reply to the oldest unanswered command. False if there is none. */
  heard(reply: Reply): boolean {
    const answered = this.#said.shift();
    answered?.(reply);
    return answered !== undefined;
  }
}

/** A mail transaction (RFC 5321, section 3.3). It begins with the envelope; the message may be given later. */
export class Transaction {
  readonly envelope: Envelope;
  readonly ended: Promise<Attempt>;
  readonly #wire: Wire;
  readonly #commands: [Step, string][];
  readonly #begin: (following: Envelope) => string;
  #end!: (attempt: Attempt) => void;
  #unanswered = 0;
  #refusal: Outcome | null = null;
  #isClosing = false;
  /** The server has accepted DATA and awaits the message. */
  #isOpen = false;
  #state: 'sending' | 'released' | 'ended' = 'sending';
  #mail: { message: Buffer; hooks: SendHooks } | null = null;
  #handover: NodeJS.Timeout | undefined;
  #deadline: NodeJS.Timeout | undefined;

  /** `begin` begins the following transaction and returns its first commands. */
  constructor(wire: Wire, envelope: Envelope, begin: (following: Envelope) => string) {
    const { from, to } = envelope;
    const utf8 = wire.smtpUtf8 && /[^\0-\x7f]/.test(from + to) ? ' SMTPUTF8' : '';
    this.envelope = envelope;
    this.#wire = wire;
    this.#begin = begin;
    this.#commands = [
      ['MAIL', `MAIL FROM:<${from}>${utf8}\r\n`],
      ['RCPT', `RCPT TO:<${to}>\r\n`],
      ['DATA', 'DATA\r\n'],
    ];
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Returns the next command, or with pipelining (RFC 2920) all commands, to be written now. */
  say(): string {
    const next = this.#commands.splice(0, this.#wire.pipelining ? this.#commands.length : 1);
    for (const [step] of next) this.#says(step);
    return next.map(([, command]) => command).join('');
  }

  /** Hands over the message to send. Its timeouts start now. */
  send(message: Buffer, hooks: SendHooks): Promise<Attempt> {
    if (this.#state !== 'ended') {
      const { messageMs, handoverMs } = this.#wire.options;
      this.#mail = { message, hooks };
      this.#deadline = setTimeout(() => this.lost(new Error('timeout: sending the message took too long')), messageMs);
      this.#handover = setTimeout(
        () => this.lost(new Error('timeout: the message content could not be transmitted in time')),
        handoverMs,
      );
      if (this.#isOpen) this.#handOver();
    }
    return this.ended;
  }

  #replied(reply: Reply, step: Step): void {
    const { provider } = this.#wire.options;
    this.#unanswered -= 1;
    const positive = isPositive(reply, step);
    this.#isClosing ||= reply.code === CLOSING || !(positive || isNegative(reply));
    if (step === 'dot')
      return this.#settle(
        positive ? { kind: 'sent', reply: reply.text, provider } : outcomeOfRefusal(reply, step, provider),
        'keep',
      );
    if (!positive) this.#refusal ??= outcomeOfRefusal(reply, step, provider);
    if (this.#unanswered > 0) return;
    // A server that accepted DATA nevertheless would read the next commands as a message: close.
    if (this.#refusal) return this.#settle(this.#refusal, positive && step === 'DATA' ? 'close' : 'reset');
    if (this.#commands.length > 0) return void this.#wire.socket.write(this.say());
    this.#isOpen = true;
    if (this.#mail) this.#handOver();
  }

  /** A reply before the end of the message is out of order: nothing was accepted. */
  early(reply: Reply): void {
    const error = 'the server replied before the end of the message';
    this.#settle(
      { kind: 'retry', reply: reply.text, error, blames: null, provider: this.#wire.options.provider },
      'close',
    );
  }

  lost(error: Error): void {
    this.#settle(
      this.#refusal ?? outcomeOfLoss(error, this.#state === 'released', this.#wire.options.provider),
      'close',
    );
  }

  #says(step: Step): void {
    this.#unanswered += 1;
    this.#wire.expectReply((reply) => this.#replied(reply, step));
  }

  #handOver(): void {
    const message = onTheWire(this.#mail!.message);
    if (message.length <= ONE_PACKET_BYTES) return void this.#release(message);
    // The callback runs when the kernel has taken all bytes, so that only the final dot is left to send.
    this.#wire.socket.write(message, (error) => (error ? this.lost(error) : void this.#release(null)));
  }

  /** Sends the message, unless it is sent already (null), and its dot, if the lease still holds. */
  async #release(message: Buffer | null): Promise<void> {
    clearTimeout(this.#handover);
    const { beforeDot, following } = this.#mail!.hooks;
    let [holds, next]: [boolean, Envelope | null] = [false, null];
    try {
      holds = this.#state === 'sending' && (await beforeDot());
      // Ended in the meantime by an early reply or a lost connection: the dot must not be sent any more.
      if (this.#state !== 'sending') return;
      if (holds && this.#wire.pipelining) next = following?.() ?? null;
    } catch {
      holds = false;
    }
    if (!holds) return this.#settle({ kind: 'not_released', provider: this.#wire.options.provider }, 'close');
    this.#state = 'released';
    this.#says('dot');
    const dot = `.\r\n${next ? this.#begin(next) : ''}`;
    this.#wire.socket.write(message ? Buffer.concat([message, Buffer.from(dot)]) : dot);
  }

  #settle(outcome: Outcome, after: Attempt['after']): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    clearTimeout(this.#deadline);
    clearTimeout(this.#handover);
    const { socket } = this.#wire;
    if (after === 'close' || this.#isClosing) socket.destroy();
    this.#end({ outcome, after: socket.destroyed ? 'close' : after });
  }
}
