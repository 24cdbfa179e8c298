import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import fc from 'fast-check';
import { engineEm, sql } from '../../../db/orm.ts';
import type { AnyEvent } from '../../../events/contracts.ts';
import { applyDecay } from '../../../domain/scoring/scores/apply-decay.ts';
import { totalOf } from '../../../domain/scoring/scores/decay.ts';
import { scoreEvents } from '../../../domain/scoring/scores/score-events.ts';
import { readScores } from '../../../domain/scoring/scores/score-rows.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { settled } from '../../support/events.ts';
import { scoringOf } from '../../support/scoring.ts';

const DAY = 86_400_000;
let service: Service;
const { make, withoutRuleForVisits, query, person, score, visit, happen } = scoringOf(() => service, 'd');
beforeAll(async () => {
  service = await startService({ worker: ['intake', 'consumers', 'relay'] });
  await withoutRuleForVisits();
});
afterAll(() => service.stop());

/** A rule for visits of this page; deleted by `done`. */
async function ruleOf(page: string, more: object): Promise<{ id: number; done: () => Promise<unknown> }> {
  const conditions = [{ field: 'url', operator: 'endsWith', value: `/${page}` }];
  const { id } = await make('/scoring/rules', {
    name: page,
    eventType: 'WEBSITE_VISITED',
    points: 1,
    conditions,
    ...more,
  });
  return { id, done: () => service.api('DELETE', `/scoring/rules/${id}`) };
}

/** Scores as they follow from the history alone, in SQL. */
const recomputed = (now: Date) => sql`
  select subject, subject_id as id, sum(score)::int as total from (
    select subject, subject_id, rule_id, floor(sum(points * case when half_life_days = 0 then 1
      else power(2, -greatest(0, extract(epoch from ${now}::timestamptz - at)) / 86400 / half_life_days) end)
      + 0.500001) as score
    from score_history group by 1, 2, 3) s group by 1, 2`;

test('a contact sees what is left of points, why, and how rules add up', async () => {
  const halved = await ruleOf('halved', { points: 40, decay: { halfLifeDays: 10 } });
  const kept = await ruleOf('kept', { points: 3 });
  const id = await person();
  await happen(visit(id, 10, 'halved'), visit(id, 20, 'halved'), visit(id, 20, 'kept'));
  const found = await score(id);
  assert.deepEqual(
    found.rules.map(({ ruleId, name, score: worth, points, events, deleted }: Answer['body']) => [
      ...[ruleId, name, worth, points, events, deleted],
    ]),
    [
      [halved.id, 'halved', 30, 80, 2, false],
      [kept.id, 'kept', 3, 3, 1, false],
    ],
  );
  assert.deepEqual([found.totalScore, found.qualification], [33, 'warm']);
  assert.deepEqual(
    found.history.map(({ points, worth }: Answer['body']) => [points, Math.round(worth)]).sort(),
    [
      [3, 3],
      [40, 10],
      [40, 20],
    ].sort(),
  );
  await Promise.all([halved.done(), kept.done()]);
  const later = await score(id);
  assert.deepEqual(
    later.rules.map(({ score: worth, deleted }: Answer['body']) => [worth, deleted]),
    [
      [30, true],
      [3, true],
    ],
    'points of a deleted rule go on losing worth',
  );
});

test('points keep the half-life that they were awarded with; a rule can begin and stop to decay', async () => {
  const rule = await ruleOf('changing', { points: 8 });
  const id = await person();
  const put = (decay: object | null) => service.api('PUT', `/scoring/rules/${rule.id}`, { decay });
  await happen(visit(id, 30, 'changing'));
  assert.equal((await put({ halfLifeDays: 30 })).body.decay.halfLifeDays, 30);
  await happen(visit(id, 30, 'changing'));
  await put({ halfLifeDays: 15 });
  await happen(visit(id, 30, 'changing'));
  assert.equal((await put(null)).body.decay, null);
  await happen(visit(id, 30, 'changing'));
  assert.equal((await score(id)).totalScore, 8 + 4 + 2 + 8);
  for (const decay of [
    { halfLifeDays: 0 },
    { halfLifeDays: -1 },
    { halfLifeDays: 'x' },
    {},
    5,
    { halfLifeDays: 1, x: 1 },
  ])
    assert.equal((await put(decay as object)).status, 400, JSON.stringify(decay));
  await rule.done();
});

