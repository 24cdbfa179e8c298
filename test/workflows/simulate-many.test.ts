import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { CampaignSimulation } from '../../db/entities/campaigns.ts';
import { rows, sql } from '../../db/orm.ts';
import type { CampaignInput } from '../../domain/campaigns/management/save-campaign.ts';
import { startCampaign } from '../../domain/campaigns/management/start-campaign.ts';
import { requestSimulation } from '../../domain/campaigns/simulation/request-simulation.ts';
import { runSimulation } from '../../domain/campaigns/simulation/run-simulation.ts';
import type { SimulationResult } from '../../domain/campaigns/simulation/tally.ts';
import { until } from '../support/until.ts';
import { DAY, startJourneys, TENANT, type Journeys } from './campaign-support.ts';

/** How many contacts are simulated, and how many of them then take the journey: at most 1000, whose paths are kept. */
const SIMULATED = Number(process.env.SIMULATED_CONTACTS ?? 400);
const REAL = Math.min(1000, Math.ceil(SIMULATED / 4));
const TIMEOUT_MS = 240_000 + REAL * 1000;
/** How far apart the simulated and the real time of a step may be: a real journey of 30 days takes some time itself. */
const TOLERANCE_MS = 30 * 60_000;

let journeys: Journeys;
beforeAll(async () => {
  journeys = await startJourneys();
  await journeys.worker();
});
afterAll(() => journeys.stop());

const origin = { tenantId: TENANT, actor: null, requestId: null, address: null };
const execute = <T>(query: ReturnType<typeof sql>): Promise<T[]> =>
  journeys.em().transactional((tx) => rows<T>(tx, query));

/** Contacts of different timezones, statuses, scores and events. Returns the list of all of them. */
async function makeContacts(): Promise<number> {
  await execute(sql`
    insert into contacts (tenant_id, first_name, last_name, email, email_key, timezone, status)
    select ${TENANT}, 'P', 'Q', 'p' || n || '@example.com', 'p' || n || '@example.com',
      (array['Europe/Berlin', 'Asia/Tokyo', null])[1 + n % 3], case when n % 13 = 0 then 'archived' when n % 11 = 0 then 'unsubscribed' else 'active' end
    from generate_series(1, ${SIMULATED}::int) n`);
  await execute(sql`
    insert into scores_by_rule (tenant_id, subject, subject_id, rule_id, score, worth, events)
    select tenant_id, 'contact', id, 0, (id * 7) % 60, (id * 7) % 60, 1 from contacts where id % 2 = 0`);
  await execute(sql`
    insert into score_totals (tenant_id, subject, subject_id, total, updated_at)
    select tenant_id, 'contact', id, (id * 7) % 60, now() from contacts where id % 2 = 0`);
  await execute(sql`
    insert into contact_activities (tenant_id, contact_id, type, occurred_at, event_id, data)
    select tenant_id, id, 'WEBSITE_VISITED', now() - interval '300 days', gen_random_uuid(), '{"url": "https://example.com/"}'
    from contacts where id % 5 = 0`);
  const listId = await journeys.list();
  await execute(sql`
    insert into segment_members (tenant_id, segment_id, contact_id)
    select tenant_id, ${listId}, id from contacts where email like 'p%'`);
  return listId;
}

function stepsOf(templateId: number, engaged: number): NonNullable<CampaignInput['steps']> {
  const email = (id: string) => ({ id, type: 'EMAIL', config: { templateId } });
  const wait = (id: string, days: number) => ({ id, type: 'WAIT', config: { waitMinutes: days * 1440 } });
  const isHot = { field: 'score', operator: 'gte', value: 60 };
  return [
    email('hello'),
    wait('week', 7),
    {
      id: 'opened',
      type: 'CONDITION',
      config: {
        if: {
          event: 'EMAIL_OPENED',
          operator: 'atLeast',
          where: [{ field: 'stepId', operator: 'eq', value: 'hello' }],
        },
        then: 'engaged',
        else: 'half',
      },
    },
    { id: 'engaged', type: 'SEGMENT', config: { action: 'add', listId: engaged } },
    { id: 'points', type: 'SCORE', config: { points: 15 } },
    {
      id: 'half',
      type: 'SPLIT',
      config: {
        branches: [
          { weight: 1, next: 'again' },
          { weight: 2, next: 'visit' },
        ],
      },
    },
    email('again'),
    { id: 'visit', type: 'WAIT_FOR_EVENT', config: { event: 'WEBSITE_VISITED', timeoutMinutes: 3 * 1440 } },
    { id: 'title', type: 'UPDATE_CONTACT', config: { set: { jobTitle: 'Reader' } } },
    wait('month', 20),
    {
      id: 'is-engaged',
      type: 'CONDITION',
      config: { if: { field: 'listId', operator: 'eq', value: engaged }, then: 'last', else: 'out' },
    },
    { id: 'out', type: 'EXIT', config: {} },
    email('last'),
    { id: 'hot', type: 'GOAL', config: { if: isHot } },
    email('thanks'),
  ];
}

