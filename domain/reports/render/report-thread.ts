import { Worker } from 'node:worker_threads';
import type { ReportFormat } from '../../../db/entities/reports.ts';
import type { ReportContent } from '../content/content.ts';

/** Far more than the largest report needs: it takes seconds, on a busy machine many times as long. */
const LIMITS = { memoryMb: 512, ms: 120_000 };

/** What the thread is given. */
export interface RenderJob {
  content: ReportContent;
  format: ReportFormat;
}

/** A report could not be rendered; the message is for its readers. */
export class RenderError extends Error {
  override readonly name = 'RenderError';
}

/**
 * The file of a report, made in a thread of its own, which takes up to a second to start and is ended with the job.
 * Throws RenderError, also if it takes too long or too much memory, and the signal's reason once it is aborted.
 */
export async function renderInThread(
  job: RenderJob,
  signal?: AbortSignal,
  limits = LIMITS,
): Promise<Uint8Array<ArrayBuffer>> {
  signal?.throwIfAborted();
  const thread = new Worker(new URL('./in-report-thread.ts', import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb },
  });
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  const timer = setTimeout(() => reject(new RenderError('Rendering the report took too long')), limits.ms);
  const abort = (): void => reject(signal!.reason as Error);
  signal?.addEventListener('abort', abort);
  thread.on('message', resolve).on('error', (error) => reject(renderError(error)));
  thread.on('exit', () => reject(new RenderError('Rendering the report was interrupted')));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    await thread.terminate();
  }
}

const renderError = (cause: unknown): RenderError =>
  (cause as { code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new RenderError('Rendering the report took too much memory', { cause })
    : new RenderError('The report could not be rendered', { cause });
