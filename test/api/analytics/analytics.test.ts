import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { engineEm, rows, sql } from '../../../db/orm.ts';
import { foldEvents } from '../../../domain/analytics/fold-events.ts';
import type { AnyEvent } from '../../../events/contracts.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { newMember } from '../../support/users.ts';
import { startVariant } from '../../support/variant.ts';
import { eventOf, publish, settled } from '../../support/events.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ worker: ['intake', 'consumers', 'relay'] });
});
afterAll(() => service.stop());

const query = <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, statement));
const read = async (name: string, parameters: Record<string, string> = {}, token?: string): Promise<Answer['body']> => {
  const answer = await service.api(
    'GET',
    `/analytics/${name}?${new URLSearchParams(parameters).toString()}`,
    undefined,
    token ? { token } : {},
  );
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
};
async function happen(...events: AnyEvent[]): Promise<void> {
  await publish(service, ...events);
  await settled(service, 'analytics', 'scoring', 'contact');
}
const visitOf = (at: string, more: object = {}) =>
  eventOf('EMAIL_OPENED', { emailId: 1, contactId: null, automated: false, ...more }, new Date(at));
const sentOf = (at: string, more: object = {}) =>
  eventOf('EMAIL_SENT', { emailId: 1, recipientId: 1, status: 'SENT', ...more }, new Date(at));
const pointsOf = (answer: Answer['body'], field: string): [string, number][] =>
  answer.series.map((point: Answer['body']) => [point.at, point[field]]);

test('windows hold each event once, in the five minutes in which it happened', async () => {
  const early = visitOf('2026-02-03T10:04:59.999Z');
  const next = visitOf('2026-02-03T10:05:00.000Z');
  await happen(next, visitOf('2026-02-03T10:09:00.000Z'));
  // Late, and repeated.
  await happen(early, next, early, visitOf('2026-02-03T10:04:00.000Z', { automated: true }));
  await happen(early);
  assert.deepEqual(
    await query(sql`
    select metric, minutes, at, count from analytics_windows
    where dimension = '' and at >= '2026-02-03' and at < '2026-02-04' order by metric, minutes, at`),
    [
      { metric: 'automated_opens', minutes: 5, at: new Date('2026-02-03T10:00:00Z'), count: 1 },
      { metric: 'automated_opens', minutes: 60, at: new Date('2026-02-03T10:00:00Z'), count: 1 },
      { metric: 'automated_opens', minutes: 1440, at: new Date('2026-02-03T00:00:00Z'), count: 1 },
      { metric: 'opens', minutes: 5, at: new Date('2026-02-03T10:00:00Z'), count: 1 },
      { metric: 'opens', minutes: 5, at: new Date('2026-02-03T10:05:00Z'), count: 2 },
      { metric: 'opens', minutes: 60, at: new Date('2026-02-03T10:00:00Z'), count: 3 },
      { metric: 'opens', minutes: 1440, at: new Date('2026-02-03T00:00:00Z'), count: 3 },
    ],
  );
  // The ends of a period count by the window they lie in.
  const opens = async (from: string, to: string) => (await read('emails', { from, to })).totals.opens;
  assert.equal(await opens('2026-02-03T10:00:00Z', '2026-02-03T10:05:00Z'), 1);
  assert.equal(await opens('2026-02-03T10:05:00Z', '2026-02-03T10:10:00Z'), 2);
  assert.equal(await opens('2026-02-03T12:00:00+02:00', '2026-02-03T12:10:00+02:00'), 3);
});

