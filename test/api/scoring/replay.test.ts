import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import fc from 'fast-check';
import { engineEm, sql } from '../../../db/orm.ts';
import { creationId, creationIdSql } from '../../../events/creation-id.ts';
import { replayScore, type Awarded, type PastEvent } from '../../../domain/scoring/replay/replay-score.ts';
import { scoreEvents } from '../../../domain/scoring/scores/score-events.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { eventOf, settled } from '../../support/events.ts';
import { scoringOf } from '../../support/scoring.ts';
import { until } from '../../support/until.ts';

const DAY = 86_400_000;
let service: Service;
const { make, withoutRuleForVisits, query, person, score, visit, happen } = scoringOf(() => service, 'r');
beforeAll(async () => {
  service = await startService({ worker: ['intake', 'consumers', 'relay', 'temporal'] });
  await withoutRuleForVisits();
});
afterAll(() => service.stop());

const rule = (page: string, more: object): Promise<Answer['body']> =>
  make('/scoring/rules', {
    name: page,
    eventType: 'WEBSITE_VISITED',
    conditions: [{ field: 'url', operator: 'endsWith', value: `/${page}` }],
    ...more,
  });
const since = (daysAgo: number): string => new Date(Date.now() - daysAgo * DAY).toISOString();
async function replay(ruleId: number, from: string): Promise<Answer['body']> {
  const started = await service.api('POST', `/scoring/rules/${ruleId}/replay`, { from });
  assert.equal(started.status, 202, JSON.stringify(started.body));
  const path = started.headers.get('location')!.replace('/api/v1', '');
  let job: Answer['body'];
  await until('the replay is over', async () => {
    job = (await service.api('GET', path)).body;
    return job.status !== 'RUNNING';
  });
  await settled(service, 'scoring', 'contact');
  return job;
}

test('events since a time get what the rule gives now; a dry run says so before, and changes nothing', async () => {
  const list = (await make('/contacts/lists', { name: 'Reached' })).id;
  const action = { type: 'ADD_TO_LIST', listId: list };
  const threshold = await make('/scoring/thresholds', { name: 'Reached', score: 30, action });
  const { id: ruleId } = await rule('pricing', { points: 4 });
  const [many, few, none] = [await person(), await person(), await person()];
  await happen(
    visit(many, 40, 'pricing'),
    ...[1, 2, 3].map((day) => visit(many, day, 'pricing')),
    visit(many, 1, 'other'),
    visit(few, 2, 'pricing'),
    visit(none, 2, 'other'),
  );
  await service.api('PUT', `/scoring/rules/${ruleId}`, { points: 10 });
  assert.deepEqual([(await score(many)).totalScore, (await score(few)).totalScore], [16, 4]);

  const told = await service.api('POST', `/scoring/rules/${ruleId}/replay`, { from: since(30), dryRun: true });
  assert.equal(told.status, 200, JSON.stringify(told.body));
  const expected = {
    changed: 2,
    totals: { before: 20, after: 44 },
    changes: [
      { contactId: many, before: 16, after: 34 },
      { contactId: few, before: 4, after: 10 },
    ],
    thresholds: [{ thresholdId: threshold.id, name: 'Reached', score: 30, fires: 1, firedBefore: 0 }],
  };
  const outcome = ({ changed, totals, changes, thresholds }: Answer['body']) => ({
    ...{ changed, totals, changes, thresholds },
  });
  assert.deepEqual(outcome(told.body), expected);
  assert.equal(told.body.id, null);
  assert.deepEqual([(await score(many)).totalScore, (await score(few)).totalScore], [16, 4], 'nothing has changed');

  const job = await replay(ruleId, since(30));
  assert.deepEqual([job.status, outcome(job)], ['COMPLETED', expected]);
  const found = await score(many);
  assert.deepEqual(
    [found.totalScore, found.rules.map(({ score: points, events }: Answer['body']) => [points, events])],
    [34, [[34, 4]]],
    'the visit of forty days ago keeps its points',
  );
  const members = async (): Promise<number[]> =>
    (await service.api('GET', `/contacts/lists/${list}/contacts`)).body.data.map((one: Answer['body']) => one.id);
  assert.deepEqual(await members(), [many]);
  const { data } = (await service.api('GET', `/contacts/${few}/activities?sort=-id`)).body;
  assert.deepEqual(
    [data[0].type, data[0].data],
    ['SCORE_UPDATED', { contactId: few, previousScore: 4, totalScore: 10, ruleId, qualification: 'cold' }],
  );

  // Down and up again: the threshold does not fire again.
  await service.api('PUT', `/scoring/rules/${ruleId}`, { points: 1 });
  await replay(ruleId, since(30));
  assert.equal((await score(many)).totalScore, 7);
  await service.api('POST', `/contacts/lists/${list}/contacts/remove`, { contactIds: [many] });
  await service.api('PUT', `/scoring/rules/${ruleId}`, { points: 10 });
  const again = await replay(ruleId, since(30));
  assert.deepEqual(
    [again.thresholds.map(({ fires, firedBefore }: Answer['body']) => [fires, firedBefore]), await members()],
    [[[0, 1]], []],
  );
  const same = await replay(ruleId, since(30));
  assert.deepEqual([same.changed, same.changes], [0, []], 'a second time changes nothing');
  await service.api('DELETE', `/scoring/thresholds/${threshold.id}`);
});

