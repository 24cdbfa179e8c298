import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import pg from 'pg';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { runSimulation } from '../../../domain/campaigns/simulation/run-simulation.ts';
import { channelsOf } from '../../support/channels.ts';
import { makeContact, makeTemplate } from '../../support/mail/emails.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

let service: Service;
let owner: pg.Client;
let templateId: number;
beforeAll(async () => {
  service = await startService();
  owner = new pg.Client({ connectionString: service.deps.env.DATABASE_MIGRATION_URL });
  await owner.connect();
  templateId = await makeTemplate(service);
});
afterAll(async () => {
  await owner.end();
  await service.stop();
});

const AT = '2031-03-03T10:00:00.000Z';
const email = (id: string) => ({ id, type: 'EMAIL', config: { templateId } });
const wait = (id: string, waitMinutes: number) => ({ id, type: 'WAIT', config: { waitMinutes } });
const contact = async (): Promise<number> => (await makeContact(service)).id;
const em = () => tenantEm(service.deps.orm, service.admin.tenantId);
const execute = (query: Parameters<typeof rows>[1]) => em().transactional((tx) => rows<{ id: number }>(tx, query));

async function campaign(steps: object[], fields: object = {}): Promise<number> {
  const { status, body } = await service.api('POST', '/campaigns', { name: 'Simulated', steps, ...fields });
  assert.equal(status, 201, JSON.stringify(body));
  return body.id;
}
const ask = (id: number, body: object): Promise<Answer> =>
  service.api('POST', `/campaigns/${id}/simulate`, { at: AT, ...body });
async function simulated(id: number, body: object): Promise<Answer['body']> {
  const answer = await ask(id, body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}
const way = (path: { steps: { stepId: string; result: string }[] }) =>
  path.steps.map(({ stepId, result }) => `${stepId}:${result}`);

/** Every table with the number of its rows, and what a row can show of a change. */
async function everything(): Promise<Map<string, string>> {
  const { rows: tables } = await owner.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
  );
  const found = new Map<string, string>();
  // What any request leaves: not of the simulation.
  for (const { name } of tables.filter(({ name: table }) => !/^(rate_|request_|sessions|api_keys)/.test(table))) {
    const { rows: counted } = await owner.query<{ n: string }>(
      `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as n from ${name} t`,
    );
    found.set(name, counted[0]!.n);
  }
  return found;
}

test('a simulation shows what would happen, and when', async () => {
  const [first, second] = [await contact(), await contact()];
  const id = await campaign([email('hello'), wait('pause', 1440), email('again')]);
  assert.deepEqual(await simulated(id, { contactIds: [second, first, second] }), {
    contacts: 2,
    entered: 2,
    refused: [],
    ended: { completed: 2, stopped: 0, running: 0 },
    volumes: [
      { date: '2031-03-03', stepId: 'hello', type: 'EMAIL', count: 2 },
      { date: '2031-03-04', stepId: 'pause', type: 'WAIT', count: 2 },
      { date: '2031-03-04', stepId: 'again', type: 'EMAIL', count: 2 },
    ],
    suppressed: [],
    paths: [first, second].map((contactId) => ({
      contactId,
      steps: [
        { stepId: 'hello', type: 'EMAIL', at: AT, result: 'success', reason: null },
        { stepId: 'pause', type: 'WAIT', at: '2031-03-04T10:00:00.000Z', result: 'success', reason: null },
        { stepId: 'again', type: 'EMAIL', at: '2031-03-04T10:00:00.000Z', result: 'success', reason: null },
      ],
      end: { status: 'COMPLETED', reason: null, at: '2031-03-04T10:00:00.000Z' },
    })),
  });
  assert.deepEqual((await simulated(id, { contactIds: [first, second], paths: 0 })).paths, []);
  assert.equal((await simulated(id, { contactIds: [first, second], paths: 1 })).paths.length, 1);
});