test('figures by template and campaign, rates of what was delivered', async () => {
  const [day, of] = ['2026-01-10T12:00:00Z', { templateId: 11, campaignId: 22 }];
  const bounce = async (emailId: number) => {
    await query(
      sql`insert into emails (tenant_id, id, send_key, template_id, campaign_id, lane) values ('default', ${emailId}, 'k', 11, 22, 'bulk')`,
    );
    return eventOf('EMAIL_BOUNCED', { emailId, contactId: null, hard: true }, new Date(day));
  };
  await happen(
    ...Array.from({ length: 5 }, (_, n) => sentOf(day, { ...of, emailId: 900 + n, recipientId: 900 + n })),
    sentOf(day, { ...of, status: 'FAILED' }),
    sentOf(day, { ...of, status: 'SUPPRESSED' }),
    visitOf(day, { ...of, first: true, contactId: 900 }),
    visitOf(day, { ...of, first: false, contactId: 900 }),
    visitOf(day, { ...of, first: true, contactId: 901 }),
    visitOf(day, { ...of, automated: true, contactId: 902 }),
    eventOf(
      'EMAIL_CLICKED',
      { emailId: 1, contactId: 900, automated: false, first: true, url: 'https://example.com', ...of },
      new Date(day),
    ),
    await bounce(900_001),
    sentOf(day, { templateId: 12 }),
  );
  const period = { from: '2026-01-10T00:00:00Z', to: '2026-01-11T00:00:00Z' };
  const emails = await read('emails', period);
  const of11 = {
    sent: 5,
    delivered: 4,
    failed: 1,
    opens: 3,
    clicks: 1,
    bounces: 1,
    unsubscribes: 0,
    automatedOpens: 1,
    automatedClicks: 0,
    openRate: 0.5,
    clickRate: 0.25,
    uniqueOpens: 2,
    uniqueClicks: 1,
    contactsOpened: 2,
    contactsClicked: 1,
  };
  assert.deepEqual(emails.byTemplate, [
    { templateId: 11, name: null, ...of11 },
    {
      templateId: 12,
      name: null,
      sent: 1,
      delivered: 1,
      failed: 0,
      opens: 0,
      clicks: 0,
      bounces: 0,
      unsubscribes: 0,
      automatedOpens: 0,
      automatedClicks: 0,
      openRate: 0,
      clickRate: 0,
      uniqueOpens: 0,
      uniqueClicks: 0,
      contactsOpened: 0,
      contactsClicked: 0,
    },
  ]);
  assert.deepEqual(emails.totals, { ...of11, sent: 6, delivered: 5, openRate: 0.4, clickRate: 0.2 });
  assert.deepEqual((await read('campaigns', period)).byCampaign, [
    {
      campaignId: 22,
      name: null,
      entries: 0,
      completions: 0,
      ...of11,
      conversions: { total: 0, contacts: 0, rate: 0 },
    },
  ]);
});

test('what came back, or was opened, in a later period than it was sent in makes no figure below 0 or above 1', async () => {
  const day = new Date('2025-12-12T12:00:00Z');
  await happen(
    eventOf('EMAIL_BOUNCED', { emailId: 1, contactId: null, hard: true }, day),
    visitOf(day.toISOString(), { first: true }),
    ...['2025-12-14T12:00:00Z', '2025-12-14T12:00:01Z'].map((at) => visitOf(at, { first: true })),
    sentOf('2025-12-14T12:00:00Z'),
  );
  const { totals } = await read('emails', { from: '2025-12-12T00:00:00Z', to: '2025-12-13T00:00:00Z' });
  assert.deepEqual([totals.sent, totals.delivered, totals.bounces, totals.openRate], [0, 0, 1, 0]);
  assert.equal(
    (await read('dashboard', { from: '2025-12-14T00:00:00Z', to: '2025-12-15T00:00:00Z' })).emails.openRate,
    1,
  );
});

