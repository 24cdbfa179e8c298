import assert from 'node:assert/strict';
import { afterAll, afterEach, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql, tenantEm } from '../../db/orm.ts';
import type { AppError } from '../../lib/checks/errors.ts';
import { appendJob, appendWorkflow, withdrawJob } from '../../events/outbox.ts';
import { startRelay } from '../../transport/relay.ts';
import { ensureStreams } from '../../transport/streams.ts';
import { createDeps, type Deps } from '../../runtime/deps.ts';
import { readEnv } from '../../config/env.ts';
import { JOBS, turnsOf, workflowId, type WorkflowStart } from '../../registry/workflows.ts';
import { claimSlot, type Slot } from '../support/slot.ts';
import { until } from '../support/until.ts';

let slot: Slot;
let deps: Deps & { close: () => Promise<void> };
beforeAll(async () => {
  slot = await claimSlot();
  deps = await createDeps(readEnv({ LOG_LEVEL: 'silent', SMTP_URL: 'smtp://127.0.0.1:1', ...slot.env }), 'test');
  await ensureStreams(deps.nats.jsm, deps.env);
});
afterAll(async () => {
  await deps.close();
  await slot.release();
});
const query = <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  engineEm(deps.orm).transactional((tx) => rows<T>(tx, statement));
afterEach(() => query(sql`delete from outbox_workflows`));

const request = (tenantId: string, importId: number): Promise<void> =>
  tenantEm(deps.orm, tenantId).transactional((tx) => appendJob(tx, 'contactImport', { tenantId, importId }));
const flood = async (tenantId: string, count: number): Promise<void> => {
  for (let n = 1; n <= count; n += 1) await request(tenantId, n);
};
const idOf = (tenantId: string, importId: number) => workflowId('contactImport', { tenantId, importId });
const left = async (): Promise<number> => (await query(sql`select 1 from outbox_workflows`)).length;

/** A relay whose jobs end when the test says so. */
function startTurns(runJob?: (start: WorkflowStart) => Promise<void>) {
  const atWork = new Map<string, () => void>();
  const started: string[] = [];
  const relay = startRelay({
    databaseUrl: deps.env.DATABASE_URL,
    nats: deps.nats,
    log: deps.log,
    metrics: deps.metrics,
    startWorkflow: async () => {},
    runJob:
      runJob ??
      (({ id }) =>
        new Promise((resolve) => {
          started.push(id);
          atWork.set(id, resolve);
        })),
  });
  const end = (id: string): void => {
    atWork.get(id)!();
    atWork.delete(id);
  };
  return { relay, atWork, started, end };
}

const RUNNING = turnsOf('contactImport')!.running;

test('jobs of a flood run few at once, in their order; those of another tenant start at once, and all of them end', async () => {
  await flood('many', 12);
  await request('few', 1);
  const { relay, atWork, started, end } = startTurns();
  await until('those whose turn it is are at work', () => atWork.size === RUNNING + 1);
  end(idOf('few', 1));
  await until('the job of the other tenant is gone', async () => (await left()) === 12);
  assert.equal(started.filter((id) => id.includes('/many/')).length, RUNNING, 'the flood still waits');
  for (let n = 1; n <= 12; n += 1) {
    await until(`job ${n} is at work`, () => atWork.has(idOf('many', n)));
    assert.ok(atWork.size <= RUNNING);
    end(idOf('many', n));
  }
  await until('all are gone', async () => (await left()) === 0);
  await relay.stop();
  assert.equal(new Set(started).size, 13);
  assert.equal(started.length, 13, 'each is started once');
});

test('whoever takes over goes on with the jobs at work, and starts no more than may be', async () => {
  await flood('killed', RUNNING + 2);
  const first = startTurns();
  await until('some are at work', () => first.atWork.size === RUNNING);
  // The jobs of a killed process never end for it.
  await first.relay.stop();
  const second = startTurns();
  await until('they are at work again', () => second.atWork.size === RUNNING);
  assert.deepEqual([...second.atWork.keys()].sort(), first.started.sort());
  for (let n = 1; n <= RUNNING + 2; n += 1) {
    await until(`job ${n} is at work`, () => second.atWork.has(idOf('killed', n)));
    second.end(idOf('killed', n));
  }
  await until('all are gone', async () => (await left()) === 0);
  await second.relay.stop();
});

