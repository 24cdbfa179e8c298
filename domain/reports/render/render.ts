import { buffer } from 'node:stream/consumers';
import type { ReportFormat } from '../../../db/entities/reports.ts';
import type { ReportContent } from '../content/content.ts';
import { renderCsv } from './csv.ts';
import { renderPdf } from './pdf/render-pdf.ts';
import { renderXlsx } from './xlsx.ts';

const RENDERERS: Record<ReportFormat, (content: ReportContent) => string | AsyncIterable<Uint8Array>> = {
  json: (content) => `${JSON.stringify(content, null, 2)}\n`,
  csv: renderCsv,
  xlsx: renderXlsx,
  pdf: renderPdf,
};

/** The file of a report. A PDF of a long table takes seconds: call it off the event loop (`renderInThread`). */
export async function renderReport(content: ReportContent, format: ReportFormat): Promise<Uint8Array<ArrayBuffer>> {
  const rendered = RENDERERS[format](content);
  if (typeof rendered === 'string') return new TextEncoder().encode(rendered);
  return buffer(rendered);
}
