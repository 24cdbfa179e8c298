import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import fc from 'fast-check';
import { CampaignExecution, CampaignStepExecution } from '../../db/entities/campaigns.ts';
import type { Channel } from '../../db/entities/channels.ts';
import { rows, sql } from '../../db/orm.ts';
import { campaignViolations, type CampaignInput } from '../../domain/campaigns/management/save-campaign.ts';
import { startCampaign } from '../../domain/campaigns/management/start-campaign.ts';
import { requestSimulation } from '../../domain/campaigns/simulation/request-simulation.ts';
import { runSimulation } from '../../domain/campaigns/simulation/run-simulation.ts';
import { newSimulation } from './job-paths.ts';
import { startJourneys, TENANT, type Journeys } from './campaign-support.ts';
import { channelTemplate, reachable } from './channel-paths.ts';
import { SEED } from '../support/seed.ts';

const CAMPAIGNS = 20;
const CONTACTS = 6;

let journeys: Journeys;
beforeAll(async () => {
  journeys = await startJourneys();
  await journeys.worker();
});
afterAll(() => journeys.stop());

const origin = { tenantId: TENANT, actor: null, requestId: null, address: null };

interface Things {
  templates: number[];
  texts: number[];
  pushes: number[];
  lists: number[];
  segment: number;
}

/** Contacts that differ in all that steps read and gates judge. */
async function makeContacts({ lists }: Things): Promise<number[]> {
  const ids: number[] = [];
  for (let n = 0; n < CONTACTS; n += 1) {
    const id = await reachable(
      journeys,
      {
        ...{ text: n % 2 === 0, push: n % 3 === 0 },
        ...(n === 0 ? { preferred: 'push' } : n === 2 ? { preferred: 'sms' } : {}),
      },
      {
        ...(n % 3 === 0 ? {} : { timezone: n % 3 === 1 ? 'Asia/Tokyo' : 'America/New_York' }),
        ...(n === 4 ? { status: 'unsubscribed' as const } : {}),
        ...(n === 5 ? { status: 'archived' as const } : {}),
      },
    );
    await journeys.em().transactional(async (tx) => {
      await rows(
        tx,
        sql`update contacts set job_title = ${['Baker', 'Poet', null][n % 3]}, tags = ${n % 2 ? ['vip'] : []}::text[] where id = ${id}`,
      );
      if (n % 2 === 0)
        await rows(
          tx,
          sql`
          with points as (
            insert into scores_by_rule (tenant_id, subject, subject_id, rule_id, score, worth, events)
            values (${TENANT}, 'contact', ${id}, 0, ${n * 10}, ${n * 10}, 1))
          insert into score_totals (tenant_id, subject, subject_id, total, updated_at) values (${TENANT}, 'contact', ${id}, ${n * 10}, now())`,
        );
      if (n % 2 === 1)
        await rows(
          tx,
          sql`insert into segment_members (tenant_id, segment_id, contact_id) values (${TENANT}, ${lists[0]}, ${id})`,
        );
      // Long ago: counted only with `withinDays`.
      if (n % 3 === 2)
        await rows(
          tx,
          sql`
          insert into contact_activities (tenant_id, contact_id, type, occurred_at, event_id, data)
          values (${TENANT}, ${id}, 'WEBSITE_VISITED', now() - interval '300 days', gen_random_uuid(), '{"url": "https://example.com/"}')`,
        );
    });
    ids.push(id);
  }
  return ids;
}

/** Which template is sent by which channel. */
const byChannel = ({ templates, texts, pushes }: Pick<Things, 'templates' | 'texts' | 'pushes'>) => ({
  ...{ email: templates[0]!, sms: texts[0]!, push: pushes[0]! },
});

