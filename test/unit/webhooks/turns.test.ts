import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import fc from 'fast-check';
import type { LeasedLane } from '../../../domain/webhooks/deliveries/lanes.ts';
import type { DueDelivery } from '../../../domain/webhooks/deliveries/read-deliveries.ts';
import { delayAfter } from '../../../domain/webhooks/deliveries/schedule.ts';
import { Connections, SLOW_MS, type Flight } from '../../../worker/turns/connections.ts';
import { Lane } from '../../../worker/webhooks/lane.ts';

const MINUTE = 60;
const HOUR = 3600;

test('attempts are 5 s, 5 min, 30 min, 2, 5, 10, 14, 20 and 24 h apart, each up to a tenth more or less', () => {
  const usual = [5, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
  usual.forEach((seconds, n) => {
    assert.equal(Math.round(delayAfter(n + 1, null, 0.5)), seconds);
    assert.equal(Math.round(delayAfter(n + 1, null, 0) * 10), seconds * 9);
    assert.equal(Math.round(delayAfter(n + 1, null, 1) * 10), seconds * 11);
  });
  assert.equal(delayAfter(1, 3600, 0.5), 3600, 'Retry-After is honoured');
  assert.equal(delayAfter(1, 90_000, 0.5), 24 * HOUR, 'up to 24 h');
  assert.equal(delayAfter(4, 1, 0.5), 2 * HOUR, 'and never makes it sooner');
});

function laneOf(id: number, tenantId: string, over: Partial<LeasedLane> & { ordering?: 'contact' } = {}): Lane {
  const { ordering = 'none', ...rest } = over;
  const endpoint = { tenantId, id, version: 1, ordering, maxInFlight: 5 } as LeasedLane['endpoint'];
  const leased: LeasedLane = {
    ...{
      tenantId,
      endpointId: id,
      lastSequence: 1000,
      nudges: 0,
      version: 1,
      hurriedAt: null,
      cursor: 0,
      cursorDay: null,
    },
    ...{ endpoint, failures: 0, slow: false, hasSucceeded: true },
    ...rest,
  };
  return new Lane(leased, Infinity);
}

const due = (sequence: number, subject: string | null = null, over: Partial<DueDelivery> = {}): DueDelivery => ({
  ...{ endpointId: 1, sequence, day: '2030-01-01', subject, attempts: 0, mostAttempts: 10, isAgain: false },
  ...{ waitsFor: null, waitsUntil: null, contactId: null },
  event: {
    id: String(sequence),
    tenantId: 'a',
    type: 'CONTACT_CREATED',
    time: new Date(),
    requestId: null,
    data: '{}',
  },
  ...over,
});

/** Takes all connections that can be had. */
function takeAll(connections: Connections<Lane>): Flight<Lane>[] {
  const flights: Flight<Lane>[] = [];
  for (let flight = connections.take(); flight; flight = connections.take()) {
    assert.ok(flight.line.take(), 'who gets a connection has something to send');
    connections.offer(flight.line);
    flights.push(flight);
  }
  return flights;
}
const filled = (lane: Lane, count: number): Lane => {
  lane.addFresh(
    Array.from({ length: count }, (_, n) => due(n + 1)),
    { limit: count, last: count },
  );
  return lane;
};

test('slow endpoints share a quarter of the connections, new ones half, and both have one request open', () => {
  const connections = new Connections<Lane>(40);
  const lanes = Array.from({ length: 30 }, (_, n) => filled(laneOf(n, 'slow', { failures: 1 }), 3));
  for (const lane of lanes) connections.offer(lane);
  assert.equal(takeAll(connections).length, 10);
  const fresh = Array.from({ length: 30 }, (_, n) => filled(laneOf(100 + n, 'new', { hasSucceeded: false }), 3));
  for (const lane of fresh) connections.offer(lane);
  const flights = takeAll(connections);
  assert.equal(flights.length, 20);
  assert.equal(new Set(flights.map(({ line }) => line)).size, 20);
  const good = filled(laneOf(200, 'good'), 20);
  connections.offer(good);
  assert.equal(takeAll(connections).length, 5, 'as many as maxInFlight');
});

test('tenants take turns, however many endpoints one has', () => {
  const connections = new Connections<Lane>(8);
  for (let n = 0; n < 100; n += 1) connections.offer(filled(laneOf(n, 'large'), 5));
  connections.offer(filled(laneOf(200, 'small'), 5));
  const tenants = takeAll(connections).map(({ line }) => line.key.tenantId);
  assert.equal(tenants.filter((tenant) => tenant === 'small').length, 4);
});

test('who has not answered for 5 s counts as slow', () => {
  const connections = new Connections<Lane>(8);
  const lane = filled(laneOf(1, 'a'), 10);
  connections.offer(lane);
  assert.equal(takeAll(connections).length, 5);
  connections.noticeSlow(performance.now() + SLOW_MS + 1);
  assert.equal(lane.trust, 'slow');
  const other = filled(laneOf(2, 'b', { slow: true }), 3);
  connections.offer(other);
  assert.equal(connections.take(), null, 'the quarter is taken');
  connections.offer(filled(laneOf(3, 'c'), 10));
  assert.equal(takeAll(connections).length, 3, 'the rest is free for others');
});

test('nothing is sent while the lease may be over, and others do not wait for that', () => {
  const connections = new Connections<Lane>(8);
  const lane = filled(laneOf(1, 'a'), 10);
  connections.offer(lane);
  lane.until = performance.now() - 1;
  connections.offer(filled(laneOf(2, 'b'), 3));
  assert.deepEqual(
    takeAll(connections).map((flight) => flight.line.id),
    [2, 2, 2],
  );
  lane.until = Infinity;
  connections.offer(lane);
  assert.equal(takeAll(connections).length, 5);
});

test('what is told of while a read is on its way is read next', () => {
  const lane = laneOf(1, 'a', { lastSequence: 2 });
  const read = lane.beginRead();
  lane.hear(4);
  lane.addFresh([due(1), due(2)], read);
  lane.isReading = false;
  assert.equal(lane.beginRead().from, 3);
});

test('with ordering by contact, whatever the outcomes: one of a subject at a time, in order, all in the end', () => {
  const subjects = ['a', 'b', 'c'];
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...subjects), { minLength: 1, maxLength: 60 }),
      fc.infiniteStream(fc.boolean()),
      (about, outcomes) => {
        const lane = laneOf(1, 'a', { ordering: 'contact', lastSequence: about.length });
        /** What Postgres would have: the deliveries that wait for their next attempt. */
        const stored = new Map<number, DueDelivery>();
        const ended = new Map<string, number[]>(subjects.map((subject) => [subject, []]));
        const open = new Set<number>(about.map((_, n) => n + 1));
        const store = (deliveries: readonly DueDelivery[]): void => {
          for (const one of deliveries) stored.set(one.sequence, { ...one, isAgain: true });
          lane.deferred(deliveries);
        };
        const waitsFor = (sequence: number, subject: string): number | null =>
          [...stored.values()].filter((one) => one.subject === subject && one.sequence < sequence).at(-1)?.sequence ??
          null;
        for (let round = 0; open.size > 0; round += 1) {
          assert.ok(round < 1000, 'all end');
          const read = lane.beginRead();
          const { from, known, limit } = read;
          const again = [...stored.values()]
            .filter(({ sequence }) => !known.includes(sequence) && sequence < from)
            .sort((a, b) => a.sequence - b.sequence)
            .map((one) => ({ ...one, waitsFor: waitsFor(one.sequence, one.subject!) }));
          for (const one of again.slice(0, limit)) stored.delete(one.sequence);
          store(lane.addRetries(again.slice(0, limit), read));
          const fresh = about
            .map((subject, n) => due(n + 1, subject, { waitsFor: waitsFor(n + 1, subject) }))
            .slice(from - 1, from - 1 + limit);
          store(lane.addFresh(fresh, read));
          lane.isReading = false;
          const flights: DueDelivery[] = [];
          while (lane.canSend) flights.push(lane.take());
          assert.equal(
            new Set(flights.map(({ subject }) => subject)).size,
            flights.length,
            'one of a subject at a time',
          );
          for (const one of flights) {
            const hasFailed = round < 200 && outcomes.next().value;
            if (hasFailed) {
              stored.set(one.sequence, { ...one, isAgain: true, attempts: one.attempts + 1 });
            } else {
              ended.get(one.subject!)!.push(one.sequence);
              open.delete(one.sequence);
            }
            store(lane.settled(one, hasFailed ? 1 : null));
          }
        }
        for (const sequences of ended.values())
          assert.deepEqual(
            sequences,
            [...sequences].sort((a, b) => a - b),
          );
      },
    ),
  );
});
