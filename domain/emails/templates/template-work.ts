import type { Violation } from '../../common/errors.ts';
import { checkParts, checkTemplate, type TemplatePart, type TemplateSource } from './check-template.ts';
import type { RecipientContext, TemplateVersion } from '../rendering/render.ts';
import { renderForDisplay, type LinkSettings, type ShownEmail } from '../rendering/show-email.ts';
import { stopAfter, wasStopped } from '../rendering/template-limits.ts';
import { inThread, type Job } from './template-thread.ts';

/** How long a template may block the event loop. Nearly all take less, and starting a thread takes more. */
const LOOP_MS = 30;

/** Runs the work on the event loop; if that takes too long, runs it again from the start in the thread. */
async function offLoop<T>(work: () => T, job: Job): Promise<T> {
  try {
    return stopAfter(LOOP_MS, work);
  } catch (error) {
    if (!wasStopped(error)) throw error;
    return (await inThread(job)) as T;
  }
}

/** `checkTemplate` without blocking the event loop. Throws what it throws, and 503 if too many jobs are waiting. */
export const checkOffLoop = async (
  { subject, content, text, previewText }: TemplateSource,
  compiled: string | null,
): Promise<Violation[]> => {
  const source = { subject, content, text, previewText };
  return offLoop(() => checkTemplate(source, compiled), { name: 'checkTemplate', args: [source, compiled] });
};

/** The same for `checkParts`. */
export const checkPartsOffLoop = (parts: readonly TemplatePart[]): Promise<Violation[]> =>
  offLoop(() => checkParts(parts), { name: 'checkParts', args: [parts] });

/** The same for `renderForDisplay`. */
export const showOffLoop = (
  version: TemplateVersion,
  settings: LinkSettings,
  recipient: RecipientContext,
): Promise<ShownEmail> =>
  offLoop(() => renderForDisplay(version, settings, recipient), {
    name: 'renderForDisplay',
    args: [version, settings, recipient],
  });

/** The same for `compileMjml`, which is slow and so always runs in the thread. */
export const compileMjmlInThread = (content: string): Promise<string> =>
  inThread({ name: 'compileMjml', args: [content] }) as Promise<string>;
