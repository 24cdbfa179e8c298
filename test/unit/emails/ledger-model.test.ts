import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import fc from 'fast-check';
import { SpecLedger, type Fault } from '../../support/ledger/spec.ts';
import { schedules, World, type Step } from '../../support/ledger/world.ts';

const IDS = [1, 2, 3];
const run = (schedule: readonly Step[], ofCampaign: boolean, broken?: Fault) =>
  new World(new SpecLedger(IDS, ofCampaign, broken), IDS, broken).run(schedule);

// A failure says its seed and path: `fc.assert(property, { seed, path })` shows it again.
test('under any schedule of processes, losses and clocks the rules of the ledger keep its promises', async () => {
  await fc.assert(
    fc.asyncProperty(schedules(90), fc.boolean(), (schedule, ofCampaign) => run(schedule, ofCampaign)),
    { numRuns: 4_000 },
  );
}, 120_000);

type Move = [act: Step['act'], who?: number, n?: number, fate?: Step['fate']];
/** Process 0 has the first email on a connection. */
const onWire: Move[] = [['accept'], ['lease'], ['start'], ['start in Postgres'], ['connect']];
const released: Move[] = [...onWire, ['dot']];
/** Process 1 has it. */
const second: Move[] = [
  ['lease', 1],
  ['start', 1],
  ['start in Postgres', 1],
  ['connect', 1],
];

/** The shortest schedules at which a broken rule shows, and by what. Random ones found most of them. */
const shows: Record<Fault, { moves: Move[]; by: RegExp }> = {
  'sweeper queues': { moves: [...released, ['pass', 0, 4], ['sweep']], by: /QUEUED though it may have been accepted/ },
  'any attempt settles': {
    moves: [...onWire, ['end before the dot', 0, 2], ['settle', 0, 0, 'unanswered'], ...second, ['dot', 1], ['settle']],
    by: /QUEUED though it may have been accepted/,
  },
  'attempts are not counted': {
    moves: [...onWire, ['end before the dot', 0, 2], ['settle', 0, 0, 'unanswered'], ...second, ['dot', 1], ['settle']],
    by: /QUEUED though it may have been accepted/,
  },
  'any status settles': {
    // The operator's word stands: it is to be sent again.
    moves: [...released, ['dot arrives'], ['reply'], ['pass', 0, 4], ['sweep'], ['resolve'], ['settle']],
    by: /SENT though it was not accepted/,
  },
  'anything is resolved': { moves: [...onWire, ['resolve'], ['dot']], by: /a dot is let go whose lease has ended/ },
  'started again from SENDING': {
    moves: [
      ['accept'],
      ['lease'],
      ['start'],
      ['pass', 0, 2],
      ['lease'],
      ['start'],
      ['start in Postgres'],
      ['start in Postgres'],
      ['connect'],
      ['connect'],
      ['dot'],
    ],
    by: /a dot is let go whose lease has ended/,
  },
  'settling forgets the sweeper': {
    moves: [...released, ['dot arrives'], ['pass', 0, 4], ['sweep'], ['reply'], ['settle']],
    by: /accepted and settled, but not SENT/,
  },
  'lost starts are taken back by number': {
    moves: [
      ['accept'],
      ['lease'],
      ['start'],
      ['start in Postgres', 0, 0, 'undone'],
      ['pass', 0, 2],
      ...second,
      ['dot', 1],
      ['settle'],
    ],
    by: /QUEUED though it may have been accepted/,
  },
  'gates are not asked again': {
    moves: [['accept'], ['unsubscribe', 0, 0, 'undone'], ['lease'], ['start'], ['start in Postgres']],
    by: /started though its recipient has unsubscribed/,
  },
  'dots without a lease': {
    moves: [...onWire, ['freeze'], ['pass', 0, 4], ['wake'], ['dot']],
    by: /a dot is let go whose lease has ended/,
  },
  'silence is a failure': {
    moves: [...released, ['reply', 0, 0, 'unanswered'], ['settle']],
    by: /FAILED though it may have been accepted/,
  },
  'silence is an end': {
    moves: [...released, ['reply', 0, 0, 'unanswered'], ['settle']],
    by: /QUEUED though it may have been accepted/,
  },
  'twins are both sent': {
    moves: [
      ['accept'],
      ['lease'],
      ['suspend'],
      ['pass', 0, 2],
      ['wake'],
      ['lease'],
      ['start', 0, 1],
      ['start in Postgres'],
      ['connect'],
      ['dot'],
      ['dot arrives'],
      ['reply'],
      ['connect'],
      ['dot'],
    ],
    by: /two dots of one start/,
  },
  'lost starts are not in doubt': {
    moves: [
      ['accept', 0, 2],
      ['lease'],
      ['start'],
      ['start in Postgres', 0, 0, 'unanswered'],
      ['lease', 0, 1],
      ['start', 0, 1],
      ['start in Postgres'],
    ],
    by: /3 emails of h1 would be UNKNOWN/,
  },
  'any dot is a success': {
    moves: [...released, ['dot arrives', 0, 2], ['reply'], ['settle']],
    by: /SENT though it was not accepted/,
  },
};

for (const [fault, { moves, by }] of Object.entries(shows) as [Fault, (typeof shows)[Fault]][]) {
  test(`the check sees a broken rule: ${fault}`, async () => {
    const schedule = moves.map(([act, who = 0, n = 0, fate = 'answered']): Step => ({ act, who, n, fate }));
    for (const ofCampaign of [false, true]) {
      await run(schedule, ofCampaign);
      await assert.rejects(run(schedule, ofCampaign, fault), by);
    }
  });
}
