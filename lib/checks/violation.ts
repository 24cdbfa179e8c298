/** A violation of one value. `code` is stable and snake_case; `message` is for people and never contains the value. */
export interface Violation {
  readonly code: string;
  readonly message: string;
}

/** Distinguishes a violation from the value that a normaliser returns on success. */
export function isViolation(value: unknown): value is Violation {
  return typeof value === 'object' && value !== null && 'code' in value && 'message' in value;
}
