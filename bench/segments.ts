/**
 * `npm run bench:segments -- --contacts 1000000 --pairs 3 --changes 300 --drift 10000`: building a segment of five
 * nested conditions page by page, compared to one INSERT … SELECT with the same SQL; what a hundred segments add to the
 * time of a contact change; how selective filters are looked up; and how many memberships are wrong after that many
 * random changes.
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { connect, engineEm, rows, sql, tenantEm, type Orm } from '../db/orm.ts';
import { updateContact } from '../domain/contacts/people/update-contact.ts';
import { buildPage } from '../domain/membership/members/build-segment.ts';
import { compileFilter } from '../domain/membership/compile/compile.ts';
import type { Filter } from '../domain/membership/filter/filter.ts';
import { asService } from '../domain/audit/audit.ts';
import { createSegment } from '../domain/segments/segments.ts';
import type { AnyEvent } from '../events/contracts.ts';
import { contactHandler } from '../worker/consumers/contacts.ts';
import { drift } from '../test/api/segments/drift.ts';
import { claimSlot } from '../test/support/slot.ts';
import { median, onStack, printPairs } from './support/stack.ts';

const { values } = parseArgs({
  options: {
    contacts: { type: 'string', default: '100000' },
    pairs: { type: 'string', default: '3' },
    changes: { type: 'string', default: '200' },
    drift: { type: 'string', default: '0' },
  },
});
const SEGMENTS = 100;
/** Contacts of a small tenant: few enough that its segments are built within the request. */
const FEW = 4000;

const five = (n: number): Filter => ({
  op: 'and',
  conditions: [
    { field: 'status', operator: 'eq', value: 'active' },
    {
      op: 'or',
      conditions: [
        { field: 'tags', operator: 'in', value: ['t1', 't2', `t${n % 10}`] },
        { field: 'jobTitle', operator: 'contains', value: 'engineer' },
      ],
    },
    { op: 'not', conditions: [{ field: 'createdAt', operator: 'withinLastDays', value: 30 + n }] },
    { event: 'EMAIL_OPENED', operator: 'atLeast', count: 1 + (n % 3), withinDays: 180 + n },
  ],
});

/** Fills a tenant with contacts that have five events each. */
async function fill(owner: pg.Client, tenant: string, contacts: number): Promise<void> {
  await owner.query(
    `
    insert into contacts (tenant_id, first_name, last_name, email, email_key, status, tags, job_title, created_at, updated_at)
    select $1::text, 'Given', 'Family', $1 || n || '@example.com', $1 || n || '@example.com', case when n % 10 = 0 then 'unsubscribed' else 'active' end,
      array['t' || n % 10], (array['Engineer', 'Poet', 'Baker', 'Clerk'])[1 + n % 4], now() - (n % 700) * interval '1 day', now()
    from generate_series(1, $2::int) n`,
    [tenant, contacts],
  );
  await owner.query(
    `
    insert into contact_activities (tenant_id, contact_id, type, occurred_at, event_id, data)
    select $1::text, first + n * 7919::bigint % $2, (array['EMAIL_SENT', 'EMAIL_OPENED', 'EMAIL_CLICKED'])[1 + n % 3], now() - (n % 365) * interval '1 day',
      gen_random_uuid(), '{"emailId": 1}'
    from (select min(id) as first from contacts where tenant_id = $1) f, generate_series(1, 5 * $2::int) n`,
    [tenant, contacts],
  );
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return (performance.now() - begin) / 1000;
}

async function buildPairs(orm: Orm, owner: pg.Client, contacts: number): Promise<[number, number][]> {
  const em = tenantEm(orm, 'large');
  const { segment: byHand } = await createSegment(em, asService('large'), { name: 'By hand', type: 'static' });
  const count = async (id: number): Promise<number> =>
    (await owner.query<{ n: number }>('select count(*)::int as n from segment_members where segment_id = $1', [id]))
      .rows[0]!.n;
  const pairs: [number, number][] = [];
  for (let pair = 0; pair < Number(values.pairs); pair += 1) {
    await owner.query('truncate segment_members');
    const reference = await seconds(() =>
      em.transactional((tx) =>
        rows(
          tx,
          sql`
      insert into segment_members (tenant_id, segment_id, contact_id)
      select c.tenant_id, ${byHand.id}::bigint, c.id from contacts c where c.tenant_id = 'large' and ${compileFilter(five(0), 'c')}`,
        ),
      ),
    );
    const wanted = await count(byHand.id);
    await owner.query('truncate segment_members');
    const { segment } = await createSegment(em, asService('large'), {
      name: 'Built',
      type: 'dynamic',
      filter: five(0),
    });
    const input = { tenantId: 'large', segmentId: segment.id, build: segment.build };
    const built = await seconds(async () => {
      while ((await buildPage(em, input)) !== null);
    });
    if ((await count(segment.id)) !== wanted || wanted === 0)
      throw new Error(`${await count(segment.id)} members, not ${wanted}`);
    pairs.push([contacts / built, contacts / reference]);
    await owner.query('delete from segments where id = $1', [segment.id]);
  }
  return pairs;
}