test('a new rule gets the past, with its cap and decay; events that come later count once', async () => {
  const { id: ruleId } = await rule('late', { points: 0, decay: { halfLifeDays: 10 }, maxPerContact: 45 });
  const id = await person();
  const events = [visit(id, 10, 'late'), visit(id, 20, 'late'), visit(id, 30, 'late')];
  await happen(...events);
  assert.deepEqual((await score(id)).rules, []);
  await service.api('PUT', `/scoring/rules/${ruleId}`, { points: 20 });
  await replay(ruleId, since(100));
  // The cap leaves 20 for each of the two oldest, and 5 for the newest: 2.5 + 5 + 2.5.
  const found = await score(id);
  assert.deepEqual([found.totalScore, found.rules[0].points], [10, 45]);
  // Delivered to the consumer only now, or once more past its memory: the replay was first.
  await engineEm(service.deps.orm).transactional((tx) => scoreEvents(tx, events));
  assert.deepEqual((await score(id)).totalScore, 10);
  const after = await rule('after', { points: 3 });
  await replay(after.id, since(1));
  await happen(visit(id, 0.5, 'after'), visit(id, 0, 'after'));
  assert.equal((await score(id)).totalScore, 10 + 6, 'events that were not there for the replay count too');
});

test('points that were given for an event that the timeline lacks stay', async () => {
  const { id: ruleId } = await rule('lost', { points: 5 });
  const id = await person();
  const lost = visit(id, 2, 'lost');
  await engineEm(service.deps.orm).transactional((tx) => scoreEvents(tx, [lost]));
  await service.api('PUT', `/scoring/rules/${ruleId}`, { points: 9 });
  const job = await replay(ruleId, since(10));
  assert.deepEqual([job.changed, (await score(id)).totalScore], [0, 5]);
});

