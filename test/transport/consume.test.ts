import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, test } from '@jest/globals';
import { createDeps, type Deps } from '../../runtime/deps.ts';
import { readEnv } from '../../config/env.ts';
import { engineEm, rows, sql } from '../../db/orm.ts';
import { forwardSingleEvents } from '../../transport/forward-single-events.ts';
import { ensureEventConsumers, runEventHandler, type EventHandler } from '../../transport/event-handler.ts';
import type { AnyEvent } from '../../events/contracts.ts';
import { decodeText, encode } from '../../transport/nats.ts';
import {
  consumerConfig,
  DEAD_LETTERS,
  EMAIL_SEND_REQUESTS,
  ensureConsumer,
  ensureStreams,
  EVENT_BATCHES,
  EVENTS,
} from '../../transport/streams.ts';
import { eventHandlers } from '../../worker/consumers/index.ts';
import { hasHandledAll } from '../support/events.ts';
import { claimSlot, type Slot } from '../support/slot.ts';
import { until } from '../support/until.ts';

let slot: Slot;
let deps: Deps & { close: () => Promise<void> };
let number = 0;

beforeAll(async () => {
  slot = await claimSlot();
  deps = await createDeps(readEnv({ LOG_LEVEL: 'silent', SMTP_URL: 'smtp://127.0.0.1:1', ...slot.env }), 'test');
  await ensureStreams(deps.nats.jsm, deps.env);
});
afterAll(async () => {
  await deps.close();
  await slot.release();
});

/** A batch of visits, one of each URL. */
function visits(urls: string[], overrides: Record<string, unknown> = {}) {
  return {
    id: randomUUID(),
    type: 'WEBSITE_VISITED',
    time: new Date().toISOString(),
    tenantid: 'default',
    events: urls.map((url): { id: string; data: Record<string, unknown> } => ({
      id: randomUUID(),
      data: { contactId: 1, url },
    })),
    ...overrides,
  };
}
const visited = (url: string, overrides: Record<string, unknown> = {}) => visits([url], overrides);
const publish = (batch: unknown, subject = 'batches.WEBSITE_VISITED', msgID?: string) =>
  deps.nats.js.publish(
    subject,
    typeof batch === 'string' ? new TextEncoder().encode(batch) : encode(batch),
    msgID ? { msgID } : {},
  );

/** A handler under a name of its own whose effect is a row of a table it makes, in the transaction of the inbox. */
async function handlerOf(
  handle?: (events: AnyEvent[]) => void,
): Promise<EventHandler & { seen: () => Promise<string[]> }> {
  number += 1;
  const name = `test${number}`;
  await deps.nats.jsm.streams.purge(EVENT_BATCHES);
  // A batch is stored only if somebody is to handle it.
  await ensureEventConsumers(deps.nats, [{ name, types: ['WEBSITE_VISITED'], handle: async () => {} }]);
  return {
    name,
    types: ['WEBSITE_VISITED'],
    handle: async (tx, events) => {
      handle?.(events);
      await rows(
        tx,
        sql`insert into dead_letters (tenant_id, consumer, subject, body, error, deliveries, stream_seq)
        select 'effects', ${name}, '', r.url, '', 0, 0 from jsonb_to_recordset(${JSON.stringify(events.map((event) => event.data))}::jsonb) as r(url text)`,
      );
    },
    seen: async () =>
      (
        await engineEm(deps.orm).transactional((tx) =>
          rows<{ body: string }>(
            tx,
            sql`
      select body from dead_letters where tenant_id = 'effects' and consumer = ${name} order by id`,
          ),
        )
      ).map((row) => row.body),
  };
}

const deadOf = (name: string) =>
  engineEm(deps.orm).transactional((tx) =>
    rows<{ error: string; body: string; deliveries: number }>(
      tx,
      sql`
  select error, body, deliveries from dead_letters where tenant_id <> 'effects' and consumer = ${name} order by id`,
    ),
  );

