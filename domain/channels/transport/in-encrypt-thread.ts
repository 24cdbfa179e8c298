import { parentPort } from 'node:worker_threads';
import { encryptPush } from './encrypt-push.ts';
import type { Asked, Encrypted } from './encrypt-thread.ts';

parentPort!.on('message', ({ id, job }: Asked) => {
  let answer: Encrypted;
  try {
    answer = { id, body: new Uint8Array(encryptPush(job)) };
  } catch (error) {
    answer = { id, error: (error as Error).message };
  }
  parentPort!.postMessage(answer, 'body' in answer ? [answer.body.buffer] : []);
});
