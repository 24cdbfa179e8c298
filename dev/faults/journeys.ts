import { parseArgs } from 'node:util';
import type pg from 'pg';
import { connectTemporal } from '../../runtime/temporal.ts';
import { createClient, type Client } from '../demo/client.ts';
import { seededRandom } from '../demo/random.ts';
import { pause } from '../process.ts';
import { withClient } from '../stack/postgres.ts';
import { checkJourneys, openWorkflows, STEPS, type Run } from './journeys-outcome.ts';
import { ADMIN, startParts } from './parts.ts';

const VICTIMS = ['worker', 'Temporal'];
/** Longer than every lease, timeout and pause between retries of the service. */
const STALLED_MS = 5 * 60_000;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * Runs executions of EMAIL, WAIT 0, CONDITION, EMAIL while the worker and Temporal are each killed `kills` times with
 * kill -9, at random moments, and then compares the database, the API, Temporal and the sink's log: see
 * `checkJourneys`. With `--apart`, emails are sent by another process, which is not killed, so that the end need not wait
 * for leases. Returns true if all agree.
 */
export async function journeyFaults(args: string[], say = print): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      executions: { type: 'string', default: '20000' },
      kills: { type: 'string', default: '5' },
      seed: { type: 'string', default: '1' },
      connections: { type: 'string', default: '20' },
      'in-doubt': { type: 'string', default: '100' },
      apart: { type: 'boolean', default: false },
    },
  });
  const [executions, kills] = [Number(values.executions), Number(values.kills)];
  const parts = await startParts({
    senders: 1,
    connections: Number(values.connections),
    inDoubt: Number(values['in-doubt']),
    apart: values.apart,
    log: say,
  });
  try {
    return await withClient(parts.ownerUrl, async (owner) => {
      const { accessToken } = await createClient(parts.url).call('POST', '/auth/login', ADMIN);
      const client = createClient(parts.url, accessToken as string);
      const temporal = await connectTemporal(parts.env['TEMPORAL_ADDRESS']!, 'default');
      try {
        const campaignId = await beginCampaign(owner, client, executions);
        say(`a campaign with ${executions} contacts has begun`);
        const unknownAllowed = values.apart ? 0 : kills * parts.inDoubt;
        const run = {
          parts,
          client,
          owner,
          temporal,
          campaignId,
          executions,
          unknownAllowed,
          say,
        };
        const begun = performance.now();
        await killAll(run, kills, seededRandom(Number(values.seed)));
        const over = await untilOver(run);
        say(`${over ? 'over' : 'nothing moved any more'} after ${((performance.now() - begun) / 1000).toFixed(0)} s`);
        return await checkJourneys(run);
      } finally {
        await temporal.connection.close();
      }
    });
  } finally {
    await parts.stop();
  }
}

async function beginCampaign(owner: pg.Client, client: Client, executions: number): Promise<number> {
  await owner.query(`
    insert into contacts (tenant_id, first_name, last_name, email, email_key)
    select 'default', 'First' || n, 'Last', 'r' || n || '@faults.example', 'r' || n || '@faults.example'
    from generate_series(1, ${executions}) n`);
  const { id: templateId } = await client.call('POST', '/emails/templates', {
    name: 'Faults',
    subject: 'Hello {{firstName}}',
    content: '<p>Hello {{firstName}}, <a href="https://example.com/one">one</a></p>',
  });
  const ours = { field: 'email', operator: 'endsWith', value: '@faults.example' };
  const { id: segmentId } = await client.call('POST', '/contacts/segments', {
    name: 'All',
    type: 'dynamic',
    filter: ours,
  });
  const { id } = await client.call('POST', '/campaigns', {
    name: 'Faults',
    steps: [
      { id: 'first', type: 'EMAIL', config: { templateId } },
      { id: 'pause', type: 'WAIT', config: { waitMinutes: 0 } },
      { id: 'fork', type: 'CONDITION', config: { if: ours, then: 'second', else: null } },
      { id: 'second', type: 'EMAIL', config: { templateId } },
    ],
  });
  await client.call('POST', `/campaigns/${id}/start`, { segmentId });
  return id as number;
}

/** Kills each part equally often, in a seeded order and at seeded moments, while steps are done. */
async function killAll(run: Run, kills: number, random: () => number): Promise<void> {
  const all = VICTIMS.length * kills;
  const order = Array.from({ length: all }, (_, n) => ({ name: VICTIMS[n % VICTIMS.length]!, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ name }) => name);
  for (const [n, name] of order.entries()) {
    // Spread over the whole run, including its beginning: the first kill hits the enrolment.
    if (!(await untilDone(run, Math.floor((run.executions * STEPS.length * 0.95 * n) / all)))) return;
    await pause(random() * 500);
    await run.parts.part(name).kill();
    run.say(`kill ${n + 1}, of ${name}: ${await stepsDone(run)} steps were done`);
  }
}

async function stepsDone({ owner, campaignId }: Run): Promise<number> {
  const { rows } = await owner.query<{ n: string }>(
    'select count(*) as n from campaign_step_executions where campaign_id = $1',
    [campaignId],
  );
  return Number(rows[0]!.n);
}

/** Waits until so many steps are done; false if nothing moves any more. */
const untilDone = (run: Run, count: number): Promise<boolean> =>
  untilStill(run, 50, async () => {
    const done = await stepsDone(run);
    return done >= count || String(done);
  });

/** Waits until all executions, workflows and emails have ended; false if nothing moves any more. */
const untilOver = (run: Run): Promise<boolean> =>
  untilStill(run, 500, async () => {
    const { executions, emails } = await run.client.call('GET', `/campaigns/${run.campaignId}/stats`);
    const ended = executions.completed + executions.stopped + executions.failed;
    const workflows = await openWorkflows(run).catch(() => -1);
    const over = ended === run.executions && workflows === 0 && emails.queued === 0;
    return over || JSON.stringify([executions, workflows, emails]);
  });

/** Looks until the answer is true; false after the same answer for a long time. */
async function untilStill({ say }: Run, everyMs: number, look: () => Promise<boolean | string>): Promise<boolean> {
  for (let last: boolean | string = '', since = Date.now(); ;) {
    const now = await look();
    if (now === true) return true;
    if (now !== last) [last, since] = [now, Date.now()];
    if (Date.now() - since > STALLED_MS) {
      say(`nothing has moved for ${STALLED_MS / 60_000} minutes: ${now}`);
      return false;
    }
    await pause(everyMs);
  }
}
