import assert from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, test } from '@jest/globals';
import { rows, sql, tenantEm, type EntityManager } from '../../../db/orm.ts';
import { lockRange } from '../../../domain/contact-values/lock-contacts.ts';
import { buildPage } from '../../../domain/membership/members/build-segment.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import type { WorkflowInputs } from '../../../registry/workflows.ts';

/** More than are judged at once, over three ranges of ids. */
const CONTACTS = 40_000;
let service: Service;
let number = 0;
let ids: number[];

beforeAll(async () => {
  service = await startService();
  ids = (
    await query<{ id: number }>(sql`
    insert into contacts (tenant_id, first_name, last_name, email, email_key, tags, created_at, updated_at)
    select 'default', 'P', 'Q', 'many' || n || '@example.com', 'many' || n || '@example.com', array[case when n % 3 = 0 then 'three' else 'other' end], now() - interval '1 day', now() - interval '1 day'
    from generate_series(1, ${CONTACTS}) n returning id`)
  ).map((row) => row.id);
});
beforeEach(async () => {
  await query(sql`delete from outbox_events`);
  await query(sql`delete from outbox_workflows`);
});
afterAll(() => service.stop());

const em = (): EntityManager => tenantEm(service.deps.orm, 'default');
const query = <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  em().transactional((tx) => rows<T>(tx, statement));
const api = (...call: Parameters<Service['api']>): Promise<Answer> => service.api(...call);
const tagged = (tag: string) => ({ field: 'tags', operator: 'eq', value: tag });

async function segment(filter: object): Promise<number> {
  const answer = await api('POST', '/contacts/segments', { name: 'Large', type: 'dynamic', filter });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  assert.equal(answer.body.status, 'BUILDING');
  return answer.body.id;
}
const read = async (id: number) => (await api('GET', `/contacts/segments/${id}`)).body;
const put = (id: number, body: object) => api('PUT', `/contacts/${id}`, body);

/** The builds that are to be started, as the relay would. */
const builds = async (): Promise<WorkflowInputs['segmentBuild'][]> =>
  (
    await query<{ input: WorkflowInputs['segmentBuild'] }>(
      sql`select input from outbox_workflows where workflow_type = 'segmentBuild' order by id`,
    )
  ).map((row) => row.input);
async function finish(input: WorkflowInputs['segmentBuild']): Promise<void> {
  while ((await buildPage(em(), input)) !== null);
}
const moves = async (): Promise<string[]> =>
  (
    await query<{ move: string }>(sql`
  select (case o.type when 'SEGMENT_ENTERED' then '+' else '-' end) || (e.value -> 'data' ->> 'segmentId') || '/' || (e.value -> 'data' ->> 'contactId') as move
  from outbox_events o, jsonb_array_elements(o.events) e where o.type like 'SEGMENT%' order by o.id, 1`)
  ).map((row) => row.move);
async function assertExact(id: number): Promise<void> {
  const { status, body } = await api('POST', `/contacts/segments/${id}/rebuild`);
  assert.deepEqual([status, body.differed], [200, 0]);
}

test('a large segment is built by pages, while contacts change, without telling of whom the build moves', async () => {
  const id = await segment(tagged('three'));
  const [input] = await builds();
  assert.deepEqual(input, { tenantId: 'default', segmentId: id, build: 1 });
  const [first, last] = [ids.filter((_, n) => n % 3 === 2).at(0)!, ids.filter((_, n) => n % 3 === 2).at(-1)!];
  const upTo = await buildPage(em(), input);
  assert.ok(upTo! > first && upTo! < last);
  // Before the page and behind it; and one that is new.
  await put(first, { tags: [] });
  await put(ids[0]!, { tags: ['three'] });
  await put(last, { tags: [] });
  await put(ids.at(-1)!, { tags: ['three'] });
  await put(ids.at(-2)!, { tags: ['three'], jobTitle: 'gone again' });
  await put(ids.at(-2)!, { tags: [] });
  const { body: made } = await api('POST', '/contacts', {
    firstName: 'N',
    lastName: 'N',
    email: 'new@example.com',
    tags: ['three'],
  });
  assert.deepEqual(await moves(), [`-${id}/${first}`, `+${id}/${ids[0]}`, `+${id}/${made.id}`]);
  assert.equal((await read(id)).status, 'BUILDING');
  await finish(input);
  const { status, count } = await read(id);
  assert.deepEqual([status, count], ['READY', Math.floor(CONTACTS / 3) + 1]);
  assert.equal((await moves()).length, 3);
  await assertExact(id);
  await put(last, { tags: ['three'] });
  assert.deepEqual((await moves()).at(-1), `+${id}/${last}`);
});

