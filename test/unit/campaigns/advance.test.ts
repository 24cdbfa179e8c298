import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { advance, begin, plan } from '../../../domain/campaigns/execution/advance.ts';
import { always, goesOn, moment, valid, walk } from './support.ts';

const NOON = moment('2026-03-02T12:00:00.000Z');
const email = (templateId: number, rest: object = {}) => ({ type: 'EMAIL', config: { templateId }, ...rest });
const later = (minutes: number) => moment(new Date(NOON.now.getTime() + minutes * 60_000).toISOString());

test('a list runs to its end: COMPLETED, currentStep is the number of steps', () => {
  const definition = valid([email(1), { type: 'WAIT', config: { waitMinutes: 60 } }, email(2)]);
  const { way, outcome, now } = walk(definition, NOON);
  assert.deepEqual(way, ['step-1#1', 'step-2#1', 'step-3#1']);
  assert.deepEqual(outcome, { end: { status: 'COMPLETED', currentStep: 3, exitReason: null } });
  assert.equal(now.toISOString(), '2026-03-02T13:00:00.000Z');
});

test('a definition without steps is completed at once', () => {
  assert.deepEqual(begin(valid([]), NOON), { end: { status: 'COMPLETED', currentStep: 0, exitReason: null } });
});

test('a step tells what it is and what it asks for', () => {
  const definition = valid([
    email(12, { id: 'hello' }),
    { type: 'SEGMENT', config: { action: 'add', listId: 3 } },
    { type: 'SEGMENT', config: { action: 'remove', listId: 4 } },
  ]);
  const first = goesOn(begin(definition, NOON));
  assert.deepEqual(first.next, {
    stepId: 'hello',
    type: 'EMAIL',
    currentStep: 0,
    visit: 1,
    summary: 'email template 12',
  });
  assert.deepEqual(plan(definition, first.position, NOON), { effect: 'email', templateId: 12 });
  const second = goesOn(advance(definition, first.position, { kind: 'done' }, NOON));
  assert.equal(second.next.summary, 'add to list 3');
  assert.deepEqual(plan(definition, second.position, NOON), { effect: 'membership', action: 'add', listId: 3 });
  const third = goesOn(advance(definition, second.position, { kind: 'done' }, NOON));
  assert.equal(third.next.summary, 'remove from list 4');
  assert.deepEqual(plan(definition, third.position, NOON), { effect: 'membership', action: 'remove', listId: 4 });
});

test('a suppressed email goes on like a sent one', () => {
  const definition = valid([email(1), email(2)]);
  const { position } = goesOn(begin(definition, NOON));
  assert.deepEqual(
    advance(definition, position, { kind: 'suppressed' }, NOON),
    advance(definition, position, { kind: 'done' }, NOON),
  );
});

test('next jumps forward and back, null ends, and currentStep is the index in the list', () => {
  const definition = valid([
    email(1, { id: 'a', next: 'c' }),
    email(2, { id: 'b', next: null }),
    { id: 'c', type: 'WAIT', config: { waitMinutes: 1 }, next: 'b' },
  ]);
  const { way, outcome } = walk(definition, NOON);
  assert.deepEqual(way, ['a#1', 'c#1', 'b#1']);
  assert.deepEqual(outcome, { end: { status: 'COMPLETED', currentStep: 3, exitReason: null } });
  const { position } = goesOn(begin(definition, NOON));
  assert.equal(goesOn(advance(definition, position, { kind: 'done' }, NOON)).next.currentStep, 2);
});

test('EXIT stops with a reason and keeps its place', () => {
  const definition = valid([email(1), { type: 'EXIT' }, email(2)]);
  const { way, outcome } = walk(definition, NOON);
  assert.deepEqual(way, ['step-1#1', 'step-2#1']);
  assert.deepEqual(outcome, { end: { status: 'STOPPED', currentStep: 1, exitReason: 'exit_step' } });
});

test('any step can be left: unsubscribed, deleted, …', () => {
  const definition = valid([email(1), { type: 'CONDITION', config: { if: always } }]);
  const { position } = goesOn(begin(definition, NOON));
  const { position: second } = goesOn(advance(definition, position, { kind: 'done' }, NOON));
  const outcome = advance(definition, second, { kind: 'exit', reason: 'unsubscribed' }, NOON);
  assert.deepEqual(outcome, { end: { status: 'STOPPED', currentStep: 1, exitReason: 'unsubscribed' } });
});

