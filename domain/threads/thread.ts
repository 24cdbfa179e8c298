import { Worker } from 'node:worker_threads';
import type { Done, Job } from './job.ts';

/** CPU time of one job. The jobs themselves stop earlier; this is for what cannot be interrupted. */
const LIMIT_MS = 3_000;
/** On a busy machine, a job may take this many times its limit in wall-clock time. */
const MAX_LIMITS = 20;
/** A job that used less than this share of its limit was delayed by other work. */
const OWN_SHARE = 0.8;
const MEMORY_MB = 256;

/** The thread has ended before it had done its job, for a reason that is not the job's. */
export class ThreadEnded extends Error {}

/** A thread that does one job at a time. */
export class Thread {
  readonly #worker: Worker;
  readonly #ready: Promise<unknown>;
  #usedBefore = 0;

  constructor(entry: URL) {
    this.#worker = new Worker(entry, { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } });
    this.#ready = new Promise((resolve, reject) => {
      this.#worker.once('message', resolve);
      this.#worker.once('error', reject);
      this.#worker.once('exit', () => reject(new ThreadEnded('a thread ended while it started')));
    });
    this.#ready.catch(() => {});
    this.#worker.unref();
  }

  /**
   * Does a job; `onBegin` is called when the thread has started. `limit`: it took too long or too much memory, and the
   * thread must be ended.
   */
  async do(job: Job, onBegin: () => void): Promise<Done> {
    let timer: NodeJS.Timeout | undefined;
    try {
      this.#worker.ref();
      await this.#ready;
      this.#usedBefore = await this.#usedMs();
      return await new Promise<Done>((resolve, reject) => {
        let limits = 0;
        timer = setInterval(() => {
          limits += 1;
          if (limits === MAX_LIMITS) return resolve('limit');
          this.jobMs().then(
            (ms) => ms >= LIMIT_MS * OWN_SHARE && resolve('limit'),
            () => {},
          );
        }, LIMIT_MS);
        for (const event of ['message', 'error', 'exit']) this.#worker.removeAllListeners(event);
        this.#worker.once('message', resolve);
        this.#worker.once('error', (error: NodeJS.ErrnoException) =>
          error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? resolve('limit') : reject(error),
        );
        this.#worker.once('exit', () => reject(new ThreadEnded('a thread ended while it worked')));
        this.#worker.postMessage(job);
        onBegin();
      });
    } finally {
      clearInterval(timer);
      // An idle thread must not keep the process alive.
      this.#worker.unref();
    }
  }

  /** The CPU time of the last job so far. */
  async jobMs(): Promise<number> {
    return (await this.#usedMs()) - this.#usedBefore;
  }

  end(): void {
    this.#worker.on('error', () => {});
    this.#worker.terminate().catch(() => {});
  }

  /** The CPU time that it has used. */
  async #usedMs(): Promise<number> {
    const used = await this.#worker.cpuUsage().catch((error: unknown) => {
      throw new ThreadEnded('a thread has ended', { cause: error });
    });
    return (used.user + used.system) / 1000;
  }
}