test('a newer filter overtakes a build; segments that name it wait and are built after it', async () => {
  const base = await segment(tagged('three'));
  const next = await segment({ op: 'not', conditions: [{ field: 'segmentId', operator: 'eq', value: base }] });
  const [first, ...none] = await builds();
  assert.deepEqual(none, [], 'the second waits for the first');
  await buildPage(em(), first!);
  const { body } = await api('PUT', `/contacts/segments/${base}`, { filter: tagged('other') });
  assert.equal(body.status, 'BUILDING');
  assert.equal(await buildPage(em(), first!), null, 'the older build has nothing to do any more');
  assert.equal((await read(base)).status, 'BUILDING');
  const [, second] = await builds();
  assert.deepEqual(second, { tenantId: 'default', segmentId: base, build: 2 });
  await finish(second);
  assert.deepEqual([(await read(base)).status, (await read(next)).status], ['READY', 'BUILDING']);
  const [, , third, ...more] = await builds();
  assert.deepEqual([third, more], [{ tenantId: 'default', segmentId: next, build: 2 }, []]);
  await finish(third!);
  const [{ n: all } = { n: 0 }] = await query<{ n: number }>(sql`select count(*) as n from contacts`);
  assert.equal((await read(next)).status, 'READY');
  assert.equal((await read(base)).count + (await read(next)).count, all);
  await assertExact(base);
  await assertExact(next);
  assert.deepEqual(await moves(), []);
});

test('what a build moves counts at its end, and what a superseded one undid has not happened', async () => {
  const moment = async (): Promise<string> =>
    (
      await query<{ at: Date }>(sql`select date_trunc('milliseconds', clock_timestamp()) as at from pg_sleep(0.002)`)
    )[0]!.at.toISOString();
  const at = async (id: number, moment: string): Promise<number[]> => {
    const found: number[] = [];
    for (let cursor = ''; ;) {
      const { body } = await api('GET', `/segments/${id}/contacts?sort=id&limit=200&at=${moment}${cursor}`);
      found.push(...body.data.map((one: { id: number }) => one.id));
      if (body.page.nextCursor === null) return found;
      cursor = `&cursor=${body.page.nextCursor}`;
    }
  };
  const some = ids.slice(0, 600);
  await query(sql`update contacts set tags = array['old'] where id = any(${some}::bigint[])`);
  await query(sql`update contacts set tags = array['old', 'new'] where id = any(${ids.slice(0, 200)}::bigint[])`);
  await query(sql`update contacts set tags = array['new'] where id = any(${ids.slice(-300)}::bigint[])`);
  const [made, created] = [await segment(tagged('old')), await moment()];
  await buildPage(em(), (await builds()).at(-1)!);
  assert.deepEqual(await at(made, created), [], 'nobody before the end of its first build');
  await finish((await builds()).at(-1)!);
  const built = await moment();
  assert.deepEqual(await at(made, created), []);
  assert.deepEqual(await at(made, built), some);

  // A build of another filter removes some, and a third that overtakes it brings them back.
  await api('PUT', `/contacts/segments/${made}`, { filter: tagged('nobody') });
  await buildPage(em(), (await builds()).at(-1)!);
  assert.ok((await read(made)).count < 600);
  const overtaken = await moment();
  assert.deepEqual(await at(made, overtaken), some, 'those of before the build');
  // Meanwhile one comes that stays, and one comes and goes.
  await put(ids[1000]!, { tags: ['nobody', 'new'] });
  await put(ids[1001]!, { tags: ['nobody', 'new'] });
  await put(ids[1001]!, { tags: [] });
  await api('PUT', `/contacts/segments/${made}`, { filter: tagged('new') });
  await finish((await builds()).at(-1)!);
  const end = await moment();
  const wanted = [...ids.slice(0, 200), ids[1000]!, ...ids.slice(-300)];
  assert.deepEqual(await at(made, built), some);
  assert.deepEqual(await at(made, overtaken), some);
  assert.deepEqual(await at(made, end), wanted);
  assert.equal((await read(made)).count, wanted.length);
  const { body } = await api('GET', `/segments/${made}/history?interval=hour&from=${created}`);
  const last = body.series.at(-1);
  assert.deepEqual(
    [
      last.count + last.entered - last.left,
      body.series.reduce((sum: number, { left }: { left: number }) => sum + left, 0),
    ],
    [wanted.length, 400],
    'each has left once, and who was brought back has not',
  );
});

