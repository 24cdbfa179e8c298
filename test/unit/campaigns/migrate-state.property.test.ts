import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import fc from 'fast-check';
import type { Definition } from '../../../domain/campaign-definitions/definition.ts';
import { advance, begin, plan, type StepResult } from '../../../domain/campaigns/execution/advance.ts';
import { aheadOf, type ExecutionState } from '../../../domain/campaigns/execution/execution.ts';
import { migrateState } from '../../../domain/campaigns/execution/migrate-state.ts';
import { always, goesOn, moment, valid } from './support.ts';

const IDS = ['__proto__', 'a', 'b', 'c', 'd', 'e'];
const START = moment('2026-03-02T12:00:00Z');

/** Valid versions with some of the ids, in any order: emails and waits, with loops through a wait. */
const versions = fc
  .record({
    ids: fc.shuffledSubarray(IDS, { minLength: 1 }),
    types: fc.array(fc.constantFrom('EMAIL', 'WAIT', 'CONDITION'), { minLength: IDS.length, maxLength: IDS.length }),
    minutes: fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: IDS.length, maxLength: IDS.length }),
    loops: fc.boolean(),
  })
  .map(({ ids, types, minutes, loops }): Definition => {
    const steps = ids.map((id, index) => {
      if (types[index] === 'EMAIL') return { id, type: 'EMAIL', config: { templateId: 1 } };
      if (types[index] === 'CONDITION') return { id, type: 'CONDITION', config: { if: always } };
      return { id, type: 'WAIT', config: { waitMinutes: minutes[index] } };
    });
    // The end leads back to the start, after a day.
    return valid(loops ? [...steps, { id: 'loop', type: 'WAIT', config: { waitMinutes: 1440 }, next: ids[0] }] : steps);
  });

test('through any versions, no visit of a step has a number twice, and nobody runs before a wait is over', () => {
  let moves = 0;
  const property = fc.property(
    fc.array(versions, { minLength: 2, maxLength: 5 }),
    fc.array(
      fc.record({
        move: fc.boolean(),
        to: fc.nat(4),
        map: fc.dictionary(fc.constantFrom(...IDS), fc.constantFrom(...IDS)),
        later: fc.integer({ min: 0, max: 4000 }),
      }),
      {
        maxLength: 40,
      },
    ),
    (all, actions) => {
      let definition = all[0]!;
      let { now } = START;
      const begun = goesOn(begin(definition, START));
      let state: ExecutionState = {
        position: begun.position,
        enteredAt: now.toISOString(),
        ahead: aheadOf(definition, 0, begun, START),
      };
      const recorded = new Map<string, number>();
      const seen = new Set<string>();
      for (const { move, to, map, later } of actions) {
        now = new Date(now.getTime() + later * 60_000);
        const at = { ...START, now };
        if (move) {
          const next = all[to % all.length]!;
          const before = structuredClone(state);
          const result = migrateState(
            { from: definition, to: next, version: 2, map },
            state,
            recorded,
            state.ahead.seq + 1,
            at,
          );
          assert.deepEqual(state, before);
          if ('blocked' in result) continue;
          moves += 1;
          const { position } = result.state;
          assert.equal(next.steps[result.currentStep]!.id, result.stepId);
          assert.deepEqual([position.stepIndex, position.visits.length], [result.currentStep, next.steps.length]);
          assert.ok(position.visits[position.stepIndex]! >= 1);
          assert.equal(result.state.ahead.seq, before.ahead.seq + 1);
          ({ state } = result);
          definition = next;
          continue;
        }
        const { position } = state;
        const effect = plan(definition, position, at);
        if (effect.effect === 'wait') {
          assert.ok(effect.until > now);
          continue;
        }
        const { id } = definition.steps[position.stepIndex]!;
        const visit = position.visits[position.stepIndex]!;
        assert.ok(!seen.has(`${id}:${visit}`), `${id} ran twice in its visit ${visit}`);
        seen.add(`${id}:${visit}`);
        recorded.set(id, Math.max(recorded.get(id) ?? 0, visit));
        const done: StepResult = effect.effect === 'evaluate' ? { kind: 'branch', matched: null } : { kind: 'done' };
        const outcome = advance(definition, position, done, at);
        if ('end' in outcome) return;
        state = {
          position: outcome.position,
          enteredAt: now.toISOString(),
          ahead: aheadOf(definition, state.ahead.seq + 1, outcome, at),
        };
      }
    },
  );
  fc.assert(property, { numRuns: 500 });
  assert.ok(moves > 500, `${moves} moves`);
});
