import type { Deps } from '../config/deps.ts';

/** What workflows may do to the world. Names are what the Temporal UI shows. */
export function createActivities(_deps: Deps) {
  return {};
}
export type Activities = ReturnType<typeof createActivities>;
