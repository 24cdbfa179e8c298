/** One thing wrong with one value. `code` is stable and snake_case; `message` is for people and never repeats the value. */
export interface Violation {
  readonly code: string;
  readonly message: string;
}

/** Tells a violation from the value a normaliser returns in the good case. */
export function isViolation(value: unknown): value is Violation {
  return typeof value === 'object' && value !== null && 'code' in value && 'message' in value;
}