test('nothing is written, whatever the steps would do', async () => {
  const contactId = await contact();
  const list = (await service.api('POST', '/contacts/lists', { name: 'Simulated' })).body.id;
  const id = await campaign([
    email('mail'),
    { id: 'join', type: 'SEGMENT', config: { action: 'add', listId: list } },
    { id: 'set', type: 'UPDATE_CONTACT', config: { set: { jobTitle: 'Baker', company: 'A company to be made' } } },
    { id: 'points', type: 'SCORE', config: { points: 70 } },
    {
      id: 'sees',
      type: 'CONDITION',
      config: {
        if: {
          op: 'and',
          conditions: [
            { field: 'jobTitle', operator: 'eq', value: 'Baker' },
            { field: 'company.name', operator: 'eq', value: 'A company to be made' },
            { field: 'qualification', operator: 'eq', value: 'hot' },
            { field: 'listId', operator: 'eq', value: list },
          ],
        },
        then: 'out',
        else: null,
      },
    },
    { id: 'out', type: 'EXIT', config: {} },
  ]);
  const before = await everything();
  const found = await simulated(id, { contactIds: [contactId] });
  assert.deepEqual(await everything(), before);
  assert.deepEqual(way(found.paths[0]), [
    'mail:success',
    'join:success',
    'set:success',
    'points:success',
    'sees:then',
    'out:stop',
  ]);
  assert.deepEqual(found.ended, { completed: 0, stopped: 1, running: 0 });
  assert.deepEqual(found.paths[0].end, { status: 'STOPPED', reason: 'exit_step', at: AT });
  assert.equal(found.paths[0].steps[3].reason, 'the score is 70');
});

test('who may not enter is refused, and gates and caps suppress emails', async () => {
  const [archived, unsubscribed, suppressed, inside, free] = [
    await contact(),
    await contact(),
    await makeContact(service),
    await contact(),
    await contact(),
  ];
  await execute(sql`update contacts set status = 'archived' where id = ${archived}`);
  await execute(sql`update contacts set status = 'unsubscribed' where id = ${unsubscribed}`);
  await execute(sql`
    insert into suppressions (tenant_id, email_key, reason) values (${service.admin.tenantId}, ${suppressed.email.toLowerCase()}, 'complained')`);
  const id = await campaign([email('one'), wait('pause', 1440), email('two'), wait('week', 8 * 1440), email('three')], {
    entry: { frequencyCap: { maxEmails: 1, perDays: 7 } },
  });
  await service.api('POST', `/campaigns/${id}/start`);
  await execute(sql`
    insert into campaign_executions (tenant_id, campaign_id, campaign_version, contact_id, entry_no, entry_key, state)
    values (${service.admin.tenantId}, ${id}, 1, ${inside}, 1, 'test', '{}')`);
  const contactIds = [archived, unsubscribed, suppressed.id, inside, free];
  const found = await simulated(id, { contactIds, version: 1 });
  assert.deepEqual(
    [found.contacts, found.entered, found.refused],
    [
      5,
      3,
      [
        { reason: 'already_entered', count: 1 },
        { reason: 'contact_archived', count: 1 },
      ],
    ],
  );
  assert.deepEqual(found.suppressed, [
    { reason: 'address_complained', count: 3 },
    { reason: 'contact_unsubscribed', count: 3 },
    { reason: 'frequency_cap', count: 1 },
  ]);
  assert.deepEqual(way(found.paths.find((path: { contactId: number }) => path.contactId === free)), [
    'one:success',
    'pause:success',
    'two:suppressed',
    'week:success',
    'three:success',
  ]);
});

test('what would be held for too long is suppressed, after its step, and what is only held is sent', async () => {
  const channels = channelsOf(service);
  const [person, quiet, transferred] = [
    await channels.makePerson(),
    await channels.makePerson(),
    await channels.makePerson({ timezone: 'Pacific/Auckland' }),
  ];
  for (const { number } of [person, quiet, transferred]) await channels.consent(number);
  const contactIds = [person, quiet, transferred].map(({ id }) => id);
  const call = async (method: string, path: string, body: object) => {
    const answer = await service.api(method, path, body);
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer.body;
  };
  const { id: sms } = await call('POST', '/channels/templates', { name: 'Text', channel: 'sms', body: 'Hello' });
  const text = { id: 'text', type: 'SMS', config: { templateId: sms } };
  const any = {
    id: 'any',
    type: 'MESSAGE',
    config: { templates: { sms, email: templateId }, order: ['sms', 'email'] },
  };
  const id = await campaign([text, any, email('mail')]);
  const at = '2031-03-05T10:00:00.000Z';
  const waysOf = async () => {
    const { suppressed, paths, volumes } = await simulated(id, { contactIds, at });
    assert.ok(volumes.every(({ count }: { count: number }) => count === 3));
    const ways = paths.map(({ steps }: { steps: { result: string; reason: string | null }[] }) =>
      steps.map(({ result, reason }) => (reason ? `${result}: ${reason}` : result)),
    );
    return { suppressed, ways };
  };
  const late = ['success: suppressed before it is sent: expired', 'sent:sms: suppressed before it is sent: expired'];
  // It is a Wednesday, and 23:00 in Auckland.
  const mondays = { days: ['monday'], from: '08:00', to: '09:00', timezone: 'UTC' };
  await call('PUT', '/channels/settings', { sendWindows: { sms: mondays, push: null, email: null }, maxHoldHours: 24 });
  assert.deepEqual(await waysOf(), {
    suppressed: [{ reason: 'expired', count: 6 }],
    ways: [1, 2, 3].map(() => [...late, 'success']),
  });
  await call('PUT', '/channels/preferences', {
    contactId: quiet.id,
    quietHours: { from: '09:00', to: '20:00', timezone: 'UTC' },
  });
  const local = { from: '09:00', to: '21:00', timezone: 'contact' };
  await call('PUT', '/channels/settings', { sendWindows: { sms: local, push: null, email: null }, maxHoldHours: 9 });
  assert.deepEqual(await waysOf(), {
    suppressed: [{ reason: 'expired', count: 5 }],
    // Nobody knows the first one's time zone. It is open in the whole country of the number nine hours later.
    ways: [
      ['success', 'sent:sms', 'success'],
      [...late, late[0]],
      [...late, 'success'],
    ],
  });
  await call('PUT', '/channels/settings', { maxHoldHours: 10 });
  assert.deepEqual((await waysOf()).ways[1], ['success', 'sent:sms', 'success']);
  await call('PUT', '/channels/settings', {
    sendWindows: { sms: null, push: null, email: mondays },
  });
  assert.deepEqual((await waysOf()).ways[0], ['success', 'sent:sms', late[0]]);
  await call('PUT', '/channels/settings', { sendWindows: { sms: null, push: null, email: null } });
});

