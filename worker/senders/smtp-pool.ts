import { SmtpOpenError, openConnection, readUrl } from './smtp-connection.ts';
import type { SmtpTimeouts } from './smtp-connection.ts';
import type { Outcome } from './smtp-outcome.ts';
import type { SmtpSession } from './smtp-session.ts';

export interface SmtpPoolOptions {
  url: string;
  /** The provider's name in records. Default host:port. */
  provider?: string;
  /** Maximum number of connections. */
  size: number;
  /** Messages after which a connection is closed. Default 500. */
  maxMessages?: number;
  /** Idle time after which a connection is closed. Default 30 s. */
  idleMs?: number;
  timeouts?: SmtpTimeouts;
}

type Mail = Parameters<SmtpSession['send']>;

/** An open connection, reserved for its acquirer, for sending one message after the other. */
export interface SmtpSlot {
  /** Whether another message can be sent over the same connection; after `following` named one, only that one. */
  readonly usable: boolean;
  /** If a reused connection turns out to be closed, it is replaced once, and `beforeDot` is called again. */
  send: (...mail: Mail) => Promise<Outcome>;
  /** Returns the connection to the pool. Call once. */
  release: () => void;
}

export interface SmtpPool {
  /** The provider's name: host:port by default. */
  readonly provider: string;
  /** How many connections can be acquired now, open or not. */
  idle: () => number;
  /** How many connections are acquired now. Open idle connections do not count. */
  busy: () => number;
  /**
   * Acquires up to `count` connections, but not more than `idle()`, and opens those that are not open yet. Returns
   * those that could be opened; rejects with SmtpOpenError if none could. Never waits for a busy connection.
   */
  acquire: (count: number) => Promise<SmtpSlot[]>;
  /** Waits for messages in flight and closes all connections, acquired ones when they are released. */
  close: () => Promise<void>;
}

interface Kept {
  session: SmtpSession;
  /** Messages sent over this connection so far. */
  messages: number;
}

interface Idle extends Kept {
  timer: NodeJS.Timeout;
}

/**
 * Creates a pool of connections to one provider. Opens them lazily, replaces broken ones, and sends each message once.
 */
export function createSmtpPool({
  url,
  provider = readUrl(url).provider,
  size,
  maxMessages = 500,
  idleMs = 30_000,
  timeouts = {},
}: SmtpPoolOptions): SmtpPool {
  const idle: Idle[] = [];
  const running = new Set<Promise<Outcome>>();
  let busy = 0;
  let closed = false;

  /** Takes the connection used last, so that connections that are not needed reach their idle timeout. */
  const take = (): Kept | null => {
    for (let entry = idle.pop(); entry; entry = idle.pop()) {
      clearTimeout(entry.timer);
      if (entry.session.usable) return entry;
      entry.session.quit();
    }
    return null;
  };

  const isUsable = ({ session, messages }: Kept): boolean => !closed && session.usable && messages < maxMessages;

  const giveBack = (kept: Kept): void => {
    if (!isUsable(kept) || kept.session.begun) return kept.session.quit();
    const entry: Idle = {
      ...kept,
      timer: setTimeout(() => {
        idle.splice(idle.indexOf(entry), 1);
        entry.session.quit();
      }, idleMs),
    };
    idle.push(entry);
  };

  const open = async (): Promise<Kept> => ({ session: await openConnection(url, { timeouts, provider }), messages: 0 });

  const slotOf = (first: Kept): SmtpSlot => {
    let kept = first;
    const sendOver = async ([envelope, message, { beforeDot, following }]: Mail): Promise<Outcome> => {
      kept.messages += 1;
      const hooks = following && !closed && kept.messages < maxMessages ? { beforeDot, following } : { beforeDot };
      return kept.session.send(envelope, message, hooks);
    };
    const send = async (mail: Mail): Promise<Outcome> => {
      const { begun } = kept.session;
      if (kept.session.usable && (begun === null || begun === mail[0])) {
        const outcome = await sendOver(mail);
        // The server may have closed a reused connection without this side knowing yet: retry once over a new one.
        if (kept.messages === 1 || outcome.kind !== 'retry' || outcome.reply !== null || kept.session.usable)
          return outcome;
      }
      kept.session.quit();
      try {
        kept = await open();
      } catch (error) {
        if (error instanceof SmtpOpenError) return error.outcome;
        throw error;
      }
      return sendOver(mail);
    };
    return {
      get usable() {
        return isUsable(kept);
      },
      async send(...mail) {
        const sending = send(mail);
        running.add(sending);
        try {
          return await sending;
        } finally {
          running.delete(sending);
        }
      },
      release() {
        busy -= 1;
        giveBack(kept);
      },
    };
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
      return kept.map(slotOf);
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