function stepsOf({ templates, texts, pushes, lists, segment }: Things): fc.Arbitrary<CampaignInput['steps']> {
  const leaf = fc.oneof(
    fc.constantFrom(
      { field: 'status', operator: 'eq', value: 'active' },
      { field: 'jobTitle', operator: 'eq', value: 'Baker' },
      { field: 'jobTitle', operator: 'contains', value: 'OE' },
      { field: 'jobTitle', operator: 'notExists' },
      { field: 'tags', operator: 'in', value: ['vip', 'fan'] },
      { field: 'company.name', operator: 'startsWith', value: 'acme' },
      { field: 'companyId', operator: 'exists' },
      { field: 'timezone', operator: 'eq', value: 'Asia/Tokyo' },
      { field: 'customFields.seats', operator: 'gte', value: 5 },
      { field: 'score', operator: 'gte', value: 30 },
      { field: 'qualification', operator: 'in', value: ['warm', 'hot'] },
      { field: 'listId', operator: 'eq', value: lists[0]! },
      { field: 'listId', operator: 'notIn', value: lists },
      { field: 'listId', operator: 'exists' },
      { field: 'segmentId', operator: 'eq', value: segment },
      { field: 'segmentId', operator: 'exists' },
      { event: 'WEBSITE_VISITED', operator: 'atLeast', withinDays: 3000 },
      { event: 'WEBSITE_VISITED', operator: 'none' },
      { event: 'FORM_SUBMITTED', operator: 'atMost', count: 1 },
    ),
  );
  const filter = fc.oneof(
    { weight: 3, arbitrary: leaf },
    {
      weight: 1,
      arbitrary: fc.record({
        op: fc.constantFrom('and', 'or', 'not'),
        conditions: fc.array(leaf, { minLength: 1, maxLength: 3 }),
      }),
    },
  );
  // Forward only: loops of these would go on for ever.
  const target = fc.option(fc.constantFrom('+1', '+2', '+3'), { nil: undefined });
  const step = fc.oneof(
    fc.record({ type: fc.constant('EMAIL'), config: fc.record({ templateId: fc.constantFrom(...templates) }) }),
    fc.record({ type: fc.constant('SMS'), config: fc.record({ templateId: fc.constantFrom(...texts) }) }),
    fc.record({ type: fc.constant('PUSH'), config: fc.record({ templateId: fc.constantFrom(...pushes) }) }),
    fc.record({
      type: fc.constant('MESSAGE'),
      config: fc.record({
        templates: fc.constant(byChannel({ templates, texts, pushes })),
        order: fc.constantFrom('preferred', ['sms', 'push', 'email'], ['push', 'email', 'sms']),
      }),
    }),
    fc.record({
      type: fc.constant('WAIT'),
      config: fc.constantFrom<object>(
        { waitMinutes: 0 },
        { waitMinutes: 60 },
        { waitMinutes: 1440 },
        { until: '2020-01-01T00:00:00Z' },
        { untilLocalTime: { time: '09:00' } },
      ),
    }),
    fc.record({
      type: fc.constant('WAIT_FOR_EVENT'),
      config: fc.record({
        event: fc.constant('WEBSITE_VISITED'),
        timeoutMinutes: fc.constantFrom(0, 90),
        onTimeout: target,
      }),
    }),
    fc.record({ type: fc.constant('CONDITION'), config: fc.record({ if: filter, then: target, else: target }) }),
    fc.record({
      type: fc.constant('CONDITION'),
      config: fc.record({
        if: filter,
        branches: fc.array(fc.record({ if: filter, next: target }), { minLength: 1, maxLength: 2 }),
        else: target,
      }),
    }),
    fc.record({
      type: fc.constant('SPLIT'),
      config: fc.record({
        branches: fc.array(fc.record({ weight: fc.integer({ min: 1, max: 3 }), next: target }), {
          minLength: 2,
          maxLength: 3,
        }),
      }),
    }),
    fc.record({
      type: fc.constant('SEGMENT'),
      config: fc.record({ action: fc.constantFrom('add', 'remove'), listId: fc.constantFrom(...lists) }),
    }),
    fc.record({
      type: fc.constant('UPDATE_CONTACT'),
      config: fc.record({
        set: fc.constantFrom<object>(
          { jobTitle: 'Baker' },
          { jobTitle: null },
          { tags: ['fan'], customFields: { seats: 7 } },
          { customFields: { seats: null } },
          { company: 'Acme' },
          { company: null },
          { timezone: 'Asia/Tokyo' },
        ),
      }),
    }),
    fc.record({ type: fc.constant('SCORE'), config: fc.record({ points: fc.constantFrom(-15, 20, 45) }) }),
  );
  const ends = fc.oneof(
    fc.record({ type: fc.constant('GOAL'), config: fc.record({ if: filter }) }),
    fc.constant({ type: 'EXIT', config: {} }),
  );
  const either = fc.oneof({ weight: 9, arbitrary: step }, { weight: 1, arbitrary: ends });
  return fc.array(fc.tuple(either, target), { minLength: 4, maxLength: 10 }).map((list) => {
    const steps = list.map(([one, next], index) => {
      const named = { id: `s${index}`, ...one, ...(index % 4 === 3 ? { next } : {}) };
      const after = (_: string, by: string): string =>
        index + Number(by) < list.length ? `"s${index + Number(by)}"` : 'null';
      return JSON.stringify(named).replaceAll(/"\+(\d)"/g, after);
    });
    return JSON.parse(`[${steps.join()}]`) as CampaignInput['steps'];
  });
}

