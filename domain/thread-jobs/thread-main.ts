import { parentPort } from 'node:worker_threads';
import { cpuTime } from '../../lib/async/cpu-time.ts';
import { AppError } from '../../lib/checks/errors.ts';
import { assertFits } from '../channels/content/assert-fits.ts';
import { renderAndJudge, renderForPreview } from '../channels/content/render-message.ts';
import { writeInThread } from '../emails/message/write-email.ts';
import { listTemplateLinks } from '../emails/rendering/template-links.ts';
import { parseTexts, renderTexts } from '../emails/rendering/render-texts.ts';
import { isLimitError } from '../emails/rendering/template-limits.ts';
import { renderForDisplay } from '../emails/rendering/show-email.ts';
import { checkAndJudge, checkParts, checkTemplate } from '../emails/templates/check-template.ts';
import { compileMjml } from '../emails/templates/compile-mjml.ts';
import { findTemplateWarnings } from '../emails/templates/template-warnings.ts';
import type { Done, Job } from '../threads/job.ts';

/** All that threads do. Whoever calls them is on the other side: see `inThread`. */
const work: Record<string, (...args: never) => unknown> = {
  assertFits,
  checkAndJudge,
  checkParts,
  checkTemplate,
  compileMjml,
  findTemplateWarnings,
  listTemplateLinks,
  parseTexts,
  renderAndJudge,
  renderForDisplay,
  renderForPreview,
  renderTexts,
  writeInThread,
};

/** The names of jobs that were done. */
const done = new Set<string>();

/**
 * Does a job. One that reaches a limit is done a second time: code runs two to three times slower the first time, so
 * a template that a new thread refuses may be well within the limits.
 */
async function run({ name, args }: Job, attempt: 1 | 2 = 1): Promise<Done> {
  const isCold = !done.has(name);
  const took = cpuTime();
  try {
    const value = await work[name]!(...(args as never));
    return { value, ms: took(), isCold };
  } catch (error) {
    if (error instanceof AppError && error.code === 'template_limit' && attempt === 1) return run({ name, args }, 2);
    // Of the stack, or of the length of a text; another one is a fault of this code.
    if (error instanceof RangeError && isLimitError(error)) return 'limit';
    if (!(error instanceof AppError)) throw error;
    const { code, message, errors } = error;
    return { refusal: { code, message, errors }, ms: took(), isCold };
  } finally {
    done.add(name);
  }
}

parentPort!.on('message', (job: Job) => void run(job).then((answer) => parentPort!.postMessage(answer)));
parentPort!.postMessage('ready');
