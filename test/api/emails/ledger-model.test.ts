import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import fc from 'fast-check';
import { connect, type Orm } from '../../../db/orm.ts';
import { schedules, type Step } from '../../support/ledger/schedule.ts';
import { shownFaults } from '../../support/ledger/shown-faults.ts';
import { SqlEmails } from '../../support/ledger/sql-emails.ts';
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

async function run(schedule: readonly Step[], ofCampaign: boolean): Promise<void> {
  const { ledger, ids } = await SqlEmails.queue(orm, 3, ofCampaign);
  await new World(ledger, ids).run(schedule);
  const ended = (await ledger.sends()).filter(({ status }) => status === 'SENT' || status === 'FAILED');
  assert.deepEqual(
    await ledger.told(),
    ended.map(({ id, status }) => ({ id, status })),
    'every end is told once',
  );
}

test('under any schedule of processes, losses and clocks the real ledger does as its rules say and keeps its promises', async () => {
  await fc.assert(fc.asyncProperty(schedules(60), fc.boolean(), run), { numRuns: 60 });
});

for (const kind of ['journey', 'campaign'] as const)
  for (const { fault, schedule } of shownFaults(kind))
    test(`the rule is kept where it would show, by emails of a ${kind}: not ${fault}`, () =>
      run(schedule, kind === 'campaign'));
