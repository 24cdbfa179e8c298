import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import type { Definition, DefinitionInput } from '../../../domain/campaign-definitions/definition.ts';
import type { Position } from '../../../domain/campaigns/execution/advance.ts';
import type { ExecutionState } from '../../../domain/campaigns/execution/execution.ts';
import { migrateState, targetOf } from '../../../domain/campaigns/execution/migrate-state.ts';
import { moment, valid } from './support.ts';

const HOUR = 3_600_000;
const NOW = '2026-03-10T12:00:00.000Z';
const ago = (hours: number) => new Date(Date.parse(NOW) - hours * HOUR).toISOString();
const ahead = (hours: number) => ago(-hours);

const email = (id: string, templateId = 1) => ({ id, type: 'EMAIL', config: { templateId } });
const wait = (id: string, hours: number) => ({ id, type: 'WAIT', config: { waitMinutes: 60 * hours } });
const exit = (id: string) => ({ id, type: 'EXIT', config: {} });

interface Case {
  from: unknown[];
  to: unknown[];
  map?: Record<string, string>;
  /** The id of the current step. */
  at: string;
  visits?: Record<string, number>;
  waitUntil?: string | null;
  enteredAt?: string;
  recorded?: Record<string, number>;
  met?: number[];
  entries?: [DefinitionInput['entry'], DefinitionInput['entry']];
}

function versionsOf({ from, to, entries = [null, null] }: Case): [Definition, Definition] {
  return [valid(from, { entry: entries[0]! }), valid(to, { entry: entries[1]! })];
}

function migrated(given: Case) {
  const [from, to] = versionsOf(given);
  const stepIndex = from.steps.findIndex(({ id }) => id === given.at);
  const visits = from.steps.map(({ id }) => given.visits?.[id] ?? (id === given.at ? 1 : 0));
  const position: Position = { stepIndex, visits, waitUntil: given.waitUntil ?? null };
  if (given.met) Object.assign(position, { met: given.met });
  const state = { position, enteredAt: given.enteredAt ?? ago(48) } as ExecutionState;
  const before = structuredClone(state);
  const change = { from, to, version: 2, map: given.map ?? {} };
  const result = migrateState(change, state, new Map(Object.entries(given.recorded ?? {})), 8, moment(NOW));
  assert.deepEqual(state, before, 'the state that is given is not changed');
  if ('blocked' in result) return result;
  assert.deepEqual(targetOf(change, given.at), {
    index: result.currentStep,
    isSame: from.steps[stepIndex]!.type === to.steps[result.currentStep]!.type,
  });
  return {
    ...result,
    visits: Object.fromEntries(to.steps.map(({ id }, index) => [id, result.state.position.visits[index]])),
    until: result.state.position.waitUntil,
  };
}

function moved(given: Case) {
  const result = migrated(given);
  assert.ok(!('blocked' in result), JSON.stringify(result));
  return result;
}

test('a step is the same by its id, wherever it stands', () => {
  const result = moved({
    from: [email('one'), wait('pause', 72), email('two')],
    to: [wait('first', 1), email('two'), wait('pause', 72)],
    at: 'pause',
    visits: { one: 1, pause: 1 },
    waitUntil: ahead(24),
  });
  assert.deepEqual([result.stepId, result.currentStep, result.until], ['pause', 2, ahead(24)]);
  assert.deepEqual(result.visits, { first: 0, two: 0, pause: 1 });
  assert.equal(result.state.enteredAt, ago(48));
  // Run once at once, without a timer: it answers how long to wait.
  const pause = { stepId: 'pause', type: 'WAIT', summary: 'wait 3 days' };
  assert.deepEqual(result.state.ahead, { seq: 8, ...pause, runs: pause, campaignVersion: 2 });
});

test('who waits keeps the time already waited', () => {
  const change = (hours: number) =>
    moved({ from: [wait('pause', 72)], to: [wait('pause', hours)], at: 'pause', waitUntil: ahead(24) }).until;
  assert.equal(change(120), ahead(72));
  assert.equal(change(49), ahead(1));
  // It is over by the new length, and never before now.
  assert.equal(change(24), NOW);
  assert.equal(change(0), NOW);
});

test('what the wait is over for runs by the name of the step after it', () => {
  const { state } = moved({
    from: [wait('pause', 72), email('two')],
    to: [wait('pause', 24), email('two', 5)],
    at: 'pause',
    waitUntil: ahead(24),
  });
  assert.deepEqual(state.ahead.runs, { stepId: 'two', type: 'EMAIL', summary: 'email template 5' });
});