test('assumed opens and clicks are drawn by the seed, and wake who waits for them', async () => {
  const contactIds = await Promise.all(Array.from({ length: 40 }, contact));
  const opened = {
    event: 'EMAIL_OPENED',
    operator: 'atLeast',
    where: [{ field: 'stepId', operator: 'eq', value: 'mail' }],
  };
  const id = await campaign([
    email('mail'),
    { id: 'at-once', type: 'CONDITION', config: { if: opened } },
    {
      id: 'listen',
      type: 'WAIT_FOR_EVENT',
      config: { event: 'EMAIL_OPENED', timeoutMinutes: 1440, onTimeout: 'after' },
    },
    wait('after', 60),
    { id: 'was', type: 'CONDITION', config: { if: opened } },
    wait('week', 7 * 1440),
    { id: 'clicked', type: 'GOAL', config: { if: { event: 'EMAIL_CLICKED', operator: 'atLeast' } } },
  ]);
  const assume = { openRate: 0.5, clickRate: 0.2, seed: 7 };
  const found = await simulated(id, { contactIds, assume });
  assert.deepEqual(await simulated(id, { contactIds, assume }), found);
  assert.notDeepEqual((await simulated(id, { contactIds, assume: { ...assume, seed: 8 } })).paths, found.paths);
  const ways = found.paths.map(way) as string[][];
  const none = [
    'mail:success',
    'at-once:else',
    'listen:timeout',
    'after:success',
    'was:else',
    'week:success',
    'clicked:not_met',
  ];
  const open = [
    'mail:success',
    'at-once:else',
    'listen:event',
    'after:success',
    'was:then',
    'week:success',
    'clicked:not_met',
  ];
  const click = ['mail:success', 'at-once:else', 'listen:skipped', 'clicked:met'];
  const count = (wanted: string[]) => ways.filter((one) => one.join() === wanted.join()).length;
  assert.equal(count(none) + count(open) + count(click), 40, JSON.stringify(ways));
  assert.ok(count(none) > 8 && count(open) > 3 && count(click) > 2, `${count(none)} ${count(open)} ${count(click)}`);
  const without = await simulated(id, { contactIds });
  assert.ok(without.paths.every((path: Parameters<typeof way>[0]) => way(path).join() === none.join()));
});

test('dynamic segments follow what the steps change', async () => {
  const contactId = await contact();
  const segment = await service.api('POST', '/contacts/segments', {
    name: 'Bakers',
    type: 'dynamic',
    filter: { field: 'jobTitle', operator: 'eq', value: 'Baker of segments' },
  });
  const is = { field: 'segmentId', operator: 'eq', value: segment.body.id };
  const id = await campaign([
    { id: 'before', type: 'CONDITION', config: { if: is } },
    { id: 'set', type: 'UPDATE_CONTACT', config: { set: { jobTitle: 'Baker of segments' } } },
    { id: 'after', type: 'CONDITION', config: { if: is } },
  ]);
  const { paths } = await simulated(id, { contactIds: [contactId] });
  assert.deepEqual(way(paths[0]), ['before:else', 'set:success', 'after:then']);
  assert.match(paths[0].steps[2].reason, /: yes \(\[\d+\]\)$/);
});

