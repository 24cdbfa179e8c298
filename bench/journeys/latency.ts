import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../test/support/until.ts';
import { at } from '../support/load.ts';
import type { Bench, Row } from './table.ts';

const WANTED_MS = 1_000;
const LONGEST_MS = 3_600_000;
/** Contacts enter once in this time, as many as the rate says. */
const BURST_MS = 1_000;
const WAIT_MINUTES = 1;

/**
 * Starts EMAIL, WAIT of a minute, EMAIL for half as many contacts per second as `rate` for some `seconds`, and measures
 * how long after they were due their emails were queued: after the entry, and after the end of the wait.
 */
export async function benchLatency(
  { started, listId, templateId, count }: Bench,
  rate: number,
  seconds: number,
): Promise<Row[]> {
  const { client, database } = started;
  await started.untilCaughtUp();
  const { rows: members } = await database.query<{ id: string }>(
    'select contact_id as id from segment_members where segment_id = $1 order by contact_id',
    [listId],
  );
  const { id } = await client.call('POST', '/campaigns', {
    name: 'Bench',
    steps: [
      { id: 'first', type: 'EMAIL', config: { templateId } },
      { id: 'pause', type: 'WAIT', config: { waitMinutes: WAIT_MINUTES } },
      { id: 'second', type: 'EMAIL', config: { templateId } },
    ],
  });
  const total = Math.min(count, Math.floor((rate / 2) * seconds));
  const begun = performance.now();
  for (let entered = 0; entered < total;) {
    const due = Math.min(total, Math.ceil(((performance.now() - begun + BURST_MS) / 1000) * (rate / 2)));
    const contactIds = members.slice(entered, due).map((member) => Number(member.id));
    if (contactIds.length > 0) await client.call('POST', `/campaigns/${id}/start`, { contactIds });
    entered = due;
    await delay(BURST_MS);
  }
  const took = (performance.now() - begun) / 1000;
  await until(
    'all have ended',
    async () => {
      await delay(1_000);
      return (await client.call('GET', `/campaigns/${id}/stats`)).executions.completed === total;
    },
    LONGEST_MS,
  );
  // A duration is from the step's beginning to its end; that of the WAIT contains how late the worker was.
  const { rows } = await database.query<{ first: string; second: string }>(
    `select f.duration_ms as first, p.duration_ms - $2 + s.duration_ms as second
     from campaign_executions e
     join campaign_step_executions f on f.execution_id = e.id and f.step_id = 'first'
     join campaign_step_executions p on p.execution_id = e.id and p.step_id = 'pause'
     join campaign_step_executions s on s.execution_id = e.id and s.step_id = 'second'
     where e.campaign_id = $1`,
    [id, WAIT_MINUTES * 60_000],
  );
  const sorted = (which: 'first' | 'second'): number[] => rows.map((row) => Number(row[which])).sort((a, b) => a - b);
  const shown = (times: number[]): string => `${at(times, 0.5)}, ${at(times, 0.99)} ms`;
  const all = [...sorted('first'), ...sorted('second')].sort((a, b) => a - b);
  return [
    {
      what: `latency of a step (p50, p99) at ${(total / took).toFixed(1)} executions/s, half of what can be run`,
      ours: shown(all),
      wanted: `p99 under ${WANTED_MS} ms`,
      holds: at(all, 0.99) < WANTED_MS,
    },
    { what: '  of the first step, after the entry', ours: shown(sorted('first')) },
    { what: '  of the step after a wait', ours: shown(sorted('second')) },
  ];
}
