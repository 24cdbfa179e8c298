import { SmtpOpenError, openConnection } from './smtp-connection.ts';
import type { Envelope, SendHooks, SmtpSession, SmtpTimeouts } from './smtp-connection.ts';
import type { Outcome } from './smtp-outcome.ts';

export interface SmtpPoolOptions {
  url: string;
  /** Connections at most. */
  size: number;
  /** A connection is closed after so many messages. Default 500. */
  maxMessages?: number;
  /** A connection is closed after so long without one. Default 30 s. */
  idleMs?: number;
  timeouts?: SmtpTimeouts;
}

type Mail = Parameters<SmtpSession['send']>;

export interface SmtpPool {
  /** How many messages can be sent right now. */
  idle(): number;
  /** How many are being sent. */
  busy(): number;
  /**
   * Sends over an idle connection, opened if need be; never queues. Throws when `idle()` is 0 or the pool is closed.
   * `beforeDot` is asked once per connection tried: a reused one that turns out to be closed is replaced, once.
   */
  send(envelope: Envelope, message: Buffer, hooks: SendHooks): Promise<Outcome>;
  /** Takes no more messages, waits for those in flight, and closes all connections. */
  close(): Promise<void>;
}

interface Idle {
  session: SmtpSession;
  messages: number;
  timer: NodeJS.Timeout;
}

/** A pool of own connections to one provider. It opens them lazily, replaces broken ones, and sends each message once. */
export function createSmtpPool({ url, size, maxMessages = 500, idleMs = 30_000, timeouts = {} }: SmtpPoolOptions): SmtpPool {
  const idle: Idle[] = [];
  const running = new Set<Promise<Outcome>>();
  let closed = false;

  /** The connection used last, so that those not needed run into their idle time. */
  const take = (): Omit<Idle, 'timer'> | null => {
    for (let entry = idle.pop(); entry; entry = idle.pop()) {
      clearTimeout(entry.timer);
      if (entry.session.usable) return entry;
      entry.session.quit();
    }
    return null;
  };

  const giveBack = (session: SmtpSession, messages: number): void => {
    if (closed || !session.usable || messages >= maxMessages) return session.quit();
    const entry: Idle = {
      session,
      messages,
      timer: setTimeout(() => {
        idle.splice(idle.indexOf(entry), 1);
        session.quit();
      }, idleMs),
    };
    idle.push(entry);
  };

  /** Null when a reused connection turned out to be closed, the news being still on its way: a fresh one may try. */
  const sendOver = async ({ session, messages }: Omit<Idle, 'timer'>, mail: Mail, isReused: boolean): Promise<Outcome | null> => {
    try {
      const outcome = await session.send(...mail);
      if (isReused && outcome.kind === 'retry' && outcome.reply === null && !session.usable) return null;
      await mail[2].concluded?.(outcome);
      return outcome;
    } finally {
      giveBack(session, messages + 1);
    }
  };

  const run = async (...mail: Mail): Promise<Outcome> => {
    const used = take();
    const outcome = used && (await sendOver(used, mail, true));
    return outcome ?? (await sendOver({ session: await openConnection(url, { timeouts }), messages: 0 }, mail, false))!;
  };

  return {
    idle: () => (closed ? 0 : size - running.size),
    busy: () => running.size,
    async send(envelope, message, hooks) {
      if (closed || running.size >= size) throw new Error(closed ? 'the SMTP pool is closed' : 'no SMTP connection is idle');
      const attempt = run(envelope, message, hooks).catch((error: unknown) => {
        if (error instanceof SmtpOpenError) return error.outcome;
        throw error;
      });
      running.add(attempt);
      try {
        return await attempt;
      } finally {
        running.delete(attempt);
      }
    },
    async close() {
      closed = true;
      await Promise.allSettled(running);
      for (const { session, timer } of idle.splice(0)) {
        clearTimeout(timer);
        session.quit();
      }
    },
  };
}
