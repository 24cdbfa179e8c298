import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { drawReaction } from '../../../domain/campaigns/simulation/draws.ts';
import { Interpreter } from '../../../domain/campaigns/simulation/interpreter.ts';
import { moveIn } from '../../../domain/campaigns/simulation/judge-travellers.ts';
import { Tally } from '../../../domain/campaigns/simulation/tally.ts';
import { Timetable } from '../../../domain/campaigns/simulation/timetable.ts';
import { newTraveller } from '../../../domain/campaigns/simulation/traveller.ts';
import { dependedOn } from '../../../domain/campaigns/simulation/world.ts';
import { isFull } from '../../../domain/campaigns/simulation/simulated-caps.ts';
import type { DynamicSegment } from '../../../domain/membership/members/dynamic-segments.ts';
import type { Filter } from '../../../domain/membership/filter/filter.ts';
import { changeKindsOf } from '../../../domain/membership/filter/change-kinds.ts';
import { valid } from './support.ts';

const emails = Array.from({ length: 20_000 }, (_, contactId) => ({ contactId, stepId: 'mail', visit: 1 }));
const steps = [
  { id: 'a', type: 'WAIT', config: { waitMinutes: 60 } },
  { id: 'b', type: 'EXIT', config: {} },
];

test('draws have the assumed shares, a click is an open, and the same seed draws the same', () => {
  const assume = { openRate: 0.4, clickRate: 0.1, seed: 5 };
  const drawn = emails.map((email) => drawReaction(assume, email));
  const share = (name: 'opened' | 'clicked') => drawn.filter((one) => one[name]).length / drawn.length;
  assert.ok(Math.abs(share('opened') - 0.4) < 0.02, `${share('opened')}`);
  assert.ok(Math.abs(share('clicked') - 0.1) < 0.02, `${share('clicked')}`);
  assert.ok(drawn.every(({ opened, clicked }) => opened || !clicked));
  assert.deepEqual(
    emails.map((email) => drawReaction(assume, email)),
    drawn,
  );
  const others = [{ ...assume, seed: 6 }].flatMap((other) => emails.map((email) => drawReaction(other, email)));
  assert.notDeepEqual(others, drawn);
  // Another step and another visit are other emails.
  for (const other of [{ stepId: 'again' }, { visit: 2 }]) {
    const again = emails.map((email) => drawReaction(assume, { ...email, ...other }));
    const both = again.filter(({ opened }, index) => opened && drawn[index]!.opened).length / emails.length;
    assert.ok(Math.abs(both - 0.16) < 0.02, `${both}`);
  }
});

test('rates of 0 and 1 are never and always; clicks beyond the opens are opens', () => {
  const all = (openRate: number, clickRate: number) =>
    new Set(emails.slice(0, 200).map((email) => JSON.stringify(drawReaction({ openRate, clickRate, seed: 1 }, email))));
  assert.deepEqual([...all(0, 0)], ['{"opened":false,"clicked":false}']);
  assert.deepEqual([...all(1, 0)], ['{"opened":true,"clicked":false}']);
  assert.deepEqual([...all(0, 1)], ['{"opened":true,"clicked":true}']);
});

test('a timetable gives what is due by its time, together', () => {
  const due = new Timetable<string>();
  for (const [time, item] of [
    [3, 'c'],
    [1, 'a'],
    [3, 'd'],
    [2, 'b'],
  ] as const)
    due.add(time, item);
  assert.deepEqual(due.next(), { time: 1 });
  assert.deepEqual([due.take(1), due.take(1), due.take(2)], [['a'], [], ['b']]);
  assert.deepEqual([due.next(), due.rest()], [{ time: 3 }, ['c', 'd']]);
  due.take(3);
  assert.equal(due.next(), undefined);
});

test('a contact is in a list or not, as the last step said', () => {
  const traveller = newTraveller(1, null, { stepIndex: 0, visits: [], waitUntil: null }, 0);
  moveIn(traveller, 7, true);
  moveIn(traveller, 8, false);
  moveIn(traveller, 7, false);
  assert.deepEqual([[...traveller.joined], [...traveller.left]], [[], [8, 7]]);
  moveIn(traveller, 7, true);
  assert.deepEqual([[...traveller.joined], [...traveller.left]], [[7], [8]]);
});