test('whoever changes contacts waits for the page of their range only', async () => {
  const held = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<number>();
  const page = em().transactional(async (tx) => {
    locked.resolve(await lockRange(tx, 'default', ids[0]!));
    await held.promise;
  });
  const upTo = await locked.promise;
  const waiting = put(ids[0]!, { jobTitle: 'waits' }).then(() => 'through');
  assert.equal(
    (
      await put(
        ids.find((id) => id > upTo)!,
        { jobTitle: 'does not' },
      )
    ).status,
    200,
  );
  await until(
    'the other one waits',
    async () => (await query(sql`select 1 from pg_locks where locktype = 'advisory' and not granted`)).length === 1,
  );
  assert.equal((await read(await segment(tagged('while')))).status, 'BUILDING', 'nor does who makes segments');
  held.resolve();
  assert.equal(await waiting, 'through');
  await page;
});

test('whoever adds contacts waits for the page of their range, and they are in the segment', async () => {
  const { id: last } = (await api('POST', '/contacts', { email: 'last@example.com', firstName: 'L', lastName: 'L' }))
    .body;
  const { id: form } = (
    await api('POST', '/forms', { name: 'F', fields: [{ name: 'email', label: 'E', type: 'email', required: true }] })
  ).body;
  const held = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<number>();
  const page = em().transactional(async (tx) => {
    locked.resolve(await lockRange(tx, 'default', last));
    await held.promise;
  });
  assert.ok((await locked.promise) > last + 2);
  const batch = api('POST', '/contacts/batch', {
    contacts: [{ email: 'of.batch@example.com', firstName: 'Of', lastName: 'Batch' }],
  });
  const submission = api('POST', `/forms/${form}/submit`, { email: 'of.form@example.com' });
  await until(
    'both wait',
    async () => (await query(sql`select 1 from pg_locks where locktype = 'advisory' and not granted`)).length === 2,
  );
  const conditions = ['batch', 'form'].map((of) => ({ field: 'email', operator: 'eq', value: `of.${of}@example.com` }));
  const both = await segment({ op: 'or', conditions });
  held.resolve();
  await page;
  assert.deepEqual([(await batch).status, (await submission).status], [200, 200]);
  await finish((await builds()).at(-1)!);
  assert.equal((await read(both)).count, 2);
  await assertExact(both);
});

