import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { workflowId } from '../../../registry/workflows.ts';
import { holding, waiting } from '../../support/accounts.ts';
import { missHeartbeats } from '../../support/lost-activities.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { killWorkerProcesses, startWorkerProcess } from '../../support/worker-process.ts';

const ROLES = ['temporal', 'relay', 'webhooks'] as const;
let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await killWorkerProcesses();
  await service.stop();
});

const call = async (method: string, path: string, body?: unknown) => {
  const answer = await service.api(method, path, body);
  assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
};

test.each([
  ['first', 'lock table erased_addresses in share mode'],
  ['last', 'lock table contact_import_keys in access exclusive mode'],
])('kill -9 of the worker in the %s activity that writes: another worker goes on soon', async (name, lock) => {
  const { id } = await call('POST', '/contacts', { firstName: name, lastName: 'K', email: `${name}@example.com` });
  let worker = startWorkerProcess(service, ROLES);
  const erasure = await holding(service, lock, async (client) => {
    const requested = await call('POST', `/contacts/${id}/erase`);
    await until('the activity waits for the table', async () => (await waiting(client)) > 0, 120_000);
    await worker.end('SIGKILL');
    return requested;
  });
  assert.equal((await call('GET', `/contacts/${id}`)).erasing, true);
  const input = { tenantId: 'default', erasureId: erasure.id as number };
  await missHeartbeats(service, workflowId('contactErasure', input), 15);
  worker = startWorkerProcess(service, ROLES);
  const isOver = async () => (await call('GET', `/contacts/erasures/${erasure.id}`)).status === 'COMPLETED';
  await until('it is completed', isOver, 120_000);
  assert.equal((await service.api('GET', `/contacts/${id}`)).status, 404);
  await worker.end('SIGKILL');
});
