import fc from 'fast-check';
import { CHANNELS } from '../../../db/entities/channels.ts';
import type { Arrival, Rules, Window } from './gate-model.ts';

// Quarters of an hour that no clock change skips or repeats.
const time = fc.oneof(fc.constant(0), fc.integer({ min: 16, max: 95 })).map((quarter) => {
  const two = (n: number) => String(n).padStart(2, '0');
  return `${two(Math.floor(quarter / 4))}:${two((quarter % 4) * 15)}`;
});
export const zone = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Pacific/Honolulu', 'Australia/Lord_Howe');
const window: fc.Arbitrary<Window | null> = fc.oneof(
  fc.constant(null),
  fc
    .record(
      {
        from: time,
        to: time,
        timezone: fc.oneof({ weight: 3, arbitrary: fc.constant('contact') }, { weight: 1, arbitrary: zone }),
        days: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 3 }),
      },
      { requiredKeys: ['from', 'to', 'timezone'] },
    )
    .filter(({ from, to }) => from < to),
);
export const rules: fc.Arbitrary<Rules> = fc.record({
  caps: fc.uniqueArray(
    fc.record({
      channels: fc.shuffledSubarray([...CHANNELS], { minLength: 1 }),
      max: fc.integer({ min: 1, max: 2 }),
      perDays: fc.constantFrom(1, 7),
    }),
    { maxLength: 3, selector: ({ channels: of }) => of.toSorted().join() },
  ),
  sendWindows: fc.record({ email: window, sms: window, push: window }),
  timezone: zone,
  maxHoldHours: fc.constantFrom(24, 72, 1),
  quietHours: fc.option(
    fc.record({ from: time, to: time, timezone: zone }).filter(({ from, to }) => from !== to),
    { freq: 2 },
  ),
});
const arrival: fc.Arbitrary<Arrival> = fc.record({
  channel: fc.constantFrom(...CHANNELS),
  priority: fc.constantFrom(5, 5, 5, 6, 4),
  category: fc.oneof(
    { weight: 6, arbitrary: fc.constant('marketing' as const) },
    { weight: 1, arbitrary: fc.constant('transactional' as const) },
  ),
});

/** A sender leases all that is due, and starts some of it. */
export interface Start {
  order: number[];
  /** How many it starts; the others it gives back. */
  most: number;
  size: number;
  emailsFirst: boolean;
}
/** What a provider says, and after how many minutes it is asked again. */
export type Answer = { result: 'SENT' | 'FAILED' | 'QUEUED'; delayMinutes: number } | 'none';
export type Move =
  { arrive: Arrival[] } | { start: Start } | { settle: Answer[] } | { pass: number } | { change: Rules };

const arrive = fc.record({ arrive: fc.array(arrival, { minLength: 1, maxLength: 5, size: 'max' }) });
const start = fc.record({
  start: fc.record({
    order: fc.array(fc.nat(99), { minLength: 8, maxLength: 8 }),
    most: fc.integer({ min: 2, max: 9 }),
    size: fc.integer({ min: 1, max: 4 }),
    emailsFirst: fc.boolean(),
  }),
});
const answer: fc.Arbitrary<Answer> = fc.constantFrom<Answer[]>(
  { result: 'SENT', delayMinutes: 0 },
  { result: 'FAILED', delayMinutes: 0 },
  { result: 'QUEUED', delayMinutes: 0 },
  { result: 'QUEUED', delayMinutes: 400 },
  'none',
);
const settle = fc.record({ settle: fc.array(answer, { minLength: 1, maxLength: 4, size: 'max' }) });
// Minutes.
const pass = fc.record({ pass: fc.constantFrom(187, 31, 673, 1561, 11_523) });
const change = fc.record({ change: rules });
const sometimes = (made: fc.Arbitrary<Move>, freq: number) => fc.option(made, { freq, nil: null });
export const round: fc.Arbitrary<Move[]> = fc
  .tuple(sometimes(arrive, 5), sometimes(pass, 2), sometimes(settle, 3), sometimes(change, 2), start)
  .map((all) => all.filter((made) => made !== null));

/** Rules without hours, so that caps decide. */
export const capsOnly: fc.Arbitrary<Rules> = rules.map((made) => ({
  ...made,
  sendWindows: { email: null, sms: null, push: null },
  quietHours: null,
}));
/** Texts and pushes under these caps are answered before others of them start. */
export const answeredRound: fc.Arbitrary<Move[]> = fc
  .tuple(
    fc.array(
      fc.record({
        channel: fc.constantFrom('sms', 'push'),
        priority: fc.constant(5),
        category: fc.constant('marketing'),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    fc.constantFrom(31, 1300, 1561),
    settle,
    start,
  )
  .map(([arrivals, minutes, answers, starts]) => [{ pass: minutes }, answers, { arrive: arrivals }, starts]);
