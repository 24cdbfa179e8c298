import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { startEndpoint, type Endpoint } from '../../support/endpoint.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({
    worker: ['senders', 'relay', 'consumers'],
    env: { OUTBOUND_ALLOW: '127.0.0.1/32' },
  });
});
afterAll(() => service.stop());

const call = async (method: string, path: string, status: number, body?: object, headers?: Record<string, string>) => {
  const answer = await service.api(method, path, body, headers ? { headers } : undefined);
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return answer.body;
};
const query = <T>(statement: ReturnType<typeof sql>) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, statement));

let numbers = 0;
const newNumber = () => `+4420794609${String((numbers += 1)).padStart(2, '0')}`;
async function provider(endpoint: Endpoint, more: object = {}) {
  await query(sql`update channel_providers set active = false, version = version + 1`);
  return call('POST', '/channels/providers', 201, {
    name: 'Gateway',
    channel: 'sms',
    type: 'http',
    config: {
      url: endpoint.url,
      body: { to: '{{to}}', text: '{{text}}', ref: '{{messageId}}' },
      idPath: 'id',
      ...more,
    },
  });
}
const send = (body: object, headers?: Record<string, string>) =>
  call('POST', '/channels/sms/send', 202, { category: 'transactional', body: 'Your code is 1', ...body }, headers);
const message = (id: number) => call('GET', `/channels/messages/${id}`, 200);
const ends = (id: number, status: string) =>
  until(`message ${id} is ${status}`, async () => (await message(id)).status === status);
test('a text is sent once, with its link, and the link leads to its address', async () => {
  const endpoint = await startEndpoint([{ status: 201, body: '{"id":"abc"}' }]);
  const { id: providerId } = await provider(endpoint);
  const to = newNumber();
  const { messageId, status } = await send(
    { to, body: 'Look: https://example.com/a?b=c' },
    { 'idempotency-key': 'k1' },
  );
  assert.equal(status, 'QUEUED');
  await ends(messageId, 'SENT');
  const again = await send({ to, body: 'Look: https://example.com/a?b=c' }, { 'idempotency-key': 'k1' });
  assert.equal(again.messageId, messageId);
  const sent = await message(messageId);
  assert.deepEqual(
    [sent.to, sent.providerId, sent.providerMessageId, sent.segments, sent.encoding, sent.channel],
    [to, providerId, 'abc', 1, 'GSM-7', 'sms'],
  );
  assert.equal(endpoint.received.length, 1);
  const body = JSON.parse(endpoint.received[0]!.body);
  assert.deepEqual([body.to, body.ref], [to, String(messageId)]);
  assert.match(body.text, /^Look: http\S+\/r\/[A-Za-z0-9]{10}$/);
  await endpoint.close();
});

test('what was refused before the last byte is sent later; what got no answer is UNKNOWN, and never sent again', async () => {
  const endpoint = await startEndpoint([
    { status: 503, headers: { 'retry-after': '1' } },
    { status: 200, body: 'garbage' },
    { status: 500 },
    { status: 400, body: 'no' },
  ]);
  await provider(endpoint);
  const first = await send({ to: newNumber() });
  await ends(first.messageId, 'SENT');
  assert.equal(endpoint.received.length, 2);
  const second = await send({ to: newNumber() });
  await ends(second.messageId, 'UNKNOWN');
  // Silence and 5xx open the breaker: the next one is tried after its pause by a provider of its own.
  await provider(endpoint);
  const third = await send({ to: newNumber() });
  await ends(third.messageId, 'FAILED');
  assert.equal((await message(third.messageId)).reason, 'rejected');
  assert.equal((await message(second.messageId)).status, 'UNKNOWN');
  assert.equal(endpoint.received.length, 4);
  const resolved = await call('POST', `/channels/messages/${second.messageId}/resolve`, 200, { outcome: 'sent' });
  assert.deepEqual([resolved.status, resolved.reason], ['SENT', 'resolved_sent']);
  await call('POST', `/channels/messages/${second.messageId}/resolve`, 409, { outcome: 'resend' });
  await endpoint.close();
});

test('what no provider takes for three days expires, whether there is none, or it cannot be reached, or asks to wait', async () => {
  const isOld = (id: number) =>
    query(sql`update messages set created_at = now() - interval '73 hours' where id = ${id}`);
  const endsExpired = async (id: number) => {
    await ends(id, 'FAILED');
    assert.equal((await message(id)).reason, 'expired');
  };
  const endpoint = await startEndpoint([{ status: 429, headers: { 'retry-after': '946080000' } }]);
  await provider(endpoint);
  const asked = await send({ to: newNumber() });
  await until('asked', () => endpoint.received.length > 0);
  const waits = await until('put off', async () => {
    const [row] = await query<{ hours: number }>(
      sql`select extract(epoch from next_attempt_at - now()) / 3600 as hours from message_sends where message_id = ${asked.messageId} and status = 'QUEUED' and holder is null`,
    );
    return row ?? null;
  });
  assert.ok(waits.hours > 23 && waits.hours <= 24, String(waits.hours));
  // Three days later.
  await query(sql`update messages set started_at = now() - interval '73 hours' where id = ${asked.messageId}`);
  await query(sql`update message_sends set next_attempt_at = now() where message_id = ${asked.messageId}`);
  await endsExpired(asked.messageId);
  // A provider of which nothing answers.
  const gone = await startEndpoint([{ status: 200 }]);
  await provider(gone);
  await gone.close();
  const unreached = await send({ to: newNumber() });
  await isOld(unreached.messageId);
  await endsExpired(unreached.messageId);
  await provider(endpoint);
  const without = await send({ to: newNumber() });
  await query(sql`update channel_providers set active = false, version = version + 1`);
  await isOld(without.messageId);
  await endsExpired(without.messageId);
  await endpoint.close();
});

test('marketing needs a consent, and a number; calls are checked whole', async () => {
  const endpoint = await startEndpoint([{ status: 200 }]);
  await provider(endpoint);
  const to = newNumber();
  const refused = await send({ to, category: 'marketing' });
  assert.deepEqual([refused.status, refused.reason], ['SUPPRESSED', 'no_consent']);
  const contact = await call('POST', '/contacts', 201, { email: 'no@example.com', firstName: 'N', lastName: 'O' });
  const without = await send({ recipientId: contact.id });
  assert.deepEqual([without.status, without.reason], ['SUPPRESSED', 'no_address']);
  const wrong = await call('POST', '/channels/sms/send', 400, {
    to: '12',
    recipientId: contact.id,
    body: 'x',
    templateId: 1,
  });
  assert.deepEqual(wrong.errors.map(({ path }: { path: string }) => path).sort(), [
    '/recipientId',
    '/templateId',
    '/to',
  ]);
  await call('POST', '/channels/sms/send', 404, { to, templateId: 99_999 });
  await query(sql`update channel_providers set active = false, version = version + 1`);
  assert.equal((await call('POST', '/channels/sms/send', 409, { to, body: 'x' })).code, 'no_provider');
  await endpoint.close();
});