test('the segments that a filter depends on are found through other segments, and no others', () => {
  const segment = (id: number, depth: number, filter: Filter) =>
    ({ id, depth, filter, causes: changeKindsOf(filter) }) as unknown as DynamicSegment;
  const is = (value: number): Filter => ({ field: 'segmentId', operator: 'eq', value });
  const vip: Filter = { field: 'tags', operator: 'eq', value: 'vip' };
  const segments = [segment(5, 0, vip), segment(9, 0, vip), segment(3, 1, is(5)), segment(4, 2, is(3))];
  const ids = (filter: Filter) => dependedOn(segments, [filter]).map(({ id }) => id);
  assert.deepEqual(ids(is(4)), [5, 3, 4]);
  assert.deepEqual(ids({ op: 'not', conditions: [is(9), vip] }), [9]);
  assert.deepEqual(ids(vip), []);
  assert.deepEqual(ids({ field: 'segmentId', operator: 'exists' }), [5, 9, 3, 4]);
});

test('a cap counts the messages of its channels and days, and QUEUED ones whenever', () => {
  const day = 86_400_000;
  const now = new Date(10 * day);
  const cap = { channels: ['email' as const, 'sms' as const], max: 2, perDays: 7 };
  const isFullAfter = (
    times: (number | null)[],
    channel: 'email' | 'sms' | 'push' = 'email',
    sent: 'sms' | 'push' = 'sms',
  ) => {
    const traveller = newTraveller(1, null, { stepIndex: 0, visits: [1], waitUntil: null }, 0);
    traveller.marketing = times.map((at, index) => ({ channel: index === 0 ? sent : 'email', at }));
    return isFull(cap, channel, traveller, now);
  };
  assert.equal(isFullAfter([3 * day, 4 * day]), false);
  assert.equal(isFullAfter([3 * day + 1, 4 * day]), true);
  assert.equal(isFullAfter([null, 4 * day]), true);
  assert.equal(isFullAfter([null, 4 * day], 'sms'), true);
  assert.equal(isFullAfter([null, 4 * day], 'push'), false);
  assert.equal(isFullAfter([null, 4 * day], 'email', 'push'), false);
});

test('contacts at one position share what the interpreter says, each timezone its own', () => {
  const local = [{ id: 'a', type: 'WAIT', config: { untilLocalTime: { time: '09:00' } } }];
  const interpreter = new Interpreter(valid(local), new Date('2030-01-01T00:30:00Z'));
  assert.equal(interpreter.begin('Asia/Tokyo'), interpreter.begin('Asia/Tokyo'));
  const untilOf = (timezone: string) => JSON.stringify(interpreter.begin(timezone)).match(/"waitUntil":"([^"]+)"/)![1];
  assert.equal(untilOf('Asia/Tokyo'), '2030-01-02T00:00:00.000Z');
  assert.equal(untilOf('UTC'), '2030-01-01T09:00:00.000Z');
});

test('volumes count by day and step, without what was skipped; only the first paths are kept', () => {
  const tally = new Tally(valid(steps), 1);
  tally.seen(3, ['already_entered']);
  for (const id of [1, 2]) {
    const traveller = newTraveller(id, null, { stepIndex: 0, visits: [1, 0], waitUntil: null }, 0);
    tally.entered(traveller);
    tally.stepped(traveller, 0, new Date('2030-01-01T23:59:59Z'), id === 1 ? 'success' : 'skipped', null);
    tally.stepped(traveller, 1, new Date('2030-01-02T00:00:00Z'), 'stop', null);
    tally.ended(traveller, { status: 'STOPPED', reason: 'exit_step', at: '2030-01-02T00:00:00.000Z' });
  }
  const { volumes, paths, ...figures } = tally.result();
  assert.deepEqual(volumes, [
    { date: '2030-01-01', stepId: 'a', type: 'WAIT', count: 1 },
    { date: '2030-01-02', stepId: 'b', type: 'EXIT', count: 2 },
  ]);
  assert.deepEqual(
    paths.map(({ contactId, steps: done }) => [contactId, done.length]),
    [[1, 2]],
  );
  assert.deepEqual(figures, {
    contacts: 3,
    entered: 2,
    refused: [{ reason: 'already_entered', count: 1 }],
    ended: { completed: 0, stopped: 2, running: 0 },
    suppressed: [],
  });
});