test('CONDITION takes then, the branches in order, or else', () => {
  const other = { field: 'score', operator: 'gte', value: 10 };
  const definition = valid([
    {
      id: 'if',
      type: 'CONDITION',
      config: {
        if: always,
        then: 'b',
        branches: [
          { if: other, next: 'c' },
          { if: always, next: null },
        ],
        else: 'd',
      },
    },
    email(1, { id: 'a', next: null }),
    email(2, { id: 'b', next: null }),
    email(3, { id: 'c', next: null }),
    email(4, { id: 'd', next: null }),
  ]);
  const { next, position } = goesOn(begin(definition, NOON));
  assert.equal(next.summary, 'condition with 3 branches');
  assert.deepEqual(plan(definition, position, NOON), { effect: 'evaluate', filters: [always, other, always] });
  assert.deepEqual(walk(definition, NOON, [0]).way, ['if#1', 'b#1']);
  assert.deepEqual(walk(definition, NOON, [1]).way, ['if#1', 'c#1']);
  assert.deepEqual(walk(definition, NOON, [2]).way, ['if#1']);
  assert.deepEqual(walk(definition, NOON, [null]).way, ['if#1', 'd#1']);
});

test('targets that CONDITION leaves out are the following step, or its next', () => {
  const steps = (rest: object) => [
    { id: 'if', type: 'CONDITION', config: { if: always, branches: [{ if: always }] }, ...rest },
    email(1, { id: 'a', next: null }),
    email(2, { id: 'b' }),
  ];
  for (const match of [0, 1, null]) {
    assert.deepEqual(walk(valid(steps({})), NOON, [match]).way, ['if#1', 'a#1']);
    assert.deepEqual(walk(valid(steps({ next: 'b' })), NOON, [match]).way, ['if#1', 'b#1']);
    assert.deepEqual(walk(valid(steps({ next: null })), NOON, [match]).way, ['if#1']);
  }
  const last = valid([{ id: 'if', type: 'CONDITION', config: { if: always, then: null } }]);
  assert.deepEqual(walk(last, NOON, [null]).outcome, {
    end: { status: 'COMPLETED', currentStep: 1, exitReason: null },
  });
});

test('every entry of a step is another visit', () => {
  const definition = valid([
    email(1, { id: 'mail' }),
    { id: 'pause', type: 'WAIT', config: { waitMinutes: 1440 } },
    { id: 'again', type: 'CONDITION', config: { if: always, then: 'mail', else: null } },
  ]);
  const { way, now } = walk(definition, NOON, [0, 0]);
  assert.deepEqual(way, [
    'mail#1',
    'pause#1',
    'again#1',
    'mail#2',
    'pause#2',
    'again#2',
    'mail#3',
    'pause#3',
    'again#3',
  ]);
  assert.equal(now.toISOString(), '2026-03-05T12:00:00.000Z');
});

test('a position survives JSON, and ids like __proto__ and constructor are ids like others', () => {
  const definition = valid([
    email(1, { id: '__proto__', next: 'constructor' }),
    email(2, { id: 'toString', next: null }),
    { id: 'constructor', type: 'WAIT', config: { waitMinutes: 5 }, next: 'toString' },
  ]);
  assert.deepEqual(walk(definition, NOON).way, ['__proto__#1', 'constructor#1', 'toString#1']);
  const { position } = goesOn(begin(definition, NOON));
  const { position: waiting } = goesOn(advance(definition, position, { kind: 'done' }, NOON));
  assert.deepEqual(JSON.parse(JSON.stringify(waiting)), waiting);
});

test('WAIT in minutes counts from arrival; woken early it stays in the same visit', () => {
  const definition = valid([{ id: 'w', type: 'WAIT', config: { waitMinutes: 4365 } }, email(1)]);
  const { next, position } = goesOn(begin(definition, NOON));
  assert.deepEqual(next, {
    stepId: 'w',
    type: 'WAIT',
    currentStep: 0,
    visit: 1,
    summary: 'wait 3 days 45 minutes',
    waitUntil: '2026-03-05T12:45:00.000Z',
  });
  const effect = plan(definition, position, later(4364));
  assert.deepEqual(effect, { effect: 'wait', until: new Date('2026-03-05T12:45:00.000Z') });
  assert.ok(effect.effect === 'wait');
  const again = advance(definition, position, { kind: 'wait', until: effect.until }, later(4364));
  assert.deepEqual(again, { next, position });
  assert.deepEqual(plan(definition, position, later(4365)), { effect: 'none' });
});

test('WAIT of no minutes and until the past are over at once, with no time to wait for', () => {
  for (const config of [{ waitMinutes: 0 }, { until: '2020-01-01T00:00:00Z' }]) {
    const definition = valid([{ type: 'WAIT', config }, email(1)]);
    const { next, position } = goesOn(begin(definition, NOON));
    assert.equal(next.type, 'WAIT');
    assert.equal(next.waitUntil, undefined);
    assert.deepEqual(plan(definition, position, NOON), { effect: 'none' });
  }
});

test('WAIT until an instant takes its offset into account', () => {
  const definition = valid([{ type: 'WAIT', config: { until: '2026-03-02T20:00:00+02:00' } }]);
  const { next } = goesOn(begin(definition, NOON));
  assert.equal(next.waitUntil, '2026-03-02T18:00:00.000Z');
  assert.equal(next.summary, 'wait until 2026-03-02T20:00:00+02:00');
});

