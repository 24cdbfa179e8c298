import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../test/support/until.ts';
import { at, sendLoad, type Post } from '../support/load.ts';
import type { Bench, Row } from './table.ts';

const WANTED_MS = 2_000;
const LONGEST_MS = 3_600_000;
const EVENTS_PER_CONTACT = 10;
const CONNECTIONS = 8;

/**
 * Sends visits of contacts that wait for them, ten for each, one contact after the other, `rate` per second (0 = as fast
 * as they are answered), and measures from the first event of each contact to the step that it caused.
 */
export async function benchEvents({ started, listId, count }: Bench, rate: number): Promise<Row[]> {
  const { client, database, url, token } = started;
  await started.untilCaughtUp();
  const contacts = Math.max(1, Math.floor(count / EVENTS_PER_CONTACT));
  const { rows: members } = await database.query<{ id: string }>(
    'select contact_id as id from segment_members where segment_id = $1 order by contact_id limit $2',
    [listId, contacts],
  );
  const contactIds = members.map((member) => Number(member.id));
  const { id } = await client.call('POST', '/campaigns', {
    name: 'Bench',
    steps: [
      {
        id: 'listen',
        type: 'WAIT_FOR_EVENT',
        config: { event: 'WEBSITE_VISITED', timeoutMinutes: 1_440, onTimeout: null },
      },
    ],
  });
  await client.call('POST', `/campaigns/${id}/start`, { contactIds });
  const waiting = async (): Promise<number> =>
    Number(
      (
        await database.query<{ n: string }>(
          `select count(*) as n from campaign_executions where campaign_id = $1 and step_seq = 0 and run_id is not null`,
          [id],
        )
      ).rows[0]!.n,
    );
  await until(
    'all wait',
    async () => {
      await delay(500);
      return (await waiting()) === contacts;
    },
    LONGEST_MS,
  );
  await started.untilCaughtUp();
  const posts = contactIds.flatMap((contactId) =>
    Array.from({ length: EVENTS_PER_CONTACT }, (_, n): Post => ({
      path: '/api/v1/scoring/events',
      body: { contactId, type: 'WEBSITE_VISITED', data: { url: `https://example.com/${n}` } },
    })),
  );
  const { times, seconds } = await sendLoad({
    port: Number(new URL(url).port),
    token,
    paths: posts,
    once: true,
    connections: CONNECTIONS,
    seconds: LONGEST_MS / 1000,
    ...(rate > 0 ? { rate } : {}),
  });
  const good = [...times].flatMap(([status, all]) => (status < 300 ? all : []));
  if (good.length !== posts.length) throw new Error(`only ${good.length} of ${posts.length} events were accepted`);
  await until(
    'all have gone on',
    async () => {
      await delay(500);
      return (await client.call('GET', `/campaigns/${id}/stats`)).executions.completed === contacts;
    },
    LONGEST_MS,
  );
  const { rows } = await database.query<{ result: string; ms: string }>(
    `select s.result, extract(epoch from s.executed_at - min(a.occurred_at)) * 1000 as ms
     from campaign_executions e
     join campaign_step_executions s on s.execution_id = e.id
     join contact_activities a on a.contact_id = e.contact_id and a.type = 'WEBSITE_VISITED' and a.occurred_at >= e.started_at
     where e.campaign_id = $1 group by e.id, s.seq, s.result, s.executed_at`,
    [id],
  );
  const sorted = rows.map(({ ms }) => Number(ms)).sort((a, b) => a - b);
  const woken = rows.filter(({ result }) => result === 'event').length;
  return [
    {
      what: `${posts.length} events of ${contacts} contacts that wait for them: executions that went on`,
      ours: String(woken),
      wanted: String(contacts),
      holds: woken === contacts && rows.length === contacts,
    },
    {
      what: `  from the event to the step (p50, p99), ${(posts.length / seconds).toFixed(0)} events/s`,
      ours: `${at(sorted, 0.5).toFixed(0)}, ${at(sorted, 0.99).toFixed(0)} ms`,
      wanted: `p99 under ${WANTED_MS} ms`,
      holds: at(sorted, 0.99) < WANTED_MS,
    },
  ];
}
