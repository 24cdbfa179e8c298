import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { multipartShapes } from '../../support/attacks/body-shapes.ts';
import { FORM_BYTES, SEEDS, startWatched, type Watched } from '../../support/attacks/standing-still.ts';
import { until } from '../../support/until.ts';

let watched: Watched;
beforeAll(async () => {
  watched = await startWatched();
});
afterAll(() => watched.stop());

test('the watch sees a process that stands still', async () => {
  const ms = await watched.stillDuring(async () => {
    process.kill(watched.api.pid, 'SIGCONT');
    await until('it is seen', () => watched.stills().some((still) => still.ms >= 150));
  });
  assert.ok(ms >= 150, String(ms));
});

test('a body that is one long text does not make the process stand still', () =>
  watched.check([
    {
      what: 'a text',
      method: 'POST',
      path: `/api/v1/forms/${watched.formId}/submit`,
      body: JSON.stringify('~/'.repeat(349_000)),
      type: 'application/json',
    },
  ]));

test('no shape of multipart makes the process stand still, with a token or without', () =>
  watched.check(
    [
      [`/api/v1/forms/${watched.formId}/submit`, FORM_BYTES] as const,
      ['/api/v1/contacts/import', watched.service.deps.env.BODY_MAX_BYTES] as const,
    ].flatMap(([path, bytes]) =>
      Object.entries(multipartShapes).map(([what, shape]) => ({
        what,
        method: 'POST',
        path,
        body: shape(bytes),
        type: 'multipart/form-data; boundary=b',
      })),
    ),
  ));

for (const seed of SEEDS) {
  test(`no body without a token makes the process stand still (seed ${seed})`, () =>
    watched.check(watched.bodies('public', 8, seed)));
}
