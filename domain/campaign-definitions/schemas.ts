import { Type } from 'typebox';

/** Ten years. */
export const MAX_MINUTES = 5_256_000;
export const MAX_STEPS = 200;

export const IdSchema = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
export const StepIdSchema = Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' });
/** A target: the id of a step, or null for the end. */
export const TargetSchema = Type.Union([Type.String(), Type.Null()], { description: 'A step id; null = the end' });
