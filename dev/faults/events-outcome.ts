import { AssertionError } from 'node:assert/strict';
import type pg from 'pg';
import { tenantEm } from '../../db/orm.ts';
import { readPeriod } from '../../domain/common/period.ts';
import { readLeaderboard } from '../../domain/scoring/scores/read-scores.ts';
import type { Deps } from '../../runtime/deps.ts';
import { withClient } from '../stack/postgres.ts';
import type { Subjects } from './events-subjects.ts';
import { compareFigures } from './figures/compare.ts';
import type { Parts } from './parts.ts';

interface Outcome {
  parts: Parts;
  deps: Deps;
  subjects: Subjects;
  /** How many events were to be written. */
  count: number;
  /** Reads the ids of the events that other programs can read, by type. */
  readPublished: () => Promise<ReadonlyMap<string, ReadonlySet<string>>>;
  say: (line: string) => void;
}

const HOUR_MS = 3_600_000;
const LEADERS = 200;

/**
 * What each rule gives for the written events, by the definition of scores alone: in the order of their times, as far
 * as the cap allows. Points that do not decay are worth the same whichever event they are of.
 */
const AWARDS = `
  select w.tenant_id, r.target as subject, case r.target when 'contact' then c.id else c.company_id end as subject_id,
    r.id as rule_id, w.id as event_id, w.at, coalesce((r.decay ->> 'halfLifeDays')::float8, 0) as half_life,
    r.max_per_contact as cap, round(r.points * r.weight)::int as points
  from published w join contacts c on c.tenant_id = w.tenant_id and c.id = w.contact_id
  join scoring_rules r on r.tenant_id = w.tenant_id and r.event_type = w.type and r.active
  where not w.automated and (r.target = 'contact' or c.company_id is not null)`;
const CAPPED = `
  select tenant_id, subject, subject_id, rule_id, event_id, at, half_life, case when cap is null then points
    else least(points, greatest(0, cap - points * (row_number() over earlier - 1)))::int end as points
  from (${AWARDS}) a window earlier as (partition by subject, subject_id, rule_id order by at, event_id)`;
/** The worth of points at `moment` that were worth so much at `at`. */
const worth = (points: string, halfLife: string, at: string, moment: string): string => `
  ${points} * case when ${halfLife} = 0 then 1
    else power(2, -greatest(0, extract(epoch from ${moment} - ${at})) / 86400 / ${halfLife}) end`;
/** What the written events are worth at one moment, by rule: from it follows what they are worth at any later one. */
const EXPECTED = `
  create table expected as
  select tenant_id, subject, subject_id, rule_id, half_life, sum(points)::bigint as points, now() as worth_at,
    sum(${worth('points', 'half_life', 'at', 'now()')})::float8 as worth
  from (${CAPPED}) c where points <> 0 group by 1, 2, 3, 4, 5`;
const scores = (table: string, points: string, halfLife: string): string => `
  select tenant_id, subject, subject_id, rule_id, sum(${points})::bigint as points,
    floor(sum(${worth('worth', halfLife, 'worth_at', 'now()')}) + 0.500001)::bigint as score
  from ${table} group by 1, 2, 3, 4`;
const SCORES = scores('expected', 'points', 'half_life');
const STORED_SCORES = scores('scores_by_rule', 'score', 'half_life_days');
const TOTALS = `select tenant_id, subject, subject_id, sum(score)::bigint as total from (${SCORES}) s group by 1, 2, 3`;

const different = (one: string, other: string): string =>
  `select count(*) as n from ((${one} except all ${other}) union all (${other} except all ${one})) d`;