test('other forms of a wait count from the entry as well', () => {
  const change = (config: object) =>
    moved({
      from: [wait('pause', 72)],
      to: [{ id: 'pause', type: 'WAIT', config }],
      at: 'pause',
      waitUntil: ahead(24),
    }).until;
  assert.equal(change({ until: ahead(200) }), ahead(200));
  assert.equal(change({ until: ago(200) }), NOW);
  assert.equal(change({ untilLocalTime: { time: '09:00' } }), NOW, 'there was a 09:00 after the entry');
  assert.equal(change({ untilLocalTime: { weekday: 'friday', time: '09:00' } }), '2026-03-13T09:00:00.000Z');
});

test('an email that waits for its window waits for the new one', () => {
  const window = (from: string, to: string) => ({ sendWindow: { from, to, timezone: 'UTC' } });
  const change = (entry: DefinitionInput['entry'], enteredAt: string) =>
    moved({
      from: [email('one')],
      to: [email('one')],
      entries: [window('20:00', '21:00'), entry],
      at: 'one',
      enteredAt,
      waitUntil: '2026-03-10T20:00:00.000Z',
    }).until;
  assert.equal(change(window('20:00', '21:00'), ago(1)), '2026-03-10T20:00:00.000Z');
  assert.equal(change(window('16:00', '17:00'), ago(1)), '2026-03-10T16:00:00.000Z');
  assert.equal(change(null, ago(1)), NOW);
});

test('a step that is gone or has another type blocks, unless the map names one', () => {
  const given: Case = { from: [wait('pause', 72), email('two')], to: [email('pause'), email('two')], at: 'pause' };
  assert.deepEqual(migrated(given), { blocked: 'type_changed' });
  assert.deepEqual(migrated({ ...given, to: [email('two')] }), { blocked: 'step_gone' });
  assert.deepEqual(migrated({ ...given, map: { two: 'pause' } }), { blocked: 'type_changed' });
  assert.deepEqual(migrated({ ...given, to: [email('constructor')], at: 'pause' }), { blocked: 'step_gone' });

  const renamed = moved({
    ...given,
    to: [email('two'), wait('later', 96)],
    map: { pause: 'later' },
    waitUntil: ahead(24),
  });
  assert.deepEqual([renamed.stepId, renamed.until, renamed.state.enteredAt], ['later', ahead(48), ago(48)]);
});

test('who is mapped to a step of another type arrives there now', () => {
  const onward = moved({
    from: [wait('pause', 72), email('two')],
    to: [email('two')],
    map: { pause: 'two' },
    at: 'pause',
    waitUntil: ahead(24),
  });
  assert.deepEqual([onward.stepId, onward.until, onward.state.enteredAt], ['two', NOW, NOW]);
  const waits = moved({
    from: [email('one')],
    to: [wait('one', 5)],
    map: { one: 'one' },
    at: 'one',
    enteredAt: ago(48),
  });
  assert.deepEqual([waits.until, waits.state.enteredAt], [ahead(5), NOW]);
});

test('a visit never gets a number that was used', () => {
  const loop = [email('mail'), wait('pause', 24), { ...exit('out') }];
  const kept = moved({
    from: loop,
    to: [wait('pause', 24), email('mail')],
    at: 'pause',
    visits: { mail: 3, pause: 3, out: 0 },
  });
  assert.deepEqual(kept.visits, { pause: 3, mail: 3 });

  // Gone in `from`, and there again: the records know it.
  const back = moved({
    from: [wait('pause', 24)],
    to: [wait('pause', 24), email('mail')],
    at: 'pause',
    recorded: { mail: 2, pause: 1 },
  });
  assert.deepEqual(back.visits, { pause: 1, mail: 2 });

  // Mapped to a step that was visited itself: after its visits.
  const merged = moved({
    from: [email('a'), email('b')],
    to: [email('b')],
    map: { a: 'b' },
    at: 'a',
    visits: { a: 2, b: 1 },
    recorded: { a: 1, b: 1 },
  });
  assert.deepEqual(merged.visits, { b: 3 });

  // The step that was left keeps its count, should the execution come there later.
  const left = moved({ from: [email('a')], to: [email('b'), email('a')], map: { a: 'b' }, at: 'a', visits: { a: 2 } });
  assert.deepEqual(left.visits, { b: 2, a: 2 });
});

test('goals that were met stay met, by the ids of their steps', () => {
  const result = moved({
    from: [email('one'), wait('goal', 1), wait('gone', 1)],
    to: [wait('new', 1), wait('goal', 1), email('one')],
    at: 'one',
    met: [1, 2],
  });
  assert.deepEqual((result.state.position as Position & { met?: number[] }).met, [1]);
});
