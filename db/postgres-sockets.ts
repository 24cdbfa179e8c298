import { Socket } from 'node:net';
import pg from 'pg';

/** Tracks all sockets of this process to Postgres, also those still connecting; closes them when Postgres hangs. */
export interface PostgresSockets {
  /** Creates and tracks a socket for a pg client (pg's option `stream`). */
  stream: () => Socket;
  /** Called with each new connection before it is used; if it rejects, the connection is not used. */
  check: (client: Pick<pg.ClientBase, 'query'>) => Promise<void>;
  /**
   * Pings Postgres every half second over a separate connection. While pings time out, it destroys all sockets, also
   * new ones, so that pending queries fail as if Postgres had died. Returns a function that stops the pings.
   */
  watch: (databaseUrl: string) => () => void;
}

const PAUSE_MS = 500;
/** The timeout of a ping: a live Postgres answers sooner unless its machine is badly overloaded. */
const SILENT_MS = 3_000;
/** Extra time to read a reply that arrived while this process's own event loop was blocked. */
const READ_MS = 100;

/** A delay whose timer does not keep the process running. */
const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });

export function createPostgresSockets(): PostgresSockets {
  const sockets = new Set<Socket>();
  let silent = false;
  const end = (socket: Socket): void =>
    void socket.destroy(Object.assign(new Error('Postgres is silent'), { code: 'ETIMEDOUT' }));
  return {
    stream() {
      const socket = new Socket();
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      if (silent) setImmediate(end, socket);
      return socket;
    },
    check: async () => {},
    watch(databaseUrl) {
      const pulse = new Heartbeat(databaseUrl);
      let stopped = false;
      const pingLoop = async (): Promise<void> => {
        while (!stopped) {
          silent = !(await pulse.isResponsive());
          if (silent) sockets.forEach(end);
          await sleep(PAUSE_MS);
        }
      };
      void pingLoop();
      return () => {
        stopped = true;
        pulse.end();
      };
    },
  };
}

/** Pings Postgres over its own connection. */
class Heartbeat {
  readonly #url: string;
  #client: pg.Client | null = null;
  #socket = new Socket();

  constructor(url: string) {
    this.#url = url;
  }

  /** Whether Postgres reacted in time. An error counts as a reaction: other queries get such an error at once, too. */
  async isResponsive(): Promise<boolean> {
    const timeout = async (): Promise<boolean> => {
      await sleep(SILENT_MS);
      await sleep(READ_MS);
      return false;
    };
    const responded = await Promise.race([
      this.#ask().then(
        () => true,
        () => {
          this.end();
          return true;
        },
      ),
      timeout(),
    ]);
    if (!responded) this.end();
    return responded;
  }

  async #ask(): Promise<void> {
    if (!this.#client) {
      const socket = (this.#socket = new Socket());
      const client = new pg.Client({
        connectionString: this.#url,
        application_name: 'perennial-watch',
        stream: () => socket,
      });
      client.on('error', () => this.end());
      await client.connect();
      this.#client = client;
    }
    await this.#client.query('select 1');
  }

  end(): void {
    this.#client = null;
    this.#socket.destroy();
  }
}
