import { Worker } from 'node:worker_threads';
import type { ToEncrypt } from './encrypt-push.ts';

export interface Asked {
  id: number;
  job: ToEncrypt;
}
export type Encrypted = { id: number; body: Uint8Array<ArrayBuffer> } | { id: number; error: string };

interface Waiting {
  resolve: (body: Buffer) => void;
  reject: (error: Error) => void;
}

/**
 * A thread that encrypts pushes, because a thousand of them would keep the event loop busy for a second. It is started
 * by the first push, and again by the next one if it has ended.
 */
class EncryptThread {
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | null = null;
  #last = 0;

  encrypt(job: ToEncrypt): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const id = (this.#last += 1);
      this.#waiting.set(id, { resolve, reject });
      const thread = (this.#thread ??= this.#start());
      thread.ref();
      thread.postMessage({ id, job } satisfies Asked);
    });
  }

  #start(): Worker {
    const thread = new Worker(new URL('./in-encrypt-thread.ts', import.meta.url));
    thread.on('message', (answer: Encrypted) => this.#done(thread, answer));
    const ended = (error: Error): void => {
      if (this.#thread !== thread) return;
      this.#thread = null;
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    };
    thread.on('error', ended);
    thread.on('exit', () => ended(new Error('The thread that encrypts pushes has ended')));
    return thread;
  }

  #done(thread: Worker, answer: Encrypted): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    // An idle thread must not keep the process alive.
    if (this.#waiting.size === 0) thread.unref();
    if ('error' in answer) waiting?.reject(new Error(answer.error));
    else waiting?.resolve(Buffer.from(answer.body.buffer));
  }
}

const thread = new EncryptThread();

/** The same as `encryptPush`, off the event loop. Rejects for keys that are none. */
export const encryptInThread = (job: ToEncrypt): Promise<Buffer> => thread.encrypt(job);
