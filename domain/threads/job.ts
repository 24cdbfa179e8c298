import type { ErrorCode, Violation } from '../../lib/checks/errors.ts';

/** A job for a thread: a function that it knows, with arguments that can be cloned. */
export interface Job {
  name: string;
  args: readonly unknown[];
}

/** How long a job took. `isCold`: it was the first of its name in its thread, and took far longer for that. */
interface Took {
  /** CPU time. */
  ms: number;
  isCold: boolean;
}

/** What a thread answers. `limit`: the job was nested too deep. */
export type Done =
  | ({ value: unknown } & Took)
  | ({ refusal: { code: ErrorCode; message: string; errors: Violation[] | undefined } } & Took)
  | 'limit';
