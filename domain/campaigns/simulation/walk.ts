import { createYielder } from '../../../lib/async/turn.ts';
import type { Effect, OpenGoal, Outcome } from '../execution/advance.ts';
import type { Verdict } from '../execution/judge.ts';
import { reachedGoal } from '../execution/perform-effect.ts';
import { type Performed } from '../execution/performed.ts';
import { Interpreter } from './interpreter.ts';
import { judgeTravellers } from './judge-travellers.ts';
import { performSimulated } from './perform-simulated.ts';
import { Timetable } from './timetable.ts';
import type { Failed, Traveller } from './traveller.ts';
import type { World } from './world.ts';

/** How long a way is followed after the contact enters, and how many steps it may have. */
export const HORIZON_DAYS = 400;
export const MAX_STEPS = 1000;
const DAY_MS = 86_400_000;

/**
 * Lets contacts go their way, from time to time: at each, all contacts that have something to do then do it together,
 * step after step, until they wait or end. The same as `runStep` does for one execution. Calls `onTime` before each time.
 */
export async function walk(world: World, entered: readonly Traveller[], onTime: () => void): Promise<void> {
  const due = new Timetable<Traveller>();
  for (const traveller of entered) due.add(world.at.getTime(), traveller);
  const horizon = world.at.getTime() + HORIZON_DAYS * DAY_MS;
  for (let next = due.next(); next && next.time <= horizon; next = due.next()) {
    onTime();
    const moment = new Moment(world, new Date(next.time), due);
    let running = due.take(next.time);
    while (running.length > 0) running = await moment.step(running);
  }
  for (const traveller of due.rest()) {
    const stepId = world.definition.steps[traveller.position.stepIndex]!.id;
    const reason = `at ${stepId} after ${HORIZON_DAYS} days`;
    world.tally.ended(traveller, { status: 'RUNNING', reason, at: null });
  }
}

/** One time of a simulation. */
class Moment {
  readonly #world: World;
  readonly #now: Date;
  readonly #due: Timetable<Traveller>;
  readonly #interpreter: Interpreter;
  readonly #turn = createYielder();

  constructor(world: World, now: Date, due: Timetable<Traveller>) {
    this.#world = world;
    this.#now = now;
    this.#due = due;
    this.#interpreter = new Interpreter(world.definition, now);
  }

