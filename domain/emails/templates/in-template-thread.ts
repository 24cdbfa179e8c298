import { parentPort } from 'node:worker_threads';
// Imported before the first job arrives: this takes half a second, which must not delay a job.
import 'mjml-browser';
import { AppError } from '../../common/errors.ts';
import { checkTemplate } from './check-template.ts';
import { compileMjml } from './compile-mjml.ts';
import { renderForDisplay } from '../rendering/show-email.ts';
import type { Done, Job } from './template-thread.ts';

const work: Record<Job['name'], (...args: never) => unknown> = {
  checkTemplate,
  compileMjml,
  renderForDisplay,
};

async function run({ name, args }: Job): Promise<Done> {
  try {
    return { value: await work[name](...(args as never)) };
  } catch (error) {
    if (error instanceof RangeError) return 'limit';
    if (!(error instanceof AppError)) throw error;
    const { code, message, errors } = error;
    return { refusal: { code, message, errors } };
  }
}

parentPort!.on('message', (job: Job) => void run(job).then((done) => parentPort!.postMessage(done)));
parentPort!.postMessage('ready');
