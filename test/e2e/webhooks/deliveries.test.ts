/** Events reach the receivers of webhooks: each once, in sight, and in order where that is asked for. */
import assert from 'node:assert/strict';
import { createPublicKey, randomUUID, verify } from 'node:crypto';
import { afterAll, beforeAll, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { engineEm, rows, sql, tenantEm } from '../../../db/orm.ts';
import { deleteAbandoned, expireDeliveries } from '../../../domain/webhooks/deliveries/expire-deliveries.ts';
import { untilForgotten } from '../../../domain/webhooks/deliveries/forget-erased.ts';
import type { EventType } from '../../../events/contracts.ts';
import { exampleData } from '../../../transport/examples.ts';
import { encode } from '../../../transport/nats.ts';
import { batchSubject } from '../../../transport/streams.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';
import { eventOf, publish } from '../../support/events.ts';
import { startEndpoint, type Endpoint, type EndpointAnswer, type Received } from '../../support/endpoint.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({
    worker: ['temporal', 'consumers', 'relay', 'senders', 'intake', 'webhooks'],
    env: { OUTBOUND_ALLOW: '127.0.0.1/32' },
  });
});
afterAll(() => service.stop());

const OK = { status: 204 };
const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));

async function receiver(...answers: (EndpointAnswer | null)[]): Promise<Endpoint> {
  const endpoint = await startEndpoint(answers);
  onTestFinished(() => endpoint.close());
  return endpoint;
}

interface Made {
  id: number;
  secret: string;
  publicKey: string | null;
}

async function makeWebhook(url: string, fields: object = {}): Promise<Made> {
  const answer = await service.api('POST', '/webhooks', { name: 'CRM', url, types: ['CONTACT_CREATED'], ...fields });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  // What it does not want any more does not disturb the next test.
  onTestFinished(async () => void (await service.api('DELETE', `/webhooks/${answer.body.id}`)));
  return answer.body;
}

let people = 0;
async function makeContact(fields: object = {}): Promise<number> {
  people += 1;
  const answer = await service.api('POST', '/contacts', {
    ...{ firstName: 'Ada', lastName: 'Byron', email: `ada${people}@example.org` },
    ...fields,
  });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.id;
}

const headersOf = ({ headers }: Received) => ({
  'webhook-id': headers['webhook-id'] as string,
  'webhook-timestamp': headers['webhook-timestamp'] as string,
  'webhook-signature': headers['webhook-signature'] as string,
});
const bodyOf = ({ body }: Received) => JSON.parse(body);
const untilReceived = (endpoint: Endpoint, count: number) =>
  until(`${count} have come`, () => (endpoint.received.length >= count ? endpoint.received : null));
const deliveriesOf = async (id: number) =>
  (await service.api('GET', `/webhooks/${id}/deliveries?limit=200&sort=id`)).body.data;
const untilStates = (id: number, ...states: string[]) =>
  until(`the deliveries are ${states.join(', ')}`, async () => {
    const found = (await deliveriesOf(id)).map(({ status }: { status: string }) => status);
    return JSON.stringify(found) === JSON.stringify(states);
  });
/** Makes what waits for its next attempt due. */
const hurry = async (id: number) => {
  await engine(
    sql`update webhook_deliveries set next_attempt_at = now() where endpoint_id = ${id} and status = 'PENDING' and next_attempt_at is not null`,
  );
  await engine(sql`
    update webhook_lanes set nudges = nudges + 1, due_at = case when holder is null then now() else due_at end where endpoint_id = ${id}`);
  service.deps.pingOutbox('webhook_lanes');
};