test('each event takes effect once, however often it is delivered', async () => {
  const handler = await handlerOf();
  const event = visited('once');
  await publish(event);
  await publish(event);
  await publish(visited('other'));
  const consumer = await runEventHandler(deps, handler);
  await until(
    'all are acknowledged',
    async () =>
      (await deps.nats.jsm.consumers.info(EVENT_BATCHES, handler.name)).ack_floor.stream_seq > 0 &&
      (await deps.nats.jsm.consumers.info(EVENT_BATCHES, handler.name)).num_ack_pending === 0 &&
      (await handler.seen()).length >= 2,
  );
  await consumer.stop();
  assert.deepEqual((await handler.seen()).sort(), ['once', 'other']);
});

test('an effect that fails leaves no inbox row behind and is tried again', async () => {
  let failures = 1;
  const handler = await handlerOf(() => {
    if (failures-- > 0) throw new Error('not now');
  });
  await publish(visited('again'));
  const consumer = await runEventHandler(deps, handler);
  await until('it took effect', async () => (await handler.seen()).length === 1);
  await consumer.stop();
  assert.deepEqual(await handler.seen(), ['again']);
  assert.deepEqual(await deadOf(handler.name), []);
});

test('one bad event does not hold up the others of its batch, and ends in the dead letters', async () => {
  const handler = await handlerOf();
  await publish('{"not": "a batch"}');
  await publish('not even JSON');
  await publish(visited('bad', { events: [{ id: randomUUID(), data: { contactId: 'one' } }] }));
  await publish(visited('good'));
  const consumer = await runEventHandler(deps, handler);
  await until('the good one took effect', async () => (await handler.seen()).length === 1);
  const dead = await until('the bad ones are dead', async () => {
    const found = await deadOf(handler.name);
    return found.length === 3 && found;
  });
  await consumer.stop();
  assert.deepEqual(await handler.seen(), ['good']);
  assert.ok(dead.every((letter) => letter.deliveries === 1 && letter.error.startsWith('PoisonError')));
  const stream = await deps.nats.jsm.streams.info(DEAD_LETTERS);
  assert.ok(stream.state.messages >= 3);
});

test('a dead letter can be written whatever the message is, and is of bounded size', async () => {
  const handler = await handlerOf();
  await deps.nats.jsm.streams.purge(DEAD_LETTERS);
  await publish('\u0001'.repeat(2_000_000), undefined, `\0${'i'.repeat(30_000)}`);
  await publish(
    visited('nul', { tenantid: `\0${'t'.repeat(60)}`, events: [{ id: randomUUID(), data: { url: '\0' } }] }),
  );
  await publish(visited('long', { events: [{ id: '\0', data: { contactId: 1, url: '\u0001'.repeat(200_000) } }] }));
  const consumer = await runEventHandler(deps, handler);
  await handled(handler.name);
  await consumer.stop();
  const [long, ...others] = await deadOf(handler.name);
  assert.equal(others.length, 2);
  assert.equal(long!.body, `${'\u0001'.repeat(65_536)}… (the first 65536 of 2000000 bytes)`);
  const { data } = await deps.nats.jsm.streams.getMessage(DEAD_LETTERS, {
    seq: (await deps.nats.jsm.streams.info(DEAD_LETTERS)).state.first_seq,
  });
  assert.equal((JSON.parse(decodeText(data)) as { body: string }).body, long!.body);
  assert.equal((await deps.nats.jsm.streams.info(DEAD_LETTERS)).state.messages, 3);
});

test('streams that are there already get the bounds at the next start', async () => {
  const { streams } = deps.nats.jsm;
  await streams.update(EMAIL_SEND_REQUESTS, { max_msg_size: -1 });
  await streams.update(DEAD_LETTERS, { max_bytes: -1, allow_direct: false });
  await ensureStreams(deps.nats.jsm, deps.env);
  const [requests, letters] = [
    (await streams.info(EMAIL_SEND_REQUESTS)).config,
    (await streams.info(DEAD_LETTERS)).config,
  ];
  assert.deepEqual([requests.max_msg_size, letters.max_bytes, letters.allow_direct], [64 * 1024, 64 * 1024 ** 2, true]);
});

