import type { Violation } from '../../common/errors.ts';
import { checkTemplate, type TemplateSource } from './check-template.ts';
import type { RecipientContext, TemplateVersion } from '../rendering/render.ts';
import { showEmail, type LinkSettings, type ShownEmail } from '../rendering/show-email.ts';
import { stopAfter, wasStopped } from '../rendering/template-limits.ts';
import { inThread, type Job } from './template-thread.ts';

/** How long the event loop is held: nearly every template takes less, and to ask a thread that is yet to start takes more. */
const LOOP_MS = 30;

/** Does it at once where it takes an instant, else from the beginning in the thread. */
async function offLoop<T>(work: () => T, job: Job): Promise<T> {
  try {
    return stopAfter(LOOP_MS, work);
  } catch (error) {
    if (!wasStopped(error)) throw error;
    return (await inThread(job)) as T;
  }
}

/** What `checkTemplate` returns, however long it takes, without keeping others waiting. Throws what it throws, and 503 while too many wait. */
export const checkOffLoop = async (
  { subject, content, text, previewText }: TemplateSource,
  compiled: string | null,
): Promise<Violation[]> => {
  const source = { subject, content, text, previewText };
  return offLoop(() => checkTemplate(source, compiled), { name: 'checkTemplate', args: [source, compiled] });
};

/** The same of `showEmail`. */
export const showOffLoop = (
  version: TemplateVersion,
  settings: LinkSettings,
  recipient: RecipientContext,
): Promise<ShownEmail> =>
  offLoop(() => showEmail(version, settings, recipient), { name: 'showEmail', args: [version, settings, recipient] });

/** The same of `compileMjml`, which takes so long that it is always done in the thread. */
export const compileMjml = (content: string): Promise<string> =>
  inThread({ name: 'compileMjml', args: [content] }) as Promise<string>;
