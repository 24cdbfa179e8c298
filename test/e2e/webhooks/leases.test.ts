/** Which lanes are leased by who delivers: without a worker, so that they are not leased in between, but where a test starts one. */
import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import pg from 'pg';
import { engineEm, rows, sql, tenantEm } from '../../../db/orm.ts';
import { deleteAbandoned } from '../../../domain/webhooks/deliveries/expire-deliveries.ts';
import { noteForgotten, untilForgotten } from '../../../domain/webhooks/deliveries/forget-erased.ts';
import {
  leaseLanes,
  lookAtLanes,
  releaseLanes,
  renewLanes,
  wakeForgottenLanes,
} from '../../../domain/webhooks/deliveries/lanes.ts';
import { recordDeliveries } from '../../../domain/webhooks/deliveries/record-deliveries.ts';
import { disableEndpoints } from '../../../domain/webhooks/endpoints/disable-endpoints.ts';
import { startWebhooks } from '../../../worker/webhooks/index.ts';
import { newTenant } from '../../support/accounts.ts';
import { startEndpoint } from '../../support/endpoint.ts';
import { eventOf } from '../../support/events.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { OUTBOUND_ALLOW: '127.0.0.1/32' } });
});
afterAll(() => service.stop());

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
const makeWebhook = async (token?: string, url = 'https://example.com/', more: object = {}): Promise<number> => {
  const made = await service.api(
    'POST',
    '/webhooks',
    { name: 'CRM', url, types: ['CONTACT_CREATED'], ...more },
    token === undefined ? {} : { token },
  );
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body.id;
};
const lease = async (limit: number): Promise<number[]> => {
  const leased = await leaseLanes(engineEm(service.deps.orm), { holder: 'test', limit, except: [] });
  return leased.map(({ endpointId }) => endpointId).sort((a, b) => a - b);
};
const makeDue = (ids: readonly number[]) =>
  engine(sql`update webhook_lanes set due_at = now() - interval '1 s' where endpoint_id = any(${[...ids]}::bigint[])`);

test.each(['by its receiver', 'by hand'])(
  'a lane that was deactivated %s while its holder died takes no share of a lease, and is due when it is active again',
  async (how) => {
    const id = await makeWebhook();
    const { token } = await newTenant(service);
    const others = [await makeWebhook(token), await makeWebhook(token), await makeWebhook(token)];
    await makeDue([id]);
    assert.deepEqual(await lease(1), [id]);
    if (how === 'by hand') await service.api('PUT', `/webhooks/${id}`, { active: false });
    else await disableEndpoints(engineEm(service.deps.orm), [{ tenantId: 'default', id, reason: 'gone', version: 1 }]);
    // The time of the lease has passed.
    await makeDue([id, ...others]);
    assert.deepEqual(await lease(3), others);
    assert.equal((await service.api('PUT', `/webhooks/${id}`, { active: true })).status, 200);
    assert.deepEqual(await lease(3), [id]);
  },
);

/** An endpoint whose lane is the only one that is leased. */
async function leasedWebhook(): Promise<number> {
  await engine(sql`update webhook_lanes set holder = null, due_at = null`);
  const id = await makeWebhook();
  await makeDue([id]);
  assert.deepEqual(await lease(1), [id]);
  return id;
}

const nothing = { cursor: 0, cursorDay: null };
const giveUp: Record<string, (id: number) => Promise<unknown>> = {
  'has forgotten what was erased': async (id) => {
    const key = { tenantId: 'default', endpointId: id };
    const [lane] = await lookAtLanes(engineEm(service.deps.orm), 'test', [key]);
    await noteForgotten(engineEm(service.deps.orm), 'test', [{ ...key, erasures: lane!.erasures }]);
  },
  'gives its lane back': (id) =>
    releaseLanes(engineEm(service.deps.orm), 'test', [{ tenantId: 'default', endpointId: id, ...nothing }]),
  'has not renewed its lease': (id) => makeDue([id]),
};

test.each(Object.keys(giveUp))('an erasure waits until who has read ahead %s', async (how) => {
  const id = await leasedWebhook();
  let isOver = false;
  const waiting = untilForgotten(tenantEm(service.deps.orm, 'default'), 'default').then(() => (isOver = true));
  await until('it is asked', async () => {
    const asked = await engine(sql`select 1 from webhook_lanes where endpoint_id = ${id} and erasures > forgotten`);
    return asked.length > 0;
  });
  assert.ok(!isOver);
  await giveUp[how]!(id);
  await waiting;
});

