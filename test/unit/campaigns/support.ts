import { parseTexts } from '../../../domain/emails/rendering/render-texts.ts';
import assert from 'node:assert/strict';
import {
  type Moment,
  type NextStep,
  type Outcome,
  type Position,
  type StepResult,
  advance,
  begin,
  plan,
} from '../../../domain/campaigns/execution/advance.ts';
import {
  type Definition,
  type DefinitionInput,
  normaliseDefinition,
} from '../../../domain/campaign-definitions/definition.ts';
import { checkPublicUrl } from '../../../domain/outbound/check-url.ts';
import { type DefinitionRefs, validateDefinition } from '../../../domain/campaign-definitions/validation/validate.ts';

/** Refs of a tenant that has ids 1 to 20 of everything and some custom fields. */
export const refs: DefinitionRefs = {
  templateIds: new Set(ids()),
  smsTemplateIds: new Set(ids()),
  pushTemplateIds: new Set(ids()),
  messageTemplateIds: new Set(ids()),
  listIds: new Set(ids()),
  segmentIds: new Set(ids()),
  formIds: new Set(ids()),
  campaignIds: new Set(ids()),
  userAddresses: new Set(['owner@example.com']),
  liquidMistakes: parseTexts(['{{ firstName', '{% if a %}', '{% include "/etc/passwd" %}']),
  checkUrl: checkPublicUrl,
  customFields: new Map([
    ['plan', { type: 'enum', options: ['free', 'pro'] }],
    ['seats', { type: 'number' }],
    ['renewal', { type: 'date' }],
  ]),
};

function ids(): number[] {
  return Array.from({ length: 20 }, (_, index) => index + 1);
}

export const always = { field: 'status', operator: 'eq', value: 'active' } as const;

export function definitionOf(steps: unknown[], rest: Omit<DefinitionInput, 'steps'> = {}): Definition {
  return normaliseDefinition({ ...rest, steps: steps as DefinitionInput['steps'] });
}

/** The definition of these steps, having asserted that it is valid. */
export function valid(steps: unknown[], rest: Omit<DefinitionInput, 'steps'> = {}): Definition {
  const definition = definitionOf(steps, rest);
  assert.deepEqual(validateDefinition(definition, refs), []);
  return definition;
}

export function moment(now: string, timezone: string | null = null): Moment {
  return { now: new Date(now), timezone };
}

export function goesOn(outcome: Outcome): { next: NextStep; position: Position } {
  assert.ok('next' in outcome, `ended: ${JSON.stringify(outcome)}`);
  return outcome;
}

/**
 * Runs an execution on skipped time: waits are over at once, conditions take the given matches in turn (null when they run
 * out). Gives the way as `id#visit`, and how it ended.
 */
export function walk(
  definition: Definition,
  start: Moment,
  matches: (number | null)[] = [],
): { way: string[]; outcome: Outcome; now: Date } {
  const answers = [...matches];
  const way: string[] = [];
  let { now } = start;
  let outcome = begin(definition, start);
  while ('next' in outcome && way.length < 1000) {
    const { next, position } = outcome;
    if (next.waitUntil && new Date(next.waitUntil) > now) now = new Date(next.waitUntil);
    const at = { ...start, now };
    const effect = plan(definition, position, at);
    assert.notEqual(effect.effect, 'wait', 'a wait that is over waits again');
    way.push(`${next.stepId}#${next.visit}`);
    const result: StepResult =
      effect.effect === 'evaluate'
        ? { kind: 'branch', matched: answers.shift() ?? null }
        : effect.effect === 'split'
          ? { kind: 'branch', matched: answers.shift() ?? 0 }
          : { kind: 'done' };
    outcome = advance(definition, position, result, at);
  }
  return { way, outcome, now };
}
