import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { AckPolicy, headers, type NatsConnection } from 'nats';
import { engineEm, rows, sql } from '../../db/orm.ts';
import { copiesOf, ensureCopies, insideOf } from '../../transport/copies.ts';
import type { CloudEvent } from '../../events/contracts.ts';
import { decodeText, encode } from '../../transport/nats.ts';
import { DEAD_LETTERS, EVENTS, LISTENER_REQUESTS, SEND_REQUEST_SUBJECT } from '../../transport/streams.ts';
import { makeContact, makeTemplate, send, untilStatus } from '../support/mail/emails.ts';
import { connectTo } from '../support/listener.ts';
import { startService, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: Service;
let listener: NatsConnection;
beforeAll(async () => {
  service = await startService({ worker: true, listeners: true });
  listener = await connectTo(service.slot.listeners.url);
});
afterAll(async () => {
  await listener.close();
  await service.stop();
});

/** Makes a consumer if it is not there, and reads and acknowledges until an event satisfies. */
async function readUntil(
  connection: NatsConnection,
  name: string,
  isIt: (event: CloudEvent) => boolean,
): Promise<CloudEvent[]> {
  await (
    await connection.jetstreamManager()
  ).consumers.add(EVENTS, { durable_name: name, ack_policy: AckPolicy.Explicit });
  const consumer = await connection.jetstream().consumers.get(EVENTS, name);
  const events: CloudEvent[] = [];
  await until('the event is read', async () => {
    for await (const message of await consumer.fetch({ max_messages: 100, expires: 1_000 })) {
      events.push(message.json<CloudEvent>());
      assert.ok(await message.ackAck());
    }
    return events.some(isIt);
  });
  return events;
}
const contactId = (event: CloudEvent) => (event.data as { contactId?: number }).contactId;
const copy = () => copiesOf(service.deps.env.NATS_LISTENERS)[0]!;
const inside = () => insideOf(service.deps.nats, copy());

test('a listener reads each event once by a durable consumer of its own, and goes on where it was', async () => {
  const first = await makeContact(service);
  const seen = await readUntil(listener, 'crm', (event) => contactId(event) === first.id);
  const second = await makeContact(service);
  const other = await connectTo(service.slot.listeners.url);
  try {
    const later = await readUntil(other, 'crm', (event) => contactId(event) === second.id);
    assert.deepEqual(
      later.filter(({ id }) => seen.some((event) => event.id === id)),
      [],
    );
    const created = later.find((event) => contactId(event) === second.id)!;
    assert.deepEqual([created.specversion, created.type, created.tenantid], ['1.0', 'CONTACT_CREATED', 'default']);
    // Another consumer starts from the first event there is.
    assert.ok(
      (await readUntil(other, 'warehouse', (event) => contactId(event) === second.id)).some(
        (event) => contactId(event) === first.id,
      ),
    );
  } finally {
    await other.close();
  }
});

test('the copy has every event with its own id, in the order and under the number of the original', async () => {
  for (let n = 0; n < 3; n += 1) await makeContact(service);
  await until('the copy is up to date', async () => {
    const [original, copied] = await Promise.all([
      service.deps.nats.jsm.streams.info(EVENTS),
      (await inside()).jsm.streams.info(EVENTS),
    ]);
    return (
      original.state.messages >= 5 &&
      original.state.last_seq === copied.state.last_seq &&
      original.state.messages === copied.state.messages
    );
  });
  const { state } = await service.deps.nats.jsm.streams.info(EVENTS);
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
    const [original, copied] = await Promise.all([
      service.deps.nats.jsm.streams.getMessage(EVENTS, { seq }),
      (await inside()).jsm.streams.getMessage(EVENTS, { seq }),
    ]);
    assert.deepEqual(
      [copied.subject, decodeText(copied.data), copied.header.get('Nats-Msg-Id')],
      [original.subject, decodeText(original.data), original.header.get('Nats-Msg-Id')],
    );
  }
});

test('a listener may request a mail, and hears that it was sent', async () => {
  const templateId = await makeTemplate(service, { subject: 'Order {{data.order}}' });
  const contact = await makeContact(service);
  const { stream } = await listener
    .jetstream()
    .publish(
      SEND_REQUEST_SUBJECT,
      encode({ templateId, recipientId: contact.id, emailId: 'from-listener-1', data: { order: '4711' } }),
    );
  assert.equal(stream, LISTENER_REQUESTS);
  const events = await readUntil(
    listener,
    'shop',
    ({ type, data }) => type === 'EMAIL_SENT' && (data as { externalId?: string }).externalId === 'from-listener-1',
  );
  assert.equal(events.filter(({ type }) => type === 'EMAIL_SENT').length, 1);
  const mails = service.sink.mails.filter((mail) => mail.to[0] === contact.email);
  assert.deepEqual(
    mails.map(({ parsed }) => parsed.subject),
    ['Order 4711'],
  );
});

