import pg from 'pg';
import type { Answer, Service } from './service.ts';
import { until } from './until.ts';
import { newMember, type Member } from './users.ts';
import { startVariant } from './variant.ts';

export const problemsOf = (answer: Answer): string[] =>
  ((answer.body.errors ?? []) as { path: string; code: string }[]).map((e) => `${e.path} ${e.code}`).sort();
export const outcome = ({ status, body }: Answer): unknown[] => [status, body.code];

/** Creates a role with these permissions, as the Admin. */
export async function newRole(service: Service, name: string, permissions: string[]): Promise<Answer['body']> {
  const answer = await service.api('POST', '/auth/roles', { name, permissions });
  if (answer.status !== 201) throw new Error(`no role: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Creates a user of the tenant `default` with exactly these roles. */
export async function memberWith(service: Service, ...roles: string[]): Promise<Member> {
  const member = await newMember(service.api);
  const answer = await service.api('PUT', `/auth/users/${member.user.id}`, { roles });
  if (answer.status !== 200) throw new Error(`no roles: ${JSON.stringify(answer.body)}`);
  return { ...member, user: answer.body };
}

/** Creates a tenant; returns its Admin. */
export async function newTenant(service: Service): Promise<Member> {
  const many = await startVariant(service, { ENABLE_MULTI_TENANT: true });
  try {
    return await newMember(many.api);
  } finally {
    await many.stop();
  }
}

/** Runs `work` while another session holds the locks of the SQL statement `lock`. */
export async function holding<T>(service: Service, lock: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: service.slot.env['DATABASE_MIGRATION_URL'] });
  await client.connect();
  try {
    await client.query('begin');
    await client.query(lock);
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The number of sessions that wait for a lock. */
export async function waiting(client: pg.Client): Promise<number> {
  // Within a transaction, the statistics stay as they were at the first access.
  await client.query('select pg_stat_clear_snapshot()');
  const { rows } = await client.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return rows[0]!.n;
}

/** Starts requests while `lock` is held, releases it when all of them wait for it, and returns their results. */
export function collide<T>(service: Service, lock: string, requests: (() => Promise<T>)[]): Promise<T[]> {
  return holding(service, lock, async (client) => {
    const started = requests.map((request) => request());
    await until('all of them wait', async () => (await waiting(client)) >= requests.length);
    await client.query('commit');
    return Promise.all(started);
  });
}

export const TENANT_LOCK = `select 1 from tenants where tenant_id = 'default' for update`;