test('a text that failed counts as little as when it came, and loses what it was given', async () => {
  const sent = (recipientId: number, status: string) =>
    eventOf('MESSAGE_SENT', { messageId: 1, channel: 'sms', recipientId, status }, new Date(Date.now() - DAY));
  const onSent = (target: string, points: number): Promise<Answer['body']> =>
    make('/scoring/rules', { name: target, eventType: 'MESSAGE_SENT', points, target });
  const companyId = (await make('/contacts/companies', { name: 'Texted' })).id;
  const [id, employee] = [await person(), await person({ companyId })];
  const company = await onSent('company', 4);
  const [kept, lost, ofEmployee] = [sent(id, 'SENT'), sent(id, 'SENT'), sent(employee, 'SENT')];
  await happen(kept, lost, sent(id, 'FAILED'), ofEmployee);
  const scoreOfCompany = async (): Promise<number> =>
    (await service.api('GET', `/scoring/companies/${companyId}`)).body.totalScore;
  assert.deepEqual([(await score(id)).totalScore, await scoreOfCompany()], [0, 4]);
  const { id: ruleId } = await onSent('contact', 7);
  await replay(ruleId, since(10));
  assert.equal((await score(id)).totalScore, 14);

  // As if they had got their points although they failed, one of them in the name of a company that its contact has left.
  await query(sql`
    update contact_activities set data = data || '{"status": "FAILED"}'
    where tenant_id = 'default' and event_id = any(${[lost.id, ofEmployee.id]}::uuid[])`);
  assert.equal((await service.api('PUT', `/contacts/${employee}`, { companyId: null })).status, 200);
  await replay(ruleId, since(10));
  await replay(company.id, since(10));
  const found = await score(id);
  assert.deepEqual([found.totalScore, await scoreOfCompany()], [7, 0]);
  assert.deepEqual(
    found.history.map(({ eventId }: Answer['body']) => eventId),
    [kept.id],
  );
  for (const rule of [ruleId, company.id]) await service.api('DELETE', `/scoring/rules/${rule}`);
});

test('new contacts, and the scores of companies', async () => {
  const companyId = (await make('/contacts/companies', { name: 'Replayed' })).id;
  const id = await person({ companyId });
  await settled(service, 'scoring', 'contact');
  const created = await make('/scoring/rules', { name: 'created', eventType: 'CONTACT_CREATED', points: 6 });
  const first = await replay(created.id, since(1));
  assert.ok(first.changed >= 1);
  assert.equal((await score(id)).totalScore, 6);
  assert.equal((await replay(created.id, since(1))).changed, 0);
  const fresh = await person();
  await settled(service, 'scoring', 'contact');
  const { totalScore, history } = await score(fresh);
  assert.deepEqual([totalScore, history[0].eventId], [6, creationId('default', fresh)]);
  const [same] = await query<{ id: string }>(
    sql`select ${sql.raw(creationIdSql(`'default'::text`, 'id'))} as id from contacts where id = ${fresh}`,
  );
  assert.equal(same!.id, history[0].eventId);
  assert.equal((await replay(created.id, since(1))).changed, 0, 'points of the event are those of the creation');
  await service.api('DELETE', `/scoring/rules/${created.id}`);

  await happen(visit(id, 1, 'firm'));
  const firm = await rule('firm', { points: 12, target: 'company' });
  const job = await replay(firm.id, since(10));
  assert.deepEqual(job.changes, [{ companyId, before: 0, after: 12 }]);
  assert.equal((await service.api('GET', `/scoring/companies/${companyId}`)).body.totalScore, 12);
  const both = await make('/scoring/rules', { name: 'c', eventType: 'CONTACT_CREATED', points: 6, target: 'company' });
  assert.deepEqual((await replay(both.id, since(1))).changes, [{ companyId, before: 12, after: 18 }]);
  await person({ companyId });
  await settled(service, 'scoring', 'contact');
  assert.equal((await replay(both.id, since(1))).changed, 0);
  await service.api('DELETE', `/scoring/rules/${both.id}`);
});

test('a creation counts once, also when its contact is merged', async () => {
  const created = await make('/scoring/rules', { name: 'merged', eventType: 'CONTACT_CREATED', points: 6 });
  const [target, source, third] = [await person(), await person(), await person()];
  await settled(service, 'scoring', 'contact');
  for (const sourceId of [source, third])
    assert.equal((await service.api('POST', `/contacts/${target}/merge`, { sourceId })).status, 200);
  assert.equal((await score(target)).totalScore, 18);
  await replay(created.id, since(1));
  const found = await score(target);
  assert.deepEqual([found.totalScore, found.history.length], [18, 3]);
  await service.api('PUT', `/scoring/rules/${created.id}`, { points: 7 });
  await replay(created.id, since(1));
  assert.equal((await score(target)).totalScore, 21);
  await service.api('DELETE', `/scoring/rules/${created.id}`);
});

