import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { newMember } from '../../support/users.ts';
import { startVariant } from '../../support/variant.ts';
import { eventOf, publish, settled } from '../../support/events.ts';

let service: Service;
let number = 0;
beforeAll(async () => {
  service = await startService({ worker: ['intake', 'consumers', 'relay'] });
});
afterAll(() => service.stop());

async function make(path: string, body: object): Promise<Answer['body']> {
  const answer = await service.api('POST', path, body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}
const person = async (more: object = {}): Promise<number> =>
  (
    await make('/contacts', {
      firstName: 'P',
      lastName: `Q${(number += 1)}`,
      email: `scored${number}@example.com`,
      ...more,
    })
  ).id;
const score = async (id: number): Promise<Answer['body']> => (await service.api('GET', `/scoring/contacts/${id}`)).body;
const opened = (contactId: number | null, more: object = {}) =>
  eventOf('EMAIL_OPENED', { emailId: 1, contactId, automated: false, ...more });
const clicked = (contactId: number, more: object = {}) =>
  eventOf('EMAIL_CLICKED', { emailId: 1, contactId, automated: false, url: 'https://example.com/a', ...more });
const sent = (recipientId: number | null, more: object = {}) =>
  eventOf('MESSAGE_SENT', { messageId: 1, channel: 'sms', recipientId, status: 'SENT', ...more });
const visited = (contactId: number, url: string) => eventOf('WEBSITE_VISITED', { contactId, url });
const submitted = (contactId: number) => eventOf('FORM_SUBMITTED', { formId: 1, contactId, submissionId: 1 });
async function happen(...events: Parameters<typeof publish>[1][]): Promise<void> {
  await publish(service, ...events);
  await settled(service, 'scoring', 'contact');
}

test('every tenant begins with rules for opens, clicks, forms and visits', async () => {
  const { data } = (await service.api('GET', '/scoring/rules?sort=id')).body;
  assert.deepEqual(
    data.map((rule: Answer['body']) => [
      rule.eventType,
      rule.points,
      rule.weight,
      rule.active,
      rule.target,
      rule.maxPerContact,
      rule.conditions,
      rule.decay,
    ]),
    [
      ['EMAIL_OPENED', 5],
      ['EMAIL_CLICKED', 10],
      ['FORM_SUBMITTED', 25],
      ['WEBSITE_VISITED', 2],
    ].map((rule) => [...rule, 1, true, 'contact', null, [], null]),
  );
});

test('an event counts once per rule, however often it is delivered; automated ones count for nothing', async () => {
  const id = await person();
  const events = [opened(id), clicked(id), submitted(id), visited(id, 'https://example.com')];
  const robots = [opened(id, { automated: true }), clicked(id, { automated: true })];
  await happen(...events, ...events, ...robots, ...events.toReversed(), opened(null), opened(999_999));
  await happen(...events);
  const found = await score(id);
  assert.equal(found.totalScore, 42);
  assert.equal(found.qualification, 'warm');
  assert.deepEqual(
    found.rules.map((rule: Answer['body']) => rule.score),
    [5, 10, 25, 2],
  );
  assert.deepEqual(
    found.history.map((row: Answer['body']) => [row.eventType, row.points, row.total]),
    [
      ['WEBSITE_VISITED', 2, 42],
      ['FORM_SUBMITTED', 25, 40],
      ['EMAIL_CLICKED', 10, 15],
      ['EMAIL_OPENED', 5, 5],
    ],
  );
  assert.deepEqual(
    found.history.map((row: Answer['body']) => row.eventId),
    events.map((event) => event.id).toReversed(),
  );
  assert.equal(found.history[3].at, events[0]!.time);
  assert.deepEqual((await service.api('GET', `/scoring/contacts/${id}/score`)).body, found);
});

test('every change is told by SCORE_UPDATED', async () => {
  const id = await person();
  await happen(opened(id), submitted(id));
  const { data } = (await service.api('GET', `/contacts/${id}/activities?sort=id`)).body;
  const [open, , form] = (await service.api('GET', '/scoring/rules?sort=id')).body.data;
  assert.deepEqual(
    data.filter((one: Answer['body']) => one.type === 'SCORE_UPDATED').map((one: Answer['body']) => one.data),
    [
      { contactId: id, previousScore: 0, totalScore: 5, ruleId: open.id, qualification: 'cold' },
      { contactId: id, previousScore: 5, totalScore: 30, ruleId: form.id, qualification: 'warm' },
    ],
  );
});

const told = async (id: number): Promise<[previous: number, total: number, ruleId: number | null][]> =>
  (await service.api('GET', `/contacts/${id}/activities?sort=id&limit=200`)).body.data
    .filter((one: Answer['body']) => one.type === 'SCORE_UPDATED')
    .map(({ data }: Answer['body']) => [data.previousScore, data.totalScore, data.ruleId]);

test('a text that was sent counts for its recipient, and one that failed for nobody', async () => {
  const id = await person();
  const conditions = [{ field: 'channel', operator: 'eq', value: 'sms' }];
  const rule = await make('/scoring/rules', { name: 'Texts', eventType: 'MESSAGE_SENT', points: 7, conditions });
  const text = sent(id);
  await happen(text, sent(id, { status: 'FAILED' }), sent(id, { channel: 'push' }), sent(null), sent(999_999));
  const { totalScore, history } = await score(id);
  assert.equal(totalScore, 7);
  assert.deepEqual(
    history.map((row: Answer['body']) => [row.ruleId, row.eventId]),
    [[rule.id, text.id]],
  );
  await service.api('DELETE', `/scoring/rules/${rule.id}`);
});

test('several rules for one event change the total once, so that nothing is reached on the way', async () => {
  const id = await person();
  const url = 'https://example.com/both';
  const conditions = [{ field: 'url', operator: 'eq', value: url }];
  for (const points of [100, -100])
    await make('/scoring/rules', { name: `R${points}`, eventType: 'WEBSITE_VISITED', points, conditions });
  await happen(visited(id, url));
  assert.deepEqual(await told(id), [[0, 2, null]]);
  assert.equal((await score(id)).history.length, 3);
});

test('a change tells what decay has changed since the total was told last', async () => {
  const id = await person();
  await happen(opened(id));
  await engineEm(service.deps.orm).transactional((tx) =>
    rows(tx, sql`update score_totals set total = 4 where subject = 'contact' and subject_id = ${id}`),
  );
  await happen(opened(id));
  assert.deepEqual(
    (await told(id)).map(([previous, total]) => [previous, total]),
    [
      [0, 5],
      [4, 10],
    ],
  );
});

test("a contact without points has 0 and is cold; an unknown one, or another tenant's, is a 404", async () => {
  const id = await person();
  const { thresholds, ...rest } = await score(id);
  assert.deepEqual(rest, {
    contactId: id,
    totalScore: 0,
    qualification: 'cold',
    rules: [],
    history: [],
    page: { limit: 50, nextCursor: null, hasMore: false },
  });
  assert.ok(Array.isArray(thresholds));
  for (const path of [
    '/scoring/contacts/999999',
    '/scoring/companies/999999',
    '/scoring/rules/999999',
    '/scoring/thresholds/999999',
  ])
    assert.equal((await service.api('GET', path)).status, 404, path);
  const company = (await make('/contacts/companies', { name: 'Ours' })).id;
  const rule = await make('/scoring/rules', { name: 'Ours', eventType: 'CAMPAIGN_COMPLETED', points: 1 });
  const threshold = await make('/scoring/thresholds', { name: 'Ours', score: 100_000 });
  const list = (await make('/contacts/lists', { name: 'Ours' })).id;
  const variant = await startVariant(service, { ENABLE_MULTI_TENANT: true });
  try {
    const { token } = await newMember(variant.api);
    const call = (method: string, path: string, body?: object) =>
      variant.api(method, `/scoring${path}`, body, { token });
    for (const path of [`/contacts/${id}`, `/companies/${company}`, `/rules/${rule.id}`, `/thresholds/${threshold.id}`])
      assert.equal((await call('GET', path)).status, 404, path);
    assert.equal((await call('PUT', `/rules/${rule.id}`, { points: 9 })).status, 404);
    assert.equal((await call('DELETE', `/thresholds/${threshold.id}`)).status, 404);
    assert.equal((await call('POST', '/events', { contactId: id, type: 'WEBSITE_VISITED' })).status, 404);
    assert.equal(
      (await call('POST', '/thresholds', { name: 'x', score: 1, action: { type: 'ADD_TO_LIST', listId: list } }))
        .status,
      400,
    );
    assert.equal((await call('GET', '/rules')).body.data.length, 4);
    assert.deepEqual((await call('GET', '/leaderboard')).body.data, []);
  } finally {
    await variant.stop();
  }
});

test('a visit that a program tells of is scored', async () => {
  const id = await person();
  const answer = await service.api('POST', '/scoring/events', {
    contactId: id,
    type: 'WEBSITE_VISITED',
    data: { url: 'https://example.com/p' },
  });
  assert.equal(answer.status, 202);
  await settled(service, 'scoring', 'contact');
  const found = await score(id);
  assert.deepEqual([found.totalScore, found.history[0].eventId], [2, answer.body.eventId]);
  assert.equal(
    (await service.api('POST', '/scoring/events', { contactId: 999_999, type: 'WEBSITE_VISITED' })).status,
    404,
  );
  assert.equal((await service.api('POST', '/scoring/events', { contactId: id, type: 'EMAIL_OPENED' })).status, 400);
});

test('weights, conditions, caps, negative points and inactive rules', async () => {
  const id = await person();
  const base = { eventType: 'WEBSITE_VISITED', name: 'r' };
  const rules = [
    await make('/scoring/rules', {
      ...base,
      points: 10,
      weight: 1.25,
      conditions: [{ field: 'url', operator: 'contains', value: '/pricing' }],
    }),
    await make('/scoring/rules', { ...base, points: -3, maxPerContact: 5 }),
    await make('/scoring/rules', { ...base, points: 4, maxPerContact: 10 }),
    await make('/scoring/rules', { ...base, points: 1000, active: false }),
    await make('/scoring/rules', {
      ...base,
      points: 100,
      conditions: [{ field: 'url', operator: 'startsWith', value: 'https://other' }],
    }),
    await make('/scoring/rules', { ...base, points: 1, weight: 0 }),
  ];
  const before = (await service.api('GET', '/scoring/rules?eventType=WEBSITE_VISITED&active=true')).body.data;
  assert.ok(before.every((rule: Answer['body']) => rule.active && rule.eventType === 'WEBSITE_VISITED'));
  await happen(
    visited(id, 'https://example.com/PRICING'),
    visited(id, 'https://example.com/a'),
    visited(id, 'https://example.com/b'),
    visited(id, 'https://example.com/c'),
  );
  const found = await score(id);
  const by = (rule: Answer['body']) => found.rules.find((one: Answer['body']) => one.ruleId === rule.id)?.score;
  // 12.5 rounds to 13; -3, then what is left to -5; 4 + 4 + 2 up to 10.
  assert.deepEqual(rules.map(by), [13, -5, 10, undefined, undefined, undefined]);
  assert.equal(found.totalScore, 13 - 5 + 10 + 4 * 2);
  for (const rule of rules) assert.equal((await service.api('DELETE', `/scoring/rules/${rule.id}`)).status, 204);
  const afterwards = await score(id);
  assert.deepEqual(
    [afterwards.totalScore, afterwards.history],
    [found.totalScore, found.history],
    'what happened stays',
  );
  assert.deepEqual(
    afterwards.rules.map(({ ruleId, score, deleted }: Answer['body']) => [ruleId, score, deleted]),
    found.rules.map(({ ruleId, score }: Answer['body']) => [
      ruleId,
      score,
      rules.some((rule: Answer['body']) => rule.id === ruleId),
    ]),
    'deleted rules are shown as such, and the scores add up',
  );
  assert.equal((await service.api('GET', `/scoring/rules/${rules[0]!.id}`)).status, 404);
  assert.equal((await service.api('PUT', `/scoring/rules/${rules[0]!.id}`, { points: 1 })).status, 404);
  assert.equal((await service.api('DELETE', `/scoring/rules/${rules[0]!.id}`)).status, 404);
  const left = (await service.api('GET', '/scoring/rules?limit=200')).body.data.map((rule: Answer['body']) => rule.id);
  assert.ok(rules.every((rule: Answer['body']) => !left.includes(rule.id)));
});

test("a company has a score of its own, beside the sum of its contacts'", async () => {
  const company = (await make('/contacts/companies', { name: 'Example Works' })).id;
  const [one, two, alone] = [
    await person({ companyId: company }),
    await person({ companyId: company }),
    await person(),
  ];
  const rule = await make('/scoring/rules', {
    name: 'c',
    eventType: 'FORM_SUBMITTED',
    points: 40,
    target: 'company',
    maxPerContact: 70,
  });
  await happen(submitted(one), submitted(two), submitted(alone));
  const { history, page, ...found } = (await service.api('GET', `/scoring/companies/${company}`)).body;
  assert.equal(page.hasMore, false);
  assert.deepEqual(found, { companyId: company, totalScore: 70, contactsTotal: 50, qualification: 'hot' });
  assert.deepEqual(
    history.map((row: Answer['body']) => [row.points, row.total]),
    [
      [30, 70],
      [40, 40],
    ],
  );
  assert.equal((await score(one)).totalScore, 25);
  const { data } = (await service.api('GET', '/scoring/leaderboard?type=companies')).body;
  assert.deepEqual(data, [
    { rank: 1, companyId: company, name: 'Example Works', totalScore: 70, qualification: 'hot' },
  ]);
  await service.api('DELETE', `/scoring/rules/${rule.id}`);
});

test('merged contacts keep the points of both beyond a cap, and get no more', async () => {
  const rule = await make('/scoring/rules', {
    ...{ name: 'capped', eventType: 'CAMPAIGN_COMPLETED', points: 20, maxPerContact: 30 },
  });
  const [id, twin] = [await person(), await person()];
  const completed = (contactId: number) => eventOf('CAMPAIGN_COMPLETED', { campaignId: 1, contactId, executionId: 1 });
  await happen(completed(id), completed(id), completed(twin));
  assert.equal((await service.api('POST', `/contacts/${id}/merge`, { sourceId: twin })).status, 200);
  const given = async () => (await score(id)).rules.find((one: Answer['body']) => one.ruleId === rule.id).points;
  assert.equal(await given(), 50);
  await happen(completed(id));
  assert.equal(await given(), 50);
  await service.api('DELETE', `/scoring/rules/${rule.id}`);
});

test('an export of the data of a contact has the score of now, whose parts add up', async () => {
  const rule = await make('/scoring/rules', {
    ...{ name: 'fading', eventType: 'GOAL_MET', points: 100, decay: { halfLifeDays: 1 } },
  });
  const id = await person();
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
  await happen(eventOf('GOAL_MET', { campaignId: 1, contactId: id, executionId: 1, stepId: 'g' }, daysAgo(2)));
  await happen(submitted(id));
  // As if the upkeep had not come to the score for a while.
  await engineEm(service.deps.orm).transactional((tx) =>
    rows(tx, sql`update score_totals set total = 125 where subject = 'contact' and subject_id = ${id}`),
  );
  const { totalScore, rules } = await score(id);
  const held = (await service.api('GET', `/contacts/${id}/data-export`)).body.score;
  assert.deepEqual([held.total, held.rules], [totalScore, rules]);
  assert.equal(totalScore, 50);
  assert.equal(
    held.rules.reduce((sum: number, one: Answer['body']) => sum + one.score, 0),
    held.total,
  );
  assert.equal(held.history.length, 2);
  await service.api('DELETE', `/scoring/rules/${rule.id}`);
});

test('a threshold fires once per contact, for good, with its action', async () => {
  const list = (await make('/contacts/lists', { name: 'Keen' })).id;
  const gone = (await make('/contacts/lists', { name: 'Gone' })).id;
  const threshold = await make('/scoring/thresholds', {
    name: 'Keen',
    score: 40,
    action: { type: 'ADD_TO_LIST', listId: list },
  });
  const broken = await make('/scoring/thresholds', {
    name: 'Broken',
    score: 41,
    action: { type: 'ADD_TO_LIST', listId: gone },
  });
  assert.deepEqual([threshold.triggered, threshold.triggeredCount], [false, 0]);
  // A list that is gone behind the threshold's back must not cost anyone their points.
  await engineEm(service.deps.orm).transactional((tx) => rows(tx, sql`delete from segments where id = ${gone}`));
  const [id, other] = [await person(), await person()];
  const members = async (): Promise<number[]> =>
    (await service.api('GET', `/contacts/lists/${list}/contacts?sort=id`)).body.data.map(
      (one: Answer['body']) => one.id,
    );
  await happen(submitted(id), submitted(other), clicked(id));
  assert.deepEqual([(await score(id)).totalScore, await members()], [35, []]);
  const crossing = opened(id);
  await happen(crossing, crossing, clicked(id), opened(id));
  assert.deepEqual(await members(), [id]);
  const mine = (await score(id)).thresholds.find((one: Answer['body']) => one.thresholdId === threshold.id);
  assert.equal(mine.triggered, true);
  assert.ok(Date.parse(mine.at) > 0);
  const [hit] = await engineEm(service.deps.orm).transactional((tx) =>
    rows<{ event_id: string }>(
      tx,
      sql`
    select event_id from score_threshold_hits where threshold_id = ${threshold.id} and contact_id = ${id}`,
    ),
  );
  assert.equal(hit!.event_id, crossing.id, 'the event that reached it');
  assert.equal(
    (await score(other)).thresholds.find((one: Answer['body']) => one.thresholdId === threshold.id).triggered,
    false,
  );
  assert.equal((await score(id)).totalScore, 55);

  // Down, off the list, and up again: nothing happens.
  const rule = await make('/scoring/rules', { name: 'minus', eventType: 'EMAIL_BOUNCED', points: -50 });
  await happen(eventOf('EMAIL_BOUNCED', { emailId: 1, contactId: id, hard: true }));
  assert.equal((await score(id)).totalScore, 5);
  await service.api('POST', `/contacts/lists/${list}/contacts/remove`, { contactIds: [id] });
  await happen(submitted(id), submitted(id));
  assert.deepEqual([(await score(id)).totalScore, await members()], [55, []]);
  const now = (await service.api('GET', `/scoring/thresholds/${threshold.id}`)).body;
  assert.deepEqual([now.triggered, now.triggeredCount, now.score], [true, 1, 40]);
  const back = await service.api('PUT', `/scoring/thresholds/${threshold.id}`, now);
  assert.equal(back.status, 200, JSON.stringify(back.body));
  // It has fired for more since it was read: the counters are no part of the change.
  const before = await service.api('PUT', `/scoring/thresholds/${threshold.id}`, {
    ...{ ...threshold, version: back.body.version, updatedAt: back.body.updatedAt },
    name: 'Keener',
  });
  assert.equal(before.status, 200, JSON.stringify(before.body));
  assert.deepEqual([before.body.name, before.body.triggered, before.body.triggeredCount], ['Keener', true, 1]);
  const used = await service.api('DELETE', `/contacts/lists/${list}`);
  assert.deepEqual([used.status, used.body.code], [409, 'in_use']);
  for (const path of [
    `/scoring/thresholds/${threshold.id}`,
    `/scoring/thresholds/${broken.id}`,
    `/scoring/rules/${rule.id}`,
  ])
    assert.equal((await service.api('DELETE', path)).status, 204);
});

test('a threshold starts a campaign for the one who reaches it', async () => {
  const campaign = (await make('/campaigns', { name: 'Hot', steps: [{ type: 'WAIT', config: { waitMinutes: 60 } }] }))
    .id;
  assert.equal((await service.api('POST', `/campaigns/${campaign}/start`, {})).status, 202);
  const threshold = await make('/scoring/thresholds', {
    name: 'Hot',
    score: 25,
    action: { type: 'START_CAMPAIGN', campaignId: campaign },
  });
  const id = await person();
  const event = submitted(id);
  await happen(event, event, submitted(id));
  const { data } = (await service.api('GET', `/campaigns/${campaign}/executions`)).body;
  assert.deepEqual(
    data.map((one: Answer['body']) => [one.contactId, one.entryNo]),
    [[id, 1]],
  );
  await service.api('DELETE', `/scoring/thresholds/${threshold.id}`);
});

test('rules, thresholds and settings: round trip and violations', async () => {
  const rule = await make('/scoring/rules', {
    name: 'R',
    eventType: 'EMAIL_OPENED',
    points: 1,
    category: '',
    conditions: [{ field: 'templateId', operator: 'in', value: [1, 2] }],
  });
  assert.equal(rule.category, null);
  const back = await service.api('PUT', `/scoring/rules/${rule.id}`, rule);
  assert.equal(back.status, 200, JSON.stringify(back.body));
  assert.deepEqual({ ...back.body, version: 0, updatedAt: '' }, { ...rule, version: 0, updatedAt: '' });
  assert.equal((await service.api('PUT', `/scoring/rules/${rule.id}`, { points: 2 })).body.weight, 1);
  assert.equal(
    (await service.api('PUT', `/scoring/rules/${rule.id}`, { points: 3 }, { headers: { 'if-match': '"99"' } })).status,
    412,
  );
  const refused = async (method: string, path: string, body: object) => {
    const answer = await service.api(method, path, body);
    assert.equal(answer.status, 400, JSON.stringify(answer.body));
    return answer.body.errors.map((error: Answer['body']) => `${error.path} ${error.code}`).sort();
  };
  assert.deepEqual(
    await refused('POST', '/scoring/rules', { points: 1.5, eventType: 'SCORE_UPDATED', weight: -1, x: 1 }),
    ['/eventType enum', '/name required', '/points type', '/weight out_of_range', '/x unknown_field'],
  );
  assert.deepEqual(
    await refused('POST', '/scoring/rules', {
      name: 'x',
      eventType: 'EMAIL_OPENED',
      points: 1,
      conditions: [
        { field: 'url', operator: 'eq' },
        { field: 'emailId', operator: 'in', value: 1 },
        { field: 'emailId', operator: 'contains', value: 'x' },
        { field: 'campaignId', operator: 'eq', value: 'x' },
        { field: 'templateId', operator: 'ne' },
      ],
    }),
    [
      '/conditions/0/field unknown_field',
      '/conditions/1/value type',
      '/conditions/2/operator invalid_operator',
      '/conditions/3/value type',
      '/conditions/4/value required',
    ],
  );
  assert.deepEqual(
    await refused('POST', '/scoring/rules', { name: 'x', eventType: 'EMAIL_OPENED', points: 10_000, weight: 101 }),
    ['/weight out_of_range'],
  );
  assert.deepEqual(
    await refused('PUT', `/scoring/rules/${rule.id}`, { eventType: 'WEBSITE_VISITED', target: 'company' }),
    ['/eventType read_only', '/target read_only'],
  );
  assert.deepEqual(await refused('PUT', `/scoring/rules/${rule.id}`, { points: -10_000, weight: 1000 }), [
    '/weight out_of_range',
  ]);
  assert.deepEqual(await refused('PUT', `/scoring/rules/${rule.id}`, { id: 7777, tenantId: 'x' }), [
    '/id read_only',
    '/tenantId read_only',
  ]);
  assert.deepEqual(
    await refused('POST', '/scoring/thresholds', { name: 'x', score: 1, action: { type: 'ADD_TO_LIST' } }),
    ['/action/listId required'],
  );
  assert.deepEqual(
    await refused('POST', '/scoring/thresholds', {
      name: 'x',
      score: 1,
      action: { type: 'START_CAMPAIGN', campaignId: 999_999 },
    }),
    ['/action/campaignId not_found'],
  );
  const dynamic = (
    await make('/contacts/segments', {
      name: 'D',
      type: 'dynamic',
      filter: { field: 'score', operator: 'gte', value: 1 },
    })
  ).id;
  assert.deepEqual(
    await refused('POST', '/scoring/thresholds', {
      name: 'x',
      score: 1,
      action: { type: 'ADD_TO_LIST', listId: dynamic },
    }),
    ['/action/listId not_found'],
  );
  assert.ok(
    (await refused('POST', '/scoring/thresholds', { name: 'x', score: 1, action: { type: 'NONE', listId: 1 } })).some(
      (error: string) => error.startsWith('/action/listId '),
    ),
  );
  await service.api('DELETE', `/scoring/rules/${rule.id}`);

  const settings = (await service.api('GET', '/scoring/settings')).body;
  assert.deepEqual([settings.warm, settings.hot], [30, 70]);
  assert.deepEqual(await refused('PUT', '/scoring/settings', { warm: 70 }), ['/warm out_of_range']);
  const id = await person();
  await happen(submitted(id));
  assert.equal((await score(id)).qualification, 'cold');
  assert.equal((await service.api('PUT', '/scoring/settings', { ...settings, warm: 20, hot: 25 })).status, 200);
  assert.equal((await score(id)).qualification, 'hot');
  await service.api('PUT', '/scoring/settings', { warm: 30, hot: 70 });
});

test('the leaderboard is in order of points; equals share a rank', async () => {
  const [a, b, c] = [await person({ firstName: 'Ada', lastName: 'Byron' }), await person(), await person()];
  await happen(
    ...Array.from({ length: 20 }, () => submitted(a)),
    ...Array.from({ length: 10 }, () => [submitted(b), submitted(c)]).flat(),
  );
  const { data } = (await service.api('GET', '/scoring/leaderboard?limit=3')).body;
  assert.deepEqual(
    data.map((row: Answer['body']) => [row.rank, row.contactId, row.totalScore]),
    [
      [1, a, 500],
      [2, b, 250],
      [2, c, 250],
    ],
  );
  assert.deepEqual([data[0].name, data[0].qualification], ['Ada Byron', 'hot']);
  const all = (await service.api('GET', '/scoring/leaderboard?type=contacts&limit=200')).body.data;
  assert.ok(all.every((row: Answer['body'], n: number) => n === 0 || row.totalScore <= all[n - 1].totalScore));
  await service.api('DELETE', `/contacts/${a}`);
  assert.equal((await service.api('GET', '/scoring/leaderboard')).body.data[0].contactId, b);
  assert.equal((await service.api('GET', '/scoring/leaderboard?limit=0')).status, 400);
  // Someone of whom a form knows the address alone.
  const form = (await make('/forms', { name: 'F', fields: [{ name: 'email', label: 'E', type: 'email' }] })).id;
  const { contactId } = (
    await service.api('POST', `/forms/${form}/submit`, { email: 'nameless@example.com' }, { token: null })
  ).body;
  await happen(...Array.from({ length: 30 }, () => submitted(contactId)));
  assert.deepEqual(
    (await service.api('GET', '/scoring/leaderboard?limit=1')).body.data[0].name,
    'nameless@example.com',
  );
});

test('an event of a tenant that has no rules changes nothing', async () => {
  const id = await person();
  await happen(eventOf('FORM_SUBMITTED', submitted(id).data, new Date(), 'nobody'));
  assert.equal((await score(id)).totalScore, 0);
});

test('a rule asks for the template and campaign of an email, by what segments ask with', async () => {
  const id = await person();
  const engine = <T>(query: ReturnType<typeof sql>) =>
    engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, query));
  await engine(
    sql`insert into emails (tenant_id, id, send_key, template_id, campaign_id, lane) values ('default', 7001, 'k1', 11, 21, 'bulk'), ('default', 7002, 'k2', 12, 22, 'bulk')`,
  );
  const of = async (...conditions: object[]) =>
    (await make('/scoring/rules', { name: 'r', eventType: 'EMAIL_BOUNCED', points: 1, conditions })).id;
  const rules = [
    await of({ field: 'templateId', operator: 'eq', value: 11 }),
    await of({ field: 'campaignId', operator: 'notIn', value: [21] }),
    await of({ field: 'templateId', operator: 'exists' }, { field: 'emailId', operator: 'in', value: [7002, 7003] }),
    await of({ field: 'campaignId', operator: 'notExists' }),
  ];
  const bounced = (emailId: number) => eventOf('EMAIL_BOUNCED', { emailId, contactId: id, hard: false });
  await happen(bounced(7001), bounced(7002));
  const found = (await score(id)).rules;
  assert.deepEqual(
    rules.map((rule) => found.find((one: Answer['body']) => one.ruleId === rule)?.score ?? 0),
    [1, 1, 1, 0],
  );
  for (const rule of rules) await service.api('DELETE', `/scoring/rules/${rule}`);
});

