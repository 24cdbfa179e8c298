import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { connectTemporal } from '../../runtime/temporal.ts';
import { createClient } from '../demo/client.ts';
import { seededRandom } from '../demo/random.ts';
import { pause } from '../process.ts';
import { withClient } from '../stack/postgres.ts';
import { ADMIN, startParts } from './parts.ts';
import { beginCampaign, checkReconciled, untilSettled, type Reconciled } from './reconcile-outcome.ts';

const VICTIMS = ['worker', 'api', 'Temporal'];
/** How old the copy is to which Temporal is set back, at most. */
const COPY_EVERY_MS = 20_000;
const QUIET_MS = 120_000;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * Enrols contacts, imports, erases and merges at random moments while worker, API and Temporal are killed, Temporal's
 * file is set back to a copy of up to a minute ago, and once removed. Then, after two quiet minutes, compares rows,
 * workflows and the sink's log: see `checkReconciled`. Returns true if all is as promised.
 */
export async function reconcileFaults(args: string[], say = print): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      executions: { type: 'string', default: '2000' },
      kills: { type: 'string', default: '20' },
      'set-backs': { type: 'string', default: '3' },
      wipes: { type: 'string', default: '1' },
      seed: { type: 'string', default: '1' },
    },
  });
  const [executions, kills] = [Number(values.executions), Number(values.kills)];
  const random = seededRandom(Number(values.seed));
  const parts = await startParts({ senders: 1, connections: 20, inDoubt: 100, log: say });
  const file = join(parts.dataDir, 'temporal', 'temporal.db');
  const copies: { at: number; path: string }[] = [];
  let copying = true;
  const copy = async (): Promise<void> => {
    while (copying) {
      const path = `${file}.copy-${copies.length}`;
      const source = new DatabaseSync(file, { readOnly: true });
      await backup(source, path, { rate: 10_000_000 })
        .then(() => copies.push({ at: Date.now(), path }))
        .catch(() => {});
      source.close();
      for (let waited = 0; copying && waited < COPY_EVERY_MS; waited += 500) await pause(500);
    }
  };
  const without = async (): Promise<void> => {
    for (const ending of ['', '-wal', '-shm']) await rm(file + ending, { force: true });
  };
  const setBack = async (): Promise<void> => {
    const old = copies.filter(({ at }) => Date.now() - at > 5_000 && Date.now() - at < 60_000);
    const { at, path } = old[Math.floor(random() * old.length)] ?? copies.at(-1)!;
    await without();
    const source = new DatabaseSync(path, { readOnly: true });
    await backup(source, file);
    source.close();
    say(`Temporal is set back by ${((Date.now() - at) / 1000).toFixed(0)} s`);
  };
  const copied = copy();
  try {
    return await withClient(parts.ownerUrl, async (owner) => {
      const { accessToken } = await createClient(parts.url).call('POST', '/auth/login', ADMIN);
      const client = createClient(parts.url, accessToken as string);
      const temporal = await connectTemporal(parts.env['TEMPORAL_ADDRESS']!, 'default');
      try {
        const run: Reconciled = { parts, client, owner, temporal, executions, kills, say };
        const { done } = await beginCampaign(run, random);
        // Awaited below, after the faults.
        done.catch(() => {});
        // Faults at random among the kills: each is one of Temporal with something done to its file.
        const all = kills + Number(values['set-backs']) + Number(values.wipes);
        const order = Array.from({ length: all }, (_, n) => ({
          fault: n < kills ? VICTIMS[n % VICTIMS.length]! : n < all - Number(values.wipes) ? 'set back' : 'wipe',
          // What is lost has to be there first.
          at: n < kills ? random() : 0.3 + 0.7 * random(),
        })).sort((a, b) => a.at - b.at);
        for (const [n, { fault }] of order.entries()) {
          await pause(2_000 + random() * 8_000);
          if (fault === 'set back') await parts.part('Temporal').kill(setBack);
          else if (fault === 'wipe') await parts.part('Temporal').kill(without);
          else await parts.part(fault).kill();
          say(`fault ${n + 1} of ${all}: ${fault}`);
        }
        await done;
        const begun = Date.now();
        const settled = await untilSettled(run);
        say(
          `${settled ? 'settled' : 'nothing moved any more'} ${((Date.now() - begun) / 1000).toFixed(0)} s after the last fault`,
        );
        await pause(QUIET_MS);
        return await checkReconciled(run);
      } finally {
        await temporal.connection.close();
      }
    });
  } finally {
    copying = false;
    await copied;
    await parts.stop();
  }
}