/**
 * Campaigns with every type of step and every result, whatever the random ones hold. Most have a step that changes the
 * contact between two questions about what it changes, so that each change is once seen to matter.
 */
function fixedCampaigns(things: Things): NonNullable<CampaignInput['steps']>[] {
  const { templates, texts, pushes, lists, segment } = things;
  const is = (id: string, field: string, operator: string, value?: unknown) => ({
    id,
    type: 'CONDITION',
    config: { if: { field, operator, ...(value === undefined ? {} : { value }) } },
  });
  const around = (change: { type: string; config: object }, ...question: [string, string, unknown?]) => [
    is('before', ...question),
    { id: 'change', ...change },
    is('after', ...question),
  ];
  const set = (fields: object) => ({ type: 'UPDATE_CONTACT', config: { set: fields } });
  const move = (action: string, listId: number) => ({ type: 'SEGMENT', config: { action, listId } });
  const mail = (id: string, templateId: number) => ({ id, type: 'EMAIL', config: { templateId } });
  const text = (id: string) => ({ id, type: 'SMS', config: { templateId: texts[0]! } });
  const note = (id: string) => ({ id, type: 'PUSH', config: { templateId: pushes[0]! } });
  const any = (id: string, order: unknown) => ({
    ...{ id, type: 'MESSAGE', config: { templates: byChannel(things), order } },
  });
  return [
    around({ type: 'SCORE', config: { points: 45 } }, 'score', 'gte', 45),
    around({ type: 'SCORE', config: { points: 70, reason: 'a webinar' } }, 'qualification', 'eq', 'hot'),
    around(set({ jobTitle: 'Baker' }), 'jobTitle', 'eq', 'Baker'),
    around(set({ jobTitle: null }), 'jobTitle', 'exists'),
    around(set({ tags: ['fan'] }), 'tags', 'eq', 'fan'),
    around(set({ customFields: { seats: 7 } }), 'customFields.seats', 'gte', 7),
    around(set({ phone: '+49 30 1234567' }), 'phoneE164', 'startsWith', '+4930'),
    around(set({ company: 'A company of no one yet' }), 'company.name', 'startsWith', 'a company'),
    around(set({ company: 'Another company of no one' }), 'companyId', 'exists'),
    around(move('add', lists[0]!), 'listId', 'eq', lists[0]),
    around(move('remove', lists[0]!), 'listId', 'exists'),
    [{ id: 'bake', ...set({ jobTitle: 'Baker' }) }, ...around(move('add', lists[1]!), 'segmentId', 'eq', segment)],
    [
      { id: 'move', ...set({ timezone: 'America/New_York' }) },
      { id: 'local', type: 'WAIT', config: { untilLocalTime: { time: '09:00' } } },
      is('there', 'timezone', 'eq', 'America/New_York'),
    ],
    [mail('one', templates[0]!), mail('two', templates[1]!), mail('three', templates[0]!)],
    [text('one'), note('two'), any('three', 'preferred'), text('four'), mail('five', templates[0]!)],
    [any('one', ['sms', 'push', 'email']), any('two', ['push', 'sms', 'email']), any('three', 'preferred')],
    // Nobody has agreed to texts to that number.
    [
      text('before'),
      { id: 'move', ...set({ phone: '+49 30 1234567' }) },
      text('after'),
      any('any', ['sms', 'email', 'push']),
    ],
    [{ id: 'lose', ...set({ phone: null }) }, text('after'), any('any', ['sms', 'push', 'email'])],
    [
      { id: 'up', type: 'SCORE', config: { points: 60 } },
      { id: 'pause', type: 'WAIT', config: { waitMinutes: 60 } },
      { id: 'never', type: 'WAIT', config: { waitMinutes: 60 } },
      { id: 'hot', type: 'GOAL', config: { if: { field: 'score', operator: 'gte', value: 60 } } },
    ],
    [
      {
        id: 'visit',
        type: 'WAIT_FOR_EVENT',
        config: { event: 'WEBSITE_VISITED', timeoutMinutes: 90, onTimeout: 'either' },
      },
      {
        id: 'either',
        type: 'SPLIT',
        config: {
          branches: [
            { weight: 1, next: 'bakers' },
            { weight: 1, next: 'leave' },
          ],
        },
      },
      { ...is('bakers', 'jobTitle', 'eq', 'Baker'), next: 'leave' },
      { id: 'leave', type: 'EXIT', config: {} },
    ],
  ];
}

