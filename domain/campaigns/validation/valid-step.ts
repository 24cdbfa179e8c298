import type { FlowStep } from './flow.ts';
import { schemaViolations } from './schema-violations.ts';
import { TargetSchema } from '../definition/schemas.ts';
import { stepKind } from '../definition/step-kinds.ts';
import type { StepKind } from '../definition/steps/kind.ts';

/** A step that fits its schemas, so that the functions of its kind can be called. */
export interface ValidStep extends FlowStep {
  kind: StepKind;
  config: unknown;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the step if this JSON fits the schemas of a step; else undefined. */
export function validStep(step: unknown): ValidStep | undefined {
  if (!isObject(step)) return undefined;
  const { id, type, config, next } = step;
  const kind = stepKind(type);
  if (!kind || typeof id !== 'string' || schemaViolations(kind.config, config).length > 0) return undefined;
  if (next === undefined) return { id, kind, config };
  return schemaViolations(TargetSchema, next).length > 0
    ? undefined
    : { id, kind, config, next: next as string | null };
}
