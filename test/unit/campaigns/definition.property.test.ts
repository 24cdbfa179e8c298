import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import fc from 'fast-check';
import { type StepResult, advance, begin, jump, openGoals, plan } from '../../../domain/campaigns/execution/advance.ts';
import type { Definition } from '../../../domain/campaign-definitions/definition.ts';
import { exitsOf, stepIndexes, targetIndex } from '../../../domain/campaign-definitions/validation/flow.ts';
import { referencedIds } from '../../../domain/campaign-definitions/validation/references.ts';
import { STEP_TYPES, stepKind } from '../../../domain/campaign-definitions/step-kinds.ts';
import { validateDefinition } from '../../../domain/campaign-definitions/validation/validate.ts';
import { always, definitionOf, moment, refs } from './support.ts';

const ODD_IDS = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

/** Steps of every type with targets among them, most of them sound, loops of every kind included. */
const stepLists = fc.integer({ min: 1, max: ODD_IDS.length }).chain((count) => {
  const ids = ODD_IDS.slice(0, count);
  const target = fc.option(fc.option(fc.constantFrom(...ids), { nil: null, freq: 8 }), { nil: undefined, freq: 2 });
  const wait = fc.oneof(
    { weight: 3, arbitrary: fc.record({ waitMinutes: fc.integer({ min: 0, max: 3000 }) }) },
    fc.constant({ waitMinutes: 0 }),
    fc.constant({ until: '2026-04-01T00:00:00Z' }),
    fc.record({ untilLocalTime: fc.constantFrom({ time: '02:30' }, { weekday: 'sunday', time: '02:30' }) }),
  );
  const body = fc.oneof(
    fc.constant({ type: 'EMAIL', config: { templateId: 1 } }),
    fc.record({ type: fc.constant('WAIT'), config: wait }),
    fc.constant({ type: 'SEGMENT', config: { action: 'add', listId: 1 } }),
    fc.record({
      type: fc.constant('CONDITION'),
      config: fc.record({
        if: fc.constant(always),
        then: target,
        else: target,
        branches: fc.array(fc.record({ if: fc.constant(always), next: target }), { maxLength: 2 }),
      }),
    }),
    fc.record({
      type: fc.constant('SPLIT'),
      config: fc.record({
        branches: fc.array(fc.record({ weight: fc.integer({ min: 1, max: 1000 }), next: target }), {
          minLength: 2,
          maxLength: 4,
        }),
      }),
    }),
    fc.constant({ type: 'UPDATE_CONTACT', config: { set: { jobTitle: 'Engineer', customFields: { seats: 3 } } } }),
    fc.constant({ type: 'SCORE', config: { points: -5, reason: 'no answer' } }),
    fc.constantFrom(
      { type: 'WEBHOOK', config: { url: 'https://hooks.example.com/a' } },
      { type: 'NOTIFY', config: { to: 'owner@example.com', subject: 'Hi {{firstName}}', body: 'Hello' } },
    ),
    fc.constant({ type: 'EXIT', config: {} }),
    fc.record({
      type: fc.constant('WAIT_FOR_EVENT'),
      config: fc.record({
        event: fc.constant('EMAIL_OPENED'),
        timeoutMinutes: fc.integer({ min: 0, max: 3000 }),
        onTimeout: target,
      }),
    }),
    fc.constant({ type: 'GOAL', config: { if: always } }),
  );
  const list = fc.tuple(...ids.map((id) => fc.tuple(body, target).map(([step, next]) => ({ id, ...step, next }))));
  // JSON, as it comes from a request: absent, not undefined.
  return list.map((steps) => JSON.parse(JSON.stringify(steps)) as unknown[]);
});

/** Whether some step that takes no time leads to itself over such steps: by transitive closure, unlike the code. */
function spins({ steps }: Definition): boolean {
  const indexes = stepIndexes(steps);
  const takesTime = steps.map(({ type, config }) => stepKind(type)!.takesTime?.(config) ?? false);
  const reach = steps.map((step, index) => {
    const exits = exitsOf(stepKind(step.type)!, step.config);
    const targets = exits.map((exit) => targetIndex(exit, step, index, steps.length, indexes));
    return steps.map((_step, to) => targets.includes(to) && !takesTime[index] && !takesTime[to]);
  });
  for (const [k] of steps.entries()) {
    for (const row of reach) if (row[k]) for (const [j] of steps.entries()) row[j] ||= reach[k]![j]!;
  }
  return reach.some((row, index) => row[index]);
}

test('a loop without a WAIT is found if and only if there is one', () => {
  let loops = 0;
  fc.assert(
    fc.property(stepLists, (steps) => {
      const definition = definitionOf(steps);
      const violations = validateDefinition(definition, refs);
      assert.ok(
        violations.every(({ code }) => code === 'loop_without_wait'),
        JSON.stringify(violations),
      );
      assert.equal(violations.length > 0, spins(definition));
      loops += violations.length > 0 ? 1 : 0;
    }),
    { numRuns: 1500 },
  );
  assert.ok(loops > 100 && loops < 1400, `${loops} of 1500 had loops`);
});

