import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { texting } from '../../support/channels/texting.ts';
import { startEndpoint, type Endpoint } from '../../support/endpoint.ts';
import { sql } from '../../../db/orm.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
/** Takes nothing at first, so that what happens meanwhile happens while messages are queued. */
let endpoint: Endpoint;
beforeAll(async () => {
  service = await startService({ worker: true, env: { OUTBOUND_ALLOW: '127.0.0.1/32' } });
});
afterAll(() => service.stop());

async function ok(...call: Parameters<Service['api']>) {
  const answer = await service.api(...call);
  assert.ok(answer.status < 300, `${call[0]} ${call[1]}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}
let made = 0;
const number = () => `+4420794603${String((made += 1)).padStart(2, '0')}`;
const make = (phone = number()) =>
  ok('POST', '/contacts', { firstName: 'Ada', lastName: 'B', email: `of-people${(made += 1)}@example.com`, phone });
const renumber = async ({ id, email }: { id: number; email: string }, phone: string) =>
  ok('PUT', `/contacts/${id}`, { firstName: 'Ada', lastName: 'B', email, phone });
const message = (id: number) => ok('GET', `/channels/messages/${id}`);

/** A transactional text to the contact that was refused once, and is tried again after 2 s. */
async function refusedOnce(recipientId: number): Promise<number> {
  endpoint = await startEndpoint([{ status: 503, headers: { 'retry-after': '2' } }, { status: 200 }]);
  const { data } = await ok('GET', '/channels/providers');
  for (const { id } of data) await ok('PUT', `/channels/providers/${id}`, { active: false });
  await ok('POST', '/channels/providers', {
    name: 'Gateway',
    channel: 'sms',
    type: 'http',
    config: { url: endpoint.url, body: { to: '{{to}}', text: '{{text}}' } },
  });
  const { messageId } = await ok('POST', '/channels/sms/send', {
    recipientId,
    body: 'Dear {{firstName}}',
    category: 'transactional',
  });
  await until(
    'it was refused and waits',
    async () => endpoint.received.length === 1 && (await message(messageId)).status === 'QUEUED',
  );
  return messageId as number;
}
const numbersOf = () => endpoint.received.map(({ body }) => (JSON.parse(body) as { to: string }).to);

test('a text goes to the number that the contact has when it is sent', async () => {
  const [contact, later] = [await make(), number()];
  const messageId = await refusedOnce(contact.id);
  await renumber(contact, later);
  await until('it is sent', async () => (await message(messageId)).status === 'SENT');
  assert.deepEqual(numbersOf(), [contact.phoneE164, later]);
  assert.equal((await message(messageId)).to, later);
  await endpoint.close();
});

test('a text to a merged contact goes to the contact that is left', async () => {
  const [target, source] = [await make(), await make()];
  const messageId = await refusedOnce(source.id);
  await ok('POST', `/contacts/${target.id}/merge`, { sourceId: source.id });
  await until('it is sent', async () => (await message(messageId)).status === 'SENT');
  assert.deepEqual(numbersOf(), [source.phoneE164, target.phoneE164]);
  assert.equal((await message(messageId)).contactId, target.id);
  await endpoint.close();
});

test('the answer to a STOP goes to the number that said it, whatever has become of its contact', async () => {
  const { asHttp, makeHttp, inTenant } = texting(service);
  const [moved, merged, archived, deleted] = [await make(), await make(), await make(), await make()];
  const target = await make();
  const people = [moved, merged, archived, deleted];
  endpoint = await startEndpoint([
    ...people.map(() => ({ status: 503, headers: { 'retry-after': '2' } })),
    ...people.map(() => ({ status: 200 })),
  ]);
  const { data } = await ok('GET', '/channels/providers');
  for (const { id } of data) await ok('PUT', `/channels/providers/${id}`, { active: false });
  const provider = await makeHttp(endpoint.url);
  for (const { phoneE164: from } of people)
    assert.equal((await asHttp(provider, { type: 'inbound', from, text: 'STOP' })).status, 204);
  await until('each answer was refused', () => endpoint.received.length === people.length);
  await renumber(moved, number());
  await ok('POST', `/contacts/${target.id}/merge`, { sourceId: merged.id });
  await ok('PUT', `/contacts/${archived.id}`, { status: 'archived' });
  await ok('DELETE', `/contacts/${deleted.id}`);
  await until(
    'they are sent',
    async () =>
      (await inTenant(sql`select 1 from messages where send_key like 'inbound/%/reply' and status = 'SENT'`)).length ===
      people.length,
  );
  const asked = people.map(({ phoneE164 }) => phoneE164 as string).sort();
  assert.deepEqual(numbersOf().slice(people.length).sort(), asked);
  await endpoint.close();
});

test('a deleted contact gets no text, nor does an erased one; what it refused is refused when it comes again', async () => {
  const deleted = await make();
  const first = await refusedOnce(deleted.id);
  await ok('DELETE', `/contacts/${deleted.id}`);
  const { status, reason } = await message(first);
  assert.deepEqual([status, reason], ['SUPPRESSED', 'contact_deleted']);
  await endpoint.close();

  const erased = await make();
  await ok('PUT', '/channels/preferences', { contactId: erased.id, channels: { sms: { consent: 'unsubscribed' } } });
  const second = await refusedOnce(erased.id);
  const job = await ok('POST', `/contacts/${erased.id}/erase`);
  await until(
    'the erasure is over',
    async () => (await ok('GET', `/contacts/erasures/${job.id}`)).status === 'COMPLETED',
  );
  const left = await message(second);
  assert.deepEqual([left.status, left.reason, left.to], ['SUPPRESSED', 'erased', null]);
  assert.equal(endpoint.received.length, 1);
  const again = await make(erased.phoneE164);
  const { allowed, gates } = await ok('POST', '/channels/check', { contactId: again.id, channel: 'sms' });
  assert.equal(allowed, false);
  assert.deepEqual(
    gates.filter(({ passed }: { passed: boolean }) => !passed).map(({ reason: why }: { reason: string }) => why),
    ['no_consent'],
  );
  const shown = await ok('GET', `/channels/preferences?contactId=${again.id}`);
  assert.equal(shown.channels.sms.consent, 'unsubscribed');
  await endpoint.close();
});
