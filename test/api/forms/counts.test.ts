/** Views and abandonments that come in a rush. */
import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm } from '../../../db/orm.ts';
import { countAbandonments } from '../../../domain/forms/abandonment.ts';
import { countViews } from '../../../domain/forms/form-stats.ts';
import { holding, newTenant, waiting } from '../../support/accounts.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const open = { token: null };
async function make(token?: string): Promise<number> {
  const fields = ['email', 'phone'].map((name) => ({ name, label: name, type: name }));
  const answer = await service.api('POST', '/forms', { name: 'Seen', fields }, token ? { token } : {});
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.id;
}
const statsOf = async (id: number, token?: string): Promise<Answer['body']> =>
  (await service.api('GET', `/forms/${id}/stats`, undefined, token ? { token } : {})).body;
const view = (id: number): Promise<Answer> => service.api('GET', `/forms/${id}/fields`, undefined, open);
const leave = (id: number, field: string): Promise<Answer> =>
  service.api('POST', `/forms/${id}/abandon`, { field }, open);

test('a rush of views and abandonments takes no connections from submissions, and each is counted', async () => {
  const [one, two] = [await make(), await make()];
  const rush = 2 * service.deps.env.DATABASE_POOL_MAX;
  const answers = await holding(
    service,
    'lock table analytics_windows, form_abandonments in share mode',
    async (client) => {
      const counted = Array.from({ length: rush }, () => [view(one), view(two), leave(one, 'email')]).flat();
      await until('they wait', async () => (await waiting(client)) > 0);
      const submitted = await service.api('POST', `/forms/${one}/submit`, { email: 'goes@example.com' }, open);
      assert.equal(submitted.status, 200, JSON.stringify(submitted.body));
      assert.ok((await waiting(client)) <= 2, 'one statement of each kind');
      await client.query('commit');
      return Promise.all(counted);
    },
  );
  assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [200, 204]);
  for (const id of [one, two]) assert.equal((await statsOf(id)).views, rush);
  assert.deepEqual((await statsOf(one)).abandonment, [{ field: 'email', count: rush }]);
  assert.equal((await service.api('GET', '/analytics/dashboard')).body.forms.views, 2 * rush);
});

test('a batch is of any tenants, and a form that was deleted meanwhile harms no other', async () => {
  const other = await newTenant(service);
  const [mine, theirs, gone] = [await make(), await make(other.token), await make()];
  assert.equal((await service.api('DELETE', `/forms/${gone}`)).status, 204);
  const em = engineEm(service.deps.orm);
  const forms = [
    { tenantId: 'default', formId: mine },
    { tenantId: 'default', formId: gone },
    { tenantId: other.user.tenantId, formId: theirs },
    // Not a form of this tenant.
    { tenantId: other.user.tenantId, formId: mine },
  ];
  await countViews(em, forms);
  await countAbandonments(
    em,
    forms.map((form) => ({ ...form, field: 'phone', returned: false })),
  );
  for (const [id, token] of [[mine], [theirs, other.token]] as [number, string?][]) {
    const { views, abandonment } = await statsOf(id, token);
    assert.deepEqual([views, abandonment], [1, [{ field: 'phone', count: 1 }]]);
  }
});