test('leaderboards and sums are right before the upkeep has come by; it tells of every change of a total', async () => {
  const company = (await make('/contacts/companies', { name: 'Decaying' })).id;
  const rule = await ruleOf('leading', { points: 1000, decay: { halfLifeDays: 100 } });
  const [first, second, steady] = [await person({ companyId: company }), await person(), await person()];
  const other = await ruleOf('steady', { points: 800 });
  await happen(visit(first, 0, 'leading'), visit(second, 5, 'leading'), visit(steady, 0, 'steady'));
  const order = async (): Promise<[number, number][]> =>
    (await service.api('GET', '/scoring/leaderboard?limit=3')).body.data.map((row: Answer['body']) => [
      row.contactId,
      row.totalScore,
    ]);
  assert.deepEqual(await order(), [
    [first, 1000],
    [second, 966],
    [steady, 800],
  ]);
  // As if the upkeep had been away for fifty days: the events are older, the stored totals are not.
  await query(
    sql`update score_history set at = at - interval '50 days' where subject_id = any(${[first, second]}::bigint[])`,
  );
  await query(sql`
    update scores_by_rule set worth_at = worth_at - interval '50 days' where subject_id = any(${[first, second]}::bigint[])`);
  await query(sql`
    update score_totals set changes_at = now() - interval '1 day' where subject_id = any(${[first, second]}::bigint[])`);
  const expected = [
    [steady, 800],
    [first, 707],
    [second, 683],
  ];
  assert.deepEqual(await order(), expected);
  assert.deepEqual([(await score(first)).totalScore, (await score(first)).qualification], [707, 'hot']);
  assert.equal((await service.api('GET', `/scoring/companies/${company}`)).body.contactsTotal, 707);
  await Promise.all([applyDecay(service.deps.orm), applyDecay(service.deps.orm)]);
  await settled(service, 'contact');
  assert.deepEqual(await order(), expected);
  const { data } = (await service.api('GET', `/contacts/${first}/activities?sort=-id`)).body;
  assert.deepEqual(
    data
      .filter((one: Answer['body']) => one.type === 'SCORE_UPDATED')
      .map((one: Answer['body']) => [one.data.previousScore, one.data.totalScore, one.data.ruleId]),
    [
      [1000, 707, null],
      [0, 1000, rule.id],
    ],
    'once, whoever else looked after it',
  );
  const stored = await query<{ total: number; later: boolean }>(
    sql`select total, changes_at > now() as later from score_totals where subject_id = ${first} and subject = 'contact'`,
  );
  assert.deepEqual(stored, [{ total: 707, later: true }]);
  await Promise.all([rule.done(), other.done()]);
});

test('a total that rises because negative points lose worth reaches thresholds', async () => {
  const list = (await make('/contacts/lists', { name: 'Forgiven' })).id;
  const action = { type: 'ADD_TO_LIST', listId: list };
  const threshold = await make('/scoring/thresholds', { name: 'Forgiven', score: 500, action });
  const plus = await ruleOf('plus', { points: 600 });
  const minus = await ruleOf('minus', { points: -400, decay: { halfLifeDays: 7 } });
  const id = await person();
  await happen(visit(id, 0, 'minus'), visit(id, 0, 'plus'));
  assert.equal((await score(id)).totalScore, 200);
  const members = async (): Promise<number[]> =>
    (await service.api('GET', `/contacts/lists/${list}/contacts`)).body.data.map((one: Answer['body']) => one.id);
  await applyDecay(service.deps.orm, Date.now() + 13 * DAY);
  assert.deepEqual(await members(), []);
  await applyDecay(service.deps.orm, Date.now() + 15 * DAY);
  assert.deepEqual(await members(), [id]);
  await Promise.all([plus.done(), minus.done(), service.api('DELETE', `/scoring/thresholds/${threshold.id}`)]);
});

test('a threshold is judged on the total after all rules of an event', async () => {
  const threshold = await make('/scoring/thresholds', { name: 'Net', score: 40 });
  const up = await ruleOf('net', { points: 50 });
  const down = await ruleOf('net', { points: -30 });
  const id = await person();
  await happen(visit(id, 0, 'net'));
  const fired = async (): Promise<boolean> =>
    (await score(id)).thresholds.find((one: Answer['body']) => one.thresholdId === threshold.id).triggered;
  assert.deepEqual([(await score(id)).totalScore, await fired()], [20, false]);
  await happen(visit(id, 0, 'net'));
  assert.deepEqual([(await score(id)).totalScore, await fired()], [40, true]);
  await Promise.all([up.done(), down.done(), service.api('DELETE', `/scoring/thresholds/${threshold.id}`)]);
});

