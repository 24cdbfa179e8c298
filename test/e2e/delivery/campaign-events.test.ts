import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { makeContact } from '../../support/mail/emails.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: true });
});
afterAll(() => service.stop());

interface Execution {
  id: number;
  contactId: number;
  entryNo: number;
  status: string;
  exitReason: string | null;
  currentStepId: string | null;
}

async function post(path: string, body?: unknown): Promise<Answer['body']> {
  const answer = await service.api('POST', path, body);
  assert.ok(answer.status < 300, JSON.stringify(answer.body));
  return answer.body;
}
const list = async (name: string): Promise<number> => (await post('/contacts/segments', { name, type: 'static' })).id;
async function campaign(fields: Record<string, unknown>, audience?: Record<string, unknown>): Promise<number> {
  const { id } = await post('/campaigns', { name: 'A campaign', ...fields });
  await post(`/campaigns/${id}/start`, audience);
  return id;
}
const executionsOf = async (id: number): Promise<Execution[]> =>
  (await service.api('GET', `/campaigns/${id}/executions?limit=200`)).body.data;
const stepsOf = async (id: number): Promise<string[]> =>
  (await service.api('GET', `/campaigns/executions/${id}`)).body.steps.map(
    ({ stepId, result }: { stepId: string; result: string }) => `${stepId}:${result}`,
  );
const join = (listId: number, contactId: number) =>
  post(`/contacts/lists/${listId}/contacts`, { contactIds: [contactId] });

const move = (id: string, action: 'add' | 'remove', listId: number) => ({
  id,
  type: 'SEGMENT',
  config: { action, listId },
});
const score = (id: string, points: number) => ({ id, type: 'SCORE', config: { points } });
const always = { reentry: 'always' };

/** Waits for the execution that is one too many, and checks that there is no other after it. */
async function endsAfterTen(campaignIds: number[], contactId: number): Promise<void> {
  const all = async () =>
    (await Promise.all(campaignIds.map(executionsOf))).flat().filter((found) => found.contactId === contactId);
  const refused = await until('an entry is refused', async () =>
    (await all()).find(({ exitReason }) => exitReason === 'depth_limit'),
  );
  assert.equal(refused.status, 'STOPPED');
  await until('the others have ended', async () => (await all()).every(({ status }) => status !== 'RUNNING'));
  const ends = (await all()).map(({ status }) => status).sort();
  assert.deepEqual(ends, [...Array.from({ length: 10 }, () => 'COMPLETED'), 'STOPPED']);
}

test('a campaign that puts its contacts on its own list again ends after ten entries in a row', async () => {
  const listId = await list('Loop');
  const steps = [move('leave', 'remove', listId), move('join', 'add', listId)];
  const id = await campaign({ trigger: { type: 'SEGMENT_ENTERED', segmentId: listId }, entry: always, steps });
  const contact = await makeContact(service);
  await join(listId, contact.id);
  await endsAfterTen([id], contact.id);
  // What a person does begins anew.
  const other = await makeContact(service);
  await join(listId, other.id);
  await endsAfterTen([id], other.id);
});

test('two campaigns that start one another end after ten entries', async () => {
  const [one, two] = [await list('One'), await list('Two')];
  const from = (own: number, next: number) => [move('leave', 'remove', own), move('on', 'add', next)];
  const ids = [
    await campaign({ trigger: { type: 'SEGMENT_ENTERED', segmentId: one }, entry: always, steps: from(one, two) }),
    await campaign({ trigger: { type: 'SEGMENT_ENTERED', segmentId: two }, entry: always, steps: from(two, one) }),
  ];
  const contact = await makeContact(service);
  await join(one, contact.id);
  await endsAfterTen(ids, contact.id);
});