test('an event is sent once, signed, with its number; proof and pull say the same', async () => {
  const there = await receiver(OK);
  const { id, secret } = await makeWebhook(there.url, { headers: { Authorization: 'Bearer of the CRM' } });
  const contactId = await makeContact();
  const [first] = await untilReceived(there, 1);
  const told = new Webhook(secret).verify(first!.body, headersOf(first!)) as Record<string, unknown>;
  assert.deepEqual([told['type'], told['sequence']], ['CONTACT_CREATED', 1]);
  assert.equal((told['data'] as { contactId: number }).contactId, contactId);
  assert.equal(first!.headers.authorization, 'Bearer of the CRM');
  await untilStates(id, 'DELIVERED');
  const [delivery] = await deliveriesOf(id);
  assert.deepEqual(
    [delivery.sequence, delivery.eventId, delivery.contactId, delivery.attempts.length, delivery.attempts[0].status],
    [1, first!.headers['webhook-id'], contactId, 1, 204],
  );
  assert.deepEqual(delivery.body, told);
  const { body: pulled } = await service.api('GET', `/webhooks/${id}/events?afterSequence=0`);
  assert.deepEqual(pulled.data, [told]);
  const { body: proof } = await service.api('GET', `/webhooks/${id}/proof`);
  assert.deepEqual(
    [proof.matched, proof.delivered, proof.pending, proof.failed, proof.held, proof.firstSequence, proof.lastSequence],
    [1, 1, 0, 0, 0, 1, 1],
  );
  assert.equal(there.received.length, 1);
});

test('the last success is known when nothing comes any more, however soon it followed the one before', async () => {
  const there = await receiver(OK);
  const { id } = await makeWebhook(there.url);
  for (let n = 1; n <= 3; n += 1) {
    await makeContact();
    await untilReceived(there, n);
  }
  await untilStates(id, 'DELIVERED', 'DELIVERED', 'DELIVERED');
  const last = (await deliveriesOf(id)).at(-1).attempts[0].at;
  await until(
    'the last success is shown',
    async () => (await service.api('GET', `/webhooks/${id}`)).body.lastSuccessAt === last,
  );
});

test('v1a and the CloudEvents format, with the contact as it is now', async () => {
  const there = await receiver(OK);
  const { publicKey } = await makeWebhook(there.url, { signature: 'v1a', format: 'cloudevents', include: ['contact'] });
  const contactId = await makeContact({ jobTitle: 'Engineer' });
  const [first] = await untilReceived(there, 1);
  assert.equal(first!.headers['content-type'], 'application/cloudevents+json');
  const key = createPublicKey({
    format: 'jwk',
    key: {
      kty: 'OKP',
      crv: 'Ed25519',
      x: Buffer.from(publicKey!.replace('whpk_', ''), 'base64').toString('base64url'),
    },
  });
  const { 'webhook-id': webhookId, 'webhook-timestamp': at, 'webhook-signature': signature } = headersOf(first!);
  const signed = Buffer.from(`${webhookId}.${at}.${first!.body}`);
  assert.match(signature, /^v1a,/);
  assert.ok(verify(null, signed, key, Buffer.from(signature.slice('v1a,'.length), 'base64')));
  const event = bodyOf(first!);
  assert.deepEqual([event.specversion, event.id, event.type, event.sequence], ['1.0', webhookId, 'CONTACT_CREATED', 1]);
  assert.deepEqual(
    [event.data.contactId, event.data.contact.id, event.data.contact.jobTitle],
    [contactId, contactId, 'Engineer'],
  );
});

test('a failure is repeated under the same id, after Retry-After if that is later', async () => {
  const there = await receiver(
    { status: 503, headers: { 'retry-after': '3600' }, body: 'later' },
    { status: 302, headers: { location: 'http://169.254.169.254/' } },
    OK,
  );
  const { id } = await makeWebhook(there.url);
  await makeContact();
  await untilReceived(there, 1);
  const [waiting] = await until('it is noted', async () => {
    const found = await deliveriesOf(id);
    return found[0]?.attempts.length === 1 ? found : null;
  });
  assert.deepEqual(
    [waiting.status, waiting.attempts[0].error, waiting.attempts[0].response],
    ['PENDING', 'answered 503', 'later'],
  );
  const wait = Date.parse(waiting.nextAttemptAt) - Date.now();
  assert.ok(wait > 3_500_000 && wait <= 3_600_000, String(wait));
  await hurry(id);
  await untilReceived(there, 2);
  await until('the redirect is a failure', async () => (await deliveriesOf(id))[0].attempts.length === 2);
  // By hand.
  const again = await service.api('POST', `/webhooks/${id}/deliveries/${waiting.id}/retry`);
  assert.equal(again.status, 202, JSON.stringify(again.body));
  await untilStates(id, 'DELIVERED');
  assert.equal(new Set(there.received.map(({ headers }) => headers['webhook-id'])).size, 1);
  assert.equal(new Set(there.received.map(({ body }) => body)).size, 1);
});