test('a job that can not be started is tried again, and stays until it has ended', async () => {
  await request('tried', 1);
  let attempts = 0;
  const { relay } = startTurns(async () => {
    attempts += 1;
    if (attempts < 3) throw new Error('Temporal is away');
    assert.equal(await left(), 1);
  });
  await until('it is gone', async () => (await left()) === 0);
  await relay.stop();
  assert.equal(attempts, 3);
});

test('kinds of jobs do not wait for each other', async () => {
  await flood('mixed', RUNNING + 1);
  await tenantEm(deps.orm, 'mixed').transactional((tx) =>
    appendJob(tx, 'contactErasure', { tenantId: 'mixed', erasureId: 1 }),
  );
  const { relay, atWork } = startTurns();
  await until('both kinds are at work', () => atWork.size === RUNNING + 1);
  assert.ok(atWork.has(workflowId('contactErasure', { tenantId: 'mixed', erasureId: 1 })));
  await relay.stop();
});

test('a request beyond the jobs that may wait is refused, also among many at once; what the service asks for is not', async () => {
  const { waiting = 0, called } = turnsOf('contactImport')!;
  await query(sql`
    insert into outbox_workflows (tenant_id, workflow_type, workflow_id, input, is_job)
    select 'full', 'contactImport', 'job-' || n, '{}', true from generate_series(1, ${waiting - 1}) n`);
  const answers = await Promise.allSettled(Array.from({ length: 8 }, (_, n) => request('full', n)));
  const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as AppError] : []));
  assert.equal(refused.length, 7);
  for (const { code, status, message } of refused)
    assert.deepEqual(
      [code, status, message],
      ['limit_reached', 409, `${waiting} ${called} of the account are waiting; it may have ${waiting} of them`],
    );
  await request('other', 1);
  await tenantEm(deps.orm, 'full').transactional((tx) =>
    appendWorkflow(tx, 'contactImport', { tenantId: 'full', importId: 99 }),
  );
  assert.equal(await left(), waiting + 2);
});

test('an erasure is taken however many wait', async () => {
  await query(sql`
    insert into outbox_workflows (tenant_id, workflow_type, workflow_id, input, is_job)
    select 'erasing', 'contactErasure', 'job-' || n, '{}', true from generate_series(1, 5000) n`);
  await tenantEm(deps.orm, 'erasing').transactional((tx) =>
    appendJob(tx, 'contactErasure', { tenantId: 'erasing', erasureId: 1 }),
  );
  assert.equal(await left(), 5001);
});

test('what was withdrawn waits for no turn and counts as none; what is at work stays a job', async () => {
  const { waiting = 0 } = turnsOf('contactImport')!;
  await flood('withdrawn', waiting);
  await assert.rejects(request('withdrawn', waiting + 1), { code: 'limit_reached' });
  await query(sql`update outbox_workflows set started_at = now() where workflow_id = ${idOf('withdrawn', 1)}`);
  for (const importId of [1, 2])
    await tenantEm(deps.orm, 'withdrawn').transactional((tx) =>
      withdrawJob(tx, 'contactImport', { tenantId: 'withdrawn', importId }),
    );
  await request('withdrawn', waiting + 1);
  await request('withdrawn', waiting + 2);
  await assert.rejects(request('withdrawn', waiting + 3), { code: 'limit_reached' });
  const others = await query<{ workflow_id: string }>(sql`select workflow_id from outbox_workflows where not is_job`);
  assert.deepEqual(others, [{ workflow_id: idOf('withdrawn', 2) }]);
});

test('all jobs that a tenant may have at work are fewer than the places of a worker', () => {
  const most = JOBS.reduce((sum, { turns }) => sum + turns.running, 0);
  assert.ok(most < 20, `${most} jobs`);
});
