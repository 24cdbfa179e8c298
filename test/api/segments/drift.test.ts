import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { connect, type Orm } from '../../../db/orm.ts';
import { drift } from './drift.ts';
import { claimSlot, type Slot } from '../../support/slot.ts';
import { SEED } from '../../support/seed.ts';

let slot: Slot;
let orm: Orm;

beforeAll(async () => {
  slot = await claimSlot();
  orm = await connect(slot.env['DATABASE_URL']!, { poolMax: 6 });
});
afterAll(async () => {
  await orm?.close();
  await slot?.release();
});

test('after many changes under thirty random segments, a rebuild finds nothing to mend', async () => {
  const { differed, members, moved, segments } = await drift(orm, SEED, 150);
  assert.equal(differed, 0);
  assert.ok(segments > 20 && members > 0 && moved > 20, `${segments} segments, ${members} members, ${moved} moves`);
});
