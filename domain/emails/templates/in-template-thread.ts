import { parentPort } from 'node:worker_threads';
// Imported before the first job arrives: this takes half a second, which must not delay a job.
import 'mjml-browser';
import { AppError } from '../../common/errors.ts';
import { checkParts, checkTemplate } from './check-template.ts';
import { compileMjml } from './compile-mjml.ts';
import { renderForDisplay } from '../rendering/show-email.ts';
import type { Done, Job } from './template-thread.ts';

const work: Record<Job['name'], (...args: never) => unknown> = {
  checkParts,
  checkTemplate,
  compileMjml,
  renderForDisplay,
};

/**
 * Does a job. One that reaches a limit is done a second time: code runs two to three times slower the first time, so
 * a template that a new thread refuses may be well within the limits.
 */
async function run({ name, args }: Job, attempt: 1 | 2 = 1): Promise<Done> {
  try {
    return { value: await work[name](...(args as never)) };
  } catch (error) {
    if (error instanceof AppError && error.code === 'template_limit' && attempt === 1) return run({ name, args }, 2);
    if (error instanceof RangeError) return 'limit';
    if (!(error instanceof AppError)) throw error;
    const { code, message, errors } = error;
    return { refusal: { code, message, errors } };
  }
}

parentPort!.on('message', (job: Job) => void run(job).then((done) => parentPort!.postMessage(done)));
parentPort!.postMessage('ready');