test('an event counts for the company that has its points, wherever its contact is now', async () => {
  const [before, after] = [
    (await make('/contacts/companies', { name: 'Before' })).id,
    (await make('/contacts/companies', { name: 'After' })).id,
  ];
  const scoresOf = () =>
    Promise.all(
      [before, after].map(async (id) => (await service.api('GET', `/scoring/companies/${id}`)).body.totalScore),
    );
  const id = await person({ companyId: before });
  const { id: ruleId } = await rule('moved', { points: 5, target: 'company' });
  await happen(visit(id, 2, 'moved'));
  assert.equal((await service.api('PUT', `/contacts/${id}`, { companyId: after })).status, 200);
  await happen(visit(id, 1, 'moved'));
  assert.deepEqual(await scoresOf(), [5, 5]);
  assert.equal((await replay(ruleId, since(10))).changed, 0);
  await service.api('PUT', `/scoring/rules/${ruleId}`, { points: 8 });
  await replay(ruleId, since(10));
  assert.deepEqual(await scoresOf(), [8, 8]);
});

test('points that a replay adds have the total after it; those before keep theirs', async () => {
  const { id: ruleId } = await rule('told', { points: 2, maxPerContact: 2 });
  const id = await person();
  await happen(...[3, 2, 1].map((daysAgo) => visit(id, daysAgo, 'told')));
  await service.api('PUT', `/scoring/rules/${ruleId}`, { maxPerContact: null });
  await replay(ruleId, since(10));
  const { totalScore, history } = await score(id);
  assert.deepEqual(
    [totalScore, history.map(({ points, total }: Answer['body']) => [points, total])],
    [
      6,
      [
        [2, 6],
        [2, 6],
        [2, 2],
      ],
    ],
  );
});

test('a threshold whose campaign takes nobody does not fire', async () => {
  const draft = await make('/campaigns', { name: 'Draft', trigger: { type: 'MANUAL' }, steps: [] });
  const action = { type: 'START_CAMPAIGN', campaignId: draft.id };
  const threshold = await make('/scoring/thresholds', { name: 'Draft', score: 50, action });
  const { id: ruleId } = await rule('draft', { points: 1 });
  const id = await person();
  await happen(visit(id, 1, 'draft'));
  await service.api('PUT', `/scoring/rules/${ruleId}`, { points: 60 });
  const told = await service.api('POST', `/scoring/rules/${ruleId}/replay`, { from: since(10), dryRun: true });
  assert.deepEqual([told.body.changed, told.body.thresholds], [1, []]);
  const job = await replay(ruleId, since(10));
  assert.deepEqual([job.changed, job.thresholds, (await score(id)).totalScore], [1, [], 60]);
  await service.api('DELETE', `/scoring/thresholds/${threshold.id}`);
});

test('a newer event that was scored first gives way under a cap, if points lose worth', async () => {
  const { id: ruleId } = await rule('capped', { points: 10, maxPerContact: 10, decay: { halfLifeDays: 7 } });
  const id = await person();
  const [earlier, newer] = [visit(id, 7, 'capped'), visit(id, 0, 'capped')];
  await happen(earlier);
  // As if the newer one had come first, after the time of the replay.
  await query(sql`delete from score_history where subject_id = ${id} and subject = 'contact' and rule_id = ${ruleId}`);
  await query(sql`delete from scores_by_rule where subject_id = ${id} and subject = 'contact' and rule_id = ${ruleId}`);
  await engineEm(service.deps.orm).transactional((tx) => scoreEvents(tx, [newer]));
  await replay(ruleId, since(10));
  const { totalScore, history } = await score(id);
  assert.deepEqual(
    [totalScore, history.map(({ eventId, points }: Answer['body']) => [eventId, points])],
    [5, [[earlier.id, 10]]],
  );
});