test('who publishes to a subject that there is not, or without the right, is told', async () => {
  await assert.rejects(
    listener.jetstream().publish('email.send.requestz', encode({}), { timeout: 2_000 }),
    /Permissions Violation for Publish to "email.send.requestz"/i,
  );
  await assert.rejects(
    listener.jetstream().publish('events.default.CONTACT_CREATED', encode({}), { timeout: 2_000 }),
    /Permissions Violation/i,
  );
  // With every right: no stream takes it, and the publisher hears that at once.
  await assert.rejects(service.deps.nats.js.publish('email.send.requestz', encode({})), /503/);
  await assert.rejects(service.deps.nats.js.publish('events.default', encode({})), /503/);
  const wrong = service.slot.listeners.url.replace(/:[^:@]+@/, ':wrong@');
  await assert.rejects(connectTo(wrong), /Authorization Violation/i);
});

test('a request that can not be read is a dead letter: in the table, in its stream and in the log', async () => {
  const logged: unknown[] = [];
  const { error } = service.deps.log;
  service.deps.log.error = (...entry: unknown[]) => {
    logged.push(entry);
  };
  try {
    await listener
      .jetstream()
      .publish(SEND_REQUEST_SUBJECT, encode({ templateId: 'one', recipientId: 2, emailId: 'malformed-1' }));
    const [letter] = await until('it is in the table', async () => {
      const found = await engineEm(service.deps.orm).transactional((tx) =>
        rows<{ consumer: string; error: string; body: string }>(
          tx,
          sql`select consumer, error, body from dead_letters where body like '%malformed-1%'`,
        ),
      );
      return found.length > 0 && found;
    });
    assert.deepEqual(
      [letter!.consumer, letter!.error],
      ['listener-intake', 'PoisonError: not a send request: /templateId must be integer'],
    );
    const message = await service.deps.nats.jsm.streams.getMessage('DEAD_LETTERS', {
      last_by_subj: 'dead.listener-intake',
    });
    assert.ok(decodeText(message.data).includes('malformed-1'));
    await until('it is logged', () => JSON.stringify(logged).includes('message moved to the dead letters'));
  } finally {
    service.deps.log.error = error;
  }
});

test('an erasure erases a person from the copy, too', async () => {
  const contact = await makeContact(service);
  const traces = async () => {
    const { jsm } = await inside();
    const { state } = await jsm.streams.info(EVENTS);
    const found: number[] = [];
    for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
      const message = await jsm.streams.getMessage(EVENTS, { seq }).catch(() => null);
      if (message && decodeText(message.data).includes(contact.email)) found.push(seq);
    }
    return found.length;
  };
  await until('the copy has the contact', async () => (await traces()) === 1);
  const job = await service.api('POST', `/contacts/${contact.id}/erase`);
  await until(
    'the erasure is over',
    async () => (await service.api('GET', `/contacts/erasures/${job.body.id}`)).body.status === 'COMPLETED',
  );
  assert.equal(await traces(), 0);
  // What comes later is copied as before.
  const next = await makeContact(service);
  await readUntil(listener, 'after-erasure', (event) => contactId(event) === next.id);
});

test('an erasure erases from the copy though its account has room for no more consumers', async () => {
  const { consumers } = await listener.jetstreamManager();
  const made: string[] = [];
  const more = (name: string) =>
    consumers.add(EVENTS, { durable_name: name, ack_policy: AckPolicy.Explicit }).then(() => made.push(name));
  await assert.rejects(async () => {
    for (let n = 0; n <= 100; n += 1) await more(`one-of-many-${n}`);
  }, /maximum consumers limit reached/);
  const contact = await makeContact(service);
  await until(
    'the copy is up to date',
    async () =>
      (await service.deps.nats.jsm.streams.info(EVENTS)).state.last_seq ===
      (await (await inside()).jsm.streams.info(EVENTS)).state.last_seq,
  );
  const before = (await (await inside()).jsm.streams.info(EVENTS)).state.num_deleted;
  const job = await service.api('POST', `/contacts/${contact.id}/erase`);
  await until(
    'the erasure is over',
    async () => (await service.api('GET', `/contacts/erasures/${job.body.id}`)).body.status === 'COMPLETED',
  );
  assert.ok((await (await inside()).jsm.streams.info(EVENTS)).state.num_deleted > before);
  for (const name of made) await consumers.delete(EVENTS, name);
});