test('a loop over scores, and one over a dynamic segment of scores, end after ten entries', async () => {
  const steps = [score('down', -10), score('up', 10)];
  const byScore = await campaign({ trigger: { type: 'SCORE_REACHED', score: 100 }, entry: always, steps });
  const segment = await post('/contacts/segments', {
    name: 'Scored',
    type: 'dynamic',
    filter: { field: 'score', operator: 'gte', value: 1000 },
  });
  await until('the segment is built', async () => {
    const answer = await service.api('GET', `/contacts/segments/${segment.id}`);
    return answer.body.status === 'READY';
  });
  // A pause, so that the consumer sees the contact outside of the segment.
  const away = [
    score('down', -10),
    { id: 'rest', type: 'WAIT_FOR_EVENT', config: leaves(segment.id) },
    score('up', 10),
  ];
  const bySegment = await campaign({
    trigger: { type: 'SEGMENT_ENTERED', segmentId: segment.id },
    entry: always,
    steps: away,
  });
  const raise = (points: number, contactId: number) =>
    campaign({ steps: [score('up', points)] }, { contactIds: [contactId] });
  const [first, second] = [await makeContact(service), await makeContact(service)];
  await raise(105, first.id);
  // The campaign that raised the score was the first in the row.
  await endsAfterNine(byScore, first.id);
  // Else it would change the score of the second one too.
  await post(`/campaigns/${byScore}/stop`);
  await raise(1005, second.id);
  await endsAfterNine(bySegment, second.id);
});

const leaves = (segmentId: number) => ({
  event: 'SEGMENT_LEFT',
  where: [{ field: 'segmentId', operator: 'eq', value: segmentId }],
  timeoutMinutes: 60,
  onTimeout: null,
});

async function endsAfterNine(campaignId: number, contactId: number): Promise<void> {
  const all = async () => (await executionsOf(campaignId)).filter((found) => found.contactId === contactId);
  await until('an entry is refused', async () => (await all()).some(({ exitReason }) => exitReason === 'depth_limit'));
  await until('the others have ended', async () => (await all()).every(({ status }) => status !== 'RUNNING'));
  assert.equal((await all()).length, 10);
}

test('events wake those that wait for them, however many come, and nobody else', async () => {
  const contacts = await Promise.all(Array.from({ length: 20 }, () => makeContact(service)));
  const ids = contacts.map(({ id }) => id);
  const where = [{ field: 'url', operator: 'eq', value: 'https://example.com/prices' }];
  const id = await campaign(
    {
      steps: [
        {
          id: 'listen',
          type: 'WAIT_FOR_EVENT',
          config: { event: 'WEBSITE_VISITED', where, timeoutMinutes: 60, onTimeout: null },
        },
      ],
    },
    { contactIds: ids },
  );
  await until('all wait', async () => {
    const found = await executionsOf(id);
    return found.length === 20 && found.every(({ currentStepId }) => currentStepId === 'listen');
  });
  const visit = (contactId: number, page: string) =>
    post('/scoring/events', { contactId, type: 'WEBSITE_VISITED', data: { url: `https://example.com/${page}` } });
  const visitors = ids.slice(0, 15);
  await Promise.all(ids.flatMap((contactId) => Array.from({ length: 5 }, () => visit(contactId, 'other'))));
  await Promise.all(visitors.flatMap((contactId) => Array.from({ length: 5 }, () => visit(contactId, 'prices'))));
  await until('the visitors went on', async () => {
    const done = (await executionsOf(id)).filter(({ status }) => status === 'COMPLETED');
    return done.length === 15 && done.every(({ contactId }) => visitors.includes(contactId));
  });
  const found = await executionsOf(id);
  for (const execution of found.filter(({ status }) => status === 'COMPLETED'))
    assert.deepEqual(await stepsOf(execution.id), ['listen:event']);
  assert.ok(
    found.filter(({ status }) => status === 'RUNNING').every(({ currentStepId }) => currentStepId === 'listen'),
  );
  await post(`/campaigns/${id}/stop`);
});

