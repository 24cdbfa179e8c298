import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { pick, seededRandom } from '../../../dev/demo/random.ts';
import { rows, sql, tenantEm } from '../../../db/orm.ts';
import { eraseRecords } from '../../../domain/contacts/erasure/erase-records.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { SEED } from '../../support/seed.ts';

interface Point {
  at: string;
  count: number;
  entered: number;
  left: number;
}
interface Segment {
  id: number;
  createdAt: string;
  count: number;
}

let service: Service;
let made = 0;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const query = <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  tenantEm(service.deps.orm, 'default').transactional((tx) => rows<T>(tx, statement));
async function ask(method: string, path: string, body?: object): Promise<Answer['body']> {
  const answer = await service.api(method, path, body);
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}
async function refused(path: string, ...errors: [path: string, code: string][]): Promise<void> {
  const { status, body } = await service.api('GET', path);
  assert.equal(status, 400, JSON.stringify(body));
  assert.deepEqual(
    body.errors.map((error: { path: string; code: string }) => [error.path, error.code]),
    errors,
  );
}
const tagged = (tag: string) => ({ field: 'tags', operator: 'eq', value: tag });
async function person(tags: string[] = []): Promise<number> {
  const email = `person${(made += 1)}@example.com`;
  return (await ask('POST', '/contacts', { firstName: 'P', lastName: 'Q', email, tags })).id;
}
async function erase(id: number): Promise<void> {
  const job = await ask('POST', `/contacts/${id}/erase`);
  await eraseRecords(tenantEm(service.deps.orm, 'default'), 'default', job.id);
}

/** A moment between what was done and what will be: the clock of the database has moved on since, by milliseconds. */
async function moment(): Promise<number> {
  const [found] = await query<{ at: Date }>(
    sql`select date_trunc('milliseconds', clock_timestamp()) as at from pg_sleep(0.002)`,
  );
  return found!.at.getTime();
}
const iso = (at: number) => new Date(at).toISOString();
const membersAt = async (id: number, at: number, base = '/segments'): Promise<number[]> =>
  (await ask('GET', `${base}/${id}/contacts?sort=id&limit=200&at=${iso(at)}`)).data.map((one: Segment) => one.id);
const historyOf = async (id: number, from: number, interval = 'hour', timezone = 'UTC'): Promise<Point[]> =>
  (await ask('GET', `/segments/${id}/history?from=${iso(from)}&interval=${interval}&timezone=${timezone}`)).series;

function assertAddsUp(series: Point[], end: number): void {
  series.forEach(({ at, count, entered, left }, n) =>
    assert.equal(count + entered - left, series[n + 1]?.count ?? end, at),
  );
}
const totals = (series: Point[]): [entered: number, left: number] => [
  series.reduce((sum, { entered }) => sum + entered, 0),
  series.reduce((sum, { left }) => sum + left, 0),
];

test('who was a member at a moment, after leaving, deletion, merge and erasure', async () => {
  const [stays, leaves, comesBack, deleted, source, target, erased] = [
    await person(),
    await person(),
    await person(),
    await person(),
    await person(),
    await person(),
    await person(['personal']),
  ];
  const began = await moment();
  const list: Segment = await ask('POST', '/segments', {
    name: 'Past',
    contactIds: [stays, leaves, comesBack, deleted, source, erased],
  });
  const dynamic: Segment = await ask('POST', '/segments', { name: 'Tagged', filter: tagged('personal') });
  const full = await moment();
  await ask('POST', `/contacts/lists/${list.id}/contacts/remove`, { contactIds: [leaves, comesBack] });
  const fewer = await moment();
  await ask('POST', `/contacts/segments/${list.id}/contacts`, { contactIds: [comesBack] });
  await ask('DELETE', `/contacts/${deleted}`);
  await ask('POST', `/contacts/${target}/merge`, { sourceId: source });
  const held = await ask('GET', `/contacts/${leaves}/data-export`);
  assert.deepEqual(held.memberships, []);
  const [{ addedAt, leftAt, ...past }] = held.pastMemberships;
  assert.deepEqual(past, { segmentId: list.id, name: 'Past', type: 'static' });
  assert.ok(Date.parse(addedAt) <= full && full < Date.parse(leftAt) && Date.parse(leftAt) <= fewer);
  const before = await moment();
  await erase(erased);
  const after = await moment();

  assert.deepEqual(await membersAt(list.id, full), [stays, leaves, comesBack, target], 'of a merge, who is left');
  assert.deepEqual(await membersAt(list.id, fewer), [stays, target]);
  assert.deepEqual(await membersAt(list.id, before), [stays, comesBack, target], 'the erased one is not listed');
  assert.deepEqual(await membersAt(list.id, after), await membersAt(list.id, before));
  assert.deepEqual(await membersAt(dynamic.id, full), []);
  assert.deepEqual(
    await query(sql`select 1 from segment_past_members where contact_id = ${erased}`),
    [],
    'what is kept of it does not name it',
  );
  const series = await historyOf(list.id, began - 86_400_000);
  assertAddsUp(series, 3);
  assert.deepEqual(totals(series), [8, 5], 'the deleted and the erased one have entered and left');
  assert.deepEqual(totals(await historyOf(dynamic.id, began)), [1, 1]);

  const path = `/segments/${list.id}/contacts?at=`;
  await refused(`${path}${iso(Date.parse(list.createdAt) - 1)}`, ['/at', 'out_of_range']);
  await refused(`${path}${iso(Date.now() + 3_600_000)}`, ['/at', 'out_of_range']);
  await refused(`${path}yesterday`, ['/at', 'format']);
  const page = await ask('GET', `${path}${iso(full)}&sort=id&limit=3`);
  const rest = await ask('GET', `${path}${iso(full)}&sort=id&limit=3&cursor=${page.page.nextCursor}`);
  assert.deepEqual([page.data.length, rest.data.length], [3, 1], 'by pages');

  await ask('DELETE', `/segments/${list.id}`);
  assert.deepEqual(await query(sql`select 1 from segment_past_members where segment_id = ${list.id}`), []);
});

