import { execFile } from 'node:child_process';
import { createWriteStream, openAsBlob } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { generateContactsCsv } from '../../dev/demo/generate-contacts.ts';
import type { Service } from '../../test/support/service.ts';
import type { ApiProcess } from '../../test/support/api-process.ts';
import { until } from '../../test/support/until.ts';
import { at, sendLoad } from './load.ts';

/** Requests per second while response times are measured. */
const RATE = 20;

/** The response times (ms) of reads of one path, measured in intervals of `seconds` while `going` returns true. */
async function answerTimes(
  service: Service,
  port: number,
  path: string,
  rate: number,
  seconds: number,
  going: () => boolean,
): Promise<number[]> {
  const all: number[] = [];
  do {
    const { times } = await sendLoad({
      port,
      token: service.admin.token,
      paths: [path],
      seconds,
      connections: 20,
      rate,
    });
    for (const [status, found] of times) {
      if (status !== 200) throw new Error(`a read was answered with ${status}`);
      all.push(...found);
    }
  } while (going());
  return all.sort((a, b) => a - b);
}

/**
 * Imports a generated file with 2 % dirt through an API process; prints its counts beside an independent count of the
 * file, and the response times of reads before and during the import. Throws if the counts differ.
 */
export async function accountFor(service: Service, api: ApiProcess, rows: number, seed: number): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'perennial-bench-'));
  const file = join(dir, 'contacts.csv');
  try {
    await pipeline(Readable.from(generateContactsCsv({ rows, seed }).csv), createWriteStream(file));
    const { stdout } = await promisify(execFile)('python3', [resolve('bench/references/count-contacts.py'), file]);
    const counted = JSON.parse(stdout) as Record<string, number>;
    const {
      body: {
        data: [contact],
      },
    } = await api.api('GET', '/contacts?limit=1');
    const paths = ['/api/v1/contacts?limit=50', `/api/v1/contacts/${contact.id}`, '/api/v1/contacts/imports'];
    const port = Number(new URL(api.url).port);
    const readAll = (seconds: number, going = (): boolean => false): Promise<number[][]> =>
      Promise.all(paths.map((path) => answerTimes(service, port, path, RATE / paths.length, seconds, going)));
    await readAll(5);
    const idle = await readAll(20);
    const form = new FormData();
    form.set('file', await openAsBlob(file), 'contacts.csv');
    const begin = performance.now();
    const { status, body } = await api.api('POST', '/contacts/import', form);
    if (status !== 202) throw new Error(JSON.stringify(body));
    let over = false;
    const during = readAll(5, () => !over);
    const job = await until(
      'the import is over',
      async () => {
        await delay(500);
        const answer = await api.api('GET', `/contacts/imports/${body.id}`);
        return answer.body.finishedAt && answer.body;
      },
      3_600_000,
    );
    const seconds = (performance.now() - begin) / 1000;
    over = true;
    const busy = await during;
    const { processedRows, created, updated, unchanged, duplicates, rejected } = job;
    console.log(
      `${rows} rows with 2 % dirt in ${seconds.toFixed(0)} s: ${JSON.stringify({ processedRows, created, updated, unchanged, duplicates, rejected })}`,
    );
    console.log(`  counted by count-contacts.py: ${stdout.trim()}`);
    const same =
      counted['rows'] === processedRows &&
      counted['created'] === created &&
      counted['duplicates'] === duplicates &&
      counted['rejected'] === rejected;
    if (!same || created + updated + unchanged + duplicates + rejected !== processedRows)
      throw new Error('the accounts differ');
    console.log('  reads of the API, ms: p95 (p50) idle, and during the import');
    for (const [n, path] of [...paths, 'all'].entries()) {
      const [before, meanwhile] = [idle, busy].map((times) => times[n] ?? times.flat().sort((a, b) => a - b)) as [
        number[],
        number[],
      ];
      const figures = [before, meanwhile].map(
        (times) => `${at(times, 0.95).toFixed(1)} (${at(times, 0.5).toFixed(1)})`,
      );
      console.log(
        `    ${figures.join(', ')}: ratio ${(at(meanwhile, 0.95) / at(before, 0.95)).toFixed(2)} of ${before.length} and ${meanwhile.length}  ${path}`,
      );
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
