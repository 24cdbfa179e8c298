import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import fc from 'fast-check';
import { KINDS, type Kind } from '../../support/ledger/ledger.ts';
import { schedules, type Step } from '../../support/ledger/schedule.ts';
import { shownFaults, type Shown } from '../../support/ledger/shown-faults.ts';
import { SpecLedger } from '../../support/ledger/spec.ts';
import { World } from '../../support/ledger/world.ts';

const IDS = [1, 2, 3];
const run = (schedule: readonly Step[], kind: Kind, broken?: Shown['fault']) =>
  new World(new SpecLedger(IDS, kind, broken), IDS, broken).run(schedule);

test('under any schedule of processes, losses, reports and clocks the rules of the ledgers keep their promises', async () => {
  await fc.assert(
    fc.asyncProperty(schedules(90), fc.constantFrom(...KINDS), (schedule, kind) => run(schedule, kind)),
    { numRuns: 6_000 },
  );
});

for (const kind of KINDS)
  for (const { fault, schedule, by } of shownFaults(kind))
    test(`the check sees a broken rule of ${kind}: ${fault}`, async () => {
      await run(schedule, kind);
      await assert.rejects(run(schedule, kind, fault), by);
    });
