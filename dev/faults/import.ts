import { parseArgs } from 'node:util';
import { createDeps } from '../../runtime/deps.ts';
import { readEnv } from '../../config/env.ts';
import { CHUNK_ROWS } from '../../domain/contacts/import/csv/read-csv.ts';
import { ensureStreams } from '../../transport/streams.ts';
import { generateContactsCsv } from '../demo/generate-contacts.ts';
import { seededRandom } from '../demo/random.ts';
import { pause } from '../process.ts';
import { databaseOutcome, eventOutcome } from './import-outcome.ts';
import { ask, poll, say, startImport, untilOver } from './import-steps.ts';
import { startMortalStack, type MortalStack } from './mortal-stack.ts';

/** The number of ids that Postgres may skip after a crash. */
const SKIPPED_IDS = 33;

/**
 * Imports a file into one tenant undisturbed, and into another while its worker and Postgres are killed with kill -9 at
 * random moments. Returns true if the results are equal and no kill cost more than one chunk.
 */
export async function importFaults(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      rows: { type: 'string', default: '200000' },
      kills: { type: 'string', default: '20' },
      seed: { type: 'string', default: '1' },
    },
  });
  const [rows, kills, seed] = [Number(values.rows), Number(values.kills), Number(values.seed)];
  const random = seededRandom(seed);
  const stack = await startMortalStack(say);
  const deps = await createDeps(readEnv(stack.env), 'faults');
  try {
    await ensureStreams(deps.nats.jsm, deps.env);
    const parts: Buffer[] = [];
    for await (const part of generateContactsCsv({ rows, seed }).csv) parts.push(part);
    const csv = Buffer.concat(parts);
    const begin = (tenantId: string) => startImport(deps, tenantId, csv);
    stack.startWorker();
    await begin('calm');
    const calmMs = await untilOver(stack, 'calm');
    say(`undisturbed: ${rows} rows in ${(calmMs / 1000).toFixed(1)} s`);
    await begin('killed');
    const chunkMs = calmMs / Math.ceil(rows / CHUNK_ROWS);
    const lost: number[] = [];
    const done = { worker: 0, Postgres: 0 };
    for (let kill = 1; kill <= kills && (await untilBusy(stack)); kill += 1) {
      await pause(random() * 1.2 * chunkMs);
      const victim = random() < 0.5 ? 'worker' : 'Postgres';
      const before = lost.reduce((sum, some) => sum + some, 0);
      const account = async (): Promise<void> => {
        lost.push((await idsLost(stack)) - before);
      };
      if (victim === 'Postgres') {
        await stack.killPostgres(account);
      } else {
        await stack.killWorker();
        await untilIdle(stack);
        await account();
        stack.startWorker();
      }
      done[victim] += 1;
      say(`kill ${kill}, of the ${victim}: ${await progress(stack)} rows were in, ${lost.at(-1)} begun and lost`);
    }
    await untilOver(stack, 'killed');
    const [calm, killed] = [await outcomeOf(stack, deps.nats, 'calm'), await outcomeOf(stack, deps.nats, 'killed')];
    say(JSON.stringify({ calm, killed }, null, 2));
    const same = JSON.stringify(calm) === JSON.stringify(killed);
    const most = Math.max(0, ...lost);
    say(
      `${done.worker} kills of the worker, ${done.Postgres} of Postgres; the outcome is ${same ? 'the same' : 'NOT THE SAME'}; at most ${most} rows lost by one kill`,
    );
    return same && most <= CHUNK_ROWS + SKIPPED_IDS && done.worker + done.Postgres === kills;
  } finally {
    await deps.close();
    await stack.stop();
  }
}

/** Waits until an import is processing a chunk or its first pass over the file; returns false if it ends before. */
async function untilBusy(stack: MortalStack): Promise<boolean> {
  let over = false;
  await poll('the import is at work', () =>
    ask(stack, async (client) => {
      const {
        rows: [job],
      } = await client.query<{ over: boolean; chunk: boolean }>(`
      select exists (select 1 from contact_imports where tenant_id = 'killed' and status <> 'PENDING' and status <> 'RUNNING') as over,
        exists (select 1 from pg_stat_activity where application_name = 'perennial' and xact_start is not null and query like '%import_stage%') as chunk`);
      over = job!.over;
      return over || job!.chunk;
    }),
  );
  return !over;
}

/** Waits until the killed worker's transaction is rolled back. */
const untilIdle = (stack: MortalStack): Promise<number> =>
  poll('the transactions of the killed worker are over', () =>
    ask(
      stack,
      async (client) =>
        (
          await client.query(
            `select 1 from pg_stat_activity where application_name = 'perennial' and xact_start is not null and query like '%import%'`,
          )
        ).rowCount === 0,
    ),
  );

/** The number of contact ids taken from the sequence but not used: sequences do not roll back. */
const idsLost = (stack: MortalStack): Promise<number> =>
  ask(stack, async (client) => {
    const {
      rows: [found],
    } = await client.query<{ lost: string }>(`
    select (select last_value from contacts_id_seq) - (select count(*) from contacts) as lost`);
    return Number(found!.lost);
  });

const progress = (stack: MortalStack): Promise<number> =>
  ask(
    stack,
    async (client) =>
      (
        await client.query<{ processed_rows: number }>(
          `select processed_rows from contact_imports where tenant_id = 'killed'`,
        )
      ).rows[0]!.processed_rows,
  );

const outcomeOf = (stack: MortalStack, nats: Parameters<typeof eventOutcome>[0], tenantId: string) =>
  ask(stack, async (client) => ({
    ...(await databaseOutcome(client, tenantId)),
    ...(await eventOutcome(nats, client, tenantId)),
  }));
