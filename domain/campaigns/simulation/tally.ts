import type { Definition } from '../../campaign-definitions/definition.ts';
import type { PathEnd, PathStep, Traveller } from './traveller.ts';

/** The steps in all paths of an answer, so that it stays within some megabytes. */
const MAX_PATH_STEPS = 20_000;

export interface SimulationResult {
  contacts: number;
  entered: number;
  refused: { reason: string; count: number }[];
  ended: { completed: number; stopped: number; running: number };
  volumes: { date: string; stepId: string; type: string; count: number }[];
  suppressed: { reason: string; count: number }[];
  paths: { contactId: number; steps: PathStep[]; end: PathEnd }[];
}

class Counts {
  readonly #counts = new Map<string, number>();
  add(key: string, count = 1): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + count);
  }
  /** By key, in the order of the keys. */
  list(): [string, number][] {
    return [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1));
  }
  byReason(): { reason: string; count: number }[] {
    return this.list().map(([reason, count]) => ({ reason, count }));
  }
}

/** Counts what happens in a simulation, and keeps the ways of its first contacts. */
export class Tally {
  readonly #definition: Definition;
  readonly #paths: number;
  readonly #refused = new Counts();
  readonly #suppressed = new Counts();
  readonly #volumes = new Map<string, Map<number, number>>();
  readonly #ended = { completed: 0, stopped: 0, running: 0 };
  #kept: Traveller[] = [];
  #keptSteps = 0;
  #isFull = false;
  #contacts = 0;
  #entered = 0;

  constructor(definition: Definition, paths: number) {
    this.#definition = definition;
    this.#paths = paths;
  }

  /** Contacts that were looked at, with the reasons why some may not enter. */
  seen(contacts: number, refused: readonly string[]): void {
    this.#contacts += contacts;
    for (const reason of refused) this.#refused.add(reason);
  }

  /** A contact enters. In the order of ids, which decides whose path is kept. */
  entered(traveller: Traveller): void {
    this.#entered += 1;
    if (this.#isFull || this.#kept.length >= this.#paths) return;
    traveller.path = [];
    this.#kept.push(traveller);
  }

  stepped(traveller: Traveller, stepIndex: number, time: Date, result: string, reason: string | null): void {
    traveller.steps += 1;
    const { id, type } = this.#definition.steps[stepIndex]!;
    const at = time.toISOString();
    // A step that was left for a goal was not executed.
    if (result !== 'skipped') {
      const date = at.slice(0, 10);
      const ofDate = this.#volumes.get(date) ?? new Map<number, number>();
      ofDate.set(stepIndex, (ofDate.get(stepIndex) ?? 0) + 1);
      this.#volumes.set(date, ofDate);
    }
    if (!traveller.path) return;
    traveller.path.push({ stepId: id, type, at, result, reason });
    this.#keptSteps += 1;
    this.#keepWithinBounds();
  }

  suppressed(reason: string): void {
    this.#suppressed.add(reason);
  }

  ended(traveller: Traveller, end: PathEnd): void {
    traveller.end = end;
    if (end.status === 'COMPLETED') this.#ended.completed += 1;
    else if (end.status === 'RUNNING') this.#ended.running += 1;
    else this.#ended.stopped += 1;
  }

  /** Drops whole paths, the last ones first: a path that is shown is complete. */
  #keepWithinBounds(): void {
    while (this.#keptSteps > MAX_PATH_STEPS && this.#kept.length > 1) {
      const last = this.#kept.pop()!;
      this.#keptSteps -= last.path!.length;
      last.path = null;
      this.#isFull = true;
    }
  }

  result(): SimulationResult {
    return {
      contacts: this.#contacts,
      entered: this.#entered,
      refused: this.#refused.byReason(),
      ended: this.#ended,
      volumes: [...this.#volumes]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .flatMap(([date, ofDate]) =>
          [...ofDate]
            .sort(([a], [b]) => a - b)
            .map(([index, count]) => {
              const { id: stepId, type } = this.#definition.steps[index]!;
              return { date, stepId, type, count };
            }),
        ),
      suppressed: this.#suppressed.byReason(),
      paths: this.#kept.map(({ contactId, path, end }) => ({ contactId, steps: path!, end: end! })),
    };
  }
}
