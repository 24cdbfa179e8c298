import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { startApiProcess, type ApiProcess } from '../../support/api-process.ts';
import { startService, type Service } from '../../support/service.ts';

const POSTS = 10_000;
const PER_MINUTE = 600;

let service: Service;
let api: ApiProcess;
beforeAll(async () => {
  service = await startService({
    env: { ENABLE_RATE_LIMITING: 'true', FORM_SUBMISSIONS_PER_MINUTE: String(PER_MINUTE) },
  });
  api = await startApiProcess(service);
});
afterAll(async () => {
  await api.end();
  await service.stop();
});

test('of ten thousand posts from one address those above the limit are refused, and store nothing', async () => {
  const { body: form } = await service.api('POST', '/forms', {
    name: 'Flooded',
    fields: [{ name: 'email', label: 'Email', type: 'email' }],
  });
  const statuses = new Map<number, number>();
  let next = 0;
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: 50 }, async () => {
      for (let n = (next += 1); n <= POSTS; n = next += 1) {
        const body = { email: `flood${n}@example.com` };
        const answer = await api.api('POST', `/forms/${form.id}/submit`, body, { token: null });
        if (answer.status === 429) {
          assert.equal(answer.body.code, 'too_many_requests');
          assert.ok(Number(answer.headers.get('retry-after')) > 0);
        }
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      }
    }),
  );
  const minutes = (performance.now() - begun) / 60_000;
  const taken = statuses.get(200)!;
  assert.deepEqual([...statuses.keys()].sort(), [200, 429]);
  assert.ok(taken >= 2 * PER_MINUTE && taken <= (2 + minutes) * PER_MINUTE + 1, String(taken));
  const { body } = await service.api('GET', `/forms/${form.id}/submissions?includeTotal=true`);
  assert.equal(body.page.total, taken);
  assert.equal((await service.api('GET', '/contacts?includeTotal=true')).body.page.total, taken);
});
