import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import fc from 'fast-check';
import { connect, type Orm } from '../../../db/orm.ts';
import { schedules, type Step } from '../../support/ledger/schedule.ts';
import { shownFaults } from '../../support/ledger/shown-faults.ts';
import { SqlMessages } from '../../support/ledger/sql-messages.ts';
import { World } from '../../support/ledger/world.ts';
import { claimSlot, type Slot } from '../../support/slot.ts';

let slot: Slot;
let orm: Orm;
beforeAll(async () => {
  slot = await claimSlot();
  orm = await connect(slot.env['DATABASE_URL']!, { poolMax: 4 });
});
afterAll(async () => {
  await orm?.close();
  await slot?.release();
});

async function run(schedule: readonly Step[]): Promise<void> {
  const { ledger, ids } = await SqlMessages.queue(orm, 2);
  await new World(ledger, ids).run(schedule);
  assert.deepEqual(await ledger.told(), await ledger.toTell(), 'every end is told once');
}

test('under any schedule of processes, losses, reports and clocks the ledger of messages does as its rules say and keeps its promises', async () => {
  await fc.assert(fc.asyncProperty(schedules(60), run), { numRuns: 60 });
});

for (const { fault, schedule } of shownFaults('messages'))
  test(`the rule is kept where it would show: not ${fault}`, () => run(schedule));