test('with ordering by contact, the next waits for the one before; others do not', async () => {
  const seen: string[] = [];
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const there = await receiver({ status: 204, before: () => opened }, OK);
  const { id } = await makeWebhook(there.url, { types: ['CONTACT_CREATED', 'CONTACT_UPDATED'], ordering: 'contact' });
  // A success, so that several may be on their way.
  const first = await makeContact();
  await untilReceived(there, 1);
  for (const name of ['B', 'C']) await service.api('PUT', `/contacts/${first}`, { firstName: name });
  const second = await makeContact();
  await until('four are numbered', async () => (await deliveriesOf(id)).length === 4);
  assert.equal(there.received.length, 1);
  open();
  await untilReceived(there, 4);
  for (const { body } of there.received) {
    const { type, data } = JSON.parse(body);
    seen.push(`${data.contactId === first ? 'first' : data.contactId === second ? 'second' : 'other'} ${type}`);
  }
  assert.deepEqual(
    seen.filter((one) => one.startsWith('first')),
    ['first CONTACT_CREATED', 'first CONTACT_UPDATED', 'first CONTACT_UPDATED'],
  );
  assert.ok(seen.includes('second CONTACT_CREATED'));
});

const ORDERED = { types: ['CONTACT_CREATED', 'CONTACT_UPDATED'], ordering: 'contact' };
const FAILED_LATER = { status: 503, headers: { 'retry-after': '3600' } };

test('with ordering by contact, what waits for a delivery that is ended while it is on its way is sent then', async () => {
  const opened = Promise.withResolvers<void>();
  const there = await receiver({ ...FAILED_LATER, before: () => opened.promise }, OK);
  const { id } = await makeWebhook(there.url, ORDERED);
  const contactId = await makeContact();
  await service.api('PUT', `/contacts/${contactId}`, { firstName: 'B' });
  await untilReceived(there, 1);
  await until('two are numbered', async () => (await deliveriesOf(id)).length === 2);
  await engine(
    sql`update webhook_deliveries set status = 'FAILED', reason = 'too_old' where endpoint_id = ${id} and sequence = 1`,
  );
  opened.resolve();
  await untilStates(id, 'FAILED', 'DELIVERED');
});

test('with ordering by contact, what waits for a delivery that is retried by hand during its last attempt waits on', async () => {
  const opened = Promise.withResolvers<void>();
  const there = await receiver({ status: 503 }, { ...FAILED_LATER, before: () => opened.promise }, OK);
  const { id } = await makeWebhook(there.url, ORDERED);
  const contactId = await makeContact();
  await until('it has failed', async () => (await deliveriesOf(id))[0]?.attempts.length === 1);
  await engine(sql`update webhook_deliveries set attempts = 9 where endpoint_id = ${id}`);
  await hurry(id);
  await untilReceived(there, 2);
  await service.api('PUT', `/contacts/${contactId}`, { firstName: 'B' });
  const [first] = await until('two are numbered', async () => {
    const found = await deliveriesOf(id);
    return found.length === 2 ? found : null;
  });
  assert.equal((await service.api('POST', `/webhooks/${id}/deliveries/${first.id}/retry`)).status, 202);
  opened.resolve();
  await until('the last attempt is noted', async () => (await deliveriesOf(id))[0].attempts.length === 2);
  // Another one, so that it shows that the second has had its turn.
  await makeContact();
  await until('the other one is delivered', async () => (await deliveriesOf(id))[2]?.status === 'DELIVERED');
  assert.deepEqual(
    (await deliveriesOf(id)).map(({ status }: { status: string }) => status),
    ['PENDING', 'PENDING', 'DELIVERED'],
  );
  await hurry(id);
  await untilStates(id, 'DELIVERED', 'DELIVERED', 'DELIVERED');
});