test('the dashboard says what the tables say', async () => {
  const from = new Date(Date.now() - 3_600_000).toISOString();
  const form = (
    await service.api('POST', '/forms', { name: 'F', fields: [{ name: 'email', label: 'E', type: 'email' }] })
  ).body.id;
  for (let n = 0; n < 3; n += 1) await service.api('GET', `/forms/${form}/page`, undefined, { token: null });
  for (const n of [1, 2, 2])
    assert.equal(
      (await service.api('POST', `/forms/${form}/submit`, { email: `f${n}@example.com` }, { token: null })).status,
      200,
    );
  for (let n = 0; n < 4; n += 1)
    await service.api('POST', '/contacts', { firstName: 'P', lastName: 'Q', email: `p${n}@example.com` });
  const [someone] = await query<{ id: number }>(sql`select id from contacts order by id limit 1`);
  await service.api('PUT', `/contacts/${someone!.id}`, { status: 'unsubscribed' });
  const campaign = (
    await service.api('POST', '/campaigns', { name: 'C', steps: [{ type: 'WAIT', config: { waitMinutes: 60 } }] })
  ).body.id;
  assert.equal((await service.api('POST', `/campaigns/${campaign}/start`, {})).status, 202);
  const now = new Date().toISOString();
  await happen(
    ...[1, 2, 3, 4].map((n) => sentOf(now, { recipientId: someone!.id + n })),
    sentOf(now, { recipientId: someone!.id + 1 }),
  );

  const found = await read('dashboard', { from, interval: 'hour' });
  const [truth] = await query<Record<string, number>>(sql`
    select (select count(*)::int from contacts) as total, (select count(*)::int from contacts where created_at >= ${from}) as fresh,
      (select count(*)::int from form_submissions where submitted_at >= ${from}) as submissions, (select coalesce(sum(count), 0)::int from analytics_windows where metric = 'form_views' and dimension = 'form' and minutes = 5) as views,
      (select count(distinct contact_id)::int from form_submissions) as converted, (select count(*)::int from campaigns where status = 'ACTIVE') as active`);
  assert.deepEqual(found.contacts, { total: truth!['total'], new: truth!['fresh'] });
  assert.deepEqual(found.forms, { views: truth!['views'], submissions: truth!['submissions'] });
  assert.deepEqual([truth!['total'], truth!['views'], truth!['submissions']], [6, 3, 3]);
  assert.deepEqual(found.conversions, {
    total: 3,
    goals: 0,
    submissions: 3,
    contacts: truth!['converted'],
    rate: truth!['converted']! / 4,
  });
  assert.deepEqual(found.campaigns, { active: truth!['active'], running: 0, completed: 0 });
  assert.deepEqual([found.emails.sent, found.emails.unsubscribes], [5, 1]);
  for (const [field, total] of [
    ['contacts', found.contacts.new],
    ['submissions', 3],
    ['sent', 5],
    ['views', 3],
    ['conversions', 3],
    ['unsubscribes', 1],
  ] as const) {
    assert.equal(
      found.series.reduce((sum: number, point: Answer['body']) => sum + point[field], 0),
      total,
      field,
    );
  }
  const forms = { views: 3, submissions: 3, conversionRate: 1, contacts: 2 };
  assert.deepEqual((await read('forms', { from })).byForm, [{ formId: form, name: 'F', ...forms }]);
  const contacts = await read('contacts', { from });
  assert.deepEqual(contacts.byStatus, [
    { status: 'active', count: 5 },
    { status: 'unsubscribed', count: 1 },
  ]);
  assert.deepEqual(contacts.totals, { total: 6, new: 6, unsubscribes: 1 });
});

test('days are those of the time zone, each there once, the short and the long one too', async () => {
  // In Warsaw summer time begins on 29 March 2026 and ends on 25 October 2026.
  await happen(
    ...['2026-03-28T22:59:00Z', '2026-03-28T23:00:00Z', '2026-03-29T21:59:00Z', '2026-03-29T22:00:00Z'].map((at) =>
      visitOf(at),
    ),
  );
  const period = { from: '2026-03-27T23:00:00Z', to: '2026-03-30T22:00:00Z', timezone: 'Europe/Warsaw' };
  const days = await read('emails', period);
  assert.deepEqual(pointsOf(days, 'opens'), [
    ['2026-03-27T23:00:00.000Z', 1],
    ['2026-03-28T23:00:00.000Z', 2],
    ['2026-03-29T22:00:00.000Z', 1],
  ]);
  assert.deepEqual(days.period, {
    from: '2026-03-27T23:00:00.000Z',
    to: '2026-03-30T22:00:00.000Z',
    interval: 'day',
    timezone: 'Europe/Warsaw',
  });
  assert.deepEqual(
    pointsOf(await read('emails', { ...period, timezone: 'UTC' }), 'opens').map(([, n]) => n),
    [0, 2, 2, 0],
  );

  const weeks = pointsOf(
    await read('emails', {
      from: '2026-03-16T00:00:00Z',
      to: '2026-04-06T00:00:00Z',
      interval: 'week',
      timezone: 'Europe/Warsaw',
    }),
    'opens',
  );
  assert.deepEqual(weeks, [
    ['2026-03-15T23:00:00.000Z', 0],
    ['2026-03-22T23:00:00.000Z', 3],
    ['2026-03-29T22:00:00.000Z', 1],
    ['2026-04-05T22:00:00.000Z', 0],
  ]);
  const months = pointsOf(
    await read('emails', {
      from: '2026-01-15T00:00:00Z',
      to: '2026-04-01T00:00:00Z',
      interval: 'month',
      timezone: 'America/New_York',
    }),
    'opens',
  );
  assert.deepEqual(
    months.map(([at]) => at),
    ['2026-01-01T05:00:00.000Z', '2026-02-01T05:00:00.000Z', '2026-03-01T05:00:00.000Z'],
  );
});

