import assert from 'node:assert/strict';
import type { Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

/** Imports files by the API of a service, as a client does. */
export function importer(service: Service) {
  function upload(
    csv: string | Uint8Array,
    parts: Record<string, string> = {},
  ): Promise<{ status: number; body: { [key: string]: unknown; id: number } }> {
    const form = new FormData();
    for (const [name, value] of Object.entries(parts)) form.set(name, value);
    form.set('file', new Blob([csv], { type: 'text/csv' }), 'people.csv');
    return service.api('POST', '/contacts/import', form);
  }

  async function finished(id: number) {
    return until(
      'the import is over',
      async () => {
        const { body } = await service.api('GET', `/contacts/imports/${id}`);
        return ['COMPLETED', 'FAILED', 'CANCELLED'].includes(body.status) && body;
      },
      120_000,
    );
  }

  /** Uploads, waits for the end, and checks that the account adds up. */
  async function run(csv: string | Uint8Array, parts: Record<string, string> = {}) {
    const answer = await upload(csv, parts);
    assert.equal(answer.status, 202, JSON.stringify(answer.body));
    const job = await finished(answer.body.id);
    assert.equal(job.created + job.updated + job.unchanged + job.duplicates + job.rejected, job.processedRows);
    assert.equal(job.processedRows, job.totalRows);
    return job;
  }
  return { upload, finished, run };
}