test('a timezone that a step sets holds from the next step on, as in an execution', async () => {
  const contactId = await contact();
  const local = (id: string) => ({ id, type: 'WAIT', config: { untilLocalTime: { time: '09:00' } } });
  const id = await campaign(
    [
      { id: 'move', type: 'UPDATE_CONTACT', config: { set: { timezone: 'Asia/Tokyo' } } },
      local('of-before'),
      local('of-tokyo'),
      email('in-window'),
    ],
    { entry: { sendWindow: { from: '12:00', to: '13:00', timezone: 'contact' } } },
  );
  const { paths } = await simulated(id, { contactIds: [contactId] });
  assert.deepEqual(
    paths[0].steps.map(({ stepId, at }: { stepId: string; at: string }) => `${stepId} ${at}`),
    [
      `move ${AT}`,
      'of-before 2031-03-04T09:00:00.000Z',
      'of-tokyo 2031-03-05T00:00:00.000Z',
      'in-window 2031-03-05T03:00:00.000Z',
    ],
  );
});

test('what does not end is running, and says where', async () => {
  const contactId = await contact();
  const long = await campaign([wait('years', 5_000_000)]);
  const found = await simulated(long, { contactIds: [contactId] });
  assert.deepEqual(found.ended, { completed: 0, stopped: 0, running: 1 });
  assert.deepEqual(found.paths[0].end, { status: 'RUNNING', reason: 'at years after 400 days', at: null });
  const loop = await campaign([wait('tick', 1), { ...wait('tock', 1), next: 'tick' }]);
  const bounded = await simulated(loop, {
    contactIds: await Promise.all(Array.from({ length: 25 }, contact)),
    paths: 25,
  });
  assert.equal(bounded.ended.running, 25);
  // Whole paths of a thousand steps, as many as fit.
  assert.deepEqual([bounded.paths.length, bounded.paths[0].steps.length], [20, 1000]);
  assert.match(bounded.paths[0].end.reason, / after 1000 steps$/);
});

test('a version is simulated as published, the draft as it would be', async () => {
  const contactIds = [await contact()];
  const id = await campaign([wait('old', 1)]);
  await service.api('POST', `/campaigns/${id}/start`);
  await service.api('PUT', `/campaigns/${id}`, { steps: [wait('new', 1)] });
  assert.deepEqual(way((await simulated(id, { contactIds, version: 1 })).paths[0]), ['old:success']);
  assert.deepEqual(way((await simulated(id, { contactIds })).paths[0]), ['new:success']);
  assert.deepEqual(way((await simulated(id, { contactIds, version: 'draft' })).paths[0]), ['new:success']);
  assert.equal((await ask(id, { contactIds, version: 2 })).status, 404);
  assert.equal((await ask(999_999, { contactIds })).status, 404);
});

test('what was deleted since a version was published fails its steps, as in an execution', async () => {
  const contactIds = [await contact()];
  const listId = (await service.api('POST', '/contacts/lists', { name: 'Soon gone' })).body.id;
  const gone = await makeTemplate(service);
  const member = { field: 'segmentId', operator: 'eq', value: listId };
  const published = [
    [{ id: 'mail', type: 'EMAIL', config: { templateId: gone } }, `There is no template ${gone}`],
    [{ id: 'asked', type: 'CONDITION', config: { if: member } }, `There is no segment or list ${listId}`],
    [{ id: 'goal', type: 'GOAL', config: { if: member } }, `There is no segment or list ${listId}`],
  ] as const;
  const ids: number[] = [];
  for (const [step] of published) {
    const id = await campaign([step]);
    await service.api('POST', `/campaigns/${id}/start`);
    ids.push(id);
  }
  await execute(sql`delete from segments where id = ${listId}`);
  await execute(sql`delete from email_templates where id = ${gone}`);
  for (const [index, [step, failure]] of published.entries()) {
    const { ended, suppressed, paths } = await simulated(ids[index]!, { contactIds, version: 1 });
    assert.deepEqual([ended, suppressed], [{ completed: 0, stopped: 1, running: 0 }, []]);
    assert.deepEqual(paths[0].steps, [{ stepId: step.id, type: step.type, at: AT, result: 'failed', reason: failure }]);
    assert.deepEqual(paths[0].end, { status: 'FAILED', reason: failure, at: AT });
  }
});

