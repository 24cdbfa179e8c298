import { Worker } from 'node:worker_threads';
import type { ReportFormat } from '../../../db/entities/reports.ts';
import type { ReportContent } from '../content/content.ts';

/** Far more than the largest report needs. */
const MEMORY_MB = 512;
/** The longest report takes seconds; on a busy machine it may take many times as long. */
const LIMIT_MS = 120_000;

/** What the thread is given. */
export interface RenderJob {
  content: ReportContent;
  format: ReportFormat;
}

/**
 * The file of a report, made in a thread of its own, which takes up to a second to start and is ended with the job.
 * Throws what rendering throws, if it takes too long or too much memory, and the signal's reason once it is aborted.
 */
export async function renderInThread(job: RenderJob, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  signal?.throwIfAborted();
  const thread = new Worker(new URL('./in-report-thread.ts', import.meta.url), {
    workerData: job,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
  const timer = setTimeout(() => reject(new Error('Rendering the report took too long')), LIMIT_MS);
  const abort = (): void => reject(signal!.reason as Error);
  signal?.addEventListener('abort', abort);
  thread.on('message', resolve).on('error', reject);
  thread.on('exit', (code) => reject(new Error(`The thread that renders the report ended with code ${code}`)));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    await thread.terminate();
  }
}
