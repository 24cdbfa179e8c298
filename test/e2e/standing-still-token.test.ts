import { after, before, test } from 'node:test';
import { SEEDS, startWatched, type Watched } from '../support/standing-still.ts';

let watched: Watched;
before(async () => { watched = await startWatched(); });
after(() => watched.stop());

for (const seed of SEEDS) {
  test(`no body with a token makes the process stand still (seed ${seed})`, () => watched.check(watched.bodies('others', 1, seed)));
}
