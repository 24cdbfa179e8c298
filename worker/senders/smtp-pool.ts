import { SmtpOpenError, openConnection, readUrl } from './smtp-connection.ts';
import type { SmtpTimeouts } from './smtp-connection.ts';
import type { Outcome } from './smtp-outcome.ts';
import type { SmtpSession } from './smtp-session.ts';

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

/** An open connection, reserved for whoever acquired it, to send one message after the other. */
export interface SmtpSlot {
  /** Whether the next message can go over the same connection; where one was named as `following`, that one. */
  readonly usable: boolean;
  /** A connection used before that turns out to be closed is replaced, once, and `beforeDot` asked again. */
  send(...mail: Mail): Promise<Outcome>;
  /** Gives it back; once. */
  release(): void;
}

export interface SmtpPool {
  /** host:port, or what it was named. */
  readonly provider: string;
  /** How many connections can be acquired right now. */
  idle(): number;
  /** How many connections are acquired now. */
  busy(): number;
  /**
   * Opens, where need be, and keeps up to `count` connections, as many as there are idle. Returns those that are open;
   * rejects with SmtpOpenError when none is. Never waits for a busy one.
   */
  acquire(count: number): Promise<SmtpSlot[]>;
  /** Keeps no more connections, waits for messages in flight, and closes all that are given back. */
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

  /** The connection used last, so that those not needed run into their idle time. */
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