test('without ordering any more, what waited for a delivery that is tried again later is sent at once', async () => {
  const there = await receiver(FAILED_LATER, OK);
  const { id } = await makeWebhook(there.url, ORDERED);
  const contactId = await makeContact();
  await until('it has failed', async () => (await deliveriesOf(id))[0]?.attempts.length === 1);
  for (const name of ['B', 'C']) await service.api('PUT', `/contacts/${contactId}`, { firstName: name });
  await until('the others wait for it', async () => {
    const waiting = await engine(
      sql`select 1 from webhook_deliveries where endpoint_id = ${id} and next_attempt_at > now() + interval '1 minute'`,
    );
    return waiting.length === 3;
  });
  assert.equal((await service.api('PUT', `/webhooks/${id}`, { ordering: 'none' })).status, 200);
  await untilStates(id, 'PENDING', 'DELIVERED', 'DELIVERED');
  assert.equal(there.received.length, 3);
});

test('with ordering by contact from now on, what was read ahead waits for the one before, too', async () => {
  const opened = Promise.withResolvers<void>();
  const there = await receiver({ ...FAILED_LATER, before: () => opened.promise }, OK);
  const { id } = await makeWebhook(there.url, { ...ORDERED, ordering: 'none' });
  const contactId = await makeContact();
  await untilReceived(there, 1);
  for (const name of ['B', 'C']) await service.api('PUT', `/contacts/${contactId}`, { firstName: name });
  await makeContact();
  await until('four are numbered', async () => (await deliveriesOf(id)).length === 4);
  assert.equal((await service.api('PUT', `/webhooks/${id}`, { ordering: 'contact' })).status, 200);
  // As a side effect, this waits until who delivers has looked at its endpoints.
  await untilForgotten(tenantEm(service.deps.orm, 'default'), 'default');
  opened.resolve();
  await untilStates(id, 'PENDING', 'PENDING', 'PENDING', 'DELIVERED');
  assert.deepEqual(
    there.received.map((one) => bodyOf(one).sequence),
    [1, 4],
  );
});

test('410 disables, with a mail and an event; what matches is held, and sent when it is active again', async () => {
  const there = await receiver({ status: 410 }, OK);
  const { id } = await makeWebhook(there.url);
  const listening = await receiver(OK);
  await makeWebhook(listening.url, { types: ['WEBHOOK_DISABLED'] });
  await makeContact();
  await until(
    'it is disabled',
    async () => (await service.api('GET', `/webhooks/${id}`)).body.disabledReason === 'gone',
  );
  const [told] = await untilReceived(listening, 1);
  assert.deepEqual([bodyOf(told!).data.webhookId, bodyOf(told!).data.reason], [id, 'gone']);
  const mail = await until('the Admin has a mail', () =>
    service.sink.mails.find(
      ({ to, parsed }) => to.includes('admin@example.com') && parsed.text!.includes(`Webhook ${id}`),
    ),
  );
  assert.equal(mail.parsed.subject, 'The webhook “CRM” is disabled');
  await makeContact();
  await untilStates(id, 'HELD', 'HELD');
  assert.equal(there.received.length, 1);
  const { body: held } = await service.api('GET', `/webhooks/${id}/proof`);
  assert.deepEqual([held.matched, held.held], [2, 2]);
  assert.equal((await service.api('PUT', `/webhooks/${id}`, { active: true })).status, 200);
  await untilStates(id, 'DELIVERED', 'DELIVERED');
  assert.deepEqual(
    there.received.map((one) => bodyOf(one).sequence),
    [1, 1, 2],
  );
});