test('a goal is met by joining a list; it is a conversion in the stats and on the dashboard', async () => {
  const listId = await list('Customers');
  const contact = await makeContact(service);
  const id = await campaign(
    {
      steps: [
        { id: 'pause', type: 'WAIT', config: { waitMinutes: 1440 } },
        { id: 'bought', type: 'GOAL', config: { if: { field: 'listId', operator: 'eq', value: listId } } },
      ],
    },
    { contactIds: [contact.id] },
  );
  const [execution] = await until('it waits', async () => {
    const found = await executionsOf(id);
    return found[0]?.currentStepId === 'pause' ? found : null;
  });
  await join(listId, contact.id);
  await until('it has met the goal', async () => (await executionsOf(id))[0]!.status === 'COMPLETED');
  assert.deepEqual(await stepsOf(execution!.id), ['pause:skipped', 'bought:met']);
  const { body: stats } = await service.api('GET', `/campaigns/${id}/stats`);
  assert.deepEqual([stats.conversions, stats.goals], [1, [{ stepId: 'bought', met: 1, contacts: 1 }]]);
  await until('the dashboard counts it', async () => {
    const { body } = await service.api('GET', '/analytics/dashboard');
    return body.conversions.total === 1;
  });
});

test('explain says what would enter a contact or has entered it, and when', async () => {
  const listId = await list('Explained');
  const [early, late] = [await makeContact(service), await makeContact(service)];
  await join(listId, early.id);
  const steps = [{ id: 'pause', type: 'WAIT', config: { waitMinutes: 1440 } }];
  const { id } = await post('/campaigns', {
    name: 'A',
    steps,
    trigger: { type: 'SEGMENT_ENTERED', segmentId: listId },
  });
  const checksOf = async (
    contactId: number,
  ): Promise<Record<string, { passed: boolean; reason: string; at: string }>> => {
    const { body } = await service.api('GET', `/campaigns/${id}/contacts/${contactId}/explain`);
    return Object.fromEntries(body.checks.map((found: { check: string }) => [found.check, found]));
  };
  await until('the event is in the timeline', async () => (await checksOf(early.id))['trigger']!.at !== null);
  await post(`/campaigns/${id}/start`);
  await join(listId, late.id);
  await until('the second one has entered', async () => (await executionsOf(id)).length === 1);
  const { trigger, segment, enrolment } = await checksOf(early.id);
  assert.deepEqual([trigger!.passed, segment!.passed, enrolment!.passed], [false, true, false]);
  assert.match(trigger!.reason, /came before the campaign became active/);
  assert.match(enrolment!.reason, /never started for an audience/);
  assert.ok(Date.parse(segment!.at) <= Date.parse(trigger!.at));
  const entered = await until('its event is in the timeline', async () => {
    const checks = await checksOf(late.id);
    return checks['trigger']!.passed ? checks : null;
  });
  assert.match(entered['trigger']!.reason, /while the campaign was active/);
  assert.ok(Date.parse(entered['trigger']!.at) >= Date.parse(entered['campaign']!.at));
  assert.equal(entered['reentry']!.passed, false);
  // Started for the first one too.
  await post(`/campaigns/${id}/start`, { contactIds: [early.id] });
  await until('the first one has entered', async () => (await executionsOf(id)).length === 2);
  const { enrolment: own } = await checksOf(early.id);
  assert.match(own!.reason, /^the contact entered by enrolment \d+ \(MANUAL/);
  assert.match((await checksOf(late.id))['enrolment']!.reason, /did not name the contact/);
});

test('a campaign that its own goal starts again ends after ten entries in a row', async () => {
  const goal = { id: 'goal', type: 'GOAL', config: { if: { field: 'status', operator: 'eq', value: 'active' } } };
  const contact = await makeContact(service);
  const id = await campaign(
    { trigger: { type: 'GOAL_MET' }, entry: always, steps: [goal] },
    { contactIds: [contact.id] },
  );
  await endsAfterTen([id], contact.id);
  // Else it would start for the goals of others.
  await post(`/campaigns/${id}/stop`);
});