test("WAIT until a local time is the contact's", () => {
  const steps = [{ type: 'WAIT', config: { untilLocalTime: { weekday: 'Tuesday', time: '09:00' } } }];
  const until = (timezone: string | null) => goesOn(begin(valid(steps), { ...NOON, timezone })).next.waitUntil;
  assert.equal(until('Europe/Warsaw'), '2026-03-03T08:00:00.000Z');
  assert.equal(until('America/New_York'), '2026-03-03T14:00:00.000Z');
  assert.equal(until('Asia/Kolkata'), '2026-03-03T03:30:00.000Z');
  assert.equal(until(null), '2026-03-03T09:00:00.000Z');
  assert.equal(until('Nowhere/Land'), '2026-03-03T09:00:00.000Z');
  assert.equal(goesOn(begin(valid(steps), NOON)).next.summary, 'wait until tuesday 09:00 local time');
});

test('summaries of waits read as durations', () => {
  const summary = (waitMinutes: number) =>
    goesOn(begin(valid([{ type: 'WAIT', config: { waitMinutes } }]), NOON)).next.summary;
  assert.deepEqual([0, 1, 60, 61, 1440, 2880, 1501].map(summary), [
    'wait 0 minutes',
    'wait 1 minute',
    'wait 1 hour',
    'wait 1 hour 1 minute',
    'wait 1 day',
    'wait 2 days',
    'wait 1 day 1 hour 1 minute',
  ]);
});

test('a clock that is behind does not make the same morning come twice', () => {
  const definition = valid([
    { id: 'w', type: 'WAIT', config: { untilLocalTime: { time: '09:00' } } },
    email(1, { id: 'mail', next: 'w' }),
  ]);
  const { position } = goesOn(begin(definition, NOON));
  assert.equal(position.waitUntil, '2026-03-03T09:00:00.000Z');
  const mailed = goesOn(advance(definition, position, { kind: 'done' }, moment('2026-03-03T09:00:00.000Z')));
  const behind = moment('2026-03-03T08:59:59.950Z');
  assert.equal(plan(definition, mailed.position, behind).effect, 'wait');
  const again = goesOn(advance(definition, mailed.position, { kind: 'done' }, behind));
  assert.equal(again.next.waitUntil, '2026-03-04T09:00:00.000Z');
});

test('EMAIL waits for the send window, also when it has closed meanwhile', () => {
  const sendWindow = { days: ['monday', 2], from: '09:00', to: '17:00', timezone: 'contact' };
  const definition = valid([email(1, { id: 'mail' }), email(2)], { entry: { sendWindow } });
  const warsaw = (now: string) => moment(now, 'Europe/Warsaw');
  const open = warsaw('2026-03-02T15:59:59.999Z');
  assert.equal(goesOn(begin(definition, open)).next.waitUntil, undefined);

  const closed = warsaw('2026-03-02T16:00:00.000Z');
  const { next, position } = goesOn(begin(definition, closed));
  assert.equal(next.waitUntil, '2026-03-03T08:00:00.000Z');
  assert.deepEqual(plan(definition, position, warsaw('2026-03-03T08:00:00.000Z')), { effect: 'email', templateId: 1 });

  const missed = warsaw('2026-03-03T20:00:00.000Z');
  const effect = plan(definition, position, missed);
  assert.deepEqual(effect, { effect: 'wait', until: new Date('2026-03-09T08:00:00.000Z') });
  assert.ok(effect.effect === 'wait');
  const stays = goesOn(advance(definition, position, { kind: 'wait', until: effect.until }, missed));
  assert.deepEqual(
    [stays.next.stepId, stays.next.visit, stays.next.waitUntil],
    ['mail', 1, '2026-03-09T08:00:00.000Z'],
  );
});

test('planning changes nothing and advancing does not touch the position it was given', () => {
  const definition = valid([email(1), email(2)]);
  const { position } = goesOn(begin(definition, NOON));
  const before = structuredClone(position);
  plan(definition, position, NOON);
  advance(definition, position, { kind: 'done' }, NOON);
  advance(definition, position, { kind: 'wait', until: new Date() }, NOON);
  assert.deepEqual(position, before);
});

test('results that a step can not have, and positions of another version, are defects', () => {
  const definition = valid([email(1), { type: 'CONDITION', config: { if: always } }]);
  const at = (stepIndex: number) => ({ stepIndex, visits: [1, 1], waitUntil: null });
  assert.throws(
    () => advance(definition, at(0), { kind: 'branch', matched: 0 }, NOON),
    /branch is no result of a EMAIL step/,
  );
  assert.throws(() => advance(definition, at(1), { kind: 'done' }, NOON), /done is no result of a CONDITION step/);
  assert.throws(() => advance(definition, at(1), { kind: 'branch', matched: 1 }, NOON), /no way out/);
  assert.throws(() => plan(definition, at(2), NOON), /No step of a known type at index 2/);
});