test('the lane of an endpoint that was deleted stays until its holder gives it back', async () => {
  const id = await leasedWebhook();
  assert.equal((await service.api('DELETE', `/webhooks/${id}`)).status, 204);
  assert.equal(await deleteAbandoned(engineEm(service.deps.orm)), 0);
  await releaseLanes(engineEm(service.deps.orm), 'test', [{ tenantId: 'default', endpointId: id, ...nothing }]);
  assert.equal(await deleteAbandoned(engineEm(service.deps.orm)), 1);
});

test('a lease that is over is not renewed, although nobody has taken the lane', async () => {
  const id = await leasedWebhook();
  const renew = () => renewLanes(engineEm(service.deps.orm), 'test', [{ tenantId: 'default', endpointId: id }]);
  assert.deepEqual(await renew(), [id]);
  await makeDue([id]);
  assert.deepEqual(await renew(), []);
});

/** Tells an endpoint of so many events. */
async function tell(id: number, count = 1): Promise<void> {
  const [lane] = await engine<{ tenant: string }>(
    sql`select tenant_id as tenant from webhook_lanes where endpoint_id = ${id}`,
  );
  const matches = Array.from({ length: count }, (_, n) => ({
    event: eventOf('CONTACT_CREATED', { contactId: n + 1 }, new Date(), lane!.tenant),
    ...{ endpointIds: [id], contactId: null },
  }));
  await engineEm(service.deps.orm).transactional((tx) => recordDeliveries(tx, matches));
}

test('what waits for its next attempt is due when its endpoint is active again, although its lane is given back later', async () => {
  const id = await leasedWebhook();
  await tell(id);
  await engine(
    sql`update webhook_deliveries set attempts = 1, last_at = now(), next_attempt_at = now() + interval '5 hours' where endpoint_id = ${id}`,
  );
  for (const active of [false, true])
    assert.equal((await service.api('PUT', `/webhooks/${id}`, { active })).status, 200);
  const release = () =>
    releaseLanes(engineEm(service.deps.orm), 'test', [
      { tenantId: 'default', endpointId: id, cursor: 1, cursorDay: null },
    ]);
  await release();
  assert.deepEqual(await lease(1), [id]);
  // As if the clock had been set back since.
  await release();
  await engine(sql`update webhook_lanes set due_at = now() + interval '5 hours' where endpoint_id = ${id}`);
  await wakeForgottenLanes(engineEm(service.deps.orm));
  assert.ok((await lease(100)).includes(id));
});

test('what is on its way is not sent again by who finds its own lane due, and the lane goes on', async () => {
  await engine(sql`update webhook_lanes set holder = null, due_at = null`);
  const answer = Promise.withResolvers<void>();
  const there = await startEndpoint([{ status: 204, before: () => answer.promise }, { status: 204 }]);
  onTestFinished(() => there.close());
  const id = await makeWebhook(undefined, there.url);
  await tell(id);
  const deliverer = startWebhooks(service.deps);
  onTestFinished(() => deliverer.stop());
  await until('the first one has come', () => there.received.length > 0);
  // As if the process had stood still for longer than its lease.
  await makeDue([id]);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  assert.equal(there.received.length, 1);
  answer.resolve();
  await tell(id);
  await until('the second one has come', () => there.received.length > 1);
  await until('both are settled', async () => {
    const open = await engine(
      sql`select 1 from webhook_deliveries where endpoint_id = ${id} and status <> 'DELIVERED'`,
    );
    return open.length === 0;
  });
  assert.deepEqual(
    there.received.map(({ body }) => JSON.parse(body).sequence),
    [1, 2],
  );
});

