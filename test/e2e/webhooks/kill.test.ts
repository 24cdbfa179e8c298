/** kill -9 of deliverers: nothing is missed, repetitions are few and under the same id, and order is kept. */
import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { appendEvents } from '../../../events/outbox.ts';
import { startEndpoint, type Endpoint } from '../../support/endpoint.ts';
import { makeContact } from '../../support/mail/emails.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { killWorkerProcesses, startWorkerProcess } from '../../support/worker-process.ts';

const MAX_IN_FLIGHT = 3;
const EVENTS = 240;
const KILLS = 3;

let service: Service;
const receivers: Endpoint[] = [];
beforeAll(async () => {
  service = await startService({ worker: ['consumers', 'relay'], env: { OUTBOUND_ALLOW: '127.0.0.1/32' } });
});
afterAll(async () => {
  await killWorkerProcesses();
  await Promise.all(receivers.map((receiver) => receiver.close()));
  await service.stop();
});

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));

const startDeliverer = () => startWorkerProcess(service, ['webhooks'], { OUTBOUND_ALLOW: '127.0.0.1/32' });

/** A webhook with a receiver that takes a moment for each request. */
async function makeWebhook(ordering: 'none' | 'contact'): Promise<{ id: number; receiver: Endpoint }> {
  const receiver = await startEndpoint([{ status: 204, before: () => new Promise((done) => setTimeout(done, 10)) }]);
  receivers.push(receiver);
  const made = await service.api('POST', '/webhooks', {
    ...{ name: ordering, url: receiver.url, types: ['WEBSITE_VISITED'], ordering, maxInFlight: MAX_IN_FLIGHT },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return { id: made.body.id, receiver };
}

interface Told {
  id: string;
  sequence: number;
  contactId: number;
}
const toldTo = ({ received }: Endpoint): Told[] =>
  received.map(({ headers, body }) => {
    const { sequence, data } = JSON.parse(body) as { sequence: number; data: { contactId: number } };
    return { id: String(headers['webhook-id']), sequence, contactId: data.contactId };
  });

test('kill -9 of the deliverer in the middle, again and again', async () => {
  const contacts: number[] = [];
  for (let n = 0; n < 6; n += 1) contacts.push((await makeContact(service)).id);
  const webhooks = [await makeWebhook('none'), await makeWebhook('contact')];
  await engineEm(service.deps.orm).transactional((tx) =>
    appendEvents(
      tx,
      { tenantId: 'default', requestId: null },
      Array.from({ length: EVENTS }, (_, n) => ({
        type: 'WEBSITE_VISITED',
        data: { contactId: contacts[n % contacts.length]!, url: `https://example.com/${n}` },
      })),
    ),
  );
  const arrived = () => webhooks.reduce((sum, { receiver }) => sum + receiver.received.length, 0);
  let deliverer = startDeliverer();
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const before = arrived();
    await until('some have come', () => arrived() >= before + 60);
    await deliverer.end('SIGKILL');
    // As if the time of its leases had passed.
    await engine(sql`update webhook_lanes set due_at = now() where holder is not null`);
    deliverer = startDeliverer();
  }
  for (const { id, receiver } of webhooks) {
    const proof = await until('all are delivered', async () => {
      const { body } = await service.api('GET', `/webhooks/${id}/proof`);
      return body.delivered === EVENTS ? body : null;
    });
    assert.deepEqual([proof.matched, proof.firstSequence, proof.lastSequence], [EVENTS, 1, EVENTS]);
    const told = toldTo(receiver);
    const ids = new Map(told.map(({ sequence, id: webhookId }) => [sequence, webhookId]));
    assert.deepEqual(
      [...ids.keys()].sort((a, b) => a - b),
      Array.from({ length: EVENTS }, (_, n) => n + 1),
    );
    for (const one of told) assert.equal(one.id, ids.get(one.sequence), 'a repetition has the same id');
    const repeated = told.length - EVENTS;
    assert.ok(repeated <= KILLS * 2 * MAX_IN_FLIGHT, `${repeated} were repeated`);
  }
  // What comes for the first time is in the order of its contact, and nothing comes again after what followed it.
  const last = new Map<number, number>();
  for (const { contactId, sequence } of toldTo(webhooks[1]!.receiver)) {
    assert.ok(sequence >= (last.get(contactId) ?? 0), `contact ${contactId}: ${sequence} after ${last.get(contactId)}`);
    last.set(contactId, sequence);
  }
  assert.equal(await deliverer.end('SIGTERM'), 0);
  const held = await engine(sql`select 1 from webhook_lanes where holder is not null`);
  assert.equal(held.length, 0, 'it has given its leases back');
});
