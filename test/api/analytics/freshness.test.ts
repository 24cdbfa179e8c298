import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql, tenantEm } from '../../../db/orm.ts';
import { withClient } from '../../../dev/stack/postgres.ts';
import { readDashboard } from '../../../domain/analytics/dashboard.ts';
import { readPeriod } from '../../../domain/common/period.ts';
import { connectNats, encode } from '../../../transport/nats.ts';
import { batchSubject, EVENT_BATCHES, TRACKING_HITS, TRACKING_SUBJECT } from '../../../transport/streams.ts';
import { figuresAsOf, NEVER, oldestUncounted, watchFigures } from '../../../runtime/figures-freshness.ts';
import { eventOf, publish, settled } from '../../support/events.ts';
import { startService, type Service } from '../../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: ['consumers', 'relay'] });
});
afterAll(() => service.stop());

const opened = (at: Date) => eventOf('EMAIL_OPENED', { emailId: 1, contactId: null, automated: false }, at);
async function asOf(): Promise<string> {
  const { status, body } = await service.api('GET', '/analytics/dashboard');
  assert.equal(status, 200, JSON.stringify(body));
  return body.asOf;
}

test('asOf is now while nothing waits, and stays behind what does', async () => {
  await settled(service, 'analytics');
  const begin = Date.now();
  assert.ok(Date.parse(await asOf()) >= begin - 1000);
  // An event that waits for the relay since a while ago.
  const waiting = new Date(Date.now() - 600_000);
  const em = engineEm(service.deps.orm);
  const asOwner = (text: string) =>
    withClient(service.slot.env['DATABASE_MIGRATION_URL']!, (client) => client.query(text));
  await asOwner(`
    create function hold() returns trigger language plpgsql as 'begin return null; end';
    create trigger hold before delete on outbox_events for each row when (old.events = '[]') execute function hold()`);
  await em.transactional((tx) =>
    rows(
      tx,
      sql`
    insert into outbox_events (tenant_id, type, occurred_at, events) values ('default', 'CONTACT_CREATED', ${waiting}, '[]')`,
    ),
  );
  try {
    assert.equal(await asOf(), waiting.toISOString());
  } finally {
    await asOwner('drop function hold() cascade');
    await settled(service, 'analytics');
  }
  // Events that the consumer has not got through: here, one that is paused.
  const { jsm } = service.deps.nats;
  await jsm.consumers.pause(EVENT_BATCHES, 'analytics', new Date(Date.now() + 60_000));
  // It happened long before it was published, as after an outage.
  const time = new Date(Date.now() - 7_200_000);
  await publish(service, opened(time));
  await publish(service, opened(new Date()));
  try {
    // Others that wait may be a little older.
    const before = new Date(time.getTime() - 5_000);
    assert.equal(await asOf(), before.toISOString());
    await watchFigures(service.deps);
    const lag = (await service.deps.metrics.analyticsLag.get()).values[0]!.value;
    assert.ok(lag > 7_205 && lag <= (Date.now() - before.getTime()) / 1000, String(lag));
    // Tenants take turns in the relay, so an older event of another one may be published later.
    const [oldest, now] = [new Date(time.getTime() - 3_600_000), new Date()].map((at) => at.toISOString());
    const batch = { id: randomUUID(), tenantid: 'default', type: 'EMAIL_CLICKED', time: now, oldest, events: [] };
    await service.deps.nats.js.publish(batchSubject('EMAIL_CLICKED'), encode(batch));
    assert.equal(await asOf(), new Date(Date.parse(oldest!) - 5_000).toISOString());
  } finally {
    await jsm.consumers.resume(EVENT_BATCHES, 'analytics');
  }
  await settled(service, 'analytics');
  await watchFigures(service.deps);
  assert.equal((await service.deps.metrics.analyticsLag.get()).values[0]!.value, 0);
});

test('a hit that waits for its way to become an event counts as waiting', async () => {
  await settled(service, 'analytics');
  const { jsm, js } = service.deps.nats;
  // The worker of this file does not take hits in.
  await js.publish(TRACKING_SUBJECT, encode({ hits: [] }));
  try {
    const { time } = await jsm.streams.getMessage(TRACKING_HITS, { last_by_subj: TRACKING_SUBJECT });
    assert.equal(await asOf(), time.toISOString());
  } finally {
    await jsm.streams.purge(TRACKING_HITS);
  }
});

test('while JetStream does not respond, asOf is what was known last', async () => {
  const nats = await connectNats(service.deps.env.NATS_URL, 'freshness');
  const em = tenantEm(service.deps.orm, 'default');
  const at = (minute: number) => new Date(Date.UTC(2025, 0, 1, 0, minute));
  assert.deepEqual(await figuresAsOf({ nats }, em, at(1)), at(1));
  await nats.connection.close();
  assert.deepEqual(await figuresAsOf({ nats }, em, at(2)), at(1));
  assert.deepEqual(await figuresAsOf({ nats: { ...nats } }, em, at(3)), NEVER);
});

test('an event that is published counts as waiting at once, until it is in the figures', async () => {
  const period = readPeriod({ from: '2025-04-04T00:00:00Z', to: '2025-04-05T00:00:00Z' }, new Date());
  let waited = 0;
  for (let n = 1; n <= 300; n += 1) {
    await publish(service, opened(new Date('2025-04-04T04:04:04Z')));
    if ((await oldestUncounted(service.deps.nats.jsm)).at) waited += 1;
    else {
      const { emails } = await readDashboard(tenantEm(service.deps.orm, 'default'), period);
      assert.equal(emails.opens, n, 'figures are said to be complete, and are not');
    }
    if (n % 3 === 0) await settled(service, 'analytics');
  }
  assert.ok(waited > 0, 'no event was on its way');
  assert.deepEqual(await oldestUncounted(service.deps.nats.jsm), { at: null });
});
