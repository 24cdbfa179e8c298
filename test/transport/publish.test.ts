import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { encode, publishAll, type Message } from '../../transport/nats.ts';
import { startService, type Service } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
  await service.deps.nats.jsm.streams.add({ name: 'PUBLISH_TEST', subjects: ['publish.test.>'], num_replicas: 1 });
});
afterAll(() => service.stop());

const messages = (name: string, count: number, subject = `publish.test.${name}`): Message[] =>
  Array.from({ length: count }, (_, n) => ({ subject, id: `${name}-${n}`, data: encode({ n }) }));
const stored = async (name: string): Promise<number> => {
  const { state } = await service.deps.nats.jsm.streams.info('PUBLISH_TEST', {
    subjects_filter: `publish.test.${name}`,
  });
  return state.subjects?.[`publish.test.${name}`] ?? 0;
};

test('publications at the same time end each by itself: one that no stream takes is refused, the others are stored', async () => {
  const { nats } = service.deps;
  const [one, refused, other] = await Promise.allSettled([
    publishAll(nats, messages('one', 300)),
    publishAll(nats, messages('none', 3, 'publish.nowhere')),
    publishAll(nats, messages('other', 4_500)),
  ]);
  assert.deepEqual(
    [one, other],
    [
      { status: 'fulfilled', value: 300 },
      { status: 'fulfilled', value: 4_500 },
    ],
  );
  assert.equal(refused.status, 'rejected');
  assert.match(String(refused.reason), /JetStream refused a message/);
  assert.deepEqual([await stored('one'), await stored('other')], [300, 4_500]);
});

test("acknowledgements of a publication that was given up are no other publication's", async () => {
  const { nats } = service.deps;
  await assert.rejects(publishAll(nats, messages('late', 500), 0), /500 messages were not acknowledged/);
  // Somebody hears these, so the server does not refuse them, and nobody acknowledges them.
  const silent = nats.connection.subscribe('publish.silent');
  await assert.rejects(
    publishAll(nats, messages('silent', 2, 'publish.silent'), 500),
    /2 messages were not acknowledged/,
  );
  silent.unsubscribe();
  assert.equal(await publishAll(nats, messages('late', 500)), 500, 'again, each once');
  assert.equal(await stored('late'), 500);
});

test('after its subscription was ended by the server, the next publication makes another', async () => {
  const { nats } = service.deps;
  const { subscriptions } = (
    nats.connection as unknown as {
      protocol: { subscriptions: { all: () => { subject: string; unsubscribe: () => void }[]; getMux: () => unknown } };
    }
  ).protocol;
  const open = subscriptions
    .all()
    .filter((one) => /^_INBOX\.\w+\.\*$/.test(one.subject) && one !== subscriptions.getMux());
  assert.equal(open.length, 1);
  open[0]!.unsubscribe();
  assert.equal(await publishAll(nats, messages('again', 10)), 10);
});
