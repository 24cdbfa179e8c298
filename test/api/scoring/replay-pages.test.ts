import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from '@jest/globals';
import { nextSubjects, PAGE } from '../../../domain/scoring/replay/replay-subjects.ts';
import { replayPage } from '../../../domain/scoring/replay/replay-page.ts';
import { RULE_COLUMNS, type RuleRow } from '../../../domain/scoring/scores/score-events.ts';
import { engineEm, rows, sql, tenantEm } from '../../../db/orm.ts';
import { startService, type Answer, type Service } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const DAY = 86_400_000;
const since = new Date(Date.now() - 30 * DAY);
let service: Service;
beforeAll(async () => {
  service = await startService({ worker: ['relay', 'temporal'] });
});
afterAll(() => service.stop());

const query = <T>(statement: ReturnType<typeof sql>): Promise<T[]> =>
  engineEm(service.deps.orm).transactional((tx) => rows<T>(tx, statement));
async function make(path: string, body: object): Promise<number> {
  const answer = await service.api('POST', path, body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.id;
}
const rule = (more: object): Promise<number> =>
  make('/scoring/rules', { name: 'visits', eventType: 'WEBSITE_VISITED', points: 1, ...more });
/** Contacts, the first of whom has made so many visits, and each other one. */
async function visitors(name: string, number: number, visits: number, companyId: number | null = null) {
  const made = await query<{ id: number }>(sql`
    insert into contacts (tenant_id, first_name, last_name, email, email_key, company_id)
    select 'default', 'V', ${name}, ${name} || n || '@example.com', ${name} || n || '@example.com', ${companyId}
    from generate_series(1, ${number}::int) n returning id`);
  const ids = made.map(({ id }) => id).sort((one, other) => one - other);
  await query(sql`
    insert into contact_activities (tenant_id, contact_id, type, occurred_at, event_id, data)
    select 'default', c.id, 'WEBSITE_VISITED', now() - interval '1 day' + n * interval '1 ms', gen_random_uuid(), '{"url": "https://a.example/"}'
    from unnest(${ids}::bigint[]) c(id)
    cross join lateral generate_series(1, case when c.id = ${ids[0]!} then ${visits}::int else 1 end) n`);
  return ids;
}
const ask = (ruleId: number, dryRun = false): Promise<Answer> =>
  service.api('POST', `/scoring/rules/${ruleId}/replay`, { from: since.toISOString(), dryRun });
async function ended({ status, body, headers }: Answer): Promise<Answer['body']> {
  assert.equal(status, 202, JSON.stringify(body));
  let job: Answer['body'];
  await until('the replay is over', async () => {
    job = (await service.api('GET', headers.get('location')!.replace('/api/v1', ''))).body;
    return job.status !== 'RUNNING';
  });
  return job;
}
const companyTotal = async (id: number): Promise<number> =>
  (await service.api('GET', `/scoring/companies/${id}`)).body.totalScore;
/** The pages of a replay of the rule: their contacts or companies. */
async function pagesOf(ruleId: number): Promise<number[][]> {
  const [row] = await query<RuleRow>(sql`select ${RULE_COLUMNS} from scoring_rules where id = ${ruleId}`);
  const span = { tenantId: 'default', fromAt: since, untilAt: new Date() };
  const pages: number[][] = [];
  for (let after = 0; ;) {
    const { ids, more } = await tenantEm(service.deps.orm, 'default').transactional((tx) =>
      nextSubjects(tx, span, row!, after),
    );
    pages.push(ids);
    if (!more) return pages;
    after = ids.at(-1)!;
  }
}

test('two attempts at a page count it once', async () => {
  const ruleId = await rule({ points: 3 });
  const ids = await visitors('twice', 2, 1);
  const [{ id: replayId }] = (await query(sql`
    insert into scoring_replays (tenant_id, rule_id, rule_version, dry_run, from_at, until_at, figures, workflow_id)
    values ('default', ${ruleId}, 1, false, ${since}::timestamptz, now(),
      '{"examined": 0, "changed": 0, "before": 0, "after": 0, "changes": [], "thresholds": []}', 'twice') returning id`)) as [
    { id: number },
  ];
  const attempt = () => replayPage(tenantEm(service.deps.orm, 'default'), { tenantId: 'default', replayId, after: 0 });
  const attempts: ReturnType<typeof attempt>[] = [];
  await engineEm(service.deps.orm).transactional(async (tx) => {
    await rows(tx, sql`select 1 from contacts where id = any(${ids}::bigint[]) for update`);
    attempts.push(attempt(), attempt());
    await until('both wait for a lock', async () => {
      const [found] = await query<{ n: number }>(
        sql`select count(distinct pid)::int as n from pg_locks where not granted`,
      );
      return found!.n >= 2;
    });
  });
  await Promise.all(attempts);
  const { status, examined, changed, totals } = (await service.api('GET', `/scoring/replays/${replayId}`)).body;
  assert.deepEqual([status, examined, changed, totals], ['COMPLETED', 2, 2, { before: 0, after: 6 }]);
  await service.api('DELETE', `/scoring/rules/${ruleId}`);
});

test('a company with more contacts than a page has is replayed whole, with its cap', async () => {
  const [many, few] = [
    await make('/contacts/companies', { name: 'Many' }),
    await make('/contacts/companies', { name: 'Few' }),
  ];
  await visitors('many', PAGE + 100, 50, many);
  await visitors('few', 2, 1, few);
  const ruleId = await rule({ target: 'company', maxPerContact: PAGE + 10 });
  assert.deepEqual(await pagesOf(ruleId), [[many], [few]]);
  const job = await ended(await ask(ruleId));
  assert.deepEqual(
    [job.status, job.examined, await companyTotal(many), await companyTotal(few)],
    ['COMPLETED', 2, PAGE + 10, 2],
  );
  const [found] = await query<{ inOrder: boolean; n: number }>(sql`
    select count(*)::int as n, max(at) <= (select min(a.occurred_at) from contact_activities a
      join contacts c on c.id = a.contact_id and c.company_id = ${many}
      where a.event_id not in (select event_id from score_history where subject = 'company')) as "inOrder"
    from score_history where subject = 'company' and subject_id = ${many}`);
  assert.deepEqual(found, { n: PAGE + 10, inOrder: true });
  assert.equal((await ended(await ask(ruleId))).changed, 0);
  await service.api('DELETE', `/scoring/rules/${ruleId}`);
});

test('a dry run over few contacts with many events is a job, whose pages end with their events', async () => {
  const ruleId = await rule({ conditions: [{ field: 'url', operator: 'contains', value: 'a.example' }] });
  assert.equal((await ask(ruleId, true)).status, 200);
  const ids = await visitors('busy', 3, 50_000);
  assert.deepEqual(
    (await pagesOf(ruleId)).slice(-2).map((page) => page.slice(-2)),
    [[ids[0]! - 1, ids[0]!], ids.slice(1)],
  );
  const job = await ended(await ask(ruleId, true));
  const change = job.changes.find(({ contactId }: Answer['body']) => contactId === ids[0]);
  assert.deepEqual([job.status, change], ['COMPLETED', { contactId: ids[0], before: 0, after: 50_000 }]);
  assert.equal((await service.api('GET', `/scoring/contacts/${ids[0]}`)).body.totalScore, 0);
});
