import { Type } from 'typebox';
import type { Violation } from '../../../lib/checks/errors.ts';
import { MAX_VIOLATIONS } from '../../membership/filter/check-filter.ts';
import type { CheckContext } from '../steps/kind.ts';
import { checkTargets } from './check-targets.ts';
import { EntrySchema, checkSendWindow } from '../entry.ts';
import { type ReferencedIds, missingReferences } from './references.ts';
import { schemaViolations } from './schema-violations.ts';
import { MAX_STEPS, StepIdSchema, TargetSchema } from '../schemas.ts';
import { isObject, validStep } from './valid-step.ts';
import { STEP_TYPES, stepKind } from '../step-kinds.ts';
import { TRIGGER_TYPES, type Trigger, checkTrigger, triggerReferences, triggerSchema } from '../triggers.ts';

/** The tenant's existing ids that a definition may refer to, and what else its steps are checked against. */
export interface DefinitionRefs extends ReferencedIds, Omit<CheckContext, 'sendingStepIds'> {}

// The registry checks type and config, so that a mistake there gives one clear violation.
const ListedStepSchema = Type.Object(
  {
    id: StepIdSchema,
    type: Type.Optional(Type.Unknown()),
    config: Type.Optional(Type.Unknown()),
    next: Type.Optional(TargetSchema),
  },
  { additionalProperties: false },
);

function under(path: string, violations: readonly Violation[], subject?: string): Violation[] {
  return violations.map((violation) => ({
    path: path + violation.path,
    code: violation.code,
    message: subject === undefined ? violation.message : `${subject}: ${violation.message}`,
  }));
}

/** `step "welcome"`, or `step 3` (its index) if it has no usable id. */
function nameOf(step: unknown, index: number): string {
  const id = isObject(step) ? step['id'] : undefined;
  return typeof id === 'string' ? `step ${JSON.stringify(id.slice(0, 64))}` : `step ${index}`;
}

/** The violations of a single step, including those of its config. */
function checkShape(step: unknown): Violation[] {
  if (!isObject(step)) return [{ path: '', code: 'type', message: 'must be an object' }];
  const violations = schemaViolations(ListedStepSchema, step);
  const kind = stepKind(step['type']);
  if (kind) return [...violations, ...under('/config', schemaViolations(kind.config, step['config']))];
  const code = step['type'] === undefined ? 'required' : 'unknown_type';
  return [...violations, { path: '/type', code, message: `type must be one of ${STEP_TYPES.join(', ')}` }];
}

function checkSteps(steps: readonly unknown[], refs: DefinitionRefs): Violation[] {
  const listed = steps.map((step, index) => ({
    name: nameOf(step, index),
    id: isObject(step) && typeof step['id'] === 'string' ? step['id'] : '',
    next: isObject(step) ? step['next'] : undefined,
    sound: validStep(step),
  }));
  const sendingStepIds = new Set(listed.filter(({ sound }) => sound?.kind.sends).map(({ id }) => id));
  const seen = new Set<string>();
  const violations: Violation[] = [];
  for (const [index, { name, id, sound }] of listed.entries()) {
    if (violations.length >= MAX_VIOLATIONS) return violations;
    violations.push(...under(`/steps/${index}`, checkShape(steps[index]), name));
    if (id !== '' && seen.has(id)) {
      const message = `${name}: an earlier step has the same id`;
      violations.push({ path: `/steps/${index}/id`, code: 'duplicate', message });
    }
    seen.add(id);
    if (!sound) continue;
    const inside: Violation[] = [
      ...((sound.isWhole && sound.kind.check?.(sound.config, { ...refs, sendingStepIds })) || []),
      ...missingReferences(sound.kind.references?.(sound.config) ?? [], refs),
    ].map((violation) => ({ ...violation, path: sound.pathOf(violation.path) }));
    violations.push(...under(`/steps/${index}/config`, inside, name));
  }
  return [...violations, ...checkTargets(listed)];
}

function checkTriggerPart(trigger: unknown, refs: DefinitionRefs): Violation[] {
  const schema = isObject(trigger) ? triggerSchema(trigger['type']) : undefined;
  if (!schema) {
    const [path, code] = isObject(trigger) ? ['/type', 'unknown_type'] : ['', 'type'];
    return [{ path, code, message: `must be an object whose type is one of ${TRIGGER_TYPES.join(', ')}` }];
  }
  const given = trigger as Partial<Trigger>;
  return mergeViolations(schemaViolations(schema, trigger), [
    ...checkTrigger(given, refs),
    ...missingReferences(triggerReferences(given), refs),
  ]);
}

/** Merges violations: those of the schema, and those of the rules at paths without a schema violation. */
function mergeViolations(bySchema: Violation[], byRules: readonly Violation[]): Violation[] {
  const told = new Set(bySchema.map(({ path }) => path));
  return [...bySchema, ...byRules.filter(({ path }) => !told.has(path))];
}

function checkEntryPart(entry: unknown): Violation[] {
  const violations = schemaViolations(EntrySchema, entry);
  return isObject(entry) && isObject(entry['sendWindow'])
    ? mergeViolations(violations, checkSendWindow({ sendWindow: entry['sendWindow'] }))
    : violations;
}

/**
 * All violations of a definition (of `normaliseDefinition`), up to 1000; none means that it is a valid `Definition`.
 * Paths are JSON Pointers from the definition; messages name the step. Takes any JSON and never throws.
 *
 * Unreachable steps are allowed. A loop must contain a WAIT that takes time at every passage: `waitMinutes` of 1 or
 * more, or `untilLocalTime`. `until` does not count, because it is past from the second passage on.
 */
export function validateDefinition(definition: unknown, refs: DefinitionRefs): Violation[] {
  if (!isObject(definition)) return [{ path: '', code: 'type', message: 'the definition must be an object' }];
  const { trigger, steps, entry } = definition;
  const violations = [
    ...under('/trigger', checkTriggerPart(trigger, refs), 'trigger'),
    ...under('/entry', checkEntryPart(entry), 'entry'),
  ];
  if (!Array.isArray(steps)) {
    violations.push({ path: '/steps', code: 'type', message: 'steps must be a list' });
  } else if (steps.length > MAX_STEPS) {
    violations.push({ path: '/steps', code: 'too_many', message: `there must be at most ${MAX_STEPS} steps` });
  } else {
    violations.push(...checkSteps(steps, refs));
  }
  return violations.slice(0, MAX_VIOLATIONS);
}
