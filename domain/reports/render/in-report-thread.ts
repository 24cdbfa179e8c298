import { parentPort, workerData } from 'node:worker_threads';
import { renderReport } from './render.ts';
import type { RenderJob } from './report-thread.ts';

const { content, format } = workerData as RenderJob;
const bytes = await renderReport(content, format);
// A copy of its own buffer, which is handed over rather than copied again.
const own = new Uint8Array(bytes);
parentPort!.postMessage(own, [own.buffer]);