test('a message whose dead letter can not be written is given up in the end, counted and logged', async () => {
  // The table has no room for such a name.
  const handler = { ...(await handlerOf()), name: `long-${number}-${'n'.repeat(30)}` };
  await deps.nats.jsm.streams.purge(DEAD_LETTERS);
  const logged: unknown[] = [];
  const { error } = deps.log;
  deps.log.error = (...entry: unknown[]) => {
    logged.push(entry[1]);
  };
  try {
    await publish('not JSON');
    const consumer = await runEventHandler(deps, handler);
    await handled(handler.name);
    await consumer.stop();
  } finally {
    deps.log.error = error;
  }
  const lost = (await deps.metrics.consumed.get()).values.filter(({ labels }) => labels.consumer === handler.name);
  assert.deepEqual(
    lost.map(({ labels, value }) => [labels.outcome, value]),
    [
      ['done', 0],
      ['retried', 0],
      ['dead', 0],
      ['lost', 1],
    ],
  );
  assert.ok(logged.includes('message dropped: its dead letter could not be written'), JSON.stringify(logged));
  assert.equal((await deps.nats.jsm.streams.info(DEAD_LETTERS)).state.messages, 0, 'no try leaves a letter behind');
});

test('a dead letter of what Postgres refuses does not quote the value', async () => {
  const handler = await handlerOf();
  await publish(visited('quoted'));
  await ensureConsumer(deps.nats.jsm, EVENT_BATCHES, consumerConfig(handler.name, { types: handler.types }));
  const before = await deps.nats.js.consumers.get(EVENT_BATCHES, handler.name);
  // The next failure is the last.
  for (let tries = 1; tries < 8; tries += 1) (await before.next())!.nak();
  const consumer = await runEventHandler(deps, {
    ...handler,
    handle: async (tx) => {
      await rows(tx, sql`select ${'Ann Quillfeather'}::text::int`);
    },
  });
  const [letter] = await until('it is a dead letter', async () => {
    const found = await deadOf(handler.name);
    return found.length > 0 && found;
  });
  await consumer.stop();
  assert.match(letter!.error, /invalid input syntax for type integer: "…"/);
  const { data } = await deps.nats.jsm.streams.getMessage(DEAD_LETTERS, { last_by_subj: `dead.${handler.name}` });
  assert.ok(!decodeText(data).includes('Quillfeather'));
});

test('a batch that was tried often is kept for as long as Postgres is down', async () => {
  let calls = 0;
  const handler = await handlerOf();
  await publish(visited('kept'));
  const before = await deps.nats.js.consumers.get(EVENT_BATCHES, handler.name);
  // The next failure would be the last.
  for (let tries = 1; tries < 8; tries += 1) (await before.next())!.nak();
  const consumer = await runEventHandler(deps, {
    ...handler,
    handle: async (tx, events) => {
      calls += 1;
      if (calls === 1) await rows(tx, sql`do $$ begin raise exception using errcode = 'admin_shutdown'; end $$`);
      return handler.handle(tx, events);
    },
  });
  await until('it took effect', async () => (await handler.seen()).length === 1);
  await handled(handler.name);
  await consumer.stop();
  assert.deepEqual([calls, await deadOf(handler.name)], [2, []]);
});

const droppedBy = async (consumer: string) =>
  (await deps.metrics.dropped.get()).values.find((value) => value.labels.consumer === consumer)?.value;
const handled = (name: string) =>
  until(`${name} has handled everything`, () => hasHandledAll(deps.nats, EVENT_BATCHES, name));

test('events without a tenant are dropped and counted', async () => {
  const handler = await handlerOf();
  const consumer = await runEventHandler(deps, handler);
  assert.equal(await droppedBy(handler.name), 0);
  const without = [{ tenantid: '' }, { tenantid: undefined }, { tenantid: null }, { tenantid: 7 }];
  for (const overrides of without) await publish(visited('nobody', overrides));
  await publish(visited('somebody'));
  await handled(handler.name);
  await consumer.stop();
  assert.deepEqual(await handler.seen(), ['somebody']);
  assert.equal(await droppedBy(handler.name), without.length);
  assert.deepEqual(await deadOf(handler.name), []);
});