test('hours go on through the ends of summer time: none is lost, none is there twice', async () => {
  await happen(
    ...['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', '2026-10-25T01:35:00Z', '2026-04-04T15:10:00Z'].map((at) =>
      visitOf(at),
    ),
  );
  const hours = async (from: string, to: string, timezone: string) =>
    pointsOf(await read('emails', { from, to, timezone, interval: 'hour' }), 'opens');
  assert.deepEqual(await hours('2026-10-24T23:00:00Z', '2026-10-25T03:00:00Z', 'Europe/Warsaw'), [
    ['2026-10-24T23:00:00.000Z', 0],
    ['2026-10-25T00:00:00.000Z', 1],
    ['2026-10-25T01:00:00.000Z', 2],
    ['2026-10-25T02:00:00.000Z', 0],
  ]);
  assert.deepEqual(
    (await hours('2026-03-29T00:00:00Z', '2026-03-29T03:00:00Z', 'Europe/Warsaw')).map(([at]) => at),
    ['2026-03-29T00:00:00.000Z', '2026-03-29T01:00:00.000Z', '2026-03-29T02:00:00.000Z'],
  );
  // A zone half an hour off, and one whose summer time is half an hour.
  assert.deepEqual(await hours('2026-10-25T00:30:00Z', '2026-10-25T02:30:00Z', 'Asia/Kolkata'), [
    ['2026-10-25T00:30:00.000Z', 1],
    ['2026-10-25T01:30:00.000Z', 2],
  ]);
  const lord = await hours('2026-04-04T13:00:00Z', '2026-04-04T18:00:00Z', 'Australia/Lord_Howe');
  assert.equal(
    lord.reduce((sum, [, n]) => sum + n, 0),
    1,
  );
});

