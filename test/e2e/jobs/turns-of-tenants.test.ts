import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { turnsOf } from '../../../registry/workflows.ts';
import type { Api } from '../../support/call-api.ts';
import { missHeartbeats } from '../../support/lost-activities.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { newMember } from '../../support/users.ts';
import { killWorkerProcesses, startWorkerProcess } from '../../support/worker-process.ts';

const ROLES = ['temporal', 'relay', 'consumers'] as const;
const IMPORTS = 8;
const ROWS = 3_000;
const { running: RUNNING } = turnsOf('contactImport')!;

let service: Service;
let other: Api;
beforeAll(async () => {
  service = await startService({ env: { ENABLE_MULTI_TENANT: 'true' } });
  const member = await newMember(service.api);
  other = (method, path, body, options) => service.api(method, path, body, { token: member.token, ...options });
});
afterAll(async () => {
  await killWorkerProcesses();
  await service.stop();
});

async function upload(api: Api, people: number): Promise<number> {
  const lines = Array.from({ length: people }, (_, n) => `First${n},Last,person${n}@example.com`);
  const form = new FormData();
  form.set('file', new Blob([`firstName,lastName,email\n${lines.join('\n')}\n`]), 'people.csv');
  const answer = await api('POST', '/contacts/import', form);
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  return answer.body.id;
}
const statusOf = async (api: Api, id: number) => (await api('GET', `/contacts/imports/${id}`)).body.status as string;
const atWork = () =>
  engineEm(service.deps.orm).transactional((tx) =>
    rows<{ tenant_id: string; workflow_id: string }>(
      tx,
      sql`select tenant_id, workflow_id from outbox_workflows where is_job and started_at is not null order by id`,
    ),
  );

test('the import of a row does not wait for a flood of another tenant, also over a kill; the flood completes', async () => {
  const flood: number[] = [];
  for (let n = 0; n < IMPORTS; n += 1) flood.push(await upload(service.api, ROWS));
  let worker = startWorkerProcess(service, ROLES);
  await until(
    'some of the flood is imported',
    async () => (await statusOf(service.api, flood[0]!)) !== 'PENDING',
    240_000,
  );
  await worker.end('SIGKILL');
  const killed = await atWork();
  const single = await upload(other, 1);
  worker = startWorkerProcess(service, ROLES);
  for (const { workflow_id: id } of killed)
    await missHeartbeats(service, id, 15).catch((error: unknown) => {
      // The killed worker had not started it, or had ended its activity.
      if (!/is pending|NOT_FOUND/.test(String(error))) throw error;
    });
  let most = 0;
  await until(
    'the import of the other tenant is completed',
    async () => {
      const now = await atWork();
      most = Math.max(most, now.filter(({ tenant_id: tenant }) => tenant === 'default').length);
      return (await statusOf(other, single)) === 'COMPLETED';
    },
    240_000,
  );
  const states = await Promise.all(flood.map((id) => statusOf(service.api, id)));
  assert.ok(states.includes('PENDING'), `the flood still waits: ${states.join()}`);
  assert.equal(most, RUNNING);
  for (const id of flood)
    await until('the flood completes', async () => (await statusOf(service.api, id)) === 'COMPLETED', 240_000);
  await until('no job is left', async () => (await atWork()).length === 0);
  await worker.end('SIGKILL');
}, 900_000);
