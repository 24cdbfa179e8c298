import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, test } from '@jest/globals';
import { createDeps, type Deps } from '../../runtime/deps.ts';
import { readEnv } from '../../config/env.ts';
import { engineEm, rows, sql } from '../../db/orm.ts';
import { runEventHandler, type EventHandler } from '../../events/consume.ts';
import type { AnyEvent } from '../../events/contracts.ts';
import { decodeText, encode } from '../../events/nats.ts';
import {
  consumerConfig,
  DEAD_LETTERS,
  EMAIL_SEND_REQUESTS,
  ensureConsumer,
  ensureStreams,
  EVENTS,
} from '../../events/streams.ts';
import { eventHandlers } from '../../events/handlers/index.ts';
import { claimSlot, type Slot } from '../support/slot.ts';
import { until } from '../support/until.ts';

let slot: Slot;
let deps: Deps & { close: () => Promise<void> };
let number = 0;

beforeAll(async () => {
  slot = await claimSlot();
  deps = await createDeps(readEnv({ LOG_LEVEL: 'silent', SMTP_URL: 'smtp://127.0.0.1:1', ...slot.env }), 'test');
  await ensureStreams(deps.nats.jsm, '1d');
});
afterAll(async () => {
  await deps.close();
  await slot.release();
});

function visited(url: string, overrides: Record<string, unknown> = {}) {
  const time = new Date().toISOString();
  return {
    specversion: '1.0',
    id: randomUUID(),
    source: 'test',
    type: 'WEBSITE_VISITED',
    time,
    datacontenttype: 'application/json',
    tenantid: 'default',
    data: { contactId: 1, url, tenantId: 'default', timestamp: time },
    ...overrides,
  };
}
const publish = (event: unknown, subject = 'events.default.WEBSITE_VISITED', msgID?: string) =>
  deps.nats.js.publish(
    subject,
    typeof event === 'string' ? new TextEncoder().encode(event) : encode(event),
    msgID ? { msgID } : {},
  );

/** A handler under a name of its own whose effect is a row of a table it makes, in the transaction of the inbox. */
async function handlerOf(
  handle?: (events: AnyEvent[]) => void,
): Promise<EventHandler & { seen: () => Promise<string[]> }> {
  number += 1;
  const name = `test${number}`;
  await deps.nats.jsm.streams.purge(EVENTS);
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
      (await deps.nats.jsm.consumers.info(EVENTS, handler.name)).ack_floor.stream_seq > 0 &&
      (await deps.nats.jsm.consumers.info(EVENTS, handler.name)).num_ack_pending === 0 &&
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
  await publish('{"not": "an event"}');
  await publish('not even JSON');
  await publish(
    visited('bad', { data: { contactId: 'one', tenantId: 'default', timestamp: new Date().toISOString() } }),
  );
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
    visited('nul', {
      tenantid: '\0tenant',
      data: { contactId: 1, url: 'x', tenantId: '\0tenant', timestamp: new Date().toISOString() },
    }),
  );
  await publish("nobody's", `events.${'t'.repeat(60)}.WEBSITE_VISITED`);
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
  await ensureStreams(deps.nats.jsm, '1d');
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
    [['lost', 1]],
  );
  assert.ok(logged.includes('message dropped: its dead letter could not be written'), JSON.stringify(logged));
  assert.equal((await deps.nats.jsm.streams.info(DEAD_LETTERS)).state.messages, 0, 'no try leaves a letter behind');
});

test('a dead letter of what Postgres refuses does not quote the value', async () => {
  const handler = await handlerOf();
  await publish(visited('quoted'));
  await ensureConsumer(deps.nats.jsm, EVENTS, consumerConfig(handler.name, { types: handler.types }));
  const before = await deps.nats.js.consumers.get(EVENTS, handler.name);
  // As if it had been tried before, so that the next failure is the last.
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

const droppedBy = async (consumer: string) =>
  (await deps.metrics.dropped.get()).values.find((value) => value.labels.consumer === consumer)?.value;
const handled = (name: string) =>
  until(`${name} has handled everything`, async () => {
    const { num_pending, num_ack_pending } = await deps.nats.jsm.consumers.info(EVENTS, name);
    return num_pending + num_ack_pending === 0;
  });

test('an event is of the tenant that its extension names: one without it is dropped and counted, whatever else says', async () => {
  const handler = await handlerOf();
  const consumer = await runEventHandler(deps, handler);
  assert.equal(await droppedBy(handler.name), 0);
  const time = new Date().toISOString();
  const without = [
    { tenantid: '' },
    { tenantid: undefined },
    { tenantid: null },
    { tenantid: 7 },
    { tenantid: undefined, data: { contactId: 1, timestamp: time } },
    { tenantid: undefined, data: {} },
  ];
  for (const overrides of without) await publish(visited('nobody', overrides));
  await publish(visited('nobody', { tenantid: '' }), 'events.none.WEBSITE_VISITED');
  await publish(visited('somebody'));
  await handled(handler.name);
  await consumer.stop();
  assert.deepEqual(await handler.seen(), ['somebody']);
  assert.equal(await droppedBy(handler.name), without.length + 1);
  assert.deepEqual(await deadOf(handler.name), []);
});

test('every consumer counts it', async () => {
  await deps.nats.jsm.streams.purge(EVENTS);
  const { tenantid: _none, ...event } = visited('nobody', {
    type: 'CONTACT_CREATED',
    data: { contactId: 1, email: 'a@example.com', tenantId: 'default', timestamp: new Date().toISOString() },
  });
  await publish(event, 'events.default.CONTACT_CREATED');
  for (const handler of eventHandlers(deps)) {
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

test('an event that contradicts itself takes no effect: it ends in the dead letters', async () => {
  const handler = await handlerOf();
  const { data } = visited('x');
  await publish(visited('of whom', { data: { ...data, tenantId: 'another' } }));
  await publish(visited('of whom', { tenantid: 'another', data: { ...data, tenantId: 'another' } }));
  await publish(visited('of what', { type: 'CONTACT_CREATED', data: { ...data, email: 'a@example.com' } }));
  const consumer = await runEventHandler(deps, handler);
  await handled(handler.name);
  await consumer.stop();
  assert.deepEqual(await handler.seen(), []);
  assert.deepEqual(
    (await deadOf(handler.name)).map(({ error }) => error),
    [
      'PoisonError: tenantid is default, data.tenantId another',
      'PoisonError: tenant another and type WEBSITE_VISITED do not match the subject events.default.WEBSITE_VISITED',
      'PoisonError: tenant default and type CONTACT_CREATED do not match the subject events.default.WEBSITE_VISITED',
    ],
  );
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