async function newestCompany(): Promise<number> {
  const [found] = await journeys
    .em()
    .transactional((tx) => rows<{ id: number }>(tx, sql`select coalesce(max(id), 0) as id from companies`));
  return found!.id;
}

/** A reason as a simulation tells it, which cannot know the id of a company that is created later than the newest. */
const asSimulated = (reason: string | null, newest: number): string | null =>
  reason?.replace(/companyId exists: yes \((\d+)\)/g, (text, id) =>
    Number(id) > newest ? 'companyId exists: yes (new)' : text,
  ) ?? null;

/** The ways of a campaign's executions, as their records say, by contact. */
async function recorded(campaignId: number, newest: number): Promise<Map<number, unknown>> {
  return journeys.em().transactional(async (tx) => {
    const executions = await tx.find(CampaignExecution, { campaignId });
    const steps = await tx.find(CampaignStepExecution, { campaignId }, { orderBy: { executionId: 'asc', seq: 'asc' } });
    return new Map(
      executions.map(({ id, contactId, status, exitReason }) => [
        contactId,
        {
          steps: steps
            .filter(({ executionId }) => executionId === id)
            .map(({ stepId, type, result, reason }) => [stepId, type, result, asSimulated(reason ?? null, newest)]),
          end: [status, exitReason ?? null],
        },
      ]),
    );
  });
}

