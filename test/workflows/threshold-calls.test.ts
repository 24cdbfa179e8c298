import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { startFromOutbox } from '../../activities/start-executions.ts';
import { rows, sql } from '../../db/orm.ts';
import { createOutbound } from '../../domain/outbound/outbound.ts';
import { webhookSecret } from '../../domain/outbound/sign-webhook.ts';
import type { Received } from '../support/endpoint.ts';
import { startJourneys, TENANT, type Journeys } from './campaign-support.ts';
import { call, reach, score, SCORE, thresholdPaths } from './threshold-paths.ts';

let journeys: Journeys;
beforeAll(async () => {
  journeys = await startJourneys();
  await journeys.worker();
});
afterAll(() => journeys.stop());

const idsOf = (received: Received[]): unknown[] => received.map(({ headers }) => headers['webhook-id']);
const open = () => journeys.em().transactional((tx) => rows(tx, sql`select contact_id from threshold_calls`));
/** A workflow's history as text, with the text of its payloads. */
async function historyOf(workflowId: string): Promise<string> {
  const history = await journeys.env.client.workflow.getHandle(workflowId).fetchHistory();
  return JSON.stringify(history, (key, value: unknown) =>
    key === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString() : value,
  );
}

test('who reaches a threshold is told to its URL, signed, once', async () => {
  const { contactId, thresholdId, received, status, workflowId } = await thresholdPaths['threshold-call'](journeys);
  assert.equal(status, 'COMPLETED');
  assert.equal(workflowId, `threshold-call/${TENANT}/${thresholdId}/${contactId}`);
  const [{ method, path, headers, body }, ...others] = received as [Received];
  assert.deepEqual([method, path, headers['content-type'], others], ['POST', '/hook', 'application/json', []]);
  const verifier = new Webhook(webhookSecret(journeys.deps.env, TENANT));
  const told = verifier.verify(body, headers as Record<string, string>) as { timestamp: string };
  assert.deepEqual(told, {
    type: 'SCORE_THRESHOLD_REACHED',
    timestamp: told.timestamp,
    data: { thresholdId, name: 'Hot leads', score: SCORE, contactId, totalScore: SCORE + 2, tenantId: TENANT },
  });
  assert.ok(Math.abs(Date.parse(told.timestamp) - Date.now()) < 120_000, told.timestamp);
  assert.throws(() => verifier.verify(`${body} `, headers as Record<string, string>));
  assert.deepEqual(await open(), []);
  assert.match(await historyOf(workflowId), new RegExp(`contactId[\\\\"]+:${contactId}\\b`));
  // Neither the name nor the address is in the history, which may be read by whoever operates the service.
  assert.doesNotMatch(await historyOf(workflowId), /Ada|example\.com|Hot leads|127\.0\.0\.1/);
});

test('falling below and reaching it again calls nobody', async () => {
  await reach(journeys, [{ status: 200 }], async ({ contactId, received }) => {
    for (const id of await journeys.relay()) await journeys.finished(id);
    await score(journeys, contactId, -SCORE);
    await score(journeys, contactId, 2 * SCORE);
    assert.deepEqual(await journeys.relay(), []);
    assert.equal(received.length, 1);
  });
});

test('a workflow that is started again, also after its end, calls nobody', async () => {
  await reach(journeys, [{ status: 200 }], async ({ contactId, thresholdId, received }) => {
    const input = { tenantId: TENANT, thresholdId, contactId };
    const id = `threshold-call/${TENANT}/${thresholdId}/${contactId}`;
    assert.deepEqual(await journeys.relay(), [id]);
    await startFromOutbox(journeys.deps, { type: 'thresholdCall', id, input });
    await journeys.finished(id);
    await startFromOutbox(journeys.deps, { type: 'thresholdCall', id, input });
    // As if Temporal had forgotten the first.
    const late = `${id}/late`;
    await startFromOutbox(journeys.deps, { type: 'thresholdCall', id: late, input });
    await journeys.finished(late);
    assert.equal(received.length, 1);
  });
});

test('what may pass is repeated with the same id and body, whatever becomes of the threshold', async () => {
  const change = (): Promise<void> => journeys.owner(`update score_thresholds set name = 'Renamed', score = 1`);
  const { received, status } = await call(journeys, [
    { status: 500, before: change },
    { status: 429, headers: { 'retry-after': '60' } },
    { status: 200 },
  ]);
  assert.equal(status, 'COMPLETED');
  assert.equal(received.length, 3);
  assert.equal(new Set(idsOf(received)).size, 1);
  assert.match(String(idsOf(received)[0]), /^[0-9a-f-]{36}$/);
  assert.equal(new Set(received.map(({ body }) => body)).size, 1);
  assert.match(received[0]!.body, /"name":"Hot leads"/);
});

for (const answer of [410, 404, 302]) {
  test(`${answer} is not repeated, and the workflow fails`, async () => {
    const { received, status, workflowId } = await call(journeys, [{ status: answer, body: 'Ada is not here' }]);
    assert.deepEqual([status, received.length], ['FAILED', 1]);
    const history = await historyOf(workflowId);
    assert.match(history, new RegExp(`answered ${answer}`));
    assert.doesNotMatch(history, /Ada/);
    assert.deepEqual(await open(), []);
  });
}

test('what is repeated for an hour in vain fails', async () => {
  const { received, status } = await call(journeys, [{ status: 503 }]);
  assert.equal(status, 'FAILED');
  assert.ok(received.length >= 18 && received.length <= 24, `${received.length} attempts`);
  assert.equal(new Set(idsOf(received)).size, 1);
});

test('a name that leads to a local address is refused whenever it is called, as one that there is not', async () => {
  const { outbound } = journeys.deps;
  journeys.deps.outbound = createOutbound([]);
  try {
    const { received, status, workflowId } = await call(journeys, [{ status: 200 }], 'https://localhost:1/hook');
    assert.deepEqual([status, received.length], ['FAILED', 0]);
    const words = 'outbound_refused: localhost leads to no address that may be called after';
    assert.match(await historyOf(workflowId), new RegExp(`${words} \\d\\d attempts`));
  } finally {
    journeys.deps.outbound.close();
    journeys.deps.outbound = outbound;
  }
});

test('a call whose end could not be recorded is repeated under the same id', async () => {
  const { received, status } = await call(journeys, [
    { status: 200, before: () => journeys.owner('revoke delete on threshold_calls from perennial_app') },
    { status: 200, before: () => journeys.owner('grant delete on threshold_calls to perennial_app') },
  ]);
  assert.deepEqual([status, received.length, new Set(idsOf(received)).size], ['COMPLETED', 2, 1]);
  assert.deepEqual(await open(), []);
});

test('when the threshold is deleted, calls of it that wait are over', async () => {
  const { contactId, thresholdId, received } = await reach(journeys, [{ status: 200 }], async (reached) => {
    assert.equal((await open()).length, 1);
    return reached;
  });
  assert.deepEqual(await open(), []);
  const id = `threshold-call/${TENANT}/${thresholdId}/${contactId}`;
  assert.deepEqual(await journeys.relay(), [id]);
  await journeys.finished(id);
  assert.deepEqual([await journeys.status(id), received.length], ['COMPLETED', 0]);
  assert.match(await historyOf(id), /nothing to call any more/);
});