test('simulations of one tenant come one after the other, and those that find a long line are refused', async () => {
  const contactIds = [await contact()];
  const id = await campaign([wait('pause', 1)]);
  // Holds the first one: it reads segments in its transaction.
  await owner.query('begin');
  await owner.query('lock table channel_settings in access exclusive mode');
  const asked = Array.from({ length: 8 }, () => ask(id, { contactIds }));
  const answered: Answer[] = [];
  for (const answer of asked) void answer.then((one) => answered.push(one));
  await until('the last two are refused', () => answered.length === 2);
  for (const { status, body, headers } of answered)
    assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'unavailable', '10']);
  await owner.query('commit');
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  assert.deepEqual(statuses.sort(), [200, 200, 200, 200, 200, 200, 503, 503]);
});

test('a draft that could not be started is a 400 that names its steps, and so are wrong requests', async () => {
  const contactIds = [await contact()];
  const list = (await service.api('POST', '/contacts/lists', { name: 'Soon gone' })).body.id;
  const id = await campaign([{ id: 'join', type: 'SEGMENT', config: { action: 'add', listId: list } }]);
  await execute(sql`delete from segments where id = ${list}`);
  const invalid = await ask(id, { contactIds });
  assert.deepEqual([invalid.status, invalid.body.errors[0].path], [400, '/steps/0/config/listId']);

  const sound = await campaign([wait('pause', 1)]);
  const codes = async (body: object) => {
    const answer = await ask(sound, body);
    return [
      answer.status,
      ...answer.body.errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`),
    ];
  };
  assert.deepEqual(await codes({}), [400, '/contactIds required']);
  assert.deepEqual(await codes({ contactIds, listId: 1 }), [400, '/listId conflict']);
  assert.deepEqual(await codes({ contactIds, at: '3031-01-01T00:00:00Z' }), [400, '/at format']);
  assert.equal((await ask(sound, { contactIds: [999_999] })).status, 404);
  assert.equal((await ask(sound, { segmentId: 999_999 })).status, 404);
  for (const body of [{ version: 'latest' }, { version: 0 }, { paths: 1001 }, { assume: { openRate: 2 } }, { no: 1 }])
    assert.equal((await ask(sound, { contactIds, ...body })).status, 400, JSON.stringify(body));
});

test('more than 10,000 contacts are a job, which can be repeated and ends with its campaign', async () => {
  const { tenantId } = service.admin;
  await execute(sql`
    insert into contacts (tenant_id, first_name, last_name, email, email_key)
    select ${tenantId}, 'Many', 'Contacts', 'many' || n || '@example.org', 'many' || n || '@example.org' from generate_series(1, 10001) n`);
  const listId = (await service.api('POST', '/contacts/lists', { name: 'Many' })).body.id;
  await execute(sql`
    insert into segment_members (tenant_id, segment_id, contact_id)
    select tenant_id, ${listId}, id from contacts where tenant_id = ${tenantId} and first_name = 'Many'`);
  const id = await campaign([email('mail'), wait('pause', 60)]);
  const answer = await ask(id, { listId, paths: 3 });
  assert.deepEqual([answer.status, answer.body.status, answer.body.contacts], [202, 'PENDING', 10_001]);
  assert.equal(answer.headers.get('location'), `/api/v1/campaigns/simulations/${answer.body.id}`);
  // An edit after the request changes nothing.
  await service.api('PUT', `/campaigns/${id}`, { steps: [] });

  let times = 0;
  const run = () =>
    runSimulation(em(), { tenantId, simulationId: answer.body.id }, service.deps.env.MAIL_FROM, () => {
      times += 1;
      if (times === 4) throw new Error('the worker is gone');
    });
  await assert.rejects(run, /the worker is gone/);
  const job = async () => (await service.api('GET', `/campaigns/simulations/${answer.body.id}`)).body;
  const begun = await job();
  assert.deepEqual([begun.status, begun.processed, begun.result], ['RUNNING', 2000, null]);
  times = 4;
  await run();
  // Six pages, each with the time of the email and that of the end of the wait.
  assert.equal(times, 4 + 6 * 2);
  const { status, processed, result } = await job();
  assert.deepEqual([status, processed, result.entered, result.ended.completed], ['COMPLETED', 10_001, 10_001, 10_001]);
  assert.deepEqual(
    result.volumes.map(({ stepId, count }: { stepId: string; count: number }) => `${stepId} ${count}`),
    ['mail 10001', 'pause 10001'],
  );
  assert.equal(result.paths.length, 3);
  assert.equal((await service.api('DELETE', `/campaigns/${id}`)).status, 204);
  assert.equal((await service.api('GET', `/campaigns/simulations/${answer.body.id}`)).status, 404);
});