test('of a segment that is older than its history, the members are known since that began', async () => {
  const { id }: Segment = await ask('POST', '/segments', { name: 'Old', contactIds: [await person()] });
  const known = await moment();
  await query(sql`
    update segments set created_at = now() - interval '40 days', history_since = ${iso(known)}::timestamptz where id = ${id}`);
  await query(sql`update segment_members set added_at = now() - interval '40 days' where segment_id = ${id}`);
  assert.equal((await membersAt(id, known)).length, 1);
  await refused(`/segments/${id}/contacts?at=${iso(known - 1)}`, ['/at', 'out_of_range']);
  await refused(`/segments/${id}/history?from=${iso(known - 9e8)}&to=${iso(known - 8e8)}`, ['/to', 'out_of_range']);
  const { period, series } = await ask('GET', `/segments/${id}/history?from=${iso(known - 9e8)}`);
  assert.equal(period.from, iso(known));
  assert.deepEqual(
    series.map(({ count, entered, left }: Point) => [count, entered, left]),
    [[1, 0, 0]],
  );
});

const PEOPLE = 150;
const MOVES = 10_000;
const TAGS = ['a', 'b', 'c'];
/** How much longer the history is made than the test took, so that it has more than one interval. */
const STRETCH = 100_000;

const shared = (some: number[], others: number[]) => some.filter((id) => others.includes(id)).length;

/** What was known when: from `from` until before `to` nothing moved. */
interface Entry {
  from: number;
  to: number;
  members: number[][];
}

