import { Worker } from 'node:worker_threads';
import { AppError } from '../../errors.ts';

export interface MjmlMistake {
  line: number;
  message: string;
}

/** What the thread answers; `limit` = it went too deep, or too far. */
export type Compiled = { html: string; mistakes: MjmlMistake[] } | 'limit';

/** For one document; a newsletter takes some hundredths of a second. */
const LIMIT_MS = 3_000;
/** The thread holds some 60 MB, and is there only while templates are written. */
const IDLE_MS = 60_000;
const MEMORY_MB = 256;
const MOST_WAITING = 10;

interface Job {
  source: string;
  resolve(compiled: { html: string; mistakes: MjmlMistake[] }): void;
  reject(error: unknown): void;
}

/** One thread that compiles documents one after another, is started when there is one, and ended when one takes too long. */
class MjmlThread {
  readonly #waiting: Job[] = [];
  #thread: Promise<Worker> | null = null;
  #running = false;
  #idle: NodeJS.Timeout | undefined;

  /** Throws AppError `template_limit`, or `unavailable` when too many wait. */
  compile(source: string): Promise<{ html: string; mistakes: MjmlMistake[] }> {
    if (this.#waiting.length >= MOST_WAITING) {
      throw new AppError('unavailable', 'Too many MJML templates are being compiled', { headers: { 'Retry-After': '5' } });
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ source, resolve, reject });
      void this.#run();
    });
  }

  async #run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    clearTimeout(this.#idle);
    for (let job = this.#waiting.shift(); job; job = this.#waiting.shift()) {
      try {
        const compiled = await this.#ask(job.source);
        if (compiled === 'limit') job.reject(new AppError('template_limit'));
        else job.resolve(compiled);
      } catch (error) {
        job.reject(error);
      }
    }
    this.#running = false;
    this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
  }

  async #ask(source: string): Promise<Compiled> {
    let timer: NodeJS.Timeout | undefined;
    try {
      const thread = await (this.#thread ??= startThread());
      thread.removeAllListeners('message').removeAllListeners('error').ref();
      const compiled = await new Promise<Compiled>((resolve, reject) => {
        timer = setTimeout(() => resolve('limit'), LIMIT_MS);
        thread.on('message', resolve);
        // Out of memory: it is over with the thread.
        thread.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? resolve('limit') : reject(error)));
        thread.postMessage(source);
      });
      // Nobody waits for it to end.
      thread.unref();
      if (compiled === 'limit') this.#end();
      return compiled;
    } catch (error) {
      this.#end();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #end(): void {
    const thread = this.#thread;
    this.#thread = null;
    thread?.then((worker) => worker.terminate()).catch(() => {});
  }
}

/** A thread that has read MJML, half a second's work, and waits. */
async function startThread(): Promise<Worker> {
  const thread = new Worker(new URL('./compile-thread.ts', import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } });
  await new Promise((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
  });
  return thread;
}

const thread = new MjmlThread();

/** Compiles MJML beside the event loop, bounded in time and memory. Throws AppError `template_limit`, `unavailable`. */
export const inThread = (source: string): Promise<{ html: string; mistakes: MjmlMistake[] }> => thread.compile(source);