test('history comes in pages', async () => {
  const rule = await ruleOf('paged', { points: 2 });
  const id = await person();
  const events = Array.from({ length: 7 }, (_, n) => visit(id, 7 - n, 'paged'));
  await happen(...events);
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const path: string = `/scoring/contacts/${id}?limit=3${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const { totalScore, history, page }: Answer['body'] = (await service.api('GET', path)).body;
    assert.equal(totalScore, 14);
    assert.equal(page.hasMore, page.nextCursor !== null);
    assert.equal(history.length, Math.min(3, 7 - seen.length));
    seen.push(...history.map((row: Answer['body']) => row.eventId));
    cursor = page.nextCursor;
  } while (cursor !== null);
  assert.deepEqual(seen, events.map((event) => event.id).toReversed());
  for (const bad of ['limit=0', 'limit=201', 'cursor=x', 'x=1'])
    assert.equal((await service.api('GET', `/scoring/contacts/${id}?${bad}`)).status, 400, bad);
  await rule.done();
});

test('merged contacts have what the points of both are worth', async () => {
  const rule = await ruleOf('merged', { points: 100, decay: { halfLifeDays: 10 } });
  const kept = await ruleOf('merged-kept', { points: 7 });
  const [target, source] = [await person(), await person()];
  await happen(visit(target, 20, 'merged'), visit(source, 10, 'merged'), visit(source, 10, 'merged-kept'));
  const answer = await service.api('POST', `/contacts/${target}/merge`, { sourceId: source });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const found = await score(target);
  assert.deepEqual(
    [found.totalScore, found.rules.map(({ score: worth, points, events }: Answer['body']) => [worth, points, events])],
    [
      82,
      [
        [75, 200, 2],
        [7, 7, 1],
      ],
    ],
  );
  await Promise.all([rule.done(), kept.done()]);
});

const ruleSet = fc.array(
  fc.record({
    points: fc.integer({ min: -20, max: 60 }),
    weight: fc.constantFrom(0.5, 1, 1.25),
    cap: fc.option(fc.integer({ min: 1, max: 150 })),
    halfLifeDays: fc.option(fc.constantFrom(1, 10, 90)),
    company: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
);
const happenings = fc.array(
  fc.record({
    rules: fc.subarray([0, 1, 2, 3], { minLength: 1 }),
    daysAgo: fc.double({ min: 0, max: 200, noNaN: true }),
    key: fc.nat(),
    batch: fc.integer({ min: 1, max: 6 }),
  }),
  { minLength: 1, maxLength: 25 },
);

test('any rules, decays and orders of events: totals are the sum of the history, and the order makes no difference', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(ruleSet, happenings, async (rules, all) => {
      run += 1;
      const made = [];
      for (const [index, { points, weight, cap, halfLifeDays, company }] of rules.entries())
        made.push(
          await make('/scoring/rules', {
            name: `run ${run}, rule ${index}`,
            eventType: 'WEBSITE_VISITED',
            ...{ points, weight, maxPerContact: cap },
            decay: halfLifeDays === null ? null : { halfLifeDays },
            target: company ? 'company' : 'contact',
            conditions: [{ field: 'url', operator: 'contains', value: `/${run}:${index};` }],
          }),
        );
      const subjects = [];
      for (const sorted of [all, all.toSorted((one, other) => one.key - other.key)]) {
        const companyId: number = (await make('/contacts/companies', { name: `Run ${run} ${subjects.length}` })).id;
        const contactId = await person({ companyId });
        subjects.push({ contactId, companyId });
        const events: AnyEvent[] = sorted.map(({ rules: some, daysAgo }) =>
          visit(contactId, daysAgo, some.map((index) => `/${run}:${index};`).join('')),
        );
        for (let at = 0, turn = 0; at < events.length; turn += 1) {
          const size = sorted[turn % sorted.length]!.batch;
          await engineEm(service.deps.orm).transactional((tx) => scoreEvents(tx, events.slice(at, at + size)));
          at += size;
        }
      }
      const now = new Date();
      const keys = subjects.flatMap(({ contactId, companyId }) => [
        { tenantId: 'default', subject: 'contact' as const, subjectId: contactId },
        { tenantId: 'default', subject: 'company' as const, subjectId: companyId },
      ]);
      const expected = new Map(
        (await query<{ subject: string; id: number; total: number }>(recomputed(now))).map((row) => [
          `${row.subject}/${row.id}`,
          row.total,
        ]),
      );
      const totals = [...(await engineEm(service.deps.orm).transactional((tx) => readScores(tx, keys))).values()].map(
        ({ subject, subjectId, portions }) => {
          const total = totalOf(portions, now.getTime());
          assert.equal(total, expected.get(`${subject}/${subjectId}`) ?? 0, `${subject} in SQL`);
          return total;
        },
      );
      assert.deepEqual(totals.slice(0, 2), totals.slice(2), 'in any order');
      const points = await query<{ id: number; rule: number; points: number; sum: number }>(sql`
        select subject_id as id, rule_id as rule, sum(points)::int as points, sum(abs(points))::int as sum
        from score_history where rule_id = any(${made.map((rule) => rule.id)}::bigint[]) group by 1, 2`);
      for (const { rule, sum } of points) {
        const cap = made.find((one) => one.id === rule).maxPerContact;
        assert.ok(cap === null || sum <= cap, `${sum} of ${cap}`);
      }
      const byRule = await query(sql`
        select * from (select subject, subject_id, rule_id, half_life_days, score, events from scores_by_rule where score <> 0) b
        full join (select subject, subject_id, rule_id, half_life_days, sum(points)::int as points, count(*)::int as n from score_history group by 1, 2, 3, 4 having sum(points) <> 0) h
        using (subject, subject_id, rule_id, half_life_days) where b.score is distinct from h.points or b.events <> h.n`);
      assert.deepEqual(byRule, [], 'points by rule are the sums of the history');
      for (const rule of made) await service.api('DELETE', `/scoring/rules/${rule.id}`);
    }),
    { numRuns: 25 },
  );
});
