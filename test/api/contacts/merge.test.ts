import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { withClient } from '../../../dev/stack/postgres.ts';
import { eventOf, publish, settled } from '../../support/events.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
let number = 0;
beforeAll(async () => {
  service = await startService({ worker: true });
});
afterAll(() => service.stop());

const api = (...call: Parameters<Service['api']>): Promise<Answer> => service.api(...call);
const query = <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  tenantEm(service.deps.orm, 'default').transactional((tx) => rows<T>(tx, statement));

async function ok(...call: Parameters<Service['api']>) {
  const answer = await api(...call);
  assert.ok(answer.status < 300, `${call[0]} ${call[1]}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}
const make = (fields: object = {}) =>
  ok('POST', '/contacts', {
    firstName: 'Ada',
    lastName: 'Byron',
    email: `merge${(number += 1)}@example.com`,
    ...fields,
  });
const merge = (id: number, sourceId: number, headers: Record<string, string> = {}) =>
  api('POST', `/contacts/${id}/merge`, { sourceId }, { headers });

test('the target keeps its own values and takes what it lacks; the source is gone', async () => {
  for (const name of ['plan', 'size'])
    await ok('POST', '/contacts/custom-fields', { entity: 'contact', name, type: 'string' });
  const target = await make({ jobTitle: 'Engineer', tags: ['a', 'b'], customFields: { plan: 'gold' } });
  const source = await make({
    firstName: 'Other',
    jobTitle: 'Boss',
    phone: '+44 20 7946 0958',
    company: 'Merge Ltd',
    tags: ['b', 'c'],
    customFields: { plan: 'iron', size: 'L' },
    timezone: 'Europe/Berlin',
    status: 'unsubscribed',
  });
  const { body: segment } = await api('POST', '/contacts/segments', {
    name: 'L',
    type: 'dynamic',
    filter: { field: 'customFields.size', operator: 'eq', value: 'L' },
  });
  const answer = await merge(target.id, source.id, { 'if-match': '"1"' });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const { updatedAt } = answer.body;
  assert.deepEqual(
    answer.body,
    {
      ...target,
      updatedAt,
      phone: '+44 20 7946 0958',
      phoneE164: '+442079460958',
      companyId: source.companyId,
      company: source.company,
      tags: ['a', 'b', 'c'],
      customFields: { plan: 'gold', size: 'L' },
      timezone: 'Europe/Berlin',
      status: 'unsubscribed',
      version: 2,
    },
    'but for the time of the change',
  );
  assert.ok(updatedAt > target.updatedAt);
  assert.equal((await api('GET', `/contacts/${source.id}`)).status, 404);
  assert.deepEqual(
    (await api('GET', `/contacts/segments/${segment.id}/contacts`)).body.data.map(({ id }: { id: number }) => id),
    [target.id],
  );
  assert.equal(
    (await query(sql`select 1 from suppressions where email_key = ${target.email}`)).length,
    1,
    'the opt-out outlives the contact',
  );
  const [entry] = await query<{ after: object; actor_name: string }>(
    sql`select after, actor_name from audit_log where action = 'contact.merged' and resource_id = ${String(target.id)}`,
  );
  assert.deepEqual([(entry!.after as { sourceId: number }).sourceId, entry!.actor_name], [source.id, 'admin']);
});

test('what can not be merged is refused, and changes nothing', async () => {
  const one = await make();
  const two = await make();
  const self = await merge(one.id, one.id);
  assert.deepEqual([self.status, self.body.errors[0].path], [400, '/sourceId']);
  assert.equal((await merge(one.id, 999_999)).status, 404);
  assert.equal((await merge(999_999, two.id)).status, 404);
  assert.equal((await merge(one.id, two.id, { 'if-match': '"7"' })).status, 412);
  const [foreign] = await tenantEm(service.deps.orm, 'another').transactional((tx) =>
    rows<{ id: number }>(
      tx,
      sql`
    insert into contacts (tenant_id, first_name, last_name, email, email_key) values ('another', 'A', 'B', 'x@example.com', 'x@example.com') returning id`,
    ),
  );
  assert.equal((await merge(one.id, foreign!.id)).status, 404);
  assert.equal((await merge(foreign!.id, one.id)).status, 404);
  assert.deepEqual(await ok('GET', `/contacts/${one.id}`), one);
  assert.deepEqual(await ok('GET', `/contacts/${two.id}`), two);
});

test('two merges at once, each into the other: one is done, the other finds its contact gone', async () => {
  for (let round = 0; round < 4; round += 1) {
    const one = await make();
    const two = await make();
    const answers = await Promise.all([merge(one.id, two.id), merge(two.id, one.id)]);
    assert.deepEqual(
      answers.map(({ status }) => status).sort(),
      [200, 404],
      JSON.stringify(answers.map(({ body }) => body)),
    );
  }
});

test("activities, scores, lists, emails and submissions are the target's", async () => {
  const [target, source] = [await make(), await make()];
  const list = await ok('POST', '/contacts/lists', { name: 'Of the source', contactIds: [source.id] });
  const form = await ok('POST', '/forms', {
    name: 'Sign-up',
    fields: [{ name: 'email', label: 'Email', type: 'email', required: true }],
  });
  const rule = await ok('POST', '/scoring/rules', { name: 'Visit', eventType: 'WEBSITE_VISITED', points: 7 });
  for (const { email } of [target, source, source])
    await ok('POST', `/forms/${form.id}/submit`, { email }, { token: null });
  await ok('POST', '/scoring/events', { contactId: source.id, type: 'WEBSITE_VISITED', data: {} });
  const template = await ok('POST', '/emails/templates', {
    name: 'T',
    subject: 'S',
    content: '<a href="https://example.com/x">x</a>',
  });
  const { emailId } = await ok('POST', '/emails/send', { templateId: template.id, recipientId: source.id });
  await until(
    'the email is sent',
    async () => (await api('GET', `/emails/tracking/${emailId}`)).body.status === 'SENT',
  );
  const score = (id: number) => ok('GET', `/scoring/contacts/${id}`);
  // Visits have a default rule of their own.
  const before = await until('everything is scored', async () => {
    const [a, b] = [await score(target.id), await score(source.id)];
    return a.history.length >= 1 && b.history.length >= 4 && [a, b];
  });
  const activities = async (id: number) =>
    (await ok('GET', `/contacts/${id}/activities`)).data.map(({ type }: { type: string }) => type);
  await until(
    'both have their activities',
    async () =>
      (await activities(source.id)).includes('EMAIL_SENT') && (await activities(target.id)).includes('FORM_SUBMITTED'),
  );

  assert.equal((await merge(target.id, source.id)).status, 200);
  const after = await score(target.id);
  assert.equal(after.totalScore, before[0]!.totalScore + before[1]!.totalScore);
  assert.equal(after.rules.find(({ ruleId }: { ruleId: number }) => ruleId === rule.id).score, 7);
  assert.equal(
    after.rules.reduce((sum: number, one: { score: number }) => sum + one.score, 0),
    after.totalScore,
  );
  assert.equal(after.history[0].total, after.totalScore, 'the newest row of the history has the total');
  assert.equal((await activities(target.id)).filter((type: string) => type === 'FORM_SUBMITTED').length, 3);
  assert.deepEqual(
    (await ok('GET', `/contacts/lists/${list.id}/contacts`)).data.map(({ id }: { id: number }) => id),
    [target.id],
  );
  assert.equal((await query(sql`select 1 from form_submissions where contact_id = ${target.id}`)).length, 3);
  assert.deepEqual(await query(sql`select contact_id from emails where id = ${emailId}`), [{ contact_id: target.id }]);
  assert.equal(
    (await query(sql`select 1 from score_totals where subject = 'contact' and subject_id = ${source.id}`)).length,
    0,
  );
  await until('SCORE_UPDATED was told', async () => (await activities(target.id)).includes('CONTACT_UPDATED'));
});

test("of two executions in one campaign the source's is stopped; its others go on as the target's", async () => {
  const [target, source] = [await make(), await make()];
  const list = await ok('POST', '/contacts/lists', { name: 'Arrived' });
  const start = async (steps: object[], contactIds: number[]) => {
    const campaign = await ok('POST', '/campaigns', { name: 'Journey', steps });
    await ok('POST', `/campaigns/${campaign.id}/start`, { contactIds });
    return campaign.id as number;
  };
  const executions = async (id: number) => (await ok('GET', `/campaigns/${id}/executions?sort=id`)).data;
  const long = { id: 'long', type: 'WAIT', config: { waitMinutes: 10_000 } };
  const both = await start([long], [target.id, source.id]);
  const alone = await start(
    [
      { id: 'soon', type: 'WAIT', config: { until: new Date(Date.now() + 6000).toISOString() } },
      { id: 'add', type: 'SEGMENT', config: { action: 'add', listId: list.id } },
    ],
    [source.id],
  );
  await until(
    'all are on their way',
    async () => (await executions(both)).length === 2 && (await executions(alone)).length === 1,
  );
  const [moving] = await executions(alone);

  assert.equal((await merge(target.id, source.id)).status, 200);
  const twins = await executions(both);
  assert.deepEqual(
    twins
      .map(({ contactId, status, exitReason, entryNo }: Record<string, unknown>) => [
        contactId,
        status,
        exitReason,
        entryNo,
      ])
      .sort(),
    [
      [target.id, 'RUNNING', null, 1],
      [target.id, 'STOPPED', 'merged', 2],
    ],
  );
  const stopped = twins.find(({ status }: { status: string }) => status === 'STOPPED');
  await until(
    'its workflow is closed',
    async () =>
      (await service.deps.temporal.workflow.getHandle(stopped.workflowId).describe()).status.name !== 'RUNNING',
  );
  const arrived = await until('the other one is at its end', async () =>
    (await executions(alone)).find(({ status }: { status: string }) => status === 'COMPLETED'),
  );
  assert.deepEqual([arrived.id, arrived.contactId, arrived.workflowId], [moving.id, target.id, moving.workflowId]);
  assert.deepEqual(
    (await ok('GET', `/contacts/lists/${list.id}/contacts`)).data.map(({ id }: { id: number }) => id),
    [target.id],
  );
});

test('what the source did and the consumers hear of after the merge is done by the target, and by nobody else', async () => {
  const target = await make();
  const [first, second] = [await make(), await make()];
  const visit = (contactId: number) =>
    eventOf(
      'WEBSITE_VISITED',
      { contactId, url: `https://example.com/${contactId}` },
      new Date('2025-03-03T03:03:03Z'),
    );
  const click = (contactId: number) =>
    eventOf(
      'EMAIL_CLICKED',
      { emailId: 1, contactId, automated: false, url: 'https://example.com/a' },
      new Date('2025-03-03T03:03:03Z'),
    );
  // Into the target by way of another.
  assert.equal((await merge(second.id, first.id)).status, 200);
  assert.equal((await merge(target.id, second.id)).status, 200);
  const events = [target, first, second].flatMap(({ id }) => [visit(id), click(id)]);
  const creations = async () =>
    (await query(sql`select 1 from contact_activities where contact_id = ${target.id} and type = 'CONTACT_CREATED'`))
      .length;
  const created = await creations();
  await publish(service, ...events, eventOf('CONTACT_CREATED', { contactId: first.id, email: first.email }));
  await settled(service, 'contact', 'scoring', 'analytics');

  const { history } = await ok('GET', `/scoring/contacts/${target.id}`);
  const scored = new Set(history.map(({ eventId }: { eventId: string }) => eventId));
  const activities = await query<{ event_id: string }>(
    sql`select event_id from contact_activities where contact_id = ${target.id}`,
  );
  const recorded = new Set(activities.map((row) => row.event_id));
  for (const { id, type } of events) assert.ok(scored.has(id) && recorded.has(id), type);
  assert.equal(await creations(), created, 'the merge has moved the creation already');
  const figures = await ok('GET', '/analytics/emails?from=2025-03-03T00:00:00Z&to=2025-03-04T00:00:00Z');
  assert.deepEqual([figures.totals.clicks, figures.totals.contactsClicked], [3, 1]);
});

test('a merge gives up when a contact is locked for long, so that it does not hold up the events of others', async () => {
  const [target, source, other] = [await make(), await make(), await make()];
  await settled(service, 'contact', 'scoring', 'analytics');
  await withClient(service.slot.env['DATABASE_MIGRATION_URL']!, async (client) => {
    await client.query('begin');
    await client.query('select 1 from contacts where id = $1 for update', [source.id]);
    const merging = merge(target.id, source.id);
    const visited = eventOf('WEBSITE_VISITED', { contactId: other.id, url: 'https://example.com/' });
    await publish(service, visited);
    const answer = await merging;
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '1']);
    await settled(service, 'scoring');
    await client.query('rollback');
  });
  assert.equal((await merge(target.id, source.id)).status, 200);
});
