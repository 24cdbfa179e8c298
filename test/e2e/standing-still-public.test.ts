import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { SEEDS, startWatched, type Watched } from '../support/standing-still.ts';
import { until } from '../support/until.ts';

let watched: Watched;
before(async () => { watched = await startWatched(); });
after(() => watched.stop());

test('the watch sees a process that stands still', async () => {
  const ms = await watched.stillDuring(async () => {
    process.kill(watched.api.pid, 'SIGCONT');
    await until('it is seen', () => watched.stills().some((still) => still.ms >= 150));
  });
  assert.ok(ms >= 150, String(ms));
});

test('a body that is one long text does not make the process stand still', () => watched.check([
  { what: 'a text', method: 'POST', path: `/api/v1/forms/${watched.formId}/submit`, body: JSON.stringify('~/'.repeat(349_000)), type: 'application/json' },
]));

for (const seed of SEEDS) {
  test(`no body without a token makes the process stand still (seed ${seed})`, () => watched.check(watched.bodies('public', 8, seed)));
}
