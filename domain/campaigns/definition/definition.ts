import { Type, type Static } from 'typebox';
import { type Entry, EntrySchema, type EntryInput, normaliseEntry } from './entry.ts';
import { MAX_STEPS, StepIdSchema, TargetSchema } from './schemas.ts';
import { STEP_TYPES, type Step, stepKinds } from './step-kinds.ts';
import { type Trigger, TriggerSchema } from './triggers.ts';

export { EntrySchema, TriggerSchema };

/**
 * A step as requests give it. The type and its config are left open here and judged by `validateDefinition`, which names
 * the step and tells all that is wrong with all of them at once, where a union would complain for every type there is.
 */
export const StepSchema = Type.Object(
  {
    id: Type.Optional(Type.String({ ...StepIdSchema, description: 'Unique in the campaign; generated if absent' })),
    type: Type.String({ description: STEP_TYPES.join(', ') }),
    config: Type.Optional(
      Type.Unsafe<object>({ type: 'object', description: STEP_TYPES.map((type) => stepKinds[type].about).join(' · ') }),
    ),
    next: Type.Optional(TargetSchema),
  },
  {
    additionalProperties: false,
    title: 'Step',
    examples: [{ id: 'pause', type: 'WAIT', config: { waitMinutes: 1440 } }],
  },
);
export type StepInput = Static<typeof StepSchema>;

export const StepsSchema = Type.Array(StepSchema, { maxItems: MAX_STEPS });

export interface DefinitionInput {
  trigger?: Trigger | null;
  steps?: readonly StepInput[] | null;
  entry?: EntryInput | null;
}

/** What a campaign does; published versions of it never change. */
export interface Definition {
  trigger: Trigger;
  steps: Step[];
  entry: Entry;
}

/**
 * Gives every step an id and a config, keeping the order. Missing ids become `step-1`, `step-2`, … in the order of the
 * list, leaving out those that are taken, so the same input always gets the same ids. `validateDefinition` judges what
 * comes out.
 */
export function normaliseSteps(input: readonly StepInput[]): Step[] {
  const taken = new Set(input.map((step) => step.id));
  let last = 0;
  function freeId(): string {
    do last += 1;
    while (taken.has(`step-${last}`));
    return `step-${last}`;
  }
  return input.map((step) => ({ ...step, id: step.id ?? freeId(), config: step.config ?? {} })) as Step[];
}

/** Fills ids and, for what is absent or null, defaults: trigger MANUAL, no steps, those of `Entry`. */
export function normaliseDefinition({ trigger, steps, entry }: DefinitionInput): Definition {
  return {
    trigger: trigger ?? { type: 'MANUAL' },
    steps: normaliseSteps(steps ?? []),
    entry: normaliseEntry(entry ?? {}),
  };
}