test('a simulated contact takes the same steps, with the same results and reasons, as the real one then does', async () => {
  const lists = [await journeys.list(), await journeys.list()];
  await journeys.em().transactional(async (tx) => {
    await rows(
      tx,
      sql`insert into custom_fields (tenant_id, entity, name, type) values (${TENANT}, 'contact', 'seats', 'number')`,
    );
    await rows(
      tx,
      sql`
      insert into segments (tenant_id, name, type, status, filter) values (${TENANT}, 'Bakers of the list', 'dynamic', 'READY',
        ${JSON.stringify({
          op: 'and',
          conditions: [
            { field: 'jobTitle', operator: 'eq', value: 'Baker' },
            { field: 'listId', operator: 'eq', value: lists[1] },
          ],
        })}::jsonb)`,
    );
  });
  const [segment] = await journeys
    .em()
    .transactional((tx) => rows<{ id: number }>(tx, sql`select id from segments where type = 'dynamic'`));
  const things = {
    templates: [await journeys.template(), await journeys.template()],
    texts: [await channelTemplate(journeys, 'sms'), await channelTemplate(journeys, 'sms')],
    pushes: [await channelTemplate(journeys, 'push'), await channelTemplate(journeys, 'push')],
    ...{ lists, segment: segment!.id },
  };
  const caps: { channels?: Channel[] }[] = [{}, { channels: ['sms', 'push'] }, { channels: ['email', 'sms', 'push'] }];

  const seen = new Map<string, number>();
  let campaigns = 0;
  for (const steps of [...fixedCampaigns(things), ...fc.sample(stepsOf(things), CAMPAIGNS)]) {
    const input: Partial<CampaignInput> = {
      steps,
      entry: campaigns % 2 === 0 ? { frequencyCap: { maxEmails: 2, perDays: 365, ...caps[(campaigns / 2) % 3] } } : {},
    };
    const violations = await journeys.em().transactional((tx) => campaignViolations(tx, TENANT, input));
    assert.deepEqual(violations, []);
    campaigns += 1;

    const contactIds = await makeContacts(things);
    const campaignId = await journeys.start(input);
    const about = `seed ${SEED}: ${JSON.stringify(steps)}`;
    const answer = await requestSimulation(
      journeys.em(),
      origin,
      campaignId,
      { contactIds },
      journeys.deps.env.MAIL_FROM,
    );
    assert.ok('result' in answer);
    const newest = await newestCompany();
    const simulated = new Map(
      answer.result.paths.map(({ contactId, steps: done, end }) => [
        contactId,
        {
          steps: done.map(({ stepId, type, result, reason }) => [stepId, type, result, reason]),
          end: [end.status, end.reason],
        },
      ]),
    );
    await startCampaign(journeys.em(), origin, campaignId, { contactIds });
    await journeys.runAll(campaignId);
    const real = await recorded(campaignId, newest);
    assert.deepEqual(simulated, real, about);
    assert.equal(answer.result.entered, CONTACTS - 1);
    for (const { volumes } of [answer.result])
      for (const { type } of volumes) seen.set(type, (seen.get(type) ?? 0) + 1);
    for (const { steps: done } of real.values() as Iterable<{ steps: string[][] }>)
      for (const [, , result] of done) seen.set(result!, (seen.get(result!) ?? 0) + 1);
  }
  const wanted = [
    'EMAIL',
    'SMS',
    'PUSH',
    'MESSAGE',
    'WAIT',
    'WAIT_FOR_EVENT',
    'CONDITION',
    'SPLIT',
    'SEGMENT',
    'UPDATE_CONTACT',
    'SCORE',
    'GOAL',
    'EXIT',
  ];
  for (const what of [
    ...wanted,
    'sent:sms',
    'sent:push',
    'sent:email',
    'suppressed',
    'timeout',
    'met',
    'skipped',
    'stop',
    'then',
    'else',
  ])
    assert.ok(seen.has(what), `${what} was not among them: ${JSON.stringify([...seen])}`);
});

test('the workflow of a simulation runs it to its end', async () => {
  const job = await newSimulation(journeys);
  const [workflowId, ...others] = await journeys.relay();
  assert.deepEqual([workflowId, others], [job.workflowId, []]);
  await journeys.finished(workflowId!);
  const read = () =>
    journeys
      .em()
      .transactional((tx) =>
        rows<{ status: string; n: number; finished: Date }>(
          tx,
          sql`select status, (result -> 'ended' ->> 'completed')::int as n, finished_at as finished from campaign_simulations where id = ${job.id}`,
        ),
      );
  const [done] = await read();
  assert.deepEqual([done!.status, done!.n], ['COMPLETED', 10_001]);
  const { MAIL_FROM } = journeys.deps.env;
  // Once more, as after a lost completion: it stays.
  await runSimulation(journeys.em(), { tenantId: TENANT, simulationId: job.id }, MAIL_FROM, () => {
    throw new Error('it runs again');
  });
  assert.deepEqual(await read(), [done]);
});