test('every consumer counts it', async () => {
  await ensureEventConsumers(deps.nats, eventHandlers());
  await deps.nats.jsm.streams.purge(EVENT_BATCHES);
  const events = [{ id: randomUUID(), data: { contactId: 1, email: 'a@example.com' } }];
  await publish(visited('nobody', { type: 'CONTACT_CREATED', tenantid: undefined, events }), 'batches.CONTACT_CREATED');
  for (const handler of eventHandlers()) {
    const consumer = await runEventHandler(deps, handler);
    await handled(handler.name);
    await consumer.stop();
    assert.equal(await droppedBy(handler.name), 1, handler.name);
  }
});

test('what is dropped is counted once, though what came with it has to be tried again', async () => {
  let failures = 2;
  const handler = await handlerOf(() => {
    if (failures-- > 0) throw new Error('not now');
  });
  await publish(visited('nobody', { tenantid: undefined }));
  await publish(visited('again'));
  const consumer = await runEventHandler(deps, handler);
  await until('it took effect', async () => (await handler.seen()).length === 1);
  await handled(handler.name);
  await consumer.stop();
  assert.equal(await droppedBy(handler.name), 1);
});

test('of a batch, an event that fails is tried again alone, and ends alone in the dead letters; the others take effect once', async () => {
  const tried: string[][] = [];
  let failures = 3;
  const handler = await handlerOf((events) => {
    const urls = events.map(({ data }) => (data as { url: string }).url);
    tried.push(urls);
    if (urls.includes('fails') && failures-- > 0) throw new Error('not now');
  });
  const batch = visits(['first', 'fails', 'bad', 'last']);
  batch.events[2]!.data['contactId'] = 'one';
  await publish(batch);
  const consumer = await runEventHandler(deps, handler);
  await handled(handler.name);
  // However often the relay publishes it again.
  await publish(batch);
  await publish({ ...batch, events: batch.events.slice(0, 2) });
  await handled(handler.name);
  await consumer.stop();
  assert.deepEqual((await handler.seen()).sort(), ['fails', 'first', 'last']);
  const dead = await deadOf(handler.name);
  assert.deepEqual(
    dead.map(({ body }) => (JSON.parse(body) as AnyEvent).id),
    [batch.events[2]!.id],
  );
  assert.match(dead[0]!.error, /^PoisonError: data does not match its contract/);
  assert.deepEqual(
    tried.filter((urls) => urls.length > 1),
    [],
    'a batch with an event that is not of its contract is never handled as a whole',
  );
});

test('a batch that fails as a whole, while another process handles it, takes effect once', async () => {
  const batch = visits(Array.from({ length: 50 }, (_, n) => String(n)));
  let failures = 1;
  const handler = await handlerOf((events) => {
    if (events.length > 1 && failures-- > 0) throw new Error('not now');
  });
  const other = await createDeps(
    readEnv({ LOG_LEVEL: 'silent', SMTP_URL: 'smtp://127.0.0.1:1', ...slot.env }),
    'other',
  );
  for (let copy = 0; copy < 20; copy += 1) await publish(batch);
  const consumers = [await runEventHandler(deps, handler), await runEventHandler(other, handler)];
  await handled(handler.name);
  await Promise.all(consumers.map((consumer) => consumer.stop()));
  await other.close();
  assert.equal((await handler.seen()).length, 50);
  assert.equal(new Set(await handler.seen()).size, 50);
});

test('5,000 events of one contact, in batches of every size', async () => {
  const handler = await handlerOf();
  const urls = Array.from({ length: 5000 }, (_, n) => String(n));
  for (let from = 0, size = 1; from < urls.length; from += size, size = (size * 3) % 997)
    await publish(visits(urls.slice(from, from + size)));
  await publish(visits(Array.from({ length: 5000 }, (_, n) => `at once ${n}`)));
  const consumer = await runEventHandler(deps, handler);
  await handled(handler.name);
  await consumer.stop();
  const seen = await handler.seen();
  assert.equal(seen.length, 10_000);
  assert.equal(new Set(seen).size, 10_000);
});

