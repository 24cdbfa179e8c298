import type { Socket } from 'node:net';
import type { Outcome } from './smtp-outcome.ts';
import { ReplyReader } from './smtp-replies.ts';
import { Transaction, Wire, type Envelope, type SendHooks, type SessionOptions } from './smtp-transaction.ts';

/** One authenticated SMTP connection; sends one message at a time. */
export interface SmtpSession {
  /** The provider's name, for the records of attempts. */
  readonly provider: string;
  /** Whether another message can be sent over this session; if one has `begun`, only that one. */
  readonly usable: boolean;
  /** The envelope that was already pipelined: its message must be the next. */
  readonly begun: Envelope | null;
  /**
   * Rejects only if not usable for this message. Sends at most one final dot, and only after `beforeDot` returned true.
   */
  send: (envelope: Envelope, message: Buffer, hooks: SendHooks) => Promise<Outcome>;
  /** Closes the connection, with QUIT unless a message has begun; does not wait for the reply. */
  quit: () => void;
}

const RESET_MS = 5_000;
const QUIT_MS = 2_000;

/** Whether the addresses are safe to write into SMTP commands. */
const isSound = ({ from, to }: Envelope): boolean => !/[\r\n<>\0]/.test(from + to);

/** An open session: one mail transaction after the other. */
export class Session implements SmtpSession {
  readonly provider: string;
  readonly #wire: Wire;
  readonly #socket: Socket;
  readonly #reader = new ReplyReader();
  #current: Transaction | null = null;
  #next: Transaction | null = null;
  #resetting: ((isReset: boolean) => void) | null = null;
  #sending = false;

  /** Takes over the socket. */
  constructor(socket: Socket, options: SessionOptions) {
    this.#socket = socket;
    this.#wire = new Wire(socket, options);
    this.provider = options.provider;
    socket.on('data', (bytes) => this.#heard(bytes));
    socket.on('error', (error) => this.#lose(error));
    socket.on('timeout', () => this.#lose(new Error('timeout: the server did not respond')));
    socket.on('end', () => this.#lose(new Error('the server ended the connection')));
    socket.on('close', () => this.#lose(new Error('the connection closed')));
  }

  get usable(): boolean {
    return !this.#sending && !this.#socket.destroyed && this.#socket.writable;
  }

  get begun(): Envelope | null {
    return this.#next?.envelope ?? null;
  }

  quit(): void {
    const socket = this.#socket;
    // In the middle of a message, QUIT would become part of its text.
    if (!this.usable || this.#next) return void socket.destroy();
    socket.write('QUIT\r\n');
    // Ignore the reply; if none comes, that keeps neither the socket nor the process alive.
    socket.unref();
    setTimeout(() => socket.destroy(), QUIT_MS).unref();
  }

  async send(envelope: Envelope, message: Buffer, hooks: SendHooks): Promise<Outcome> {
    if (!this.usable || (this.#next && this.#next.envelope !== envelope))
      throw new Error('the SMTP session is not usable');
    if (!isSound(envelope)) {
      return {
        kind: 'retry',
        reply: null,
        error: 'an address that is not valid in an SMTP envelope',
        blames: null,
        provider: this.provider,
      };
    }
    this.#sending = true;
    try {
      this.#current = this.#next;
      this.#next = null;
      if (!this.#current) {
        this.#current = this.#transaction(envelope);
        this.#socket.write(this.#current.say());
      }
      const { outcome, after } = await this.#current.send(message, hooks);
      if (after === 'reset') await this.#reset();
      return outcome;
    } finally {
      this.#current = null;
      this.#sending = false;
    }
  }

  #transaction(envelope: Envelope): Transaction {
    return new Transaction(this.#wire, envelope, (following) => {
      if (!isSound(following)) return '';
      this.#next = this.#transaction(following);
      return this.#next.say();
    });
  }

  #heard(bytes: Buffer): void {
    try {
      for (const reply of this.#reader.read(bytes)) {
        if (this.#wire.heard(reply)) continue;
        // A reply without a command: the server is closing the connection, or can no longer be trusted.
        this.#current?.early(reply);
        this.#socket.destroy();
      }
    } catch (error) {
      this.#lose(error as Error);
    }
  }

  /** Destroys the socket at once: a message whose final dot was not sent yet never gets one. */
  #lose(error: Error): void {
    this.#socket.destroy();
    this.#current?.lost(error);
    this.#next?.lost(error);
    this.#resetting?.(false);
  }

  /**
   * Ends a transaction that stopped before DATA (RSET), so that the next message can be sent; closes if there is no
   * reply.
   */
  #reset(): Promise<void> {
    return new Promise((resolve) => {
      const done = (this.#resetting = (isReset: boolean): void => {
        clearTimeout(deadline);
        this.#resetting = null;
        if (!isReset) this.#socket.destroy();
        resolve();
      });
      const deadline = setTimeout(done, RESET_MS, false);
      this.#wire.expectReply(({ code }) => done(code === 250));
      this.#socket.write('RSET\r\n');
    });
  }
}