test('scores go beyond 2^31', async () => {
  const company = (await make('/contacts/companies', { name: 'Far' })).id;
  const id = await person({ companyId: company });
  await happen(submitted(id));
  const near = 2_147_483_640;
  await engineEm(service.deps.orm).transactional(async (tx) => {
    await rows(tx, sql`update score_totals set total = ${near} where subject = 'contact' and subject_id = ${id}`);
    await rows(
      tx,
      sql`update scores_by_rule set score = ${near}, worth = ${near} where subject = 'contact' and subject_id = ${id}`,
    );
  });
  const threshold = await make('/scoring/thresholds', { name: 'Far', score: 1_000_000 });
  await happen(submitted(id));
  const found = await score(id);
  assert.deepEqual([found.totalScore, found.rules[0].score, found.history[0].total], [near + 25, near + 25, near + 25]);
  assert.equal(found.thresholds.find((one: Answer['body']) => one.thresholdId === threshold.id).triggered, true);
  assert.equal((await service.api('GET', `/scoring/companies/${company}`)).body.contactsTotal, near + 25);
  assert.equal((await service.api('GET', '/scoring/leaderboard?limit=1')).body.data[0].totalScore, near + 25);
  await service.api('DELETE', `/scoring/thresholds/${threshold.id}`);
  await service.api('DELETE', `/contacts/${id}`);
});

test('a threshold whose campaign is not open fires once it is', async () => {
  const campaign = (await make('/campaigns', { name: 'Later', steps: [{ type: 'WAIT', config: { waitMinutes: 60 } }] }))
    .id;
  const threshold = await make('/scoring/thresholds', {
    name: 'Later',
    score: 25,
    action: { type: 'START_CAMPAIGN', campaignId: campaign },
  });
  const id = await person();
  const entered = async (): Promise<number[]> =>
    (await service.api('GET', `/campaigns/${campaign}/executions`)).body.data.map(
      (one: Answer['body']) => one.contactId,
    );
  const fired = async (): Promise<boolean> =>
    (await service.api('GET', `/scoring/thresholds/${threshold.id}`)).body.triggered;
  await happen(submitted(id));
  assert.deepEqual([(await score(id)).totalScore, await entered(), await fired()], [25, [], false]);
  await service.api('POST', `/campaigns/${campaign}/start`, {});
  await happen(opened(id), opened(id));
  assert.deepEqual([await entered(), await fired()], [[id], true]);
  await service.api('POST', `/campaigns/${campaign}/stop`);
  await service.api('DELETE', `/scoring/thresholds/${threshold.id}`);
});