/** Compares what the written events have led to with what SQL makes of them. Returns true if all agree. */
export async function checkEvents({ parts, deps, subjects, count, readPublished, say }: Outcome): Promise<boolean> {
  return withClient(parts.ownerUrl, async (owner) => {
    const n = async (text: string): Promise<number> => Number((await owner.query<{ n: string }>(text)).rows[0]!.n);
    const idsOf = async (text: string): Promise<[type: string, id: string][]> =>
      (await owner.query<{ type: string; id: string }>(text)).rows.map(({ type, id }) => [type, id]);
    // Scores go on changing while this looks at them.
    const scored = await idsOf(`select type, event_id as id from contact_activities where type = 'SCORE_UPDATED'`);
    await owner.query(EXPECTED);
    // The totals are right until some points lose worth, which the worker notices within seconds.
    const right = `from score_totals t where changes_at is null or changes_at > now()`;
    const written = await n('select count(*) as n from published');
    const published = await readPublished();
    const unpublished = (ids: readonly [string, string][]): number =>
      ids.filter(([type, id]) => !published.get(type)?.has(id)).length;
    const wrong: [string, number][] = [
      ['processes that ended without being killed', parts.crashes()],
      [
        'entries of timelines that are missing or too many',
        await n(
          different(
            'select tenant_id, type, contact_id, id from published',
            `select tenant_id, type, contact_id, event_id from contact_activities where type in (select type from published)`,
          ),
        ),
      ],
      ['scores by rule that are not what was written', await n(different(SCORES, STORED_SCORES))],
      [
        'totals that are not what was written',
        await n(
          `select count(*) as n from (${TOTALS}) e full join (select tenant_id, subject, subject_id, total, changes_at from score_totals) t
           using (tenant_id, subject, subject_id)
           where e.total is distinct from t.total and (t.changes_at is null or t.changes_at > now())`,
        ),
      ],
      [
        'scores whose history does not add up to them',
        await n(
          different(
            `select tenant_id, subject, subject_id, rule_id, half_life_days, sum(points)::bigint as points, count(*)::int as events from score_history group by 1, 2, 3, 4, 5`,
            `select tenant_id, subject, subject_id, rule_id, half_life_days, score, events from scores_by_rule where events > 0`,
          ),
        ),
      ],
      ['places of leaderboards that are wrong', await wrongPlaces(deps, owner, subjects)],
      [
        'thresholds that fired wrongly, or did not',
        await n(
          different(
            `select s.tenant_id, s.id, t.subject_id from score_thresholds s join (${TOTALS}) t on t.tenant_id = s.tenant_id and t.subject = 'contact' and t.total >= s.score`,
            'select tenant_id, threshold_id, contact_id from score_threshold_hits',
          ),
        ),
      ],
      [
        'members that the thresholds have not brought to their lists, or wrongly',
        await n(
          different(
            `select h.tenant_id, (s.action ->> 'listId')::bigint, h.contact_id from score_threshold_hits h join score_thresholds s on s.id = h.threshold_id`,
            'select tenant_id, segment_id, contact_id from segment_members',
          ),
        ),
      ],
      ['periods whose figures are not what was written', await wrongPeriods(deps, owner, subjects, say)],
      ['written events that other programs cannot read', unpublished(await idsOf('select type, id from published'))],
      ['changes of scores that other programs cannot read', unpublished(scored)],
      ['dead letters', await n('select count(*) as n from dead_letters')],
    ];
    const rightTotals = await n(`select count(*) as n ${right}`);
    const hits = await n('select count(*) as n from score_threshold_hits');
    say(`${written} events were written; ${rightTotals} totals and ${hits} fired thresholds were compared`);
    for (const [what, found] of wrong) say(`${found === 0 ? '  ' : '! '}${what}: ${found}`);
    const good = written >= count && rightTotals > 0 && hits > 0 && wrong.every(([, found]) => found === 0);
    say(good ? 'everything that was written took effect once' : 'NOT AS PROMISED');
    return good;
  });
}

/** How many places of the leaderboards differ from SQL's. */
async function wrongPlaces({ orm }: Deps, owner: pg.Client, { tenantIds }: Subjects): Promise<number> {
  let wrong = 0;
  for (const tenantId of tenantIds) {
    for (const subject of ['contact', 'company'] as const) {
      const expectedNow = async (): Promise<string[]> => {
        const { rows } = await owner.query<{ id: string; total: string; rank: string }>(
          `select subject_id as id, total, rank() over (order by total desc) as rank from (${TOTALS}) t
           where tenant_id = $1 and subject = $2 order by total desc, subject_id limit ${LEADERS}`,
          [tenantId, subject],
        );
        return rows.map(({ id, total, rank }) => `${rank} ${id} ${total}`);
      };
      // Points lose worth at any time: compared at a moment before and after which SQL says the same.
      for (let tries = 1; ; tries += 1) {
        const before = await expectedNow();
        const found = await readLeaderboard(tenantEm(orm, tenantId), subject, LEADERS);
        const after = await expectedNow();
        if (before.join() !== after.join() && tries < 100) continue;
        const places = found.map(({ rank, id, totalScore }) => `${rank} ${id} ${totalScore}`);
        wrong += Math.abs(places.length - before.length) + before.filter((place, n) => places[n] !== place).length;
        break;
      }
    }
  }
  return wrong;
}

/** How many periods have figures that differ from SQL's: whole ones and parts, in several time zones. */
async function wrongPeriods(
  { orm }: Deps,
  owner: pg.Client,
  { tenantIds }: Subjects,
  say: (line: string) => void,
): Promise<number> {
  const now = Date.now();
  const ago = (hours: number): string => new Date(now - hours * HOUR_MS).toISOString();
  const periods = [
    { from: ago(24 * 4), to: ago(0), timezone: 'UTC', interval: 'day' },
    { from: ago(61.5), to: ago(7.3), timezone: 'Asia/Kathmandu', interval: 'hour' },
    { from: ago(50), to: ago(2), timezone: 'America/New_York', interval: 'day' },
    { from: ago(33.21), to: ago(30.07), timezone: 'Pacific/Auckland', interval: 'hour' },
    { from: ago(40), to: ago(16), timezone: 'Europe/Warsaw', interval: 'day' },
  ] as const;
  let wrong = 0;
  for (const tenantId of tenantIds) {
    for (const asked of periods) {
      try {
        await compareFigures(tenantEm(orm, tenantId), owner, tenantId, readPeriod(asked, new Date(now)));
      } catch (error) {
        if (!(error instanceof AssertionError)) throw error;
        wrong += 1;
        say(`${tenantId}, ${asked.from} to ${asked.to}: ${error.message}`);
      }
    }
  }
  return wrong;
}
