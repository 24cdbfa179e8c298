import { Socket } from 'node:net';
import pg from 'pg';

/** Every connection of a process to Postgres, also those that are being made. */
export interface Line {
  /** Makes the sockets of the process' clients (an option of pg). */
  stream(): Socket;
  /**
   * Asks for a sign of life twice a second, over a connection of its own. While there is none, every connection is ended and
   * none is made: whoever waits for an answer gets an error, as if Postgres had died. Answers how to end it.
   */
  watch(databaseUrl: string): () => void;
}

const PAUSE_MS = 500;
/** A Postgres that is alive answers this late only on a machine that is hopelessly overloaded. */
const SILENT_MS = 3_000;
/** What has come while this process itself stood still is read first. */
const READ_MS = 100;

/** Keeps no process alive. */
const sleep = (ms: number): Promise<void> => new Promise((resolve) => { setTimeout(resolve, ms).unref(); });

export function createLine(): Line {
  const sockets = new Set<Socket>();
  let silent = false;
  const end = (socket: Socket): void => void socket.destroy(Object.assign(new Error('Postgres is silent'), { code: 'ETIMEDOUT' }));
  return {
    stream() {
      const socket = new Socket();
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      if (silent) setImmediate(end, socket);
      return socket;
    },
    watch(databaseUrl) {
      const pulse = new Pulse(databaseUrl);
      let stopped = false;
      const look = async (): Promise<void> => {
        while (!stopped) {
          silent = !(await pulse.felt());
          if (silent) sockets.forEach(end);
          await sleep(PAUSE_MS);
        }
      };
      void look();
      return () => {
        stopped = true;
        pulse.end();
      };
    },
  };
}

/** Asks Postgres for a sign of life over a connection of its own. */
class Pulse {
  readonly #url: string;
  #client: pg.Client | null = null;
  #socket = new Socket();

  constructor(url: string) {
    this.#url = url;
  }

  /** Whether it said anything in time. One that refuses is not silent: whoever asks it hears that at once. */
  async felt(): Promise<boolean> {
    const late = async (): Promise<boolean> => {
      await sleep(SILENT_MS);
      await sleep(READ_MS);
      return false;
    };
    const heard = await Promise.race([this.#ask().then(() => true, () => { this.end(); return true; }), late()]);
    if (!heard) this.end();
    return heard;
  }

  async #ask(): Promise<void> {
    if (!this.#client) {
      const socket = (this.#socket = new Socket());
      const client = new pg.Client({ connectionString: this.#url, application_name: 'perennial-watch', stream: () => socket });
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
