/** Text messages and pushes reach the servers of others once, whatever those answer. */
import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { GARBAGE, type Fault } from '../../../dev/fakes/fake-server.ts';
import { startGateway, type Gateway } from '../../../dev/fakes/gateway.ts';
import { makeContact } from '../../support/mail/emails.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({
    worker: ['temporal', 'consumers', 'relay', 'senders', 'intake'],
    env: { OUTBOUND_ALLOW: '127.0.0.1/32', PUSH_HOSTS: '127.0.0.1' },
  });
});
afterAll(() => service.stop());

const call = async (method: string, path: string, body: object | undefined, ...statuses: number[]) => {
  const answer = await service.api(method, path, body);
  assert.ok(statuses.includes(answer.status), `${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
};

/** A gateway with a provider, both only for this test. */
async function makeGateway(fields: object = {}): Promise<Gateway & { id: number }> {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const { id } = await call('POST', '/channels/providers', { ...gateway.provider(), ...fields }, 201);
  onTestFinished(async () => void (await call('PUT', `/channels/providers/${id}`, { active: false }, 200)));
  return { ...gateway, id };
}

let numbers = 0;
const newNumber = (): string => `+1202555${String(5000 + (numbers += 1))}`;
const sendText = async (fields: object = {}): Promise<number> => {
  const body = { to: newNumber(), body: 'Your code is 123456', category: 'transactional', ...fields };
  return (await call('POST', '/channels/sms/send', body, 202)).messageId;
};
const message = (id: number) => call('GET', `/channels/messages/${id}`, undefined, 200);
const untilStatus = (id: number, ...statuses: string[]) =>
  until(`message ${id} is ${statuses.join(' or ')}`, async () => {
    const found = await message(id);
    return statuses.includes(found.status) ? found : null;
  });

test('a text message is sent once, with its provider and its id there', async () => {
  const gateway = await makeGateway();
  const to = newNumber();
  const id = await sendText({ to, body: 'Hello “you”' });
  const sent = await untilStatus(id, 'SENT');
  const [text, ...more] = gateway.accepted;
  assert.deepEqual(more, []);
  assert.equal(text!.to, to);
  assert.equal(text!.text, 'Hello "you"');
  assert.deepEqual(
    [sent.providerId, sent.providerMessageId, sent.to, sent.encoding, sent.segments],
    [gateway.id, text!.sid, to, 'GSM-7', 1],
  );
});

const DOUBTFUL: [string, Fault, boolean][] = [
  ['500 after it was accepted', { kind: 'answer', status: 500, accepts: true }, true],
  ['502', { kind: 'answer', status: 502 }, false],
  ['504', { kind: 'answer', status: 504, accepts: true }, true],
  ['the connection breaks after the last byte', { kind: 'close', when: 'after' }, true],
];
test.each(DOUBTFUL)('%s: nobody can tell, and it is not sent again', async (_, fault, isAccepted) => {
  const gateway = await makeGateway({ priority: 1 });
  const other = await makeGateway({ priority: 2 });
  gateway.inject(fault);
  const id = await sendText();
  await untilStatus(id, 'UNKNOWN');
  // The next one passes by the gateway that did not say what it did.
  await untilStatus(await sendText(), 'SENT');
  assert.deepEqual([gateway.asked(), other.asked()], [1, 1]);
  assert.deepEqual([gateway.accepted.length, other.accepted.length], [isAccepted ? 1 : 0, 1]);
  assert.equal((await message(id)).status, 'UNKNOWN');
});

test.each([429, 503])('%i: not accepted, so it is sent again when the gateway says', async (status) => {
  const gateway = await makeGateway();
  gateway.inject({ kind: 'answer', status, retryAfter: 1 });
  await untilStatus(await sendText(), 'SENT');
  assert.equal(gateway.asked(), 2);
  assert.equal(gateway.accepted.length, 1);
});

test.each(['before', 'between'] as const)('a connection that breaks %s the last byte', async (when) => {
  const gateway = await makeGateway();
  gateway.inject({ kind: 'close', when });
  // Whether its last byte had left by then depends on what the sender saw first.
  const { status } = await untilStatus(await sendText(), 'SENT', 'UNKNOWN');
  assert.equal(gateway.accepted.length, status === 'SENT' ? 1 : 0);
  assert.equal(gateway.asked(), status === 'SENT' ? 2 : 1);
});

test('an answer of success is one, whatever its body says', async () => {
  const gateway = await makeGateway();
  gateway.inject(GARBAGE);
  const sent = await untilStatus(await sendText(), 'SENT', 'UNKNOWN');
  assert.deepEqual([sent.status, sent.providerMessageId], ['SENT', null]);
  assert.equal(gateway.accepted.length, 1);
});

test('a number that the gateway does not know is suppressed: the next text to it is not tried', async () => {
  const gateway = await makeGateway();
  const to = newNumber();
  gateway.refuse(to, 21211);
  const failed = await untilStatus(await sendText({ to }), 'FAILED');
  assert.equal(failed.reason, 'address_invalid');
  const next = await call('POST', '/channels/sms/send', { to, body: 'Again', category: 'transactional' }, 202);
  assert.deepEqual([next.status, next.reason], ['SUPPRESSED', 'address_invalid']);
  assert.equal(gateway.asked(), 1);
});

test('a number that has opted out at the provider is opted out here when a text to it is refused', async () => {
  const gateway = await makeGateway();
  const to = newNumber();
  const contact = await makeContact(service, { phone: to });
  gateway.refuse(to, 21610);
  const failed = await untilStatus(await sendText({ to }), 'FAILED');
  assert.equal(failed.reason, 'address_unsubscribed');
  const { channels } = await call('GET', `/channels/preferences?contactId=${contact.id}`, undefined, 200);
  assert.deepEqual([channels.sms.consent, channels.sms.source], ['unsubscribed', 'provider']);
});

test('while the first provider refuses our credentials, the next one sends', async () => {
  const first = await makeGateway({ priority: 1, credentials: { authToken: 'not the token' } });
  const second = await makeGateway({ priority: 2 });
  const sent = await untilStatus(await sendText(), 'SENT');
  assert.equal(sent.providerId, second.id);
  assert.deepEqual([first.accepted.length, second.accepted.length], [0, 1]);
  const health = await until('the health of the first one is told', async () => {
    const { health: its } = await call('GET', `/channels/providers/${first.id}`, undefined, 200);
    return its.status !== 'UP' && its;
  });
  assert.match(health.lastError, /401/);
});

test('while the first provider is down, the next one sends', async () => {
  const first = await makeGateway({ priority: 1 });
  const second = await makeGateway({ priority: 2 });
  await first.close();
  const sent = await untilStatus(await sendText(), 'SENT');
  assert.equal(sent.providerId, second.id);
});