test('what is about to be sent when its lane is found lost is not sent beside the next holder, who sends it', async () => {
  await engine(sql`update webhook_lanes set holder = null, due_at = null`);
  const there = await startEndpoint([{ status: 204 }]);
  onTestFinished(() => there.close());
  const person = await service.api('POST', '/contacts', { email: 'ada@example.com', firstName: 'A', lastName: 'B' });
  const contactId: number = person.body.id;
  const id = await makeWebhook(undefined, there.url, { include: ['contact'] });
  const owner = new pg.Client({ connectionString: service.slot.env['DATABASE_MIGRATION_URL'] });
  await owner.connect();
  onTestFinished(() => owner.end());
  // The request waits for its contact.
  await owner.query('begin');
  await owner.query('lock table contacts in access exclusive mode');
  await engineEm(service.deps.orm).transactional((tx) =>
    recordDeliveries(tx, [{ event: eventOf('CONTACT_CREATED', { contactId }), endpointIds: [id], contactId }]),
  );
  const deliverer = startWebhooks(service.deps);
  onTestFinished(() => deliverer.stop());
  await until('the request waits', async () => {
    const { rows: waiting } = await owner.query(
      `select 1 from pg_locks where relation = 'contacts'::regclass and not granted`,
    );
    return waiting.length > 0;
  });
  await engine(
    sql`update webhook_lanes set holder = 'other', due_at = now() + interval '1 hour' where endpoint_id = ${id}`,
  );
  // By then it has tried to renew its lease.
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  await owner.query('rollback');
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  assert.equal(there.received.length, 0);
  await makeDue([id]);
  await until('it is sent by who has the lane next', () => there.received.length === 1);
});

const healthOf = (ids: readonly number[], changes: ReturnType<typeof sql>) =>
  engine(sql`update webhook_health set ${changes} where endpoint_id = any(${[...ids]}::bigint[])`);
const holderOf = async (id: number): Promise<string | null> =>
  (await engine<{ holder: string | null }>(sql`select holder from webhook_lanes where endpoint_id = ${id}`))[0]!.holder;
/** Delivers with few connections, and few lanes, until the test has finished. */
function deliverWithFew(connections: number, lanes?: number): void {
  const env = { ...service.deps.env, WEBHOOK_CONNECTIONS: connections };
  const deliverer = startWebhooks({ ...service.deps, env }, lanes);
  onTestFinished(() => deliverer.stop());
}

test('endpoints that do not answer, however many, delay none that does, in their account and in others', async () => {
  await engine(sql`update webhook_lanes set holder = null, due_at = null`);
  const silent = await startEndpoint([null]);
  const there = await startEndpoint([{ status: 204 }]);
  const { token } = await newTenant(service);
  const slow: number[] = [];
  for (let n = 0; n < 8; n += 1) slow.push(await makeWebhook(undefined, silent.url, { timeoutMs: 30_000 }));
  const [late, theirs] = [await makeWebhook(undefined, silent.url), await makeWebhook(token, silent.url)];
  const good = await makeWebhook(undefined, there.url);
  await healthOf([...slow, late, theirs], sql`slow = true`);
  await healthOf([good], sql`last_success_at = now()`);
  for (const id of slow) await tell(id, 3);
  // Before the deliverer stops, which waits for what is on its way.
  onTestFinished(() => Promise.all([silent.close(), there.close()]));
  deliverWithFew(4);
  await until('the slow ones wait', async () =>
    (await Promise.all(slow.map(holderOf))).every((holder) => holder !== null),
  );
  await until('one of them is on its way', () => silent.received.length === 1);
  await tell(late);
  await tell(good);
  await until('who answers is told', () => there.received.length === 1);
  await tell(theirs);
  await until(
    'a slow one of an account that has none waiting is leased',
    async () => (await holderOf(theirs)) !== null,
  );
  assert.equal(await holderOf(late), null);
  assert.equal(silent.received.length, 1);
});

test('endpoints that stop answering make room for others in the process that delivers', async () => {
  await engine(sql`update webhook_lanes set holder = null, due_at = null`);
  const silent = await startEndpoint([null]);
  const there = await startEndpoint([{ status: 204 }]);
  const dead: number[] = [];
  for (let n = 0; n < 4; n += 1)
    dead.push(await makeWebhook(undefined, silent.url, { timeoutMs: 1_000, maxInFlight: 1 }));
  const good = await makeWebhook(undefined, there.url);
  await healthOf([...dead, good], sql`last_success_at = now()`);
  for (const id of dead) await tell(id, 100);
  // Before the deliverer stops, which waits for what is on its way.
  onTestFinished(() => Promise.all([silent.close(), there.close()]));
  deliverWithFew(4, 4);
  await until('all have been asked', () => silent.received.length >= 4);
  await tell(good);
  await until('who answers is told', () => there.received.length === 1);
});