test('a segment that is deleted, or begun anew, while it is built', async () => {
  const [gone, again] = [await segment(tagged('three')), await segment(tagged('three'))];
  const [first, second] = await builds();
  await buildPage(em(), first!);
  assert.equal((await api('DELETE', `/contacts/segments/${gone}`)).status, 204);
  assert.equal(await buildPage(em(), first!), null);
  const { status, body } = await api('POST', `/contacts/segments/${again}/rebuild`);
  assert.deepEqual([status, body.id, body.status], [202, again, 'BUILDING']);
  assert.equal(await buildPage(em(), second!), null);
  await finish((await builds()).at(-1)!);
  await assertExact(again);
});

test('a rebuild of what drifted moves those who name it too, by pages and without events', async () => {
  const base = await segment(tagged('three'));
  await finish((await builds()).at(-1)!);
  const next = await segment({ field: 'segmentId', operator: 'eq', value: base });
  await finish((await builds()).at(-1)!);
  await query(sql`delete from segment_members where segment_id in (${base}, ${next}) and contact_id % 5 = 0`);
  const { count } = await read(base);
  const { body } = await api('POST', `/contacts/segments/${base}/rebuild`);
  assert.ok(body.added > 2000);
  assert.deepEqual(body, { differed: body.added, added: body.added, removed: 0, count: count + body.added });
  assert.equal((await read(next)).count, body.count);
  assert.deepEqual(await moves(), []);
  await assertExact(next);
});

test('levels that move are judged anew where the qualification is asked for', async () => {
  await query(sql`insert into score_totals (tenant_id, subject, subject_id, total, updated_at)
    select 'default', 'contact', id, 50, now() from unnest(${ids.slice(0, 100)}::bigint[]) id`);
  const hot = await segment({ field: 'qualification', operator: 'eq', value: 'hot' });
  const scored = await segment({ field: 'score', operator: 'gte', value: 50 });
  for (const input of await builds()) await finish(input);
  assert.deepEqual([(await read(hot)).count, (await read(scored)).count], [0, 100]);
  assert.equal((await api('PUT', '/scoring/settings', { hot: 40, warm: 20 })).status, 200);
  assert.deepEqual([(await read(hot)).status, (await read(scored)).status], ['BUILDING', 'READY']);
  await finish((await builds()).at(-1)!);
  assert.deepEqual([(await read(hot)).status, (await read(hot)).count], ['READY', 100]);
  assert.equal((await api('PUT', '/scoring/settings', { hot: 40, warm: 20 })).status, 200);
  assert.equal((await read(hot)).status, 'READY', 'nothing moved');
});

test('builds among writers who come, change and go are exact', async () => {
  const filter = { op: 'or', conditions: [tagged('rush'), { field: 'jobTitle', operator: 'eq', value: 'rush' }] };
  const some = Array.from({ length: 60 }, (_, n) => ids[n * 650]!);
  let stopped = false;
  const writing = Array.from({ length: 4 }, async (_, writer) => {
    for (let turn = 0; !stopped; turn += 1) {
      const id = some[(turn * 4 + writer) % some.length]!;
      const answers = [
        await put(id, { jobTitle: turn % 2 ? 'rush' : null, tags: turn % 3 ? [] : ['rush'] }),
        await api('POST', '/contacts', {
          firstName: 'R',
          lastName: 'R',
          email: `rush${(number += 1)}@example.com`,
          tags: turn % 2 ? ['rush'] : [],
        }),
      ];
      for (const answer of answers) assert.ok(answer.status < 300, JSON.stringify(answer.body));
      if (turn % 4 === 0) await api('DELETE', `/contacts/${answers[1]!.body.id}`);
    }
  });
  const made = [await segment(filter), await segment({ op: 'not', conditions: [filter] })];
  await Promise.all((await builds()).map(finish));
  await api('PUT', `/contacts/segments/${made[0]}`, { filter: { op: 'and', conditions: [filter] } });
  await finish((await builds()).at(-1)!);
  stopped = true;
  await Promise.all(writing);
  for (const id of made) await assertExact(id);
});
