import type { Answer } from './service.ts';

/** JetStream did not take a click in time; whether it took it at all, nobody is told. */
class NotInTime extends Error {}

/** The answer to a click; throws if the click was not taken in time. */
export function takenInTime<T extends Response | Answer>(answer: T): T {
  if (answer.status === 503 && answer.headers.has('retry-after')) throw new NotInTime('a click was not taken in time');
  return answer;
}

/**
 * A test of what counts: one of whose clicks it is not known begins anew, with emails or messages of its own. Its clicks
 * go through `takenInTime`.
 */
export const counting = (work: () => Promise<void>) => async (): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof NotInTime) || attempt === 10) throw error;
    }
  }
};