test('in order: an event of one tenant does not wait for what another has written in bulk', async () => {
  const handled: AnyEvent[][] = [];
  const { seen, ...handler } = await handlerOf((events) => void handled.push(events));
  for (let n = 0; n < 10; n += 1) await publish(visits(Array.from({ length: 500 }, (_, m) => String(n * 500 + m))));
  await publish(visited('late', { tenantid: 'other' }));
  const consumer = await runEventHandler(deps, {
    ...handler,
    inOrder: 'webhooks',
    handle: async (tx, events) => {
      await until(
        'all are here',
        async () => (await deps.nats.jsm.consumers.info(EVENT_BATCHES, handler.name)).num_pending === 0,
      );
      await handler.handle(tx, events);
    },
  });
  await until('all are handled', async () => (await seen()).length === 5001);
  await consumer.stop();
  const order = await seen();
  assert.deepEqual(
    order.filter((url) => url !== 'late'),
    Array.from({ length: 5000 }, (_, n) => String(n)),
  );
  assert.ok(order.indexOf('late') <= 2500, `it came as number ${order.indexOf('late')}`);
  const its = handled.find((events) => events.some(({ tenantid }) => tenantid === 'other'))!;
  assert.ok(its.length <= 1500, `its transaction had ${its.length} events`);
});

test('a batch on the subject of another type is a dead letter', async () => {
  const handler = await handlerOf();
  await publish(visited('x', { type: 'CONTACT_CREATED' }));
  const consumer = await runEventHandler(deps, handler);
  await handled(handler.name);
  await consumer.stop();
  assert.deepEqual(
    (await deadOf(handler.name)).map(({ error }) => error),
    ['PoisonError: the type CONTACT_CREATED does not match the subject batches.WEBSITE_VISITED'],
  );
});

test('single events that the consumers of the release before have not handled are forwarded as batches', async () => {
  const handler = await handlerOf();
  await deps.nats.jsm.streams.purge(EVENTS);
  await ensureConsumer(deps.nats.jsm, EVENTS, {
    ...consumerConfig(handler.name),
    filter_subjects: ['events.*.WEBSITE_VISITED'],
  });
  const time = new Date().toISOString();
  const ids = [randomUUID(), randomUUID(), randomUUID()];
  for (const [n, id] of ids.entries()) {
    const data = { contactId: 1, url: `single ${n}`, tenantId: 'default', timestamp: time };
    const event = {
      specversion: '1.0',
      id,
      source: 'perennial',
      type: 'WEBSITE_VISITED',
      time,
      tenantid: 'default',
      data,
    };
    await deps.nats.js.publish('events.default.WEBSITE_VISITED', encode(event));
  }
  // The first was handled, but its acknowledgement was lost.
  await engineEm(deps.orm).transactional((tx) =>
    rows(
      tx,
      sql`insert into inbox (tenant_id, consumer, event_id, day) values ('default', ${handler.name}, ${ids[0]}, ${time.slice(0, 10)}::date)`,
    ),
  );
  await forwardSingleEvents(deps, [handler]);
  await forwardSingleEvents(deps, [handler]);
  const consumer = await runEventHandler(deps, handler);
  await handled(handler.name);
  await consumer.stop();
  assert.deepEqual(await handler.seen(), ['single 1', 'single 2']);
  await assert.rejects(deps.nats.jsm.consumers.info(EVENTS, handler.name), /consumer not found/);
});

test('a stopped consumer gives back what it has not taken up', async () => {
  const handler = await handlerOf();
  await Promise.all(Array.from({ length: 1500 }, (_, n) => publish(visited(String(n)))));
  const consumer = await runEventHandler(deps, handler);
  await until('some took effect', async () => (await handler.seen()).length > 0);
  await consumer.stop();
  const second = await runEventHandler(deps, handler);
  await until('all took effect', async () => (await handler.seen()).length === 1500, 90_000);
  await second.stop();
  assert.equal(new Set(await handler.seen()).size, 1500);
});
