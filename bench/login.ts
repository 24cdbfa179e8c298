/**
 * `npm run bench:login -- --seconds 10`: how long a failing login takes, alternately for an existing and an unknown
 * user; and how long reads take while logins are sent as fast as they are answered, compared to reads alone.
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { startApiProcess, type ApiProcess } from '../test/support/api-process.ts';
import { startService, type Service } from '../test/support/service.ts';
import { newMember } from '../test/support/users.ts';
import { at, sendLoad } from './support/load.ts';
import { onStack } from './support/stack.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '10' } } });
const seconds = Number(values.seconds);
/** Each fails twice, far below the number that locks a name. */
const USERS = 100;
/** Reads per second. */
const READS = 200;
const LOGINS_AT_ONCE = 50;

/** Fails to log in; returns the time this took (ms). */
async function failToLogIn(api: ApiProcess, username: string): Promise<number> {
  const begun = performance.now();
  const { status } = await api.api('POST', '/auth/login', { username, password: 'not the password' }, { token: null });
  const took = performance.now() - begun;
  if (status !== 401) throw new Error(`a wrong login was answered with ${status}`);
  return took;
}

async function compareTimes(service: Service, api: ApiProcess): Promise<void> {
  const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] };
  const names: string[] = [];
  for (let n = 0; n < USERS; n += 1) names.push((await newMember(service.api)).user.username);
  for (const name of [...names, ...names]) {
    // Alternate which one is first.
    const turns = [
      ['known', name],
      ['unknown', `nobody-${randomUUID()}`],
    ] as const;
    for (const [kind, username] of times.known.length % 2 === 0 ? turns : turns.toReversed())
      times[kind].push(await failToLogIn(api, username));
  }
  console.log('a login that fails');
  for (const [kind, taken] of Object.entries(times)) {
    taken.sort((a, b) => a - b);
    console.log(
      `  ${kind} user: median ${at(taken, 0.5).toFixed(2)} ms, quartiles ${at(taken, 0.25).toFixed(2)} and ${at(taken, 0.75).toFixed(2)} ms, of ${taken.length}`,
    );
  }
}

/** Logs in over many connections until stopped. Returns the number of responses by status. */
async function flood(api: ApiProcess, stop: AbortSignal): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  await Promise.all(
    Array.from({ length: LOGINS_AT_ONCE }, async () => {
      while (!stop.aborted) {
        const { status } = await api.api(
          'POST',
          '/auth/login',
          { username: `nobody-${randomUUID()}`, password: 'not the password' },
          { token: null },
        );
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    }),
  );
  return statuses;
}

await onStack(2, async () => {
  const service = await startService({ env: { ENABLE_RATE_LIMITING: 'false' } });
  const api = await startApiProcess(service);
  await compareTimes(service, api);

  const { body } = await service.api('POST', '/contacts', {
    firstName: 'Ada',
    lastName: 'Lovelace',
    email: 'ada@example.com',
  });
  const load = {
    port: Number(new URL(api.url).port),
    token: service.admin.token,
    paths: [`/api/v1/contacts/${body.id}`],
    connections: 100,
    rate: READS,
    seconds,
  };
  const show = (times: Map<number, number[]>): string => {
    const good = times.get(200) ?? [];
    return `${good.length} answers, p50 ${at(good, 0.5).toFixed(1)} ms, p95 ${at(good, 0.95).toFixed(1)} ms, p99 ${at(good, 0.99).toFixed(1)} ms, ${times.get(503)?.length ?? 0} refused`;
  };
  await sendLoad(load);
  console.log(`reads, ${READS} a second\n  alone: ${show((await sendLoad(load)).times)}`);
  const stop = new AbortController();
  const flooding = flood(api, stop.signal);
  await delay(1000);
  const beside = await sendLoad(load);
  stop.abort();
  const statuses = await flooding;
  console.log(
    `  beside ${LOGINS_AT_ONCE} logins at once: ${show(beside.times)}; logins answered: ${JSON.stringify(statuses)}`,
  );
  await api.end();
  await service.stop();
});
