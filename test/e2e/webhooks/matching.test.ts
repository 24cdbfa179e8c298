/** Which endpoints want an event, from what the consumer keeps of them. */
import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { EndpointCache } from '../../../domain/webhooks/deliveries/endpoint-cache.ts';
import { eventTypes } from '../../../events/contracts.ts';
import { eventOf } from '../../support/events.ts';
import { startService, type Service } from '../../support/service.ts';

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
