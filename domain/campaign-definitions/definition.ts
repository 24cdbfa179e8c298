import { Type, type Static } from 'typebox';
import { type Entry, EntrySchema, type EntryInput, normaliseEntry } from './entry.ts';
import type { Names } from './names.ts';
import { MAX_STEPS, StepIdSchema, TargetSchema } from './schemas.ts';
import { STEP_TYPES, type Step, stepKinds } from './step-kinds.ts';
import { recurs, type Trigger, TriggerSchema } from './triggers.ts';

export { EntrySchema, TriggerSchema };

const stepBase = {
  id: Type.Optional(Type.String({ ...StepIdSchema, description: 'Unique in the campaign; generated if absent' })),
  next: Type.Optional(TargetSchema),
};

/** `WAIT_FOR_EVENT` → `WaitForEventStep`. */
const titleOf = (type: string): string =>
  `${type
    .split('_')
    .map((word) => word[0] + word.slice(1).toLowerCase())
    .join('')}Step`;

/** Each type of steps by itself, for the API description and the types of its clients. */
const StepKinds = Type.Unsafe<object>({
  oneOf: STEP_TYPES.map((type) => {
    const { config, about } = stepKinds[type];
    return Type.Object(
      {
        ...stepBase,
        type: Type.Literal(type),
        config: type === 'EXIT' ? Type.Optional(config) : config,
      },
      { additionalProperties: false, title: titleOf(type), description: about },
    );
  }),
  discriminator: {
    propertyName: 'type',
    mapping: Object.fromEntries(STEP_TYPES.map((type) => [type, `#/components/schemas/${titleOf(type)}`])),
  },
});

/**
 * A step in a request. Type and config are not checked by this schema but by `validateDefinition`, which reports all
 * violations of all steps and names the step; a union would report violations for every step type. `StepKinds` describes
 * them.
 */
export const StepSchema = Type.Object(
  {
    ...stepBase,
    type: Type.String(),
    config: Type.Optional(Type.Unsafe<object>({ type: 'object' })),
  },
  {
    additionalProperties: false,
    title: 'Step',
    examples: [{ id: 'pause', type: 'WAIT', config: { waitMinutes: 1440 } }],
    'x-described-as': StepKinds,
  },
);
export type StepInput = Static<typeof StepSchema>;

export const StepsSchema = Type.Array(StepSchema, { maxItems: MAX_STEPS });

export interface DefinitionInput {
  trigger?: Trigger | null;
  steps?: readonly StepInput[] | null;
  entry?: EntryInput | null;
}

/** A campaign's definition. Published versions never change. */
export interface Definition {
  trigger: Trigger;
  steps: Step[];
  entry: Entry;
}

/** A definition as loaded for its executions, with the names that were stored with it, if any. */
export interface PublishedDefinition extends Definition {
  names?: Names;
}

/**
 * Gives every step an id and a config, keeping the order. Missing ids become `step-1`, `step-2`, … in list order,
 * skipping ids that are taken, so the same input always gets the same ids. The result is not validated yet.
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

/** Fills in step ids and defaults for what is absent or null: trigger MANUAL, no steps, the defaults of `Entry`. */
export function normaliseDefinition({ trigger, steps, entry }: DefinitionInput): Definition {
  const of = trigger ?? { type: 'MANUAL' };
  return {
    trigger: of,
    steps: normaliseSteps(steps ?? []),
    entry: normaliseEntry(entry ?? {}, { recurs: recurs(of) }),
  };
}
