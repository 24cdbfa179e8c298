import type { ErrorCode, Violation } from '../common/errors.ts';

/** A job for a thread: a function that it knows, with arguments that can be cloned. */
export interface Job {
  name: string;
  args: readonly unknown[];
}

/** What a thread answers. `limit`: the job was nested too deep. `ms`: CPU time, or less if that is not known so exactly. */
export type Done =
  | { value: unknown; ms: number }
  | { refusal: { code: ErrorCode; message: string; errors: Violation[] | undefined }; ms: number }
  | 'limit';
