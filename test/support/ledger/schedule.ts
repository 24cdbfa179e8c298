import fc from 'fast-check';

export const PROCESSES = 3;
export const PROVIDERS = 2;

/**
 * The fate of a transaction: committed and answered; committed, but the reply is lost (with the connection, or in a
 * restart of Postgres); or lost itself.
 */
export type Fate = 'answered' | 'unanswered' | 'undone';

const ACTS = {
  accept: 5,
  'lose a request': 1,
  'request again': 2,
  lease: 8,
  release: 1,
  start: 9,
  'start in Postgres': 10,
  connect: 12,
  'put back': 2,
  renew: 2,
  'end before the dot': 2,
  dot: 10,
  'dot arrives': 10,
  reply: 10,
  settle: 10,
  report: 4,
  freeze: 1,
  suspend: 1,
  wake: 4,
  kill: 2,
  'restart Postgres': 1,
  pass: 7,
  sweep: 5,
  resolve: 2,
  unsubscribe: 1,
  'change a contact': 1,
} as const;

/** The ticks that pass, by `n` of a step. */
export const PASSES = [1, 1, 2, 2, 6, 7, 7, 50, 270];

/** One step of the schedule. `who` is a process; `n` chooses among the available objects. */
export interface Step {
  act: keyof typeof ACTS;
  who: number;
  n: number;
  fate: Fate;
}

const step: fc.Arbitrary<Step> = fc.record({
  act: fc.oneof(
    ...Object.entries(ACTS).map(([act, weight]) => ({ weight, arbitrary: fc.constant(act as Step['act']) })),
  ),
  who: fc.nat(PROCESSES - 1),
  n: fc.nat(PASSES.length - 1),
  fate: fc.oneof(
    { weight: 5, arbitrary: fc.constant('answered' as const) },
    fc.constantFrom('unanswered' as const, 'undone' as const),
  ),
});

export const schedules = (longest: number): fc.Arbitrary<Step[]> =>
  fc.array(step, { minLength: 1, maxLength: longest, size: 'max' });