test('periods that can not be are a 400 with every violation', async () => {
  const refused = async (parameters: Record<string, string>) => {
    const answer = await service.api('GET', `/analytics/dashboard?${new URLSearchParams(parameters).toString()}`);
    assert.equal(answer.status, 400, JSON.stringify(answer.body));
    return answer.body.errors.map((error: Answer['body']) => `${error.path} ${error.code}`).sort();
  };
  assert.deepEqual(await refused({ from: 'yesterday', interval: 'minute', colour: 'red' }), [
    '/colour unknown_field',
    '/from format',
    '/interval enum',
  ]);
  assert.deepEqual(
    await refused({ from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z', timezone: 'Mars/Olympus' }),
    ['/from out_of_range', '/timezone timezone'],
  );
  assert.deepEqual(await refused({ timezone: '+05:30' }), ['/timezone timezone']);
  assert.deepEqual(await refused({ from: '2020-01-01T00:00:00Z', interval: 'hour' }), ['/interval out_of_range']);
  assert.deepEqual(await refused({ from: '0000-01-01T00:00:00Z', to: '0000-01-02T00:00:00Z' }), [
    '/from out_of_range',
    '/to out_of_range',
  ]);
  assert.ok((await refused({ to: '2026-12-31T23:59:60Z' })).includes('/to out_of_range'));
  for (const timezone of ['Europe/Warsaw', 'America/St_Johns', 'Pacific/Chatham', 'utc'])
    await read('dashboard', { timezone });
  assert.equal((await service.api('GET', '/analytics/dashboard', undefined, { token: null })).status, 401);
});

test('by default the last 30 days by day, every day there', async () => {
  const found = await read('dashboard');
  assert.equal(Date.parse(found.period.to) - Date.parse(found.period.from), 30 * 86_400_000);
  // The days that it begins and ends in are parts of days, but when its ends are midnights.
  const days = found.period.to.endsWith('T00:00:00.000Z') ? 30 : 31;
  assert.deepEqual([found.period.interval, found.period.timezone, found.series.length], ['day', 'UTC', days]);
});

test('a tenant sees its own figures alone', async () => {
  const variant = await startVariant(service, { ENABLE_MULTI_TENANT: true });
  try {
    const { token } = await newMember(variant.api);
    for (const name of ['dashboard', 'emails', 'contacts', 'campaigns', 'forms']) {
      const { body } = await variant.api('GET', `/analytics/${name}?from=2025-12-01T00:00:00Z`, undefined, { token });
      const { period: _period, asOf: _asOf, page: _page, series, ...figures } = body;
      const numbers = JSON.stringify(figures).match(/(?<=:)-?\d+(\.\d+)?/g) ?? [];
      assert.ok(
        numbers.every((n) => Number(n) === 0),
        `${name}: ${JSON.stringify(figures)}`,
      );
      assert.ok(series.length > 0);
    }
  } finally {
    await variant.stop();
  }
});

test('a form that is deleted keeps its views beside its submissions, and no rate is above 1', async () => {
  const from = new Date(Date.now() - 3_600_000).toISOString();
  const before = await read('forms', { from });
  const form = (
    await service.api('POST', '/forms', { name: 'G', fields: [{ name: 'email', label: 'E', type: 'email' }] })
  ).body.id;
  for (let n = 0; n < 2; n += 1) await service.api('GET', `/forms/${form}/page`, undefined, { token: null });
  for (let n = 0; n < 3; n += 1)
    assert.equal(
      (await service.api('POST', `/forms/${form}/submit`, { email: `g${n}@example.com` }, { token: null })).status,
      200,
    );
  await happen();
  const figures = async () => {
    const { totals, byForm } = await read('forms', { from });
    return [totals, byForm.find((row: Answer['body']) => row.formId === form)];
  };
  const expected = (name: string | null) => [
    { views: before.totals.views + 2, submissions: before.totals.submissions + 3, conversionRate: 1, contacts: 5 },
    { formId: form, name, views: 2, submissions: 3, conversionRate: 1, contacts: 3 },
  ];
  assert.deepEqual(await figures(), expected('G'));
  assert.equal((await service.api('DELETE', `/forms/${form}`)).status, 204);
  assert.deepEqual(await figures(), expected(null));
  // More converted than were mailed.
  assert.equal((await read('dashboard', { from })).conversions.rate <= 1, true);
});

const completedAt = (at: string, campaignId = 31) =>
  eventOf('CAMPAIGN_COMPLETED', { campaignId, contactId: 1, executionId: 1 }, new Date(at));
const submittedAt = (at: string, contactId: number) =>
  eventOf('FORM_SUBMITTED', { formId: 41, contactId, submissionId: 1 }, new Date(at));
const partsOf: Record<string, string> = { campaigns: 'byCampaign', emails: 'byTemplate', forms: 'byForm' };

test('what an answer says in all is the sum of its parts, and of its series', async () => {
  const at = '2025-11-11T11:11:11Z';
  await happen(
    // Mail of two campaigns, of none, and of an email that nobody knows; unsubscribes by a link and by the API.
    sentOf(at, { templateId: 51, campaignId: 31 }),
    sentOf(at, { templateId: 52, campaignId: 32 }),
    sentOf(at, { templateId: 51 }),
    sentOf(at, { templateId: 51 }),
    sentOf(at, {}),
    visitOf(at, { templateId: 51, campaignId: 31, first: true }),
    visitOf(at, { templateId: 51, first: true }),
    visitOf(at, {}),
    completedAt(at),
    completedAt(at, 32),
    submittedAt(at, 1),
    eventOf('CONTACT_UNSUBSCRIBED', { contactId: 1, reason: 'api' }, new Date(at)),
  );
  const period = { from: '2025-11-11T00:00:00Z', to: '2025-11-12T00:00:00Z', interval: 'hour' };
  // Neither rates nor numbers of contacts are sums.
  const noSums = [
    'openRate',
    'clickRate',
    'conversionRate',
    'delivered',
    'contactsOpened',
    'contactsClicked',
    'contacts',
    'conversions',
  ];
  for (const [name, part] of Object.entries(partsOf)) {
    const { totals, series, [part]: parts } = await read(name, period);
    for (const [figure, total] of Object.entries(totals).filter(([key]) => !noSums.includes(key))) {
      const sumOf = (list: Answer['body'][]) => list.reduce((sum: number, one) => sum + one[figure], 0);
      assert.equal(sumOf(parts), total, `${name}.${figure} by its parts`);
      if (figure in series[0]) assert.equal(sumOf(series), total, `${name}.${figure} by its series`);
    }
  }
  const campaigns = await read('campaigns', period);
  assert.deepEqual(
    [campaigns.totals.sent, campaigns.totals.opens, campaigns.totals.completions, campaigns.totals.unsubscribes],
    [2, 1, 2, 0],
  );
  const emails = await read('emails', period);
  assert.deepEqual([emails.totals.sent, emails.totals.opens, emails.totals.unsubscribes], [5, 3, 1]);
  assert.deepEqual(
    emails.byTemplate.map((row: Answer['body']) => [row.templateId, row.sent, row.opens, row.unsubscribes]),
    [
      [51, 3, 2, 0],
      [52, 1, 0, 0],
      [null, 1, 1, 1],
    ],
  );
  assert.deepEqual((await read('dashboard', period)).emails, emails.totals);
});

test('all figures of an answer are of one period: its ends are those of the windows that the ends asked for lie in', async () => {
  const day = (time: string) => `2025-10-05T${time}Z`;
  const moments = ['09:59:59', '10:00:00', '10:02:00', '10:31:00', '10:34:59', '10:35:00'].map(day);
  await happen(
    ...moments.flatMap((at, n) => [
      completedAt(at),
      sentOf(at, { recipientId: 100 + n, templateId: 51, campaignId: 31 }),
      visitOf(at, { templateId: 51, campaignId: 31 }),
      submittedAt(at, 100 + n),
      eventOf('CONTACT_CREATED', { contactId: 100 + n, email: `${n}@example.com` }, new Date(at)),
    ]),
  );
  // From 10:00 to 10:35, in any time zone.
  for (const timezone of ['UTC', 'Asia/Kolkata', 'Pacific/Kiritimati']) {
    const period = { from: day('10:03:00'), to: day('10:31:30'), timezone };
    const found = await read('dashboard', period);
    assert.deepEqual([found.period.from, found.period.to], ['2025-10-05T10:00:00.000Z', '2025-10-05T10:35:00.000Z']);
    const [campaigns, emails, contacts, forms] = await Promise.all(
      ['campaigns', 'emails', 'contacts', 'forms'].map((name) => read(name, period)),
    );
    assert.deepEqual(
      {
        completed: found.campaigns.completed,
        completions: campaigns.totals.completions,
        sent: found.emails.sent,
        ofCampaigns: campaigns.totals.sent,
        emails: emails.totals.sent,
        opens: found.emails.opens,
        new: found.contacts.new,
        contacts: contacts.totals.new,
        submissions: found.forms.submissions,
        forms: forms.totals.submissions,
        conversions: found.conversions.total,
        series: found.series.reduce((sum: number, point: Answer['body']) => sum + point.sent, 0),
      },
      Object.fromEntries(
        [
          'completed',
          'completions',
          'sent',
          'ofCampaigns',
          'emails',
          'opens',
          'new',
          'contacts',
          'submissions',
          'forms',
          'conversions',
          'series',
        ].map((name) => [name, 4]),
      ),
    );
  }
});

test('the conversion rate is of the people of the period, not of their days', async () => {
  const at = (time: string) => `2025-09-09T${time}Z`;
  await happen(
    // In the half hour ten are mailed, one of them twice, and two convert, one of them twice.
    ...Array.from({ length: 10 }, (_, n) => sentOf(at('12:10:00'), { recipientId: 200 + n })),
    sentOf(at('12:20:00'), { recipientId: 200 }),
    submittedAt(at('12:15:00'), 200),
    submittedAt(at('12:16:00'), 200),
    submittedAt(at('12:29:59'), 201),
    // On the same day in UTC, and in none or other of the days that other zones have.
    ...Array.from({ length: 30 }, (_, n) => sentOf(at('11:59:59'), { recipientId: 300 + n })),
    ...Array.from({ length: 5 }, (_, n) => submittedAt(at('12:30:00'), 200 + n)),
    ...Array.from({ length: 30 }, (_, n) => sentOf(at('23:30:00'), { recipientId: 400 + n })),
  );
  const rateOf = async (parameters: Record<string, string>) => {
    const { total, rate } = (await read('dashboard', parameters)).conversions;
    return { total, rate };
  };
  for (const timezone of ['UTC', 'Asia/Kolkata']) {
    assert.deepEqual(await rateOf({ from: at('12:00:00'), to: at('12:30:00'), timezone }), { total: 3, rate: 0.2 });
  }
  // The 9th in Warsaw ends at 22:00 UTC, and begins there on the 8th.
  assert.deepEqual(
    await rateOf({ from: '2025-09-08T22:00:00Z', to: '2025-09-09T22:00:00Z', timezone: 'Europe/Warsaw' }),
    { total: 8, rate: 0.125 },
  );
  assert.deepEqual(await rateOf({ from: at('00:00:00'), to: '2025-09-10T00:00:00Z' }), { total: 8, rate: 0.0714 });
});

test('figures that belong together are of one moment, while events are folded in', async () => {
  const at = new Date('2025-07-07T07:07:07Z');
  const period = { from: '2025-07-07T00:00:00Z', to: '2025-07-08T00:00:00Z' };
  let over = false;
  const folding = (async () => {
    for (let n = 0; n < 40; n += 1) {
      await engineEm(service.deps.orm).transactional((tx) =>
        foldEvents(tx, [
          eventOf('EMAIL_SENT', { emailId: 1, recipientId: 1, status: 'SENT', templateId: 61, campaignId: 71 }, at),
        ]),
      );
    }
  })().finally(() => {
    over = true;
  });
  while (!over) {
    for (const name of ['campaigns', 'emails']) {
      const { totals, series, [partsOf[name]!]: parts } = await read(name, period);
      assert.deepEqual(
        [parts.reduce((sum: number, one: Answer['body']) => sum + one.sent, 0), series[0].sent],
        [totals.sent, totals.sent],
        name,
      );
    }
  }
  await folding;
  assert.equal((await read('campaigns', period)).totals.sent, 40);
});

test('emails of the service itself are in no figures: resets, invitations, notifications to users', async () => {
  const period = { from: new Date(Date.now() - 3_600_000).toISOString() };
  const readAll = async () => {
    const [dashboard, emails, channels] = [
      await read('dashboard', period),
      await read('emails', period),
      (await service.api('GET', `/channels/analytics?${new URLSearchParams(period).toString()}`)).body,
    ];
    const ofEmail = channels.channels.find(({ channel }: Answer['body']) => channel === 'email');
    return [dashboard.emails, emails.totals, emails.byTemplate, ofEmail.audience, ofEmail.sent];
  };
  const before = await readAll();
  const invited = await service.api('POST', '/auth/invitations', { email: 'colleague@example.com', roles: ['User'] });
  assert.equal(invited.status, 201, JSON.stringify(invited.body));
  const [own] = await query<{ id: number; template_id: number }>(
    sql`select id, template_id from emails where to_address = 'colleague@example.com'`,
  );
  await query(sql`update emails set status = 'SENT', sent_at = now() where id = ${own!.id}`);
  const at = new Date().toISOString();
  await happen(
    sentOf(at, { emailId: own!.id, recipientId: null, templateId: own!.template_id }),
    eventOf('EMAIL_BOUNCED', { emailId: own!.id, contactId: null, hard: true }, new Date(at)),
  );
  assert.deepEqual(await readAll(), before);
  // Beside one of a tenant's template.
  const { body: template } = await service.api('POST', '/emails/templates', { name: 'T', subject: 'T', content: 'T' });
  await happen(sentOf(at, { emailId: own!.id, recipientId: null, templateId: template.id }));
  assert.equal((await read('emails', period)).totals.sent, before[1].sent + 1);
});