test.each(['has another URL', 'was activated'])(
  'an answer 410 to what was sent before says nothing about an endpoint that %s since',
  async (how) => {
    const opened = Promise.withResolvers<void>();
    const before = await receiver({ status: 410, before: () => opened.promise }, OK);
    const { id } = await makeWebhook(before.url);
    await makeContact();
    await untilReceived(before, 1);
    const after = how === 'was activated' ? before : await receiver(OK);
    const changes = how === 'was activated' ? [{ active: false }, { active: true }] : [{ url: after.url }];
    for (const change of changes) assert.equal((await service.api('PUT', `/webhooks/${id}`, change)).status, 200);
    opened.resolve();
    await until('it is noted', async () => (await deliveriesOf(id))[0].attempts.length > 0);
    await makeContact();
    await until('the second is delivered', async () => (await deliveriesOf(id))[1]?.status === 'DELIVERED');
    await hurry(id);
    await untilStates(id, 'DELIVERED', 'DELIVERED');
    const sequences = after.received.map((one) => bodyOf(one).sequence);
    assert.deepEqual([...new Set(sequences)].sort(), [1, 2]);
  },
);

test('a filter on a field that an event lacks fails but for its negation; a deleted endpoint gets nothing more', async () => {
  const there = await receiver(OK);
  const { id } = await makeWebhook(there.url, {
    types: ['CONTACT_CREATED', 'CONTACT_UPDATED'],
    filter: [{ field: 'changed', operator: 'contains', value: 'firstName' }],
  });
  const contactId = await makeContact();
  await service.api('PUT', `/contacts/${contactId}`, { lastName: 'King' });
  await service.api('PUT', `/contacts/${contactId}`, { firstName: 'Augusta' });
  const [only] = await untilReceived(there, 1);
  assert.deepEqual([bodyOf(only!).type, bodyOf(only!).sequence], ['CONTACT_UPDATED', 1]);
  assert.equal((await service.api('DELETE', `/webhooks/${id}`)).status, 204);
  assert.equal((await service.api('GET', `/webhooks/${id}/deliveries`)).status, 404);
});

test('what was pending when the secret is rotated is signed by both, until the overlap ends', async () => {
  const there = await receiver({ status: 503 }, OK);
  const { id, secret } = await makeWebhook(there.url);
  for (let n = 0; n < 3; n += 1) await makeContact();
  await until('one has failed', async () => (await deliveriesOf(id))[0]?.attempts.length === 1);
  await until('three are numbered', async () => (await deliveriesOf(id)).length === 3);
  const rotated = await service.api('POST', `/webhooks/${id}/rotate-secret`, { overlapHours: 1 });
  assert.equal(rotated.status, 200);
  assert.equal((await service.api('POST', `/webhooks/${id}/rotate-secret`, {})).status, 409);
  await hurry(id);
  await untilStates(id, 'DELIVERED', 'DELIVERED', 'DELIVERED');
  const last = there.received.findLast(({ body }) => JSON.parse(body).sequence === 1)!;
  for (const one of [secret, rotated.body.secret]) new Webhook(one).verify(last.body, headersOf(last));
  await engine(
    sql`update webhook_endpoints set previous_expires_at = now() - interval '1 s', version = version + 1 where id = ${id}`,
  );
  service.deps.pingOutbox('webhook_lanes');
  await makeContact();
  await untilStates(id, 'DELIVERED', 'DELIVERED', 'DELIVERED', 'DELIVERED');
  const after = there.received.findLast(({ body }) => JSON.parse(body).sequence === 4)!;
  new Webhook(rotated.body.secret).verify(after.body, headersOf(after));
  assert.throws(() => new Webhook(secret).verify(after.body, headersOf(after)));
  assert.equal((await service.api('POST', `/webhooks/${id}/rotate-secret`, {})).status, 200);
});

