import { SmtpOpenError, openConnection, readUrl } from './smtp-connection.ts';
import type { SmtpSession, SmtpTimeouts } from './smtp-connection.ts';
import type { Outcome } from './smtp-outcome.ts';

export interface SmtpPoolOptions {
  url: string;
  /** Its name in records; host:port unless given. */
  provider?: string;
  /** Connections at most. */
  size: number;
  /** A connection is closed after so many messages. Default 500. */
  maxMessages?: number;
  /** A connection is closed after so long without one. Default 30 s. */
  idleMs?: number;
  timeouts?: SmtpTimeouts;
}

type Mail = Parameters<SmtpSession['send']>;

/** A connection that is open and kept for one message. */
export interface SmtpSlot {
  /** Sends over it; once. One that turns out to be closed is replaced, once, and `beforeDot` asked again. */
  send(...mail: Mail): Promise<Outcome>;
  /** Gives it back unused. */
  release(): void;
}

export interface SmtpPool {
  /** host:port, or what it was named. */
  readonly provider: string;
  /** How many messages can be sent right now. */
  idle(): number;
  /** How many are being sent, or have a connection kept for them. */
  busy(): number;
  /**
   * Opens, where need be, and keeps connections for up to `count` messages, as many as there are idle. Answers those
   * that are open; rejects with SmtpOpenError when none is. Never waits for a busy one.
   */
  acquire(count: number): Promise<SmtpSlot[]>;
  /**
   * Sends over an idle connection, opened if need be; never queues. Throws when `idle()` is 0 or the pool is closed.
   * `beforeDot` is asked once per connection tried: a reused one that turns out to be closed is replaced, once.
   */
  send(...mail: Mail): Promise<Outcome>;
  /** Takes no more messages, waits for those in flight, and closes all connections. */
  close(): Promise<void>;
}

interface Kept {
  session: SmtpSession;
  /** Messages that went over it. */
  messages: number;
}

interface Idle extends Kept {
  timer: NodeJS.Timeout;
}

/** A pool of own connections to one provider. It opens them lazily, replaces broken ones, and sends each message once. */
export function createSmtpPool({ url, provider = readUrl(url).provider, size, maxMessages = 500, idleMs = 30_000, timeouts = {} }: SmtpPoolOptions): SmtpPool {
  const idle: Idle[] = [];
  const running = new Set<Promise<Outcome>>();
  let busy = 0;
  let closed = false;

  /** The connection used last, so that those not needed run into their idle time. */
  const take = (): Kept | null => {
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

  const open = async (): Promise<Kept> => ({ session: await openConnection(url, { timeouts, provider }), messages: 0 });

  /** Null when a reused connection turned out to be closed, the news being still on its way: a fresh one may try. */
  const sendOver = async ({ session, messages }: Kept, mail: Mail): Promise<Outcome | null> => {
    try {
      const outcome = await session.send(...mail);
      if (messages > 0 && outcome.kind === 'retry' && outcome.reply === null && !session.usable) return null;
      await mail[2].concluded?.(outcome);
      return outcome;
    } finally {
      giveBack(session, messages + 1);
    }
  };

  const run = async (kept: Kept | null, mail: Mail): Promise<Outcome> => {
    try {
      const outcome = kept && (await sendOver(kept, mail));
      return outcome ?? (await sendOver(await open(), mail))!;
    } catch (error) {
      if (error instanceof SmtpOpenError) return error.outcome;
      throw error;
    }
  };

  /** Counts as busy until it has ended. */
  const track = async (attempt: Promise<Outcome>): Promise<Outcome> => {
    running.add(attempt);
    try {
      return await attempt;
    } finally {
      running.delete(attempt);
      busy -= 1;
    }
  };

  return {
    provider,
    idle: () => (closed ? 0 : size - busy),
    busy: () => busy,
    async acquire(count) {
      const wanted = closed ? 0 : Math.min(count, size - busy);
      busy += wanted;
      const opened = await Promise.allSettled(Array.from({ length: wanted }, async () => take() ?? (await open())));
      const kept = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      busy -= wanted - kept.length;
      const failed = opened.find((result) => result.status === 'rejected');
      if (kept.length === 0 && failed) throw failed.reason;
      return kept.map((connection) => ({
        send: (...mail) => track(run(connection, mail)),
        release() {
          giveBack(connection.session, connection.messages);
          busy -= 1;
        },
      }));
    },
    async send(...mail) {
      if (closed || busy >= size) throw new Error(closed ? 'the SMTP pool is closed' : 'no SMTP connection is idle');
      busy += 1;
      return track(run(take(), mail));
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
