import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connect, type Orm } from '../../db/orm.ts';
import { drift } from '../support/segment-drift.ts';
import { claimSlot, type Slot } from '../support/slot.ts';

let slot: Slot;
let orm: Orm;

before(async () => {
  slot = await claimSlot();
  orm = await connect(slot.env['DATABASE_URL']!, { poolMax: 6 });
});
after(async () => {
  await orm?.close();
  await slot?.release();
});

test('after many changes under thirty random segments, a rebuild finds nothing to mend', { timeout: 240_000 }, async (t) => {
  const seed = Math.floor(Math.random() * 1e9);
  t.diagnostic(`seed ${seed}`);
  const { differed, members, moved, segments } = await drift(orm, seed, 150);
  assert.equal(differed, 0);
  assert.ok(segments > 20 && members > 0 && moved > 20, `${segments} segments, ${members} members, ${moved} moves`);
});
