import { afterAll, beforeAll, test } from '@jest/globals';
import { SEEDS, startWatched, type Watched } from '../../support/attacks/standing-still.ts';

let watched: Watched;
beforeAll(async () => {
  watched = await startWatched();
});
afterAll(() => watched.stop());

for (const seed of SEEDS) {
  test(`no body with a token makes the process stand still (seed ${seed})`, () =>
    watched.check(watched.bodies('others', 1, seed)));
}
