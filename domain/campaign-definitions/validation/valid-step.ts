import { validPart } from '../../../lib/checks/valid-part.ts';
import type { FlowStep } from './flow.ts';
import { schemaViolations } from './schema-violations.ts';
import { TargetSchema } from '../schemas.ts';
import { stepKind } from '../step-kinds.ts';
import type { StepKind } from '../steps/kind.ts';

/** A step whose config fits its schema, at least without its invalid members: the functions of its kind can be called. */
export interface ValidStep extends FlowStep {
  kind: StepKind;
  config: unknown;
  /** A path in `config` as a path in the config as sent: invalid elements of lists are left out. */
  pathOf: (path: string) => string;
  /** Whether nothing but unknown members was left out. */
  isWhole: boolean;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The config without its invalid members; undefined if what is left does not fit the schema. */
function validConfig(kind: StepKind, config: unknown): Pick<ValidStep, 'config' | 'pathOf' | 'isWhole'> | undefined {
  const violations = schemaViolations(kind.config, config);
  if (violations.length === 0) return { config, pathOf: (path) => path, isWhole: true };
  const part = validPart(config, violations);
  if (!part || schemaViolations(kind.config, part.sound).length > 0) return undefined;
  return {
    config: part.sound,
    pathOf: part.pathOf,
    isWhole: violations.every(({ code }) => code === 'unknown_field'),
  };
}

/**
 * Returns the step if this JSON is a step of a known type whose config, without its invalid members, fits;
 * else undefined. An invalid `next` is left out.
 */
export function validStep(step: unknown): ValidStep | undefined {
  if (!isObject(step)) return undefined;
  const { id, type, config, next } = step;
  const kind = stepKind(type);
  const valid = kind && typeof id === 'string' ? validConfig(kind, config) : undefined;
  if (!valid) return undefined;
  const hasTarget = next !== undefined && schemaViolations(TargetSchema, next).length === 0;
  return { ...valid, id: id as string, kind: kind!, ...(hasTarget ? { next: next as string | null } : {}) };
}