test(`after ${MOVES} random moves, the members at random moments are those of a log, and the history adds up`, async () => {
  const random = seededRandom(SEED);
  const tags = new Map<number, string[]>();
  const [emails, mergedInto, erased] = [new Map<number, string>(), new Map<number, number>(), new Set<number>()];
  for (let n = 0; n < PEOPLE; n += 1) {
    const id = await person();
    tags.set(id, []);
    emails.set(id, `person${made}@example.com`);
  }
  const listed = new Set<number>();
  let filter = 'a';
  const list: Segment = await ask('POST', '/segments', { name: 'List' });
  const dynamic: Segment = await ask('POST', '/segments', { name: 'Dynamic', filter: tagged(filter) });
  const some = (share: number) => [...tags.keys()].filter(() => random() < share);
  const one = () => pick(random, [...tags.keys()]);
  const forget = (id: number) => [tags, listed].forEach((known) => known.delete(id));

  const acts = {
    async list() {
      const ids = some(0.3);
      const adds = random() < 0.5;
      if (ids.length > 0)
        await ask('POST', `/contacts/lists/${list.id}/contacts${adds ? '' : '/remove'}`, { contactIds: ids });
      for (const id of ids)
        if (adds) listed.add(id);
        else listed.delete(id);
    },
    async tags() {
      const changed = some(0.3).map((id): [number, string[]] => [id, TAGS.filter(() => random() < 0.5)]);
      const contacts = changed.map(([id, of]) => ({ email: emails.get(id), firstName: 'P', lastName: 'Q', tags: of }));
      if (contacts.length > 0) await ask('POST', '/contacts/batch', { contacts });
      for (const [id, of] of changed) tags.set(id, of);
    },
    async filter() {
      filter = pick(random, TAGS);
      await ask('PUT', `/segments/${dynamic.id}`, { filter: tagged(filter) });
    },
    async delete() {
      const id = one();
      await ask('DELETE', `/contacts/${id}`);
      forget(id);
    },
    async merge() {
      const source = one();
      const target = pick(
        random,
        [...tags.keys()].filter((id) => id !== source),
      );
      await ask('POST', `/contacts/${target}/merge`, { sourceId: source });
      if (listed.has(source)) listed.add(target);
      tags.set(target, [...tags.get(target)!, ...tags.get(source)!]);
      mergedInto.set(source, target);
      forget(source);
    },
    async erase() {
      const id = one();
      await erase(id);
      erased.add(id);
      forget(id);
    },
  };
  const log: Entry[] = [];
  const state = () => [[...listed], [...tags.keys()].filter((id) => tags.get(id)!.includes(filter))];
  const began = await moment();
  const rare = ['delete', 'merge', 'erase'] as const;
  // Each of the rare ones at least once.
  const owed: (keyof typeof acts)[] = [...rare];
  for (let moves = 0, from = began; moves < MOVES;) {
    const members = state();
    log.push({ from, to: await moment(), members });
    const act =
      (moves > MOVES / 2 && owed.pop()) || pick(random, random() < 0.03 ? rare : (['list', 'tags', 'filter'] as const));
    await acts[act]();
    from = await moment();
    state().forEach((after, n) => (moves += after.length + members[n]!.length - 2 * shared(after, members[n]!)));
  }
  const ended = await moment();
  log.push({ from: ended, to: ended + 1, members: state() });

  // As if it had taken weeks.
  const base = Date.now() - 3_600_000 - (ended - began) * STRETCH;
  const stretched = (at: number) => base + (at - began) * STRETCH;
  const column = (name: string) =>
    sql`${sql.ref(name)} = ${iso(base)}::timestamptz + (${sql.ref(name)} - ${iso(began)}::timestamptz) * ${STRETCH}`;
  const both = sql`segment_id in (${list.id}, ${dynamic.id})`;
  await query(sql`update segments set created_at = ${iso(base)}::timestamptz where id in (${list.id}, ${dynamic.id})`);
  await query(sql`update segment_members set ${column('added_at')} where ${both}`);
  await query(sql`update segment_past_members set ${column('added_at')}, ${column('left_at')} where ${both}`);
  await query(sql`update segment_builds set ${column('began_at')}, ${column('ended_at')} where ${both}`);

  /** Who they are now: merged into another, or gone. */
  const now = (id: number): number[] => (mergedInto.has(id) ? now(mergedInto.get(id)!) : tags.has(id) ? [id] : []);
  const segments = [list.id, dynamic.id];
  for (let n = 0; n < 100; n += 1) {
    const { from, to, members } = pick(random, log);
    const at = Math.floor(stretched(from) + random() * (to - from) * STRETCH);
    for (const [which, id] of segments.entries()) {
      const wanted = [...new Set(members[which]!.flatMap(now))].sort((a, b) => a - b);
      for (const path of ['/segments', '/contacts/segments'])
        assert.deepEqual(await membersAt(id, at, path), wanted, `seed ${SEED}: ${id} at ${iso(at)}`);
    }
  }

  for (const [which, id] of segments.entries()) {
    const { count }: Segment = await ask('GET', `/segments/${id}`);
    const hours = await historyOf(id, base - 86_400_000);
    assertAddsUp(hours, count);
    assert.equal(hours[0]!.count, 0);
    const known = hours.flatMap((point) => {
      const at = Date.parse(point.at);
      const entry = log.find(({ from, to }) => stretched(from) <= at && at < stretched(to));
      return entry ? [[point.count, entry.members[which]!.length]] : [];
    });
    assert.ok(known.length > 10, `seed ${SEED}: only ${known.length} of ${hours.length} hours begin between changes`);
    known.forEach(([counted, logged]) => assert.equal(counted, logged, `seed ${SEED}: ${id}`));
    for (const interval of ['day', 'week', 'month']) {
      const series = await historyOf(id, base - 86_400_000, interval, 'America/New_York');
      assertAddsUp(series, count);
      assert.deepEqual(totals(series), totals(hours), interval);
    }
  }
  assert.ok(mergedInto.size > 0 && erased.size > 0);
});
