import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import type { Explanation } from '../../../domain/membership/members/explain-membership.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { holds, type ModelContact } from './model.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const api = (...call: Parameters<Service['api']>): Promise<Answer> => service.api(...call);
async function make(path: string, body: object): Promise<number> {
  const answer = await api('POST', path, body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.id;
}
const segment = (name: string, filter: object) => make('/contacts/segments', { name, type: 'dynamic', filter });

test('the segments of a contact, and why it is in them or is not', async () => {
  const contact = {
    firstName: 'Ada',
    lastName: 'Q',
    email: 'ada@example.com',
    tags: ['vip', 'new'],
    jobTitle: 'Engineer',
  };
  const id = await make('/contacts', contact);
  const list = await make('/contacts/lists', { name: 'Guests', contactIds: [id] });
  const other = await make('/contacts/lists', { name: 'Others' });
  await tenantEm(service.deps.orm, 'default').transactional((tx) =>
    rows(
      tx,
      sql`
    insert into contact_activities (tenant_id, contact_id, type, occurred_at, event_id, automated, data)
    select 'default', ${id}::bigint, 'EMAIL_OPENED', now() - n * interval '2 days', gen_random_uuid(), n = 3, '{"templateId": 7}' from generate_series(1, 4) n`,
    ),
  );
  const opened = {
    event: 'EMAIL_OPENED',
    operator: 'atLeast',
    count: 2,
    withinDays: 5,
    where: [{ field: 'templateId', operator: 'eq', value: 7 }],
  };
  const leaves = [
    { field: 'tags', operator: 'contains', value: 'VIP' },
    { field: 'company.name', operator: 'exists' },
    { field: 'score', operator: 'gte', value: 10 },
    { field: 'qualification', operator: 'eq', value: 'cold' },
    { field: 'listId', operator: 'in', value: [list, other] },
    { field: 'createdAt', operator: 'withinLastDays', value: 1 },
    { field: 'jobTitle', operator: 'startsWith', value: 'eng' },
  ];
  const inside = await segment('Inside', {
    op: 'or',
    conditions: [
      opened,
      { op: 'and', conditions: leaves.filter((leaf) => leaf.field !== 'company.name' && leaf.field !== 'score') },
    ],
  });
  const outside = await segment('Outside', {
    op: 'and',
    conditions: [{ op: 'not', conditions: leaves }, { event: 'EMAIL_CLICKED', operator: 'none' }, opened],
  });

  const plain = (await api('GET', `/contacts/${id}/segments?sort=id`)).body;
  assert.deepEqual(
    plain.data.map(({ addedAt, ...rest }: { addedAt: string }) => [typeof addedAt, rest]),
    [
      ['string', { id: list, name: 'Guests', type: 'static' }],
      ['string', { id: inside, name: 'Inside', type: 'dynamic' }],
    ],
  );
  const { data } = (await api('GET', `/contacts/${id}/segments?explain=true&sort=id`)).body;
  assert.deepEqual(
    data.map((one: { id: number; member: boolean; addedAt: string | null }) => [
      one.id,
      one.member,
      one.addedAt !== null,
    ]),
    [
      [list, true, true],
      [inside, true, true],
      [outside, false, false],
    ],
  );
  assert.equal(data[0].explanation, null);
  const created = (await api('GET', `/contacts/${id}`)).body.createdAt;
  assert.deepEqual(data[1].explanation, {
    op: 'or',
    holds: true,
    conditions: [
      { filter: opened, value: 2, holds: true },
      {
        op: 'and',
        holds: true,
        conditions: [
          { filter: leaves[0], value: ['vip', 'new'], holds: true },
          { filter: leaves[3], value: 'cold', holds: true },
          { filter: leaves[4], value: [list], holds: true },
          { filter: leaves[5], value: created, holds: true },
          { filter: leaves[6], value: 'Engineer', holds: true },
        ],
      },
    ],
  });
  // Each part of the other tree as the model of filters has it.
  const model: ModelContact = {
    id,
    tags: contact.tags,
    memberOf: [list, inside],
    lists: [list],
    fields: {
      createdAt: new Date(created),
      jobTitle: contact.jobTitle,
      score: 0,
      qualification: 'cold',
      'company.name': null,
    },
    events: [2, 4, 6, 8].map((days) => ({
      type: 'EMAIL_OPENED',
      at: new Date(Date.now() - days * 86_400_000),
      automated: days === 6,
      data: { templateId: 7 },
    })),
  };
  const parts = (node: Explanation): Explanation[] =>
    'op' in node ? [node, ...node.conditions.flatMap(parts)] : [node];
  const leafParts = parts(data[2].explanation).filter((node) => 'filter' in node);
  assert.equal(leafParts.length, leaves.length + 2);
  for (const node of leafParts)
    assert.equal(node.holds, holds(node.filter, model, { now: new Date() }), JSON.stringify(node));
  assert.equal(data[2].explanation.holds, false);
  assert.equal((await api('GET', '/contacts/999999/segments')).status, 404);
});

test('filters at their limits are judged, explained or refused in so many words', async () => {
  const id = await make('/contacts', {
    firstName: 'L',
    lastName: 'L',
    email: 'limits@example.com',
    jobTitle: 'a'.repeat(200),
  });
  const nested = (depth: number): object =>
    depth === 0 ? { field: 'jobTitle', operator: 'exists' } : { op: 'and', conditions: [nested(depth - 1)] };
  await segment('Ten deep', nested(10));
  const deep = await api('POST', '/contacts/segments', { name: 'S', type: 'dynamic', filter: nested(11) });
  assert.deepEqual([deep.status, deep.body.errors[0].code], [400, 'too_deep']);

  const where = Array.from({ length: 4 }, (_, n) => ({ field: 'url', operator: 'contains', value: `/${n}` }));
  const events = Array.from({ length: 1000 }, (_, n) => ({
    event: 'EMAIL_CLICKED',
    operator: 'atMost',
    count: n % 5,
    withinDays: 1 + n,
    where,
  }));
  const wide = await segment('A thousand', { op: 'and', conditions: events });
  const days = Array.from({ length: 1000 }, (_, n) => new Date(Date.UTC(2030, 0, n + 1)).toISOString().slice(0, 10));
  const times = await segment('Times', {
    op: 'not',
    conditions: Array.from({ length: 100 }, () => ({ field: 'createdAt', operator: 'in', value: days })),
  });
  const more = await api('POST', '/contacts/segments', {
    name: 'S',
    type: 'dynamic',
    filter: { op: 'and', conditions: [...events, events[0]] },
  });
  assert.deepEqual([more.status, more.body.errors[0].code], [400, 'too_many']);

  // What takes a backtracking matcher for ever, and what LIKE takes for its own.
  const bombs = ['(a+)+$', `${'%a'.repeat(499)}b`, '_'.repeat(1000), '\\'.repeat(999)];
  const bombed = await segment('Bombs', {
    op: 'or',
    conditions: bombs.map((value) => ({ field: 'jobTitle', operator: 'contains', value })),
  });
  await api('PUT', `/contacts/${id}`, { jobTitle: 'b (a+)+$', tags: ['x'] });
  const { data } = (await api('GET', `/contacts/${id}/segments?explain=true&limit=200`)).body;
  const member = (of: number): boolean => data.find((one: { id: number }) => one.id === of).member;
  assert.deepEqual([member(wide), member(times), member(bombed)], [true, true, true]);
  assert.equal(data.find((one: { id: number }) => one.id === wide).explanation.conditions.length, 1000);
});
