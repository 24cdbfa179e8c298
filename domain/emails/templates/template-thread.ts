import { Worker } from 'node:worker_threads';
import { AppError, type ErrorCode, type Violation } from '../../common/errors.ts';
import { OWN_SHARE } from '../rendering/template-limits.ts';

/** A job for the thread: one of the functions that it knows, with arguments that can be cloned. */
export interface Job {
  name: 'checkParts' | 'checkTemplate' | 'compileMjml' | 'renderForDisplay';
  args: unknown[];
}

/** The result of a job; `limit` = it was nested too deep or took too long. */
export type Done =
  { value: unknown } | { refusal: { code: ErrorCode; message: string; errors: Violation[] | undefined } } | 'limit';

/** CPU time for one template; a newsletter takes some hundredths of a second. */
const LIMIT_MS = 3_000;
/** On a busy machine, a job may take this many times its limit in wall-clock time. */
const MAX_LIMITS = 5;
/** The thread uses about 60 MB, so it is ended when no templates are edited. */
const IDLE_MS = 60_000;
const MEMORY_MB = 256;
const MAX_WAITING = 10;

interface Waiting {
  job: Job;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** A thread that does one job at a time. It is started for the first job, and terminated when a job takes too long. */
class TemplateThread {
  readonly #waiting: Waiting[] = [];
  #thread: Promise<Worker> | null = null;
  #running = false;
  #idle: NodeJS.Timeout | undefined;

  async do(job: Job): Promise<unknown> {
    if (this.#waiting.length >= MAX_WAITING) {
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
          if (limits === MAX_LIMITS) return resolve('limit');
          void usedMs(thread).then((ms) => {
            if (ms - usedBefore >= LIMIT_MS * OWN_SHARE) resolve('limit');
          }, reject);
        }, LIMIT_MS);
        thread.on('message', resolve);
        // Running out of memory ends the thread.
        thread.on('error', (error: NodeJS.ErrnoException) =>
          error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? resolve('limit') : reject(error),
        );
        thread.postMessage(job);
      });
      // An idle thread must not keep the process alive.
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

/** The CPU time that a thread has used. */
async function usedMs(thread: Worker): Promise<number> {
  const { user, system } = await thread.cpuUsage();
  return (user + system) / 1000;
}

/** Starts a thread and waits until it has loaded its modules, which takes half a second. */
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

/**
 * Runs a job off the event loop, with limited time and memory. Throws the job's AppErrors, `template_limit`, and
 * `unavailable` if too many jobs are waiting.
 */
export const inThread = (job: Job): Promise<unknown> => thread.do(job);