test('what is no replay', async () => {
  const { id: ruleId } = await rule('refused', { points: 5 });
  const ask = async (body: object, of = ruleId): Promise<[number, string]> => {
    const answer = await service.api('POST', `/scoring/rules/${of}/replay`, body);
    return [answer.status, answer.body.errors?.[0].path ?? answer.body.code];
  };
  assert.deepEqual(await ask({}), [400, '/from']);
  assert.deepEqual(await ask({ from: 'yesterday' }), [400, '/from']);
  assert.deepEqual(await ask({ from: '0000-01-01T00:00:00Z' }), [400, '/from']);
  assert.deepEqual(await ask({ from: new Date(Date.now() + DAY).toISOString() }), [400, '/from']);
  assert.deepEqual(await ask({ from: since(1), x: 1 }), [400, '/x']);
  assert.deepEqual(await ask({ from: since(1) }, 999_999), [404, 'not_found']);
  await query(sql`
    insert into scoring_replays (tenant_id, rule_id, rule_version, dry_run, from_at, until_at, figures, workflow_id)
    values ('default', ${ruleId}, 1, false, now(), now(), '{}', 'other')`);
  assert.deepEqual(await ask({ from: since(1) }), [409, 'conflict']);
  await query(sql`update scoring_replays set status = 'COMPLETED' where workflow_id = 'other'`);
  await service.api('PUT', `/scoring/rules/${ruleId}`, { active: false });
  assert.deepEqual(await ask({ from: since(1) }), [409, 'conflict']);
  await service.api('DELETE', `/scoring/rules/${ruleId}`);
  assert.deepEqual(await ask({ from: since(1) }), [404, 'not_found']);
  assert.equal((await service.api('GET', '/scoring/replays/999999')).status, 404);
});

test('a replay is as if the rule had always been so', () => {
  const [from, until] = [100, 200];
  const event = fc.record({ at: fc.integer({ min: 100, max: 199 }), matches: fc.boolean() });
  fc.assert(
    fc.property(
      fc.array(event, { maxLength: 20 }),
      fc.array(fc.record({ at: fc.integer({ min: 0, max: 300 }), points: fc.integer({ min: 1, max: 9 }) })),
      fc.integer({ min: 1, max: 9 }),
      fc.option(fc.integer({ min: 1, max: 60 })),
      (made, before, points, cap) => {
        const events = made.map(({ at, matches }, n): PastEvent => ({ eventId: `e${n}`, at, matches }));
        // What was awarded: some of it for these events, some for others.
        const stored = before.map(({ at, points: had }, n): Awarded => {
          const known = n % 2 === 0 ? events[n] : undefined;
          return { id: n + 1, eventId: known?.eventId ?? `x${n}`, at: known?.at ?? at, points: had, halfLifeDays: 0 };
        });
        const sum = (some: readonly { points: number }[]): number => some.reduce((all, row) => all + row.points, 0);
        const after = replayScore(stored, events, { points, halfLifeDays: 7, cap, from, until });
        const kept = stored.filter(({ eventId }) => eventId.startsWith('x'));
        const given = after.filter(({ eventId }) => eventId.startsWith('e'));
        const matching = events.filter(({ matches }) => matches);
        const wanted = sum(kept) + matching.length * points;
        assert.equal(sum(after), cap === null ? wanted : Math.max(sum(kept), Math.min(cap, wanted)));
        const pointsOf = (eventId: string): number => after.find((row) => row.eventId === eventId)?.points ?? 0;
        // The earliest come first: who does not get all leaves nothing to newer ones, be they kept or given.
        const isOver = cap !== null && sum(kept) > cap;
        for (const { eventId, at } of matching.filter((event) => !isOver && pointsOf(event.eventId) < points))
          assert.ok(after.every((row) => row.at <= at || row.eventId === eventId));
        for (const row of kept) {
          const left = pointsOf(row.eventId);
          assert.ok(left === row.points || matching.some(({ at }) => at < row.at), 'only for earlier ones');
        }
        assert.ok(given.every((row) => row.halfLifeDays === 7));
        assert.deepEqual(replayScore(after, events, { points, halfLifeDays: 7, cap, from, until }), after);
      },
    ),
  );
});
