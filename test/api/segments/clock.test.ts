import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import fc from 'fast-check';
import { connect, rows, sql, tenantEm, type EntityManager, type Orm } from '../../../db/orm.ts';
import { checkFilter } from '../../../domain/membership/filter/check-filter.ts';
import { clockLeaves, crossing } from '../../../domain/membership/filter/clock-leaves.ts';
import { compileFilter } from '../../../domain/membership/compile/compile.ts';
import type { Filter } from '../../../domain/membership/filter/filter.ts';
import { sweepSegments } from '../../../domain/membership/members/sweep-segments.ts';
import { claimSlot, type Slot } from '../../support/slot.ts';
import { filterArbitrary, NOW } from './arbitraries.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
let slot: Slot;
let orm: Orm;
let number = 0;

beforeAll(async () => {
  slot = await claimSlot();
  orm = await connect(slot.env['DATABASE_URL']!, { poolMax: 4 });
});
afterAll(async () => {
  await orm?.close();
  await slot?.release();
});

const later = (ms: number): Date => new Date(NOW.getTime() + ms);
const within = <T>(tenant: string, work: (tx: EntityManager) => Promise<T>): Promise<T> =>
  tenantEm(orm, tenant).transactional(work);
const insert = async (tenant: string, statement: ReturnType<typeof sql>): Promise<number> =>
  (await within(tenant, (tx) => rows<{ id: number }>(tx, statement)))[0]!.id;

function person(
  tenant: string,
  { createdAt = later(-400 * DAY), custom = {} }: { createdAt?: Date; custom?: object } = {},
): Promise<number> {
  const email = `clock${(number += 1)}@example.com`;
  return insert(
    tenant,
    sql`insert into contacts (tenant_id, first_name, last_name, email, email_key, created_at, updated_at, custom_fields)
    values (${tenant}, 'P', 'Q', ${email}, ${email}, ${createdAt}, ${createdAt}, ${JSON.stringify(custom)}::jsonb) returning id`,
  );
}
const happen = (tenant: string, contact: number, type: string, at: Date, automated = false): Promise<number> =>
  insert(
    tenant,
    sql`
  insert into contact_activities (tenant_id, contact_id, type, occurred_at, event_id, automated, data)
  values (${tenant}, ${contact}, ${type}, ${at}, gen_random_uuid(), ${automated}, '{"status": "SENT"}') returning id`,
  );

const fitting = (tenant: string, filter: Filter, now: Date): Promise<number[]> =>
  within(tenant, async (tx) =>
    (
      await rows<{ id: number }>(
        tx,
        sql`
  select c.id from contacts c where c.tenant_id = ${tenant} and ${compileFilter(filter, 'c', { now })} order by c.id`,
      )
    ).map((row) => row.id),
  );

/** A segment with the members that it has at NOW, swept up to then. */
async function segment(tenant: string, filter: Filter): Promise<number> {
  const id = await insert(
    tenant,
    sql`insert into segments (tenant_id, name, type, status, filter, swept_at)
    values (${tenant}, 'S', 'dynamic', 'READY', ${JSON.stringify(filter)}::jsonb, ${clockLeaves(filter).length > 0 ? NOW : null}) returning id`,
  );
  const members = await fitting(tenant, filter, NOW);
  await within(tenant, (tx) =>
    rows(
      tx,
      sql`insert into segment_members (tenant_id, segment_id, contact_id) select ${tenant}, ${id}::bigint, c from unnest(${members}::bigint[]) c`,
    ),
  );
  return id;
}
const members = (tenant: string, id: number): Promise<number[]> =>
  within(tenant, async (tx) =>
    (
      await rows<{ contact_id: number }>(
        tx,
        sql`
  select contact_id from segment_members where segment_id = ${id} order by 1`,
      )
    ).map((row) => row.contact_id),
  );

/** Entries (+) and exits (-) that were told of, as `+segment/contact`, sweep by sweep. */
const told = (tenant: string): Promise<string[]> =>
  within(tenant, async (tx) =>
    (
      await rows<{ move: string }>(
        tx,
        sql`
  select (case o.type when 'SEGMENT_ENTERED' then '+' else '-' end) || (e.value -> 'data' ->> 'segmentId') || '/' || (e.value -> 'data' ->> 'contactId') as move
  from outbox_events o, jsonb_array_elements(o.events) with ordinality e order by o.id, e.ordinality`,
      )
    ).map((row) => row.move),
  );

test('events leave their window: contacts leave what asks for them, and enter what asks for few or none, once', async () => {
  const [one, two] = [await person('window'), await person('window')];
  await happen('window', one, 'EMAIL_OPENED', later(-10 * DAY + HOUR));
  await happen('window', one, 'EMAIL_OPENED', later(-9 * DAY));
  await happen('window', two, 'EMAIL_OPENED', later(-10 * DAY + HOUR), true);
  const opened = { event: 'EMAIL_OPENED', withinDays: 10 } as const;
  const twice = await segment('window', { ...opened, operator: 'atLeast', count: 2 });
  const few = await segment('window', { ...opened, operator: 'atMost', count: 1 });
  const never = await segment('window', { ...opened, operator: 'none' });
  const not = await segment('window', { op: 'not', conditions: [{ ...opened, operator: 'atLeast', count: 1 }] });
  const inTwice = await segment('window', { field: 'segmentId', operator: 'eq', value: twice });
  await sweepSegments(orm, later(HOUR));
  assert.deepEqual(await told('window'), [], 'at the boundary it still counts');
  await sweepSegments(orm, later(HOUR + 60_000));
  assert.deepEqual(await told('window'), [`-${twice}/${one}`, `-${inTwice}/${one}`, `+${few}/${one}`]);
  await sweepSegments(orm, later(2 * DAY));
  await sweepSegments(orm, later(3 * DAY));
  assert.deepEqual(await told('window'), [
    `-${twice}/${one}`,
    `-${inTwice}/${one}`,
    `+${few}/${one}`,
    `+${never}/${one}`,
    `+${not}/${one}`,
  ]);
  assert.deepEqual([await members('window', twice), await members('window', never)], [[], [one, two]]);
});

