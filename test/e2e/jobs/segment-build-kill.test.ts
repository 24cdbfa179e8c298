import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { workflowId } from '../../../registry/workflows.ts';
import { missHeartbeats } from '../../support/lost-activities.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { killWorkerProcesses, startWorkerProcess } from '../../support/worker-process.ts';

const CONTACTS = 150_000;
const ROLES = ['temporal', 'relay'] as const;
let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await killWorkerProcesses();
  await service.stop();
});

const query = <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  tenantEm(service.deps.orm, 'default').transactional((tx) => rows<T>(tx, statement));

test('a build whose worker is killed goes on where it was, and what waits for it follows', async () => {
  await query(sql`
    insert into contacts (tenant_id, first_name, last_name, email, email_key, tags)
    select 'default', 'P', 'Q', 'kill' || n || '@example.com', 'kill' || n || '@example.com', array['t' || n % 2] from generate_series(1, ${CONTACTS}) n`);
  const make = async (filter: object): Promise<number> => {
    const { status, body } = await service.api('POST', '/contacts/segments', { name: 'S', type: 'dynamic', filter });
    assert.deepEqual([status, body.status], [201, 'BUILDING']);
    return body.id;
  };
  const base = await make({ field: 'tags', operator: 'eq', value: 't1' });
  const next = await make({ op: 'not', conditions: [{ field: 'segmentId', operator: 'eq', value: base }] });
  const progress = async () =>
    (
      await query<{ status: string; build: number; built_to: number | null }>(
        sql`select status, build, built_to from segments where id = ${base}`,
      )
    )[0]!;
  const first = startWorkerProcess(service, ROLES);
  const stoppedAt = await until('some page is built', async () => (await progress()).built_to, 120_000);
  await first.end('SIGKILL');
  const { status, build } = await progress();
  assert.equal(status, 'BUILDING', 'it was killed in the middle');
  await missHeartbeats(service, workflowId('segmentBuild', { tenantId: 'default', segmentId: base, build }), 15);
  const second = startWorkerProcess(service, ROLES);
  const read = async (id: number) => (await service.api('GET', `/contacts/segments/${id}`)).body;
  await until('both are built', async () => (await read(next)).status === 'READY', 240_000);
  await second.end('SIGKILL');
  assert.ok(stoppedAt < CONTACTS);
  assert.deepEqual(
    [(await read(base)).status, (await read(base)).count, (await read(next)).count],
    ['READY', CONTACTS / 2, CONTACTS / 2],
  );
});