test('a copy that is gone is made again with all events, by however many processes at once', async () => {
  const { nats, env } = service.deps;
  const { messages } = (await nats.jsm.streams.info(EVENTS)).state;
  for (let round = 0; round < 2; round += 1) {
    await (await inside()).jsm.streams.delete(EVENTS);
    await Promise.all(Array.from({ length: 3 }, () => ensureCopies(nats, [copy()], env.EVENTS_MAX_AGE)));
    await until(
      'the copy is full',
      async () => (await (await inside()).jsm.streams.info(EVENTS)).state.messages === messages,
    );
  }
});

test('what a listener publishes, however much and whatever, keeps no mail of the service waiting', async () => {
  const [templateId, contact] = [await makeTemplate(service), await makeContact(service)];
  for (let n = 0; n < 4_200; n += 1) {
    const header = headers();
    header.set('Nats-Msg-Id', `\0${n}`);
    listener.publish(SEND_REQUEST_SUBJECT, 'x', { headers: header });
  }
  await listener.flush();
  await untilStatus(service, await send(service, { templateId, recipientId: contact.id }), 'SENT', 20_000);
  await until(
    'all of it are dead letters',
    async () => {
      const [found] = await engineEm(service.deps.orm).transactional((tx) =>
        rows<{ count: number }>(tx, sql`select count(*)::int as count from dead_letters where body = 'x'`),
      );
      return found!.count === 4_200;
    },
    120_000,
  );
});

test('a listener is told that its request is too long, or that too many wait', async () => {
  await assert.rejects(
    listener.jetstream().publish(SEND_REQUEST_SUBJECT, 'x'.repeat(65_537)),
    /message size exceeds maximum allowed/,
  );
  await assert.rejects(
    service.deps.nats.js.publish(SEND_REQUEST_SUBJECT, 'x'.repeat(65_537)),
    /message size exceeds maximum allowed/,
  );
  const configs = await Promise.all(
    [LISTENER_REQUESTS, DEAD_LETTERS].map(async (name) => (await service.deps.nats.jsm.streams.info(name)).config),
  );
  assert.deepEqual(
    configs.map(({ max_bytes: bytes, discard }) => [bytes, discard]),
    [
      [32 * 1024 ** 2, 'new'],
      [64 * 1024 ** 2, 'old'],
    ],
  );
});

test('a listener sends no mail of the service, nor keeps one from being sent', async () => {
  const [templateId, contact] = [await makeTemplate(service), await makeContact(service)];
  const emailId = await send(service, { templateId, recipientId: contact.id });
  await untilStatus(service, emailId, 'SENT');
  await listener.jetstream().publish(SEND_REQUEST_SUBJECT, encode({ templateId, recipientId: contact.id, emailId }), {
    msgID: 'own-of-the-service',
  });
  await until('it is a dead letter', async () => {
    const found = await engineEm(service.deps.orm).transactional((tx) =>
      rows<{ error: string }>(tx, sql`select error from dead_letters where message_id = 'own-of-the-service'`),
    );
    return found[0]?.error === 'PoisonError: not a send request: /emailId must be string';
  });
  // Who knows the next ids could else use up those of the service's requests, which JetStream takes once.
  await listener.jetstream().publish(SEND_REQUEST_SUBJECT, 'x', { msgID: 'send-1-1' });
  assert.equal((await service.deps.nats.js.publish(SEND_REQUEST_SUBJECT, 'x', { msgID: 'send-1-1' })).duplicate, false);
});

test('an account that is given to a tenant keeps nothing of the others', async () => {
  const { nats, env } = service.deps;
  await nats.js.publish('events.acme.CONTACT_CREATED', encode({}));
  await ensureCopies(nats, [{ ...copy(), tenantId: 'acme' }], env.EVENTS_MAX_AGE);
  await until('its event is there', async () => (await (await inside()).jsm.streams.info(EVENTS)).state.messages === 1);
  const { subjects } = (await (await inside()).jsm.streams.info(EVENTS, { subjects_filter: '>' })).state;
  assert.deepEqual(Object.keys(subjects ?? {}), ['events.acme.CONTACT_CREATED']);
});

test('a setting that names an account that there is not says what to do', async () => {
  const { nats, env } = service.deps;
  await assert.rejects(
    ensureCopies(nats, copiesOf('NOWHERE:acme'), env.EVENTS_MAX_AGE),
    /NATS_LISTENERS: JetStream of the account NOWHERE.*docs\/operating\.md/,
  );
});
