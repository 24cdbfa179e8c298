import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from '@jest/globals';
import pg from 'pg';
import { routes } from '../../../api/routes.ts';
import { keyedRequests, type KeyedRequest } from '../../support/keyed-requests.ts';
import { startService, type Service } from '../../support/service.ts';
import { takesIdempotencyKey } from '../../../api/route/route.ts';

let service: Service;
let owner: pg.Client;
let requests: Record<string, () => Promise<KeyedRequest>>;
/** Ends the transaction that holds the other connection of the smallest pool. */
let release: () => void;
let held: Promise<void>;
beforeAll(async () => {
  service = await startService({ env: { DATABASE_POOL_MAX: '2' } });
  owner = new pg.Client({ connectionString: service.slot.env['DATABASE_MIGRATION_URL']! });
  await owner.connect();
  requests = keyedRequests(service, owner);
  const holding = Promise.withResolvers<void>();
  const over = new Promise<void>((resolve) => {
    release = resolve;
  });
  held = service.deps.orm.em.fork().transactional(async () => {
    holding.resolve();
    await over;
  });
  await holding.promise;
});
afterAll(async () => {
  release();
  await held;
  await owner.end();
  await service.stop();
});

// With two connections for each, as many requests at once as the pool has would wait for each other without end.
describe('no operation under an Idempotency-Key needs a second connection beside that of its transaction', () => {
  for (const { operationId } of routes.filter(takesIdempotencyKey)) {
    test(operationId, async () => {
      const { path, body } = await requests[operationId]!();
      const { status, body: answer } = await service.api('POST', path, body ?? {}, {
        headers: { 'idempotency-key': operationId },
      });
      assert.ok(
        status < 300 || (operationId === 'verifySender' && status === 409),
        `${status} ${JSON.stringify(answer)}`,
      );
    });
  }
});

test('a request that gets no connection is refused, to be tried again', async () => {
  const over = Promise.withResolvers<void>();
  const other = service.deps.orm.em.fork().transactional(() => over.promise);
  const { status, body, headers } = await service.api('GET', '/contacts');
  over.resolve();
  await other;
  assert.deepEqual([status, body.code, headers.get('retry-after') !== null], [503, 'unavailable', true]);
  assert.equal((await service.api('GET', '/contacts')).status, 200);
});
