/** Proofs, lists and replays of periods that begin or end where a day does: what was told is in partitions by day. */
import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql, tenantEm } from '../../../db/orm.ts';
import { recordDeliveries } from '../../../domain/webhooks/deliveries/record-deliveries.ts';
import { replayPage } from '../../../domain/webhooks/deliveries/replay.ts';
import { eventOf } from '../../support/events.ts';
import { startService, type Service } from '../../support/service.ts';

const DAY_MS = 86_400_000;
const TODAY_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS;

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const engine = <T>(query: Parameters<typeof rows>[1]) =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));

/** A webhook that is not active, and was told at these times; each day has partitions. */
async function makeTold(times: readonly number[]): Promise<number> {
  const made = await service.api('POST', '/webhooks', {
    ...{ name: 'CRM', url: 'https://example.com/', types: ['CONTACT_CREATED'], active: false },
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const { id } = made.body;
  const matches = times.map((_, n) => ({
    ...{ event: eventOf('CONTACT_CREATED', { contactId: n + 1 }), endpointIds: [id], contactId: null },
  }));
  const recorded = await engineEm(service.deps.orm).transactional((tx) => recordDeliveries(tx, matches));
  assert.equal(recorded, times.length);
  const told = sql`json_to_recordset(${JSON.stringify(times.map((at, n) => ({ s: n + 1, at: new Date(at) })))}::json) as r(s bigint, at timestamptz)`;
  await engine(sql`select ensure_webhook_partitions(day) from (select distinct r.at::date as day from ${told}) days`);
  await engine(sql`
    update webhook_events v set day = r.at::date from ${told}
    join webhook_deliveries d on d.endpoint_id = ${id} and d.sequence = r.s where v.id = d.event`);
  await engine(sql`
    update webhook_deliveries d set at = r.at, day = r.at::date from ${told} where d.endpoint_id = ${id} and d.sequence = r.s`);
  return id;
}

const midnight = TODAY_MS - 5 * DAY_MS;
const hour = 3_600_000;
const times = [
  midnight - DAY_MS,
  midnight - 1,
  midnight,
  midnight + 1,
  midnight + 23 * hour,
  midnight + DAY_MS - 1,
  midnight + DAY_MS,
  midnight + 2 * DAY_MS + 12 * hour,
];
/** An instant, said in a zone in which it may be another day. */
const inZone = (ms: number, hours: number) =>
  new Date(ms + hours * hour)
    .toISOString()
    .replace('Z', `${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}:00`);

test('a period has what was told from its beginning on and before its end, whatever the day and the zone', async () => {
  const id = await makeTold(times);
  const edges = [midnight - 1, midnight, midnight + 1, midnight + DAY_MS - 1, midnight + DAY_MS, midnight + DAY_MS + 1];
  for (const from of [undefined, ...edges]) {
    for (const to of [undefined, ...edges]) {
      const wanted = times.flatMap((at, n) => (at >= (from ?? 0) && at < (to ?? Infinity) ? [n + 1] : []));
      const period = new URLSearchParams({
        ...(from === undefined ? {} : { from: inZone(from, 14) }),
        ...(to === undefined ? {} : { to: inZone(to, -11) }),
      });
      const of = String(period);
      const { body: proof } = await service.api('GET', `/webhooks/${id}/proof?${of}`);
      assert.deepEqual(
        [proof.matched, proof.held, proof.firstSequence, proof.lastSequence],
        [wanted.length, wanted.length, wanted[0] ?? null, wanted.at(-1) ?? null],
        of,
      );
      const { body: list } = await service.api('GET', `/webhooks/${id}/deliveries?sort=id&status=HELD&${of}`);
      assert.deepEqual(
        list.data.map(({ sequence }: { sequence: number }) => sequence),
        wanted,
        of,
      );
    }
  }
});

test('a replay sends what was told in its period, and nothing of the days around', async () => {
  const id = await makeTold(times);
  await engine(sql`update webhook_deliveries set status = 'FAILED', reason = 'too_old' where endpoint_id = ${id}`);
  const { body: replay, status } = await service.api('POST', `/webhooks/${id}/replay`, {
    from: inZone(midnight, 14),
    to: inZone(midnight + DAY_MS, -11),
  });
  assert.equal(status, 202, JSON.stringify(replay));
  assert.deepEqual(await replayPage(tenantEm(service.deps.orm, 'default'), replay.id), { done: true });
  const { body: done } = await service.api('GET', `/webhooks/replays/${replay.id}`);
  assert.deepEqual([done.examined, done.replayed], [4, 4]);
  const { body: held } = await service.api('GET', `/webhooks/${id}/deliveries?sort=id&status=HELD`);
  assert.deepEqual(
    held.data.map(({ sequence }: { sequence: number }) => sequence),
    [3, 4, 5, 6],
  );
});
