import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import fc from 'fast-check';
import { connect, type Orm } from '../../../db/orm.ts';
import { SqlLedger } from '../../support/ledger/sql-ledger.ts';
import { schedules, World } from '../../support/ledger/world.ts';
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

// A failure says its seed and path: `fc.assert(property, { seed, path })` shows it again.
test('under any schedule of processes, losses and clocks the real ledger does as its rules say and keeps its promises', async () => {
  await fc.assert(
    fc.asyncProperty(schedules(60), fc.boolean(), async (schedule, ofCampaign) => {
      const { ledger, ids } = await SqlLedger.queue(orm, 3, ofCampaign);
      await new World(ledger, ids).run(schedule);
      const ended = (await ledger.emails()).filter(({ status }) => status === 'SENT' || status === 'FAILED');
      assert.deepEqual(
        await ledger.told(),
        ended.map(({ id, status }) => ({ id, status })),
        'every end is told once',
      );
    }),
    { numRuns: 60 },
  );
}, 240_000);
