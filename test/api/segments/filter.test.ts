import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import fc from 'fast-check';
import { CompiledQuery } from 'kysely';
import { connect, engineEm, rows, sql, tenantEm, type EntityManager, type Orm } from '../../../db/orm.ts';
import { normaliseEmail } from '../../../lib/addresses/email.ts';
import { checkFilter } from '../../../domain/membership/filter/check-filter.ts';
import { compileFilter } from '../../../domain/membership/compile/compile.ts';
import { createJoinedSources } from '../../../domain/membership/compile/joined-sources.ts';
import type { Filter } from '../../../domain/membership/filter/filter.ts';
import { fillMoments } from '../../../domain/membership/filter/relative-time.ts';
import { claimSlot, type Slot } from '../../support/slot.ts';
import { CUSTOM, filterArbitrary, MEMBERSHIPS, NOW, sample, STEP_IDS, type Sample } from './arbitraries.ts';
import { holds, type ModelContact } from './model.ts';

const CONTACTS = 60;
const EXECUTION = { id: 7, startedAt: new Date(NOW.getTime() - 86_400_000) };
let slot: Slot;
let orm: Orm;
let contacts: ModelContact[];
let ids: number[];

beforeAll(async () => {
  slot = await claimSlot();
  orm = await connect(slot.env['DATABASE_URL']!, { poolMax: 4 });
  const samples = fc.sample(sample, CONTACTS);
  // The other tenant has the same people, in lists of its own: nothing of it may be seen.
  await fill('other', samples);
  ({ contacts, ids } = await fill('mine', samples.toReversed()));
});

afterAll(async () => {
  await orm?.close();
  await slot?.release();
});

async function fill(tenantId: string, samples: Sample[]): Promise<{ contacts: ModelContact[]; ids: number[] }> {
  return tenantEm(orm, tenantId).transactional(async (tx) => {
    const kinds = ['static', 'static', 'dynamic'];
    const made: number[] = [];
    for (const index of MEMBERSHIPS) {
      made.push(
        await insert(
          tx,
          sql`insert into segments (tenant_id, name, type, status) values (${tenantId}, 'one', ${kinds[index]!}, 'READY') returning id`,
        ),
      );
    }
    await rows(tx, sql`insert into scoring_settings (tenant_id, warm, hot) values (${tenantId}, 30, 70)`);
    const model: ModelContact[] = [];
    for (const [index, one] of samples.entries()) model.push(await insertContact(tx, tenantId, one, index, made));
    return { contacts: model, ids: made };
  });
}

async function insert(tx: EntityManager, query: ReturnType<typeof sql>): Promise<number> {
  return (await rows<{ id: number }>(tx, query))[0]!.id;
}

async function insertContact(
  tx: EntityManager,
  tenantId: string,
  { fields, tags, memberships, events, company }: Sample,
  index: number,
  lists: number[],
): Promise<ModelContact> {
  const email = normaliseEmail(`${String(fields['email'])}${index}@example.com`) as { email: string; emailKey: string };
  const custom = Object.fromEntries(
    [...CUSTOM.keys()].flatMap((name) => {
      const value = fields[`customFields.${name}`];
      return value === null ? [] : [[name, value]];
    }),
  );
  const companyId =
    company &&
    (await insert(
      tx,
      sql`
    insert into companies (tenant_id, name, name_key, domain, industry, employee_count)
    values (${tenantId}, ${company.name}, ${company.name.toLowerCase()}, ${company.domain}, ${company.industry}, ${company.employeeCount}) returning id`,
    ));
  const id = await insert(
    tx,
    sql`
    insert into contacts (tenant_id, first_name, last_name, email, email_key, phone, job_title, company_id, status, tags, custom_fields,
      timezone, locale, source, created_at, updated_at)
    values (${tenantId}, ${fields['firstName'] ?? ''}, ${fields['lastName'] ?? ''}, ${email.email}, ${email.emailKey}, ${fields['phone']}, ${fields['jobTitle']},
      ${companyId}, ${fields['status']}, ${tags}::text[], ${JSON.stringify(custom)}::jsonb, ${fields['timezone']}, ${fields['locale']}, ${fields['source']},
      ${fields['createdAt']}, ${fields['updatedAt']}) returning id`,
  );
  const score = Number(fields['score']);
  if (score !== 0)
    await rows(
      tx,
      sql`insert into score_totals (tenant_id, subject, subject_id, total, updated_at) values (${tenantId}, 'contact', ${id}, ${score}, now())`,
    );
  for (const list of memberships)
    await rows(
      tx,
      sql`insert into segment_members (tenant_id, segment_id, contact_id) values (${tenantId}, ${lists[list]!}, ${id})`,
    );
  const timeline: ModelContact['events'] = [];
  for (const event of events) timeline.push(await insertEvent(tx, tenantId, id, event));
  // Others are from before contacts were the record of their creation.
  if (index % 2 === 0)
    timeline.push({ type: 'CONTACT_CREATED', at: fields['createdAt'] as Date, automated: false, data: {} });
  else await rows(tx, sql`update contacts set created_activity_id = null where tenant_id = ${tenantId} and id = ${id}`);
  const memberOf = memberships.map((list) => lists[list]!);
  return {
    id,
    tags,
    events: timeline,
    memberOf,
    lists: memberOf.filter((list) => list !== lists[2]),
    fields: {
      ...fields,
      email: email.email,
      companyId,
      qualification: score >= 70 ? 'hot' : score >= 30 ? 'warm' : 'cold',
      ...Object.fromEntries(Object.entries(company ?? {}).map(([name, value]) => [`company.${name}`, value])),
    },
  };
}

