import { Worker } from 'node:worker_threads';
import { AppError, type ErrorCode, type Violation } from '../../common/errors.ts';
import { OWN_SHARE } from '../rendering/template-limits.ts';

/** What the thread is asked: one of the functions that it knows, with arguments that are data. */
export interface Job {
  name: 'checkTemplate' | 'compileMjml' | 'showEmail';
  args: unknown[];
}

/** What the thread returns; `limit` = it went too deep, or too far. */
export type Done =
  { value: unknown } | { refusal: { code: ErrorCode; message: string; errors: Violation[] | undefined } } | 'limit';

/** Of the processor's time, for one template; a newsletter takes some hundredths of a second. */
const LIMIT_MS = 3_000;
/** On a machine that is busy with something else, a job may take so many times its limit of the clock's time. */
const MOST_LIMITS = 5;
/** The thread holds some 60 MB, and is there only while templates are written. */
const IDLE_MS = 60_000;
const MEMORY_MB = 256;
const MOST_WAITING = 10;

interface Waiting {
  job: Job;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** One thread that does one job after another, is started when there is one, and ended when one takes too long. */
class TemplateThread {
  readonly #waiting: Waiting[] = [];
  #thread: Promise<Worker> | null = null;
  #running = false;
  #idle: NodeJS.Timeout | undefined;

  async do(job: Job): Promise<unknown> {
    if (this.#waiting.length >= MOST_WAITING) {
      throw new AppError('unavailable', 'Too many slow templates are being processed; try again', {
        headers: { 'Retry-After': '5' },
      });
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, resolve, reject });
      void this.#run();
    });
  }

  async #run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    clearTimeout(this.#idle);
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const { job, resolve, reject } = next;
      try {
        const done = await this.#ask(job);
        if (done === 'limit') reject(new AppError('template_limit'));
        else if ('value' in done) resolve(done.value);
        else
          reject(
            new AppError(
              done.refusal.code,
              done.refusal.message,
              done.refusal.errors ? { errors: done.refusal.errors } : {},
            ),
          );
      } catch (error) {
        reject(error);
      }
    }
    this.#running = false;
    this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
  }

  async #ask(job: Job): Promise<Done> {
    let timer: NodeJS.Timeout | undefined;
    try {
      const thread = await (this.#thread ??= startThread());
      thread.removeAllListeners('message').removeAllListeners('error').ref();
      const usedBefore = await usedMs(thread);
      const done = await new Promise<Done>((resolve, reject) => {
        let limits = 0;
        timer = setInterval(() => {
          limits += 1;
          if (limits === MOST_LIMITS) return resolve('limit');
          void usedMs(thread).then((ms) => {
            if (ms - usedBefore >= LIMIT_MS * OWN_SHARE) resolve('limit');
          }, reject);
        }, LIMIT_MS);
        thread.on('message', resolve);
        // Out of memory: it is over with the thread.
        thread.on('error', (error: NodeJS.ErrnoException) =>
          error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? resolve('limit') : reject(error),
        );
        thread.postMessage(job);
      });
      // Nobody waits for it to end.
      thread.unref();
      if (done === 'limit') this.#end();
      return done;
    } catch (error) {
      this.#end();
      throw error;
    } finally {
      clearInterval(timer);
    }
  }

  #end(): void {
    const thread = this.#thread;
    this.#thread = null;
    thread?.then((worker) => worker.terminate()).catch(() => {});
  }
}

/** The processor's time that a thread has used. */
async function usedMs(thread: Worker): Promise<number> {
  const { user, system } = await thread.cpuUsage();
  return (user + system) / 1000;
}

/** A thread that has read its modules, half a second's work, and waits. */
async function startThread(): Promise<Worker> {
  const thread = new Worker(new URL('./in-template-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  await new Promise((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
  });
  return thread;
}

const thread = new TemplateThread();

/** Does a job beside the event loop, bounded in time and memory. Throws what it throws, AppError `template_limit`, `unavailable` while too many wait. */
export const inThread = (job: Job): Promise<unknown> => thread.do(job);
