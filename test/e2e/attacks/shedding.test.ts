import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import pg from 'pg';
import { startApiProcess, type ApiProcess } from '../../support/api-process.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
let api: ApiProcess;
beforeAll(async () => {
  service = await startService();
  api = await startApiProcess(service, { DATABASE_POOL_MAX: '2' });
});
afterAll(async () => {
  await api.end();
  await service.stop();
});

/** How many requests the process has turned away. */
async function shed(): Promise<number> {
  const text = await (await fetch(`${api.url}/metrics`)).text();
  return Number(/^perennial_http_requests_shed_total (\d+)$/m.exec(text)?.[1] ?? 0);
}

test('while the database is stuck, requests over a bound are turned away at once, and what was let in is done', async () => {
  const owner = new pg.Client({ connectionString: service.slot.env['DATABASE_MIGRATION_URL']! });
  await owner.connect();
  await owner.query('begin');
  await owner.query('lock table companies in share mode');
  const answers: Answer[] = [];
  const asked: Promise<void>[] = [];
  const ask = (): void => {
    const number = asked.length;
    asked.push(
      api.api('POST', '/contacts/companies', { name: `Shed ${number}` }).then((answer) => {
        answers.push(answer);
      }),
    );
  };
  for (let n = 0; n < 200; n += 1) ask();
  const refused = await until('what comes after the burst is turned away', () => {
    ask();
    return answers.length > 100 && answers.slice();
  });
  assert.ok(
    refused.every(({ status }) => status === 503),
    'nothing else is answered while the table is locked',
  );
  const [first] = refused;
  assert.deepEqual(
    [first!.body.code, first!.headers.get('retry-after'), first!.headers.get('content-type')],
    ['unavailable', '1', 'application/problem+json'],
  );
  assert.equal(first!.headers.get('x-request-id'), first!.body.requestId);
  assert.equal((await fetch(`${api.url}/metrics`)).status, 200);
  assert.ok((await shed()) > 0);
  await owner.query('commit');
  await owner.end();
  await Promise.all(asked);
  const made = answers.filter((answer) => answer.status === 201).length;
  assert.equal(made + answers.filter((answer) => answer.status === 503).length, asked.length);
  // Some of those that were let in may have waited too long for a connection of the pool: also a 503, but not this one.
  assert.ok(asked.length - (await shed()) >= 64, 'with under 64 in progress, nothing is turned away');
  const { body } = await api.api('GET', '/contacts/companies?limit=1&includeTotal=true');
  assert.equal(body.page.total, made);
});