test('the last attempt ends a delivery; five days of nothing but failures disable; what is too old is not sent', async () => {
  const there = await receiver({ status: 503 });
  const { id } = await makeWebhook(there.url);
  await makeContact();
  await until('it has failed', async () => (await deliveriesOf(id))[0]?.attempts.length === 1);
  await engine(sql`update webhook_deliveries set attempts = 9 where endpoint_id = ${id}`);
  await hurry(id);
  await untilStates(id, 'FAILED');
  assert.equal((await deliveriesOf(id))[0].reason, 'attempts_exhausted');
  await engine(
    sql`update webhook_health set failures = 19, failing_since = now() - interval '121 hours' where endpoint_id = ${id}`,
  );
  await makeContact();
  const { disabledReason, active } = await until('it is disabled', async () => {
    const { body } = await service.api('GET', `/webhooks/${id}`);
    return body.active ? null : body;
  });
  assert.deepEqual([disabledReason, active], ['failing', false]);
  await untilStates(id, 'FAILED', 'HELD');
  for (const table of ['webhook_events', 'webhook_deliveries', 'webhook_attempts'])
    await engine(sql`update ${sql.table(table)} set day = day - 31 where tenant_id = 'default'`);
  await engine(sql`update webhook_deliveries set at = at - interval '31 days' where endpoint_id = ${id}`);
  await expireDeliveries(engineEm(service.deps.orm));
  await untilStates(id, 'FAILED', 'FAILED');
  assert.equal((await deliveriesOf(id))[1].reason, 'too_old');
  assert.equal((await service.api('GET', `/webhooks/${id}/proof`)).body.matched, 0);
});

test('an endpoint that is deleted while it is sent to: nothing more comes, and nothing is kept', async () => {
  const opened = Promise.withResolvers<void>();
  const there = await receiver({ status: 204, before: () => opened.promise });
  const answer = await service.api('POST', '/webhooks', { name: 'CRM', url: there.url, types: ['CONTACT_CREATED'] });
  const { id } = answer.body;
  for (let n = 0; n < 3; n += 1) await makeContact();
  await untilReceived(there, 1);
  await until('it shows', async () => (await deliveriesOf(id))[0].status === 'SENDING');
  assert.equal((await service.api('DELETE', `/webhooks/${id}`)).status, 204);
  opened.resolve();
  const kept = () =>
    engine(sql`
      select 1 from webhook_deliveries where endpoint_id = ${id} union all select 1 from webhook_attempts where endpoint_id = ${id}
      union all select 1 from webhook_lanes where endpoint_id = ${id}`);
  await until('nothing is kept', async () => {
    await deleteAbandoned(engineEm(service.deps.orm));
    return (await kept()).length === 0;
  });
  await makeContact();
  assert.deepEqual(
    there.received.map((one) => bodyOf(one).sequence),
    [1],
  );
});

test('a batch that comes again is not numbered again; one that comes between others keeps its place', async () => {
  const there = await receiver(OK);
  const { id } = await makeWebhook(there.url, {
    types: ['WEBSITE_VISITED'],
    filter: [{ field: 'url', operator: 'contains', value: 'numbered' }],
  });
  const contactId = await makeContact();
  const batch = (name: string) => ({
    ...{ id: randomUUID(), type: 'WEBSITE_VISITED', time: new Date().toISOString(), tenantid: 'default' },
    events: ['1', '2'].map((n) => ({
      id: randomUUID(),
      data: { contactId, url: `https://example.com/numbered/${name}${n}` },
    })),
  });
  const [a, b, c] = [batch('a'), batch('b'), batch('c')];
  for (const one of [a, b, a, b, c, a])
    await service.deps.nats.js.publish(batchSubject('WEBSITE_VISITED'), encode(one));
  await untilReceived(there, 6);
  await untilStates(id, ...Array.from({ length: 6 }, () => 'DELIVERED'));
  const told = (await service.api('GET', `/webhooks/${id}/events?limit=200`)).body.data;
  assert.deepEqual(
    told.map(({ sequence, data }: { sequence: number; data: { url: string } }) => [sequence, data.url.slice(-2)]),
    ['a1', 'a2', 'b1', 'b2', 'c1', 'c2'].map((name, n) => [n + 1, name]),
  );
  const rest = (await service.api('GET', `/webhooks/${id}/events?afterSequence=4`)).body.data;
  assert.deepEqual(rest, told.slice(4));
});

