import { setTimeout as delay } from 'node:timers/promises';
import { until } from '../../test/support/until.ts';
import type { Nothing } from '../support/nothing.ts';
import { shownRatios, type Bench, type Row } from './table.ts';

const WANTED_STARTS = 0.8;
const WANTED_DRAIN = 1.25;
const LONGEST_MS = 3_600_000;
/** Between the expected end of the enrolment and the end of the waits. */
const SPARE_MS = 20_000;

/** One campaign of a WAIT until the same moment for all: how fast it was started, and how long it took to drain. */
interface Outcome {
  startsPerSecond: number;
  /** From the moment until the last execution was COMPLETED; null if some were started only after it. */
  drainSeconds: number | null;
}

/**
 * Enrolments beside bare starts, and the drain of their waits beside what as many executions take. `executionRate` runs
 * EMAIL, WAIT 0, EMAIL and returns the executions per second.
 */
export async function benchStarts(
  bench: Bench,
  pairs: number,
  nothing: Nothing,
  executionRate: () => Promise<number>,
): Promise<Row[]> {
  const { count } = bench;
  const rounds: { bare: number; rate: number; ours: Outcome }[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const rate = await executionRate();
    const bare = await nothing.startRate(count);
    const ours = await waitTogether(bench, Date.now() + (2 * count * 1000) / bare + SPARE_MS);
    rounds.push({ bare, rate, ours });
    console.log(
      `  ${ours.startsPerSecond.toFixed(1)} enrolments/s, bare starts ${bare.toFixed(1)}/s; drained in ` +
        `${ours.drainSeconds?.toFixed(1) ?? '?'} s, as many executions take ${(count / rate).toFixed(1)} s`,
    );
  }
  const starts = shownRatios(rounds.map(({ bare, ours }) => ours.startsPerSecond / bare));
  const shown = (values: number[]): string => values.map((value) => value.toFixed(1)).join(', ');
  const drained = rounds.flatMap(({ rate, ours: { drainSeconds } }) =>
    drainSeconds === null ? [] : [{ drainSeconds, allowed: count / rate }],
  );
  const rows: Row[] = [
    {
      what: `enrolments of ${count} per second, as a ratio to bare starts`,
      ours: `${starts.text}: ${shown(rounds.map(({ ours }) => ours.startsPerSecond))}`,
      reference: shown(rounds.map(({ bare }) => bare)),
      wanted: `at least ${WANTED_STARTS}`,
      holds: starts.median >= WANTED_STARTS,
    },
  ];
  const what = `${count} waits due at once: seconds to drain, as a ratio to the executions`;
  if (drained.length === 0) return [...rows, { what, ours: 'the waits began too late', holds: false }];
  const drains = shownRatios(drained.map(({ drainSeconds, allowed }) => drainSeconds / allowed));
  rows.push({
    what,
    ours: `${drains.text}: ${shown(drained.map(({ drainSeconds }) => drainSeconds))}`,
    reference: shown(drained.map(({ allowed }) => allowed)),
    wanted: `at most ${WANTED_DRAIN}`,
    holds: drains.median <= WANTED_DRAIN,
  });
  return rows;
}

/** Enrols the list into a campaign of a WAIT until `due` (ms since the epoch), and waits until all have ended. */
async function waitTogether({ started, listId, count }: Bench, due: number): Promise<Outcome> {
  const { client, database } = started;
  await started.untilCaughtUp();
  const steps = [{ id: 'pause', type: 'WAIT', config: { until: new Date(due).toISOString() } }];
  const { id } = await client.call('POST', '/campaigns', { name: 'Bench', steps });
  const begun = performance.now();
  const { enrolmentId } = await client.call('POST', `/campaigns/${id}/start`, { listId });
  await until(
    'all are enrolled',
    async () => {
      await delay(100);
      return (await client.call('GET', `/campaigns/enrolments/${enrolmentId}`)).status === 'COMPLETED';
    },
    LONGEST_MS,
  );
  const startsPerSecond = (count * 1000) / (performance.now() - begun);
  const inTime = Date.now() < due;
  await until(
    'all have ended',
    async () => {
      await delay(500);
      return (await client.call('GET', `/campaigns/${id}/stats`)).executions.completed === count;
    },
    LONGEST_MS,
  );
  const { rows } = await database.query<{ last: Date }>(
    'select max(finished_at) as last from campaign_executions where campaign_id = $1',
    [id],
  );
  return { startsPerSecond, drainSeconds: inTime ? (rows[0]!.last.getTime() - due) / 1000 : null };
}