async function simulated(campaignId: number, listId: number): Promise<SimulationResult> {
  const { MAIL_FROM } = journeys.deps.env;
  const input = { listId, paths: 1000, assume: { openRate: 0.4, clickRate: 0.1, seed: 7 } };
  const answer = await requestSimulation(journeys.em(), origin, campaignId, input, MAIL_FROM);
  if ('result' in answer) return answer.result;
  const { id } = answer.job;
  await runSimulation(journeys.em(), { tenantId: TENANT, simulationId: id }, MAIL_FROM, () => {});
  return (await journeys.em().findOneOrFail(CampaignSimulation, { id })).result as SimulationResult;
}

interface Way {
  steps: unknown[];
  times: number[];
  end: unknown[];
}

/** The ways of a campaign's executions by contact, as their records say; times in ms since the execution began. */
async function recorded(campaignId: number): Promise<Map<number, Way>> {
  const found = await execute<{
    id: number;
    steps: unknown[];
    times: number[];
    status: string;
    reason: string | null;
  }>(sql`
    select e.contact_id as id, e.status, e.exit_reason as reason,
      json_agg(json_build_array(s.step_id, s.type, s.result, s.reason) order by s.seq) as steps,
      json_agg((extract(epoch from s.executed_at - e.started_at) * 1000)::float8 order by s.seq) as times
    from campaign_executions e join campaign_step_executions s on s.tenant_id = e.tenant_id and s.execution_id = e.id
    where e.campaign_id = ${campaignId} group by e.id`);
  return new Map(found.map(({ id, steps, times, status, reason }) => [id, { steps, times, end: [status, reason] }]));
}

test(
  'a journey of 30 days: contacts take the paths of the simulation, at its times',
  async () => {
    const listId = await makeContacts();
    const engaged = await journeys.list();
    const campaignId = await journeys.start({ steps: stepsOf(await journeys.template(), engaged) });
    const result = await simulated(campaignId, listId);
    assert.deepEqual([result.contacts, result.entered], [SIMULATED, SIMULATED - Math.floor(SIMULATED / 13)]);

    const paths = result.paths.slice(0, REAL);
    const contactIds = paths.map(({ contactId }) => contactId);
    await startCampaign(journeys.em(), origin, campaignId, { contactIds });
    for (const id of await journeys.relay()) await journeys.settled(id);
    await until(
      'all are in the first wait',
      async () => {
        const [found] = await execute<{ n: number }>(sql`
          select count(*)::int as n from campaign_executions where campaign_id = ${campaignId} and current_step_id = 'week'`);
        return found!.n === contactIds.length;
      },
      TIMEOUT_MS,
    );
    // The opens that were assumed now happen.
    for (const { contactId, steps } of paths) {
      if (!steps[0]!.reason?.startsWith('assumed')) continue;
      const [email] = await execute<{ executionId: number }>(
        sql`select id as "executionId" from campaign_executions where campaign_id = ${campaignId} and contact_id = ${contactId}`,
      );
      await journeys.happens(contactId, 'EMAIL_OPENED', { ...email, campaignId, stepId: 'hello' });
    }
    await journeys.runAll(campaignId);

    const real = await recorded(campaignId);
    assert.equal(real.size, REAL);
    const seen = new Set<string>();
    for (const { contactId, steps, end } of paths) {
      const way = real.get(contactId)!;
      const reasons = steps.map(({ reason }) => (reason?.startsWith('assumed') ? null : reason));
      assert.deepEqual(
        way.steps,
        steps.map(({ stepId, type, result: outcome }, index) => [stepId, type, outcome, reasons[index]]),
      );
      assert.deepEqual(way.end, [end.status, end.reason]);
      const began = Date.parse(steps[0]!.at);
      for (const [index, { at, stepId }] of steps.entries()) {
        const apart = way.times[index]! - (Date.parse(at) - began);
        assert.ok(Math.abs(apart) < TOLERANCE_MS, `${stepId} of contact ${contactId} is ${apart} ms apart`);
      }
      seen.add(steps.map(({ stepId, result: outcome }) => `${stepId}:${outcome}`).join());
    }
    const longest = Math.max(...paths.map(({ steps }) => Date.parse(steps.at(-1)!.at) - Date.parse(steps[0]!.at)));
    assert.equal(Math.round(longest / DAY), 30);
    assert.ok(seen.size >= 6, [...seen].join('\n'));
  },
  TIMEOUT_MS,
);
