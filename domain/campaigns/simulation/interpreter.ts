import type { Definition } from '../../campaign-definitions/definition.ts';
import {
  advance,
  begin,
  jump,
  openGoals,
  plan,
  wokenBy,
  type Entered,
  type OpenGoal,
  type Outcome,
  type Position,
  type StepResult,
} from '../execution/advance.ts';

/** The interpreter at one time: what it says about a position is computed once for all contacts that are there. */
export class Interpreter {
  readonly #definition: Definition;
  readonly #now: Date;
  readonly #known = new Map<Position | null, Map<string, unknown>>();

  constructor(definition: Definition, now: Date) {
    this.#definition = definition;
    this.#now = now;
  }

  begin(timezone: string | null): Outcome {
    return this.#once(null, `begin ${timezone}`, () => begin(this.#definition, this.#moment(timezone)));
  }

  plan(position: Position, timezone: string | null) {
    return this.#once(position, `plan ${timezone}`, () => plan(this.#definition, position, this.#moment(timezone)));
  }

  advance(position: Position, result: StepResult, timezone: string | null): Outcome {
    return this.#once(position, `${JSON.stringify(result)} ${timezone}`, () =>
      advance(this.#definition, position, result, this.#moment(timezone)),
    );
  }

  jump(position: Position, goal: OpenGoal, timezone: string | null): Entered {
    return this.#once(position, `jump ${goal.stepIndex} ${timezone}`, () =>
      jump(this.#definition, position, goal, this.#moment(timezone)),
    );
  }

  openGoals(position: Position): OpenGoal[] {
    return this.#once(position, 'goals', () => openGoals(this.#definition, position));
  }

  wokenBy(position: Position): ReadonlySet<string> {
    return this.#once(position, 'woken', () => wokenBy(this.#definition, position));
  }

  #moment(timezone: string | null) {
    return { now: this.#now, timezone };
  }

  #once<T>(position: Position | null, question: string, answer: () => T): T {
    const known = this.#known.get(position) ?? new Map<string, unknown>();
    this.#known.set(position, known);
    if (!known.has(question)) known.set(question, answer());
    return known.get(question) as T;
  }
}