const p95 = (times: number[]): number => [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.95)]!;

/** The times (ms) of changes in a tenant with segments and in one without, alternately. */
async function changeTimes(
  orm: Orm,
  change: (tenant: string, contact: number, turn: number) => Promise<unknown>,
): Promise<[number[], number[]]> {
  const ids = new Map<string, number[]>();
  for (const tenant of ['busy', 'plain']) {
    ids.set(
      tenant,
      (
        await tenantEm(orm, tenant).transactional((tx) =>
          rows<{ id: number }>(tx, sql`select id from contacts where tenant_id = ${tenant} order by id`),
        )
      ).map((row) => row.id),
    );
  }
  const times: Record<string, number[]> = { busy: [], plain: [] };
  for (let turn = 0; turn < Number(values.changes) + 20; turn += 1) {
    for (const tenant of ['busy', 'plain']) {
      const ms = 1000 * (await seconds(() => change(tenant, ids.get(tenant)![turn % FEW]!, turn)));
      if (turn >= 20) times[tenant]!.push(ms);
    }
  }
  return [times['busy']!, times['plain']!];
}

function printAdded(what: string, [busy, plain]: [number[], number[]]): void {
  const added = busy.map((ms, turn) => ms - plain[turn]!);
  console.log(
    `  ${what}: median ${median(busy).toFixed(1)} ms beside ${median(plain).toFixed(1)} ms without; added p50 ${median(added).toFixed(1)} ms, p95 ${p95(added).toFixed(1)} ms`,
  );
}

/** The plan node that finds a filter's contacts. */
async function scanOf(orm: Orm, filter: Filter): Promise<string> {
  const plan = await tenantEm(orm, 'large').transactional((tx) =>
    rows<Record<string, string>>(
      tx,
      sql`
    explain select c.id from contacts c where c.tenant_id = 'large' and ${compileFilter(filter, 'c')}`,
    ),
  );
  return plan
    .map((row) => row['QUERY PLAN']!)
    .filter((line) => /Scan/.test(line))
    .map((line) =>
      line
        .replace(/\(cost.*/, '')
        .replace('->', '')
        .trim(),
    )
    .join(', ');
}

await onStack(2, async () => {
  const slot = await claimSlot();
  const orm = await connect(slot.env['DATABASE_URL']!, { poolMax: 6 });
  const owner = new pg.Client({ connectionString: slot.env['DATABASE_MIGRATION_URL'] });
  await owner.connect();
  try {
    const contacts = Number(values.contacts);
    await fill(owner, 'busy', FEW);
    await fill(owner, 'plain', FEW);
    await fill(owner, 'large', contacts);
    await owner.query('vacuum analyze');
    console.log(
      `a segment of five conditions over ${contacts} contacts and ${5 * contacts} events: pages beside one INSERT … SELECT`,
    );
    printPairs('contacts/s', 'pages', 'by hand', await buildPairs(orm, owner, contacts));

    for (let n = 0; n < SEGMENTS; n += 1)
      await createSegment(tenantEm(orm, 'busy'), asService('busy'), {
        name: `S${n}`,
        type: 'dynamic',
        filter: five(n),
      });
    await owner.query('analyze segment_members');
    console.log(`one contact's change with ${SEGMENTS} dynamic segments of five conditions, all of them judged`);
    printAdded(
      'a contact is updated',
      await changeTimes(orm, (tenant, contact, turn) =>
        updateContact(tenantEm(orm, tenant), { tenantId: tenant, requestId: null }, contact, () =>
          Promise.resolve({ tags: [`t${turn % 7}`, `u${turn}`] }),
        ),
      ),
    );
    printAdded(
      'an open is recorded',
      await changeTimes(orm, (tenant, contact) =>
        engineEm(orm).transactional((tx) =>
          contactHandler.handle(tx, [
            {
              id: randomUUID(),
              type: 'EMAIL_OPENED',
              time: new Date().toISOString(),
              tenantid: tenant,
              data: { contactId: contact, emailId: 1 },
            } as unknown as AnyEvent,
          ]),
        ),
      ),
    );

    console.log('how selective filters are looked up');
    const after = new Date(Date.now() - 2 * 86_400_000).toISOString();
    for (const filter of [
      { field: 'email', operator: 'eq', value: 'large7@example.com' },
      { field: 'createdAt', operator: 'after', value: after },
      { field: 'companyId', operator: 'eq', value: 7 },
    ] as const)
      console.log(`  ${filter.field} ${filter.operator}: ${await scanOf(orm, filter)}`);

    const changes = Number(values.drift);
    if (changes > 0) {
      const found = await drift(orm, Math.floor(Math.random() * 1e9), changes);
      console.log(
        `after ${changes} random changes under ${found.segments} random segments, ${found.moved} moves, a rebuild finds ${found.differed} of ${found.members} memberships wrong`,
      );
    }
  } finally {
    await owner.end();
    await orm.close();
    await slot.release();
  }
});
