import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { startApiProcess, type ApiProcess } from '../support/api-process.ts';
import { startService, type Answer, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: Service;
let api: ApiProcess;
before(async () => {
  service = await startService();
  api = await startApiProcess(service, { DATABASE_POOL_MAX: '2' });
});
after(async () => {
  await api.end();
  await service.stop();
});

test('while the database is stuck, requests over a bound are turned away at once, and what was let in is done', async () => {
  const owner = new pg.Client({ connectionString: service.slot.env['DATABASE_MIGRATION_URL']! });
  await owner.connect();
  await owner.query('begin');
  await owner.query('lock table companies in share mode');
  const answers: Answer[] = [];
  const asked = Array.from({ length: 300 }, async (_, n) => {
    answers.push(await api.api('POST', '/contacts/companies', { name: `Shed ${n}` }));
  });
  const refused = await until('some are turned away', () => {
    const shed = answers.filter((answer) => answer.status === 503);
    return shed.length > 100 && shed;
  });
  assert.equal(refused.length, answers.length, 'nothing else is answered while the table is locked');
  const [first] = refused;
  assert.deepEqual([first!.body.code, first!.headers.get('retry-after'), first!.headers.get('content-type')], ['unavailable', '1', 'application/problem+json']);
  assert.equal(first!.headers.get('x-request-id'), first!.body.requestId);
  assert.equal((await fetch(`${api.url}/metrics`)).status, 200);
  assert.match(await (await fetch(`${api.url}/metrics`)).text(), /perennial_http_requests_shed_total [1-9]/);
  await owner.query('commit');
  await owner.end();
  await Promise.all(asked);
  const made = answers.filter((answer) => answer.status === 201).length;
  assert.equal(made + answers.filter((answer) => answer.status === 503).length, 300);
  assert.ok(made > 0);
  const { body } = await api.api('GET', '/contacts/companies?limit=1&includeTotal=true');
  assert.equal(body.page.total, made);
});
