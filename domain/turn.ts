import { setImmediate } from 'node:timers/promises';

/** How long one piece of work keeps the others waiting (ms). */
const TURN_MS = 10;

/** For work in many small steps: tells when the others should have their turn, and lets them. */
export interface Turn {
  isOver(): boolean;
  next(): Promise<void>;
}

export function createTurn(): Turn {
  let began = performance.now();
  return {
    isOver: () => performance.now() - began > TURN_MS,
    async next() {
      await setImmediate();
      began = performance.now();
    },
  };
}

/** As `map` of a list, letting others have their turns. */
export async function inTurns<T, R>(items: readonly T[], work: (item: T, index: number) => R): Promise<R[]> {
  const turn = createTurn();
  const done: R[] = [];
  for (const [index, item] of items.entries()) {
    done.push(work(item, index));
    if (turn.isOver()) await turn.next();
  }
  return done;
}
