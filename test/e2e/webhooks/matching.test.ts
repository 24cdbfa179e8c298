/** Which endpoints want an event, from what the consumer keeps of them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { EndpointCache, TooManyDeliveriesError } from '../../../domain/webhooks/deliveries/endpoint-cache.ts';
import { eventTypes } from '../../../events/contracts.ts';
import { runEventHandler } from '../../../transport/event-handler.ts';
import { webhookHandler } from '../../../worker/consumers/webhooks.ts';
import { encode } from '../../../transport/nats.ts';
import { batchSubject } from '../../../transport/streams.ts';
import { newTenant } from '../../support/accounts.ts';
import { eventOf } from '../../support/events.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';
import { startService, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const ENDPOINTS = 10_000;
const CHANGED = 'update webhook_tenants set version = version + 1';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));

test('of an account with as many webhooks as it may have, each for every type, all are kept until one changes', async () => {
  const types = [...eventTypes];
  const made = await service.api('POST', '/webhooks', { name: 'First', url: 'https://example.com/', types });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  await engine(sql`
    insert into webhook_endpoints (tenant_id, name, url, types, key)
    select 'default', 'Other', 'https://example.com/', ${types}::text[], '' from generate_series(2, ${ENDPOINTS}::int)`);
  const cache = new EndpointCache();
  const wanting = async () => {
    const found = await engineEm(service.deps.orm).transactional((tx) =>
      cache.matches(tx, [eventOf('CONTACT_CREATED', { contactId: 1 })]),
    );
    return found.flatMap(({ endpointIds }) => endpointIds).length;
  };
  assert.equal(await wanting(), ENDPOINTS);
  // Not noted as a change: what is kept shows.
  await engine(sql`delete from webhook_endpoints where name = 'Other'`);
  assert.equal(await wanting(), ENDPOINTS);
  await engine(sql.raw(CHANGED));
  assert.equal(await wanting(), 1);
  // A filter that takes more memory than may be kept is read each time.
  await engine(sql`
    update webhook_endpoints set filter = jsonb_build_array(jsonb_build_object('field', 'contactId', 'operator', 'ne', 'value', repeat('a', 31000000)))`);
  await engine(sql.raw(CHANGED));
  assert.equal(await wanting(), 1);
  await engine(sql`update webhook_endpoints set types = '{EMAIL_SENT}'`);
  assert.equal(await wanting(), 0);
});

test('what too many endpoints want for one transaction is numbered event by event, in order and once', async () => {
  const { token } = await newTenant(service);
  const make = async (more: object = {}): Promise<{ id: number; tenantId: string }> => {
    const webhook = { name: 'CRM', url: 'https://example.com/', types: ['WEBSITE_VISITED'], active: false };
    const made = await service.api('POST', '/webhooks', { ...webhook, ...more }, { token });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    return made.body;
  };
  const { id, tenantId } = await make();
  const all = [id, (await make({ types: ['*'] })).id, (await make()).id];
  const filtered = (await make({ filter: [{ field: 'url', operator: 'endsWith', value: '2' }] })).id;
  const batch = (from: number, count: number) => ({
    ...{ id: randomUUID(), type: 'WEBSITE_VISITED', time: new Date().toISOString(), tenantid: tenantId },
    events: Array.from({ length: count }, (_, n) => ({
      id: randomUUID(),
      data: { contactId: 1, url: `https://example.com/${from + n}` },
    })),
  });
  const batches = [batch(0, 1), batch(1, 4), batch(5, 1)];
  const events = batches.flatMap((one) => one.events);
  const cache = new EndpointCache(9);
  const matches = (count: number) =>
    engineEm(service.deps.orm).transactional((tx) =>
      cache.matches(
        tx,
        events.slice(0, count).map(({ data }) => eventOf('WEBSITE_VISITED', data, new Date(), tenantId)),
      ),
    );
  assert.equal((await matches(2)).length, 2);
  await assert.rejects(matches(3), TooManyDeliveriesError);

  const consumer = await runEventHandler(service.deps, webhookHandler(9));
  onTestFinished(() => consumer.stop());
  for (const one of [...batches, batches[1]!])
    await service.deps.nats.js.publish(batchSubject('WEBSITE_VISITED'), encode(one));
  const told = async (endpoint: number): Promise<[number, string][]> =>
    (await service.api('GET', `/webhooks/${endpoint}/events?limit=200`, undefined, { token })).body.data.map(
      ({ sequence, data }: { sequence: number; data: { url: string } }) => [sequence, data.url],
    );
  await until('all are numbered', async () => (await told(all[2]!)).length >= events.length);
  await until('the repetition is handled', async () => {
    const { num_pending, num_ack_pending } = await service.deps.nats.jsm.consumers.info('EVENT_BATCHES', 'webhooks');
    return num_pending + num_ack_pending === 0;
  });
  for (const one of all)
    assert.deepEqual(
      await told(one),
      events.map(({ data }, n) => [n + 1, data.url]),
    );
  assert.deepEqual(await told(filtered), [[1, 'https://example.com/2']]);
  const [most] = await engine<{ n: number }>(sql`
    select count(*)::int as n from webhook_deliveries where tenant_id = ${tenantId} group by xmin order by 1 desc limit 1`);
  assert.ok(most!.n <= 9, `${most!.n} in one transaction`);
});