test('a walk through any valid definition ends or keeps passing WAITs; visits count and places are right', () => {
  const answers = fc.array(fc.nat(3), { minLength: 1, maxLength: 20 });
  let walks = 0;
  let goals = 0;
  fc.assert(
    fc.property(
      stepLists,
      answers,
      fc.constantFrom('Europe/Warsaw', 'America/New_York', null),
      (steps, choices, timezone) => {
        const definition = definitionOf(steps);
        if (validateDefinition(definition, refs).length > 0) return;
        walks += 1;
        const counted = new Map<string, number>();
        let clock = moment('2026-03-27T12:00:00Z', timezone);
        let sinceWait = 0;
        let outcome = begin(definition, clock);
        for (let count = 0; count < 300 && 'next' in outcome; count += 1) {
          let { next, position } = outcome;
          assert.equal(definition.steps[next.currentStep]?.id, next.stepId);
          assert.equal(definition.steps[next.currentStep]?.type, next.type);
          counted.set(next.stepId, (counted.get(next.stepId) ?? 0) + 1);
          assert.equal(next.visit, counted.get(next.stepId));
          assert.ok(next.summary.length > 0 && next.summary.length <= 100);
          sinceWait += 1;
          assert.ok(sinceWait <= definition.steps.length, 'spins');
          const choice = choices[count % choices.length]!;
          const open = openGoals(definition, position).find(({ stepIndex }) => stepIndex !== next.currentStep);
          if (open && choice === 3) {
            ({ next, position } = jump(definition, position, open, clock));
            assert.equal(next.stepId, open.stepId);
            sinceWait = 0;
            counted.set(next.stepId, (counted.get(next.stepId) ?? 0) + 1);
            goals += 1;
          }
          const due = next.waitUntil ?? (next.looks ? position.waitUntil : null);
          if (due !== null && new Date(due) > clock.now) {
            assert.ok(['wait', 'await'].includes(plan(definition, position, clock).effect));
            clock = { ...clock, now: new Date(due) };
            sinceWait = 0;
          }
          const effect = plan(definition, position, clock);
          const result: StepResult =
            effect.effect === 'goal'
              ? { kind: 'goal', met: open !== undefined && choice === 3 }
              : effect.effect === 'await'
                ? { kind: 'branch', matched: choice % 2 }
                : effect.effect === 'evaluate'
                  ? { kind: 'branch', matched: choice < effect.filters.length ? choice : null }
                  : effect.effect === 'split'
                    ? { kind: 'branch', matched: choice % effect.weights.length }
                    : { kind: choice === 0 && next.type === 'EMAIL' ? 'suppressed' : 'done' };
          const stored = JSON.parse(JSON.stringify(position)) as typeof position;
          outcome = advance(definition, stored, result, clock);
          assert.deepEqual(outcome, advance(definition, position, result, clock));
        }
        if ('end' in outcome && outcome.end.status === 'COMPLETED')
          assert.equal(outcome.end.currentStep, definition.steps.length);
      },
    ),
    { numRuns: 1500 },
  );
  assert.ok(walks > 150, `only ${walks} walks`);
  assert.ok(goals > 50, `only ${goals} goals`);
});

test('any JSON is judged without a throw, and nothing but a sound definition passes', () => {
  const configKeys = fc.constantFrom(
    'templateId',
    'waitMinutes',
    'until',
    'untilLocalTime',
    'if',
    'then',
    'else',
    'branches',
    'set',
    'points',
    'url',
    'to',
    'subject',
    'body',
    '__proto__',
  );
  const nearly = fc.record(
    {
      id: fc.oneof(fc.constantFrom(...ODD_IDS), fc.jsonValue()),
      type: fc.oneof(fc.constantFrom(...STEP_TYPES, '__proto__', 'toString'), fc.jsonValue()),
      config: fc.oneof(fc.dictionary(configKeys, fc.jsonValue()), fc.jsonValue()),
      next: fc.oneof(fc.constantFrom(...ODD_IDS), fc.jsonValue()),
    },
    { requiredKeys: [] },
  );
  const definitions = fc.oneof(
    fc.jsonValue(),
    fc.record(
      { trigger: fc.jsonValue(), steps: fc.array(fc.oneof(nearly, fc.jsonValue())), entry: fc.jsonValue() },
      { requiredKeys: [] },
    ),
  );
  fc.assert(
    fc.property(definitions, (definition) => {
      const parsed = JSON.parse(JSON.stringify(definition)) as object;
      // Not the text above: JSON.parse of Node 24 reads the key "\"" as "\\" at times (github.com/nodejs/node/issues/63785).
      const before = JSON.stringify(parsed);
      const violations = validateDefinition(parsed, refs);
      for (const { path, code, message } of violations) {
        assert.match(path, /^(\/([^~/]|~0|~1)*)*$/);
        assert.match(code, /^[a-z_]+$/);
        assert.ok(message.length > 0);
      }
      assert.equal(JSON.stringify(parsed), before);
      if (typeof parsed === 'object' && parsed !== null) referencedIds(parsed);
    }),
    { numRuns: 1500 },
  );
});