test('a time is within the last days from when it is reached until they are over', async () => {
  const [past, future] = [
    await person('times', { createdAt: later(-2 * DAY + HOUR) }),
    await person('times', { createdAt: later(HOUR) }),
  ];
  const recent = await segment('times', { field: 'createdAt', operator: 'withinLastDays', value: 2 });
  const passed = await segment('times', {
    field: 'createdAt',
    operator: 'before',
    value: later(HOUR / 2).toISOString(),
  });
  assert.deepEqual(await members('times', recent), [past]);
  await sweepSegments(orm, later(2 * HOUR));
  assert.deepEqual(await members('times', recent), [future]);
  await sweepSegments(orm, later(3 * DAY));
  assert.deepEqual(await told('times'), [`-${recent}/${past}`, `+${recent}/${future}`, `-${recent}/${future}`]);
  assert.deepEqual(await members('times', passed), [past], 'what is before a date stays before it');
});

test('an event that is recorded late, in a stretch of time that was swept already, does not stay for ever', async () => {
  const one = await person('late');
  const recent = await segment('late', { event: 'WEBSITE_VISITED', operator: 'atLeast', withinDays: 1 });
  await sweepSegments(orm, later(10 * 60_000));
  // As a consumer leaves it whose transaction began before the sweep and ended after it.
  await happen('late', one, 'WEBSITE_VISITED', later(-DAY + 9 * 60_000));
  await within('late', (tx) =>
    rows(tx, sql`insert into segment_members (tenant_id, segment_id, contact_id) values ('late', ${recent}, ${one})`),
  );
  await sweepSegments(orm, later(11 * 60_000));
  assert.deepEqual(await told('late'), [`-${recent}/${one}`]);
});

test('a date of a custom field crosses at midnight in UTC only', async () => {
  const custom = new Map([['renewal', { type: 'date' as const }]]);
  const people = new Map<string, number>();
  for (const renewal of ['2030-06-12', '2030-06-13', '2030-06-15', '2030-06-16', '2030-06-17', 'soon'])
    people.set(renewal, await person('dates', { custom: { renewal } }));
  const leaf = { field: 'customFields.renewal', days: 3 };
  const found = (from: Date, to: Date) =>
    within('dates', async (tx) => {
      const query = crossing('dates', leaf, from, to, custom);
      return (
        query && (await rows<{ contact_id: number }>(tx, query)).map((row) => row.contact_id).sort((a, b) => a - b)
      );
    });
  assert.equal(await found(NOW, later(11 * HOUR)), null);
  assert.deepEqual(await found(NOW, later(12 * HOUR)), [people.get('2030-06-12'), people.get('2030-06-16')]);
  assert.equal(crossing('dates', leaf, NOW, later(DAY), new Map()), null, 'a field that is not defined has no values');
});

test('sweeps move exactly those whom random filters come to fit, or fit no more', async () => {
  const offsets = fc.integer({ min: -6 * 24, max: 3 * 24 }).map((hours) => hours * HOUR + HOUR / 2);
  const types = fc.constantFrom('EMAIL_OPENED', 'EMAIL_SENT', 'FORM_SUBMITTED', 'WEBSITE_VISITED');
  const samples = fc.sample(
    fc.record({ createdAt: offsets, events: fc.array(fc.tuple(types, offsets, fc.boolean()), { maxLength: 6 }) }),
    { numRuns: 80 },
  );
  for (const { createdAt, events } of samples) {
    const id = await person('random', { createdAt: later(createdAt) });
    for (const [type, at, automated] of events) await happen('random', id, type, later(at), automated);
  }
  const list = await insert(
    'random',
    sql`insert into segments (tenant_id, name, type, status) values ('random', 'L', 'static', 'READY') returning id`,
  );
  const filters = fc
    .sample(filterArbitrary([list], false), { numRuns: 1500 })
    .filter(
      (filter) => clockLeaves(filter).length > 0 && checkFilter(filter, '', { customFields: new Map() }).length === 0,
    )
    .slice(0, 120);
  assert.ok(filters.length > 50, String(filters.length));
  const made: [number, Filter][] = [];
  for (const filter of filters) made.push([await segment('random', filter), filter]);
  let moved = 0;
  for (const hours of [1, 7, 30, 31, 80, 200]) {
    await sweepSegments(orm, later(hours * HOUR));
    for (const [id, filter] of made) {
      const wanted = await fitting('random', filter, later(hours * HOUR));
      assert.deepEqual(await members('random', id), wanted, JSON.stringify(filter));
    }
    const events = await told('random');
    assert.ok(events.length >= moved);
    moved = events.length;
  }
  assert.ok(moved > 20, `${moved} moves`);
});