  /** One step of each of these contacts. Returns those that have another one to do now. */
  async step(travellers: readonly Traveller[]): Promise<Traveller[]> {
    const goals = await this.#findMetGoals(travellers);
    for (const [traveller, { goal }] of goals) this.#jump(traveller, goal);
    const performed = new Map<Traveller, Performed | Failed>();
    for (const [traveller, { verdict }] of goals) performed.set(traveller, reachedGoal(verdict));
    // Contacts at one step can differ in its effect: for some, the send window is closed.
    const doing = travellers.filter((traveller) => !goals.has(traveller));
    for (const { effect, group } of this.#byEffect(doing)) {
      for (const [traveller, done] of await performSimulated(this.#world, group, effect, this.#now))
        performed.set(traveller, done);
    }
    const running: Traveller[] = [];
    for (const [traveller, done] of performed) {
      if (this.#advance(traveller, done)) running.push(traveller);
      if (this.#turn.isOver()) await this.#turn.next();
    }
    return running;
  }

  /** The first of its open goals that each contact meets, if any. */
  async #findMetGoals(travellers: readonly Traveller[]): Promise<Map<Traveller, { goal: OpenGoal; verdict: Verdict }>> {
    const found = new Map<Traveller, { goal: OpenGoal; verdict: Verdict }>();
    const byOpen = Map.groupBy(travellers, ({ position }) => (position.met ?? []).join());
    for (const group of byOpen.values()) {
      const goals = this.#interpreter.openGoals(group[0]!.position);
      if (goals.length === 0) continue;
      const filters = goals.map(({ filter }) => filter);
      const verdicts = await judgeTravellers(this.#world, group, filters, this.#now, this.#world.at);
      for (const [traveller, answers] of verdicts) {
        const index = answers.findIndex(({ holds }) => holds);
        if (index !== -1) found.set(traveller, { goal: goals[index]!, verdict: answers[index]! });
      }
    }
    return found;
  }

  #jump(traveller: Traveller, goal: OpenGoal): void {
    const { position, timezone } = traveller;
    if (goal.stepIndex === position.stepIndex) return;
    this.#record(traveller, 'skipped', `the goal ${goal.stepId} is met`);
    traveller.position = this.#interpreter.jump(position, goal, timezone).position;
  }

  #byEffect(travellers: readonly Traveller[]): { effect: Effect; group: Traveller[] }[] {
    const groups = new Map<string, { effect: Effect; group: Traveller[] }>();
    for (const traveller of travellers) {
      const { position, timezone } = traveller;
      const effect = this.#interpreter.plan(position, timezone);
      const until = 'until' in effect && effect.until ? effect.until.getTime() : '';
      const key = `${position.stepIndex} ${effect.effect} ${until}`;
      const known = groups.get(key);
      if (known) known.group.push(traveller);
      else groups.set(key, { effect, group: [traveller] });
    }
    return [...groups.values()];
  }

  #record(traveller: Traveller, result: string, reason: string | null): void {
    this.#world.tally.stepped(traveller, traveller.position.stepIndex, this.#now, result, reason);
    traveller.enteredAt = this.#now.getTime();
  }

  /** Moves a contact on. Returns whether it has something else to do now. */
  #advance(traveller: Traveller, done: Performed | Failed): boolean {
    const { tally } = this.#world;
    const at = this.#now.toISOString();
    if ('failure' in done) {
      this.#record(traveller, 'failed', done.failure);
      tally.ended(traveller, { status: 'FAILED', reason: done.failure, at });
      return false;
    }
    const outcome = this.#interpreter.advance(traveller.position, done.result, traveller.timezone);
    const stops = 'end' in outcome && outcome.end.status === 'STOPPED';
    if (done.result.kind !== 'wait') this.#record(traveller, stops ? 'stop' : done.recorded, done.reason);
    if (done.result.kind === 'goal' && done.result.met) this.#noteGoal(traveller);
    if ('end' in outcome) {
      tally.ended(traveller, { status: outcome.end.status, reason: outcome.end.exitReason, at });
      return false;
    }
    // The next step was entered by the timezone from before an UPDATE_CONTACT.
    if (traveller.fields?.changedAt) traveller.timezone = traveller.fields.timezone ?? null;
    return this.enter(traveller, outcome);
  }

  #noteGoal(traveller: Traveller): void {
    const { campaignId, watched, definition } = this.#world;
    const stepId = definition.steps[traveller.position.stepIndex]!.id;
    const data = { campaignId, stepId };
    if (watched.has('GOAL_MET')) traveller.arriving.push({ type: 'GOAL_MET', at: this.#now.toISOString(), data });
  }

  /** A contact comes to a step, or stays at it. Returns whether it has something to do there now. */
  enter(traveller: Traveller, outcome: Exclude<Outcome, { end: unknown }>): boolean {
    const { tally } = this.#world;
    traveller.position = outcome.position;
    if (traveller.steps >= MAX_STEPS) {
      tally.ended(traveller, {
        status: 'RUNNING',
        reason: `at ${outcome.next.stepId} after ${MAX_STEPS} steps`,
        at: null,
      });
      return false;
    }
    const { waitUntil, looks } = outcome.next;
    if (looks || waitUntil === undefined) return true;
    // It waits: what its steps have caused arrives, and may wake it.
    const { arriving } = traveller;
    traveller.arriving = [];
    traveller.events.push(...arriving);
    const wakes = this.#interpreter.wokenBy(outcome.position);
    if (arriving.some(({ type }) => wakes.has(type))) return true;
    this.#due.add(Date.parse(waitUntil), traveller);
    return false;
  }
}
