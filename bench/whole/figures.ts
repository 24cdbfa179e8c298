import type pg from 'pg';
import { createClient, type Client } from '../../dev/demo/client.ts';
import { fillFigures } from '../support/fill-figures.ts';
import { at } from '../support/load.ts';
import { onStarted, type Started } from './started.ts';

const CONTACTS = 100_000;
const READS = 200;
const WARM_UP = 20;

interface Tenant {
  id: string;
  client: Client;
}

/** Registers a user, who gets a tenant. */
async function newTenant({ url, client }: Started, username: string): Promise<Tenant> {
  const password = 'Bench-of-figures-1';
  const user = { username, password, email: `${username}@example.com`, firstName: 'Bench', lastName: 'Figures' };
  const { tenantId } = await client.call('POST', '/auth/register', user);
  const { accessToken } = await client.call('POST', '/auth/login', { username, password });
  return { id: tenantId as string, client: createClient(url, accessToken as string) };
}

async function fillContacts(owner: pg.Client, tenantId: string, contacts: number): Promise<void> {
  await owner.query(
    `
    insert into contacts (tenant_id, first_name, last_name, email, email_key, created_activity_id)
    select $1, 'F', 'L' || n, 's' || n || '@bench.example', 's' || n || '@bench.example', null from generate_series(1, $2::int) n`,
    [tenantId, contacts],
  );
}

/** Contacts with scores of one rule that decays, as far as the upkeep has brought them. */
async function fillScores(owner: pg.Client, tenantId: string, contacts: number): Promise<void> {
  await fillContacts(owner, tenantId, contacts);
  await owner.query(
    `
    insert into scores_by_rule (tenant_id, subject, subject_id, rule_id, half_life_days, score, worth, worth_at, events)
    select tenant_id, 'contact', id, 1, 30, p, p, now(), 1
    from (select tenant_id, id, 5 + floor(random() ^ 3 * 2000)::int as p from contacts where tenant_id = $1) c`,
    [tenantId],
  );
  await owner.query(
    `
    insert into score_totals (tenant_id, subject, subject_id, total, changes_at, updated_at)
    select tenant_id, subject, subject_id, score, now() + interval '30 days' * (ln(worth / (worth - 0.5)) / ln(2)), now()
    from scores_by_rule where tenant_id = $1`,
    [tenantId],
  );
}

/** Response times in ms of reads by turns, for each reader. */
async function readByTurns(readers: readonly (() => Promise<unknown>)[]): Promise<number[][]> {
  const times = readers.map((): number[] => []);
  for (let n = 0; n < READS + WARM_UP; n += 1) {
    for (const [which, read] of readers.entries()) {
      const begun = performance.now();
      await read();
      if (n >= WARM_UP) times[which]!.push(performance.now() - begun);
    }
  }
  return times.map((all) => all.sort((one, other) => one - other));
}

function print(what: string, beside: string, [few, many]: number[][]): void {
  const percentile = (times: number[], share: number): string => at(times, share).toFixed(1);
  console.log(
    `${what}: p50 ${percentile(many!, 0.5)} ms, p95 ${percentile(many!, 0.95)} ms; ${beside}: p50 ${percentile(few!, 0.5)} ms, p95 ${percentile(few!, 0.95)} ms; ratio of p95 ${(at(many!, 0.95) / at(few!, 0.95)).toFixed(2)}`,
  );
}

/**
 * The dashboard of a tenant with `events` events beside one of a tenant with 100,000, both with as many contacts, and
 * the leaderboard with 1 million scored contacts beside one with 10,000, through the API.
 */
export async function benchFigures(events: number): Promise<void> {
  const settings = { ENABLE_MULTI_TENANT: 'true', ENABLE_REGISTRATION: 'true' };
  await onStarted(settings, async (started) => {
    const { database } = started;
    const [few, many] = [await newTenant(started, 'few'), await newTenant(started, 'many')];
    const [small, large] = [await newTenant(started, 'small'), await newTenant(started, 'large')];
    await database.query(`select ensure_analytics_partition((current_date - interval '1 month')::date)`);
    await fillFigures(database, few.id, { events: 100_000, contacts: CONTACTS });
    await fillFigures(database, many.id, { events, contacts: CONTACTS });
    for (const { id } of [few, many]) await fillContacts(database, id, CONTACTS);
    await fillScores(database, small.id, 10_000);
    await fillScores(database, large.id, 1_000_000);
    await database.query(
      'vacuum analyze analytics_events, analytics_windows, analytics_rollups, score_totals, contacts',
    );
    for (;;) {
      const { rows } = await database.query<{ n: number }>(
        `select count(*)::int as n from analytics_rollups where rolled_changes <> changes and at < now() - interval '1 day'`,
      );
      if (rows[0]!.n === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    await database.query('vacuum analyze analytics_contact_sets, analytics_rollups');
    const to = new Date();
    const periods = Array.from({ length: 37 }, (_, n) => {
      const until = new Date(to.getTime() - n * 3_600_000);
      const from = new Date(until.getTime() - (1 + ((n * 7) % 29)) * 86_400_000);
      return `from=${from.toISOString()}&to=${until.toISOString()}`;
    });
    let turn = 0;
    const dashboards = [few, many].map(({ client }) => () => {
      turn += 1;
      return client.call('GET', `/analytics/dashboard?${periods[Math.floor((turn - 1) / 2) % periods.length]}`);
    });
    print(`dashboard with ${events} events`, 'with 100000', await readByTurns(dashboards));
    const leaderboards = [small, large].map(
      ({ client }) =>
        () =>
          client.call('GET', '/scoring/leaderboard'),
    );
    print('leaderboard of 1000000 contacts', 'of 10000', await readByTurns(leaderboards));
  });
}
