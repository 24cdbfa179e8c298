import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, test } from '@jest/globals';
import { createDeps, type Deps } from '../../runtime/deps.ts';
import { readEnv } from '../../config/env.ts';
import { engineEm, rows, sql, tenantEm } from '../../db/orm.ts';
import { ensureEventConsumers, runEventHandler, type EventHandler } from '../../transport/event-handler.ts';
import type { AnyEvent, CloudEvent, EventBatch } from '../../events/contracts.ts';
import { eraseFromBatches } from '../../transport/erase-messages.ts';
import { encode, type Nats } from '../../transport/nats.ts';
import { appendEvents } from '../../events/outbox.ts';
import { startRelay } from '../../transport/relay.ts';
import { ensureStreams, EVENT_BATCHES, EVENTS } from '../../transport/streams.ts';
import { hasHandledAll } from '../support/events.ts';
import { claimSlot, type Slot } from '../support/slot.ts';
import { until } from '../support/until.ts';

let slot: Slot;
let deps: Deps & { close: () => Promise<void> };
let seen: { consumer: string; contact: number; url: string }[] = [];

const handler = (name: string): EventHandler => ({
  name,
  types: ['WEBSITE_VISITED'],
  handle: (_tx, events: AnyEvent[]) => {
    for (const { data } of events) {
      const { contactId: contact, url } = data as { contactId: number; url: string };
      seen.push({ consumer: name, contact, url });
    }
    return Promise.resolve();
  },
});
const [early, late] = [handler('early'), handler('late')];

beforeAll(async () => {
  slot = await claimSlot();
  deps = await createDeps(readEnv({ LOG_LEVEL: 'silent', SMTP_URL: 'smtp://127.0.0.1:1', ...slot.env }), 'test');
  await ensureStreams(deps.nats.jsm, deps.env);
  await ensureEventConsumers(deps.nats, [early, late]);
});
afterAll(async () => {
  await deps.close();
  await slot.release();
});
beforeEach(async () => {
  await deps.nats.jsm.streams.purge(EVENTS);
  await deps.nats.jsm.streams.purge(EVENT_BATCHES);
  seen = [];
});

async function handleAll(one: EventHandler): Promise<void> {
  const consumer = await runEventHandler(deps, one);
  await until(`${one.name} has handled everything`, () => hasHandledAll(deps.nats, EVENT_BATCHES, one.name));
  await consumer.stop();
}
const stored = async (stream: string): Promise<number> => (await deps.nats.jsm.streams.info(stream)).state.messages;
const visit = (contactId: number, url: string) => ({
  type: 'WEBSITE_VISITED' as const,
  data: { contactId, url },
});

test('an erasure takes the person out of the batches that wait; what was handled is not handled again', async () => {
  const batch = (tenantid: string, contacts: number[]): EventBatch => ({
    id: randomUUID(),
    tenantid,
    type: 'WEBSITE_VISITED',
    time: new Date().toISOString(),
    events: contacts.map((contactId) => ({ id: randomUUID(), data: { contactId, url: `${tenantid} ${contactId}` } })),
  });
  const batches = [batch('default', [1, 2, 1, 3]), batch('default', [1]), batch('other', [1]), batch('default', [4])];
  for (const one of batches) await deps.nats.js.publish('batches.WEBSITE_VISITED', encode(one));
  await handleAll(early);
  assert.equal(seen.length, 7);
  const isToGo = (text: string): boolean => /"contactId":1\b/.test(text);
  const { erased } = await eraseFromBatches(deps.nats, 'default', { seq: 0, erased: 0 }, isToGo, () => {});
  assert.equal(erased, 3);
  seen = [];
  await handleAll(early);
  assert.deepEqual(seen, [], 'the batch without the person is the one that was handled');
  await handleAll(late);
  assert.deepEqual(seen.map(({ url }) => url).sort(), ['default 2', 'default 3', 'default 4', 'other 1']);
  assert.equal(await stored(EVENT_BATCHES), 0, 'what everybody has handled is gone');
});

test('a relay that dies in the middle of a batch: each consumer handles it once, and the events are all there', async () => {
  await tenantEm(deps.orm, 'default').transactional((tx) =>
    appendEvents(
      tx,
      { tenantId: 'default', requestId: 'of-all' },
      Array.from({ length: 400 }, (_, n) => ({ ...visit(7, String(n)), ...(n < 100 ? { requestId: `of-${n}` } : {}) })),
    ),
  );
  // It gets as far as this, and its transaction is rolled back.
  let left = 150;
  const failing = {
    ...deps.nats,
    acks: {
      publish: async (messages: Parameters<Nats['acks']['publish']>[0], timeoutMs: number) => {
        const some = messages.slice(0, Math.max(0, left));
        left -= some.length;
        await deps.nats.acks.publish(some, timeoutMs);
        if (some.length < messages.length) throw new Error('killed');
      },
    },
  } as unknown as Nats;
  const parts = {
    databaseUrl: deps.env.DATABASE_URL,
    log: deps.log,
    metrics: deps.metrics,
    startWorkflow: async () => {},
    runJob: async () => {},
  };
  const dying = startRelay({ ...parts, nats: failing });
  await until('it has published some', async () => left <= 0);
  await dying.stop();
  const half = await stored(EVENTS);
  assert.ok(half > 0 && half < 400, String(half));
  const { first_seq: seq } = (await deps.nats.jsm.streams.info(EVENT_BATCHES)).state;
  const { data } = await deps.nats.jsm.streams.getMessage(EVENT_BATCHES, { seq });
  await handleAll(early);
  const relay = startRelay({ ...parts, nats: deps.nats });
  await until('the outbox is empty', async () => {
    const [outbox] = await engineEm(deps.orm).transactional((tx) =>
      rows<{ n: number }>(tx, sql`select count(*)::int as n from outbox_events`),
    );
    return outbox!.n === 0;
  });
  await relay.stop();
  const ids = new Set<string>();
  const requests = new Set<string>();
  const { state } = await deps.nats.jsm.streams.info(EVENTS);
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
    const event = (await deps.nats.jsm.streams.getMessage(EVENTS, { seq })).json<CloudEvent<'WEBSITE_VISITED'>>();
    ids.add(event.id);
    requests.add(event.requestid!);
    const number = Number(event.data.url);
    assert.equal(event.requestid, number < 100 ? `of-${number}` : 'of-all');
  }
  assert.deepEqual([ids.size, requests.size], [400, 101]);
  // Without the id by which the stream knows it, as after two minutes.
  await deps.nats.js.publish('batches.WEBSITE_VISITED', data);
  await handleAll(early);
  await handleAll(late);
  for (const { name } of [early, late])
    assert.deepEqual(
      seen.flatMap(({ consumer, url }) => (consumer === name ? [Number(url)] : [])).sort((x, y) => x - y),
      Array.from({ length: 400 }, (_, n) => n),
    );
});