test('a merge moves what was told, the data export shows it, an erasure empties it', async () => {
  const there = await receiver({ status: 503, body: 'ada@example.org is unknown' }, OK);
  const { id } = await makeWebhook(there.url, { ordering: 'contact' });
  const [kept, gone] = [await makeContact(), await makeContact()];
  await until('two are numbered', async () => (await deliveriesOf(id)).length === 2);
  await until('one has failed', async () => (await deliveriesOf(id))[0].attempts.length === 1);
  assert.equal((await service.api('POST', `/contacts/${kept}/merge`, { sourceId: gone })).status, 200);
  const { body: of } = await service.api('GET', `/webhooks/${id}/deliveries?contactId=${kept}`);
  assert.equal(of.data.length, 2);
  const { body: held } = await service.api('GET', `/contacts/${kept}/data-export`);
  const about = held.webhooks.filter(({ deliveries }: { deliveries: { webhookId: number }[] }) =>
    deliveries.some(({ webhookId }) => webhookId === id),
  );
  assert.deepEqual(
    about.map(({ type, data }: { type: string; data: { contactId: number } }) => [type, data.contactId]),
    [
      ['CONTACT_CREATED', kept],
      ['CONTACT_CREATED', gone],
    ],
  );
  const erasing = await service.api('POST', `/contacts/${kept}/erase`);
  await untilErased(erasing.body.id);
  const [first, second] = await deliveriesOf(id);
  assert.deepEqual(
    [first.status, first.reason, first.body, first.attempts[0].response],
    ['FAILED', 'erased', null, null],
  );
  assert.equal(second.body, null);
  const told = (await service.api('GET', `/webhooks/${id}/events`)).body.data;
  assert.deepEqual(
    told.map(({ sequence, data }: { sequence: number; data: unknown }) => [sequence, data]),
    [
      [1, null],
      [2, null],
    ],
  );
  assert.equal((await service.api('POST', `/webhooks/${id}/deliveries/${first.id}/retry`)).status, 409);
});

test('what happened to a contact is kept with the one it is merged into, be it recorded before the merge or after', async () => {
  const types: EventType[] = ['SEGMENT_ENTERED', 'SEGMENT_LEFT', 'SCORE_UPDATED', 'CONTACT_UPDATED'];
  const { id } = await makeWebhook('https://example.com/', { types, active: false });
  const [kept, gone] = [await makeContact(), await makeContact()];
  const tell = async (): Promise<void> =>
    publish(service, ...types.map((type) => eventOf(type, { ...exampleData(type), contactId: gone })));
  const recorded = async (): Promise<{ type: string; contactId: number; body: { data: { contactId: number } } }[]> =>
    (await deliveriesOf(id)).filter(
      ({ body }: { body: { data: { contactId: number } } }) => body.data.contactId === gone,
    );
  await tell();
  await until('they are recorded before the merge', async () => (await recorded()).length === types.length);
  assert.equal((await service.api('POST', `/contacts/${kept}/merge`, { sourceId: gone })).status, 200);
  const before = (await recorded()).length;
  await tell();
  await until('they are recorded after the merge', async () => (await recorded()).length >= before + types.length);
  const found = await recorded();
  assert.deepEqual(
    found.map(({ type, contactId }) => [type, contactId]),
    found.map(({ type }) => [type, kept]),
  );
  // The order is by it.
  const elsewhere = await engine(
    sql`select 1 from webhook_deliveries where endpoint_id = ${id} and subject = ${`contact/${gone}`}`,
  );
  assert.equal(elsewhere.length, 0);
});