type ModelEvent = ModelContact['events'][number];

/** Inserts an event where the service records it. Returns it as it is then. */
async function insertEvent(
  tx: EntityManager,
  tenantId: string,
  contactId: number,
  event: ModelEvent,
): Promise<ModelEvent> {
  const { type, at, automated, data } = event;
  const { templateId, campaignId = null, executionId = null, stepId = null, status } = data;
  if (type === 'EMAIL_SENT' && !automated && templateId !== undefined && status !== undefined) {
    const emailId = await insert(
      tx,
      sql`
      insert into emails (tenant_id, send_key, template_id, contact_id, campaign_id, execution_id, step_id, lane, status, sent_at, activity_id, activity_at)
      values (${tenantId}, gen_random_uuid(), ${templateId}, ${contactId}, ${campaignId}, ${executionId}, ${stepId}, 'bulk', ${status},
        ${status === 'SENT' ? at : null}, nextval('contact_activities_id_seq'), ${at}) returning id`,
    );
    return { type, at, automated, data: { templateId, campaignId, executionId, stepId, status, emailId } };
  }
  await rows(
    tx,
    sql`
    insert into contact_activities (tenant_id, contact_id, type, occurred_at, event_id, automated, data)
    values (${tenantId}, ${contactId}, ${type}, ${at}, gen_random_uuid(), ${automated}, ${JSON.stringify(data)}::jsonb)`,
  );
  return event;
}

type Way = 'subqueries' | 'facts';

/** By either way of looking things up: what builds segments asks in subqueries, what follows a change of few contacts by facts. */
async function selected(
  em: EntityManager,
  filter: Filter,
  execution: typeof EXECUTION | null,
  way: Way,
): Promise<number[]> {
  const facts = way === 'facts' ? createJoinedSources() : null;
  const condition = compileFilter(filter, 'c', {
    customFields: CUSTOM,
    now: facts ? 'later' : NOW,
    ...(facts ? { sources: facts } : {}),
    ...(execution ? { execution } : {}),
  });
  const from = facts?.from() ?? sql`from contacts c`;
  const found = await em.transactional(async (tx) => {
    const statement =
      sql`select c.id, ${condition} as verdict ${from} where c.tenant_id = 'mine' order by c.id`.compile(
        tx.getKysely(),
      );
    const { rows: answered } = await tx
      .getKysely()
      .executeQuery(CompiledQuery.raw(statement.sql, fillMoments(statement.parameters, NOW)));
    return answered as { id: number; verdict: boolean | null }[];
  });
  assert.equal(found.length, CONTACTS);
  assert.ok(
    found.every((row) => row.verdict !== null),
    'a verdict is never unknown',
  );
  return found.filter((row) => row.verdict).map((row) => row.id);
}

async function agree(inCampaign: boolean): Promise<void> {
  const execution = inCampaign ? EXECUTION : null;
  const verdicts = { some: 0, none: 0, all: 0 };
  // Compiled SQL runs as the tenant and as the engine.
  await fc.assert(
    fc.asyncProperty(filterArbitrary(ids, inCampaign), fc.boolean(), async (filter, asEngine) => {
      assert.deepEqual(
        checkFilter(filter, '', { customFields: CUSTOM, ...(inCampaign ? { stepIds: STEP_IDS } : {}) }),
        [],
      );
      const expected = contacts.filter((contact) =>
        holds(filter, contact, { now: NOW, ...(execution ? { execution } : {}) }),
      );
      const wanted = expected.map((contact) => contact.id).sort((a, b) => a - b);
      const em = asEngine ? engineEm(orm) : tenantEm(orm, 'mine');
      assert.deepEqual(await selected(em, filter, execution, 'subqueries'), wanted);
      assert.deepEqual(await selected(em, filter, execution, 'facts'), wanted);
      verdicts[wanted.length === 0 ? 'none' : wanted.length === CONTACTS ? 'all' : 'some'] += 1;
    }),
    { numRuns: 500 },
  );
  // Filters that fit everyone or nobody would prove little.
  assert.ok(verdicts.some > 200, JSON.stringify(verdicts));
}

test('random filters select whom their documentation says', () => agree(false));
test('random filters of a campaign select whom their documentation says', () => agree(true));