const untilErased = (erasureId: number) =>
  until('the person is erased', async () => {
    const { body } = await service.api('GET', `/contacts/erasures/${erasureId}`);
    return body.status === 'COMPLETED';
  });

test.each(['none', 'contact'])(
  'what was read ahead about a person is not sent any more when the person is erased (ordering: %s)',
  async (ordering) => {
    const opened = Promise.withResolvers<void>();
    const there = await receiver({ status: 204, before: () => opened.promise }, OK);
    const { id } = await makeWebhook(there.url, { types: ['CONTACT_CREATED', 'CONTACT_UPDATED'], ordering });
    await makeContact();
    const gone = await makeContact();
    await service.api('PUT', `/contacts/${gone}`, { firstName: 'B' });
    await makeContact();
    await untilReceived(there, 1);
    await until('four are numbered', async () => (await deliveriesOf(id)).length === 4);
    const erasing = await service.api('POST', `/contacts/${gone}/erase`);
    await untilErased(erasing.body.id);
    opened.resolve();
    await untilStates(id, 'DELIVERED', 'FAILED', 'FAILED', 'DELIVERED');
    assert.deepEqual(
      there.received.map((one) => bodyOf(one).sequence),
      [1, 4],
    );
  },
);

test('an erasure waits for what is on its way about its person', async () => {
  const opened = Promise.withResolvers<void>();
  const there = await receiver({ status: 503, before: () => opened.promise }, OK);
  const { id } = await makeWebhook(there.url);
  const gone = await makeContact();
  await untilReceived(there, 1);
  const erasing = await service.api('POST', `/contacts/${gone}/erase`);
  await until('its data is erased', async () => (await deliveriesOf(id))[0].reason === 'erased');
  await until('who delivers is asked', async () => {
    const asked = await engine(
      sql`select 1 from webhook_lanes where endpoint_id = ${id} and erasures > forgotten and holder is not null`,
    );
    return asked.length > 0;
  });
  assert.equal((await service.api('GET', `/contacts/erasures/${erasing.body.id}`)).body.status, 'RUNNING');
  opened.resolve();
  await untilErased(erasing.body.id);
  assert.equal(there.received.length, 1);
});

test('an account has at most 10,000 webhooks', async () => {
  await engine(sql`
    insert into webhook_endpoints (tenant_id, name, url, types, key, active)
    select 'default', 'Full', 'https://example.com/', '{WEBHOOK_DISABLED}', '', false from generate_series(1, 10000)`);
  const answer = await service.api('POST', '/webhooks', { name: 'More', url: 'https://example.com/', types: ['*'] });
  assert.deepEqual([answer.status, answer.body.code], [409, 'limit_reached']);
  await engine(sql`delete from webhook_endpoints where name = 'Full'`);
});

test('a replay sends again what failed, and test shows one attempt', async () => {
  const there = await receiver(OK);
  const { id } = await makeWebhook(there.url);
  const tried = await service.api('POST', `/webhooks/${id}/test`, { type: 'EMAIL_SENT' });
  assert.deepEqual([tried.status, tried.body.status, tried.body.error], [200, 204, null]);
  await makeContact();
  await untilStates(id, 'DELIVERED');
  await engine(
    sql`update webhook_deliveries set status = 'FAILED', reason = 'attempts_exhausted' where endpoint_id = ${id}`,
  );
  const replay = await service.api('POST', `/webhooks/${id}/replay`, {
    from: new Date(Date.now() - 3_600_000).toISOString(),
    only: 'failed',
  });
  assert.equal(replay.status, 202, JSON.stringify(replay.body));
  await untilStates(id, 'DELIVERED');
  await until(
    'the replay is over',
    async () => (await service.api('GET', `/webhooks/replays/${replay.body.id}`)).body.status === 'COMPLETED',
  );
  const real = there.received.filter(({ body }) => JSON.parse(body).type === 'CONTACT_CREATED');
  assert.deepEqual([real.length, new Set(real.map(({ headers }) => headers['webhook-id'])).size], [2, 1]);
});
