import { parseArgs } from 'node:util';
import { createDeps } from '../../runtime/deps.ts';
import { readEnv } from '../../config/env.ts';
import { tenantEm } from '../../db/orm.ts';
import { asService } from '../../domain/audit/audit.ts';
import { startUndo } from '../../domain/contacts/import/undo-import.ts';
import { ensureStreams } from '../../transport/streams.ts';
import { seededRandom } from '../demo/random.ts';
import { pause } from '../process.ts';
import { ask, say, startImport, untilOver } from './import-steps.ts';
import { startMortalStack, type MortalStack } from './mortal-stack.ts';

const TENANT = 'undo';
/** The number of new contacts, and of old ones, that are changed between the import and its undo. */
const CHANGED = 5;

function makeFile(from: number, to: number, jobTitle: string, company: string): Buffer {
  const lines = Array.from(
    { length: to - from },
    (_, n) =>
      `Given${from + n},Family${n % 1009},p${from + n}@example.com,${jobTitle},${n % 7 === 0 ? `${company} ${n % 300}` : ''}`,
  );
  return Buffer.from(`firstName,lastName,email,jobTitle,company\n${lines.join('\n')}\n`);
}

/**
 * Imports `rows` rows over half as many contacts, changes a few, and undoes the import while its worker and Postgres
 * are killed with kill -9. Returns true if the table is as before except for what was changed, which must be listed.
 */
export async function undoFaults(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      rows: { type: 'string', default: '100000' },
      kills: { type: 'string', default: '4' },
      seed: { type: 'string', default: '1' },
    },
  });
  const [rows, kills] = [Number(values.rows), Number(values.kills)];
  const random = seededRandom(Number(values.seed));
  const stack = await startMortalStack(say);
  const deps = await createDeps(readEnv(stack.env), 'faults');
  try {
    await ensureStreams(deps.nats.jsm, deps.env);
    stack.startWorker();
    await startImport(deps, TENANT, makeFile(0, rows / 2, 'Baker', 'Old Mills'));
    await untilOver(stack, TENANT);
    const before = await state(stack, rows);
    const importId = await startImport(deps, TENANT, makeFile(0, rows, 'Miller', 'New Mills'));
    await untilOver(stack, TENANT);
    await ask(stack, (client) =>
      client.query(
        `
      update contacts set last_name = 'Since', version = version + 1
      where email_key = any(select 'p' || n || '@example.com' from unnest($1::int[]) n)`,
        [changed(rows)],
      ),
    );
    await startUndo(tenantEm(deps.orm, TENANT), asService(TENANT), importId);
    const begin = performance.now();
    for (let kill = 1; kill <= kills; kill += 1) {
      await pause(1_000 + random() * 3_000);
      if (kill % 2 === 0) await stack.killPostgres(async () => {});
      else await stack.killWorker().then(stack.startWorker);
      say(`kill ${kill}, of ${kill % 2 === 0 ? 'Postgres' : 'the worker'}`);
    }
    await untilOver(stack, TENANT, 'UNDONE');
    say(`undone in ${((performance.now() - begin) / 1000).toFixed(1)} s`);
    const after = await state(stack, rows);
    const figures = await ask(
      stack,
      async (client) =>
        (
          await client.query<{ undo: object; kept: number }>(
            `
      select undo, (select count(*)::int from contact_import_kept k join contacts c on c.id = k.contact_id
        where k.import_id = i.id and k.reason = 'changed_since' and c.last_name = 'Since') as kept from contact_imports i where id = $1`,
            [importId],
          )
        ).rows[0]!,
    );
    say(JSON.stringify({ before, after, ...figures }, null, 2));
    const half = rows / 2 - CHANGED;
    const expected = { kept: 2 * CHANGED, removed: half, restored: half };
    const same =
      JSON.stringify(before) === JSON.stringify(after) &&
      figures.kept === 2 * CHANGED &&
      Object.entries(expected).every(([name, n]) => (figures.undo as Record<string, number>)[name] === n);
    say(same ? 'the table is as before, but for what was changed since' : 'the table is NOT as before');
    return same;
  } finally {
    await deps.close();
    await stack.stop();
  }
}

/** The numbers of the contacts that are changed: the first of the old ones and of the new ones. */
const changed = (rows: number): number[] => Array.from({ length: CHANGED }, (_, n) => [n, rows / 2 + n]).flat();

/**
 * All contacts that were not changed, without version and time of change, and the companies that the changed ones do
 * not keep.
 */
const state = (stack: MortalStack, rows: number): Promise<string[]> =>
  ask(stack, async (client) => {
    const spared = `select 'p' || n || '@example.com' from unnest($1::int[]) n`;
    const { rows: found } = await client.query<{ sum: string }>(
      `
    select count(*) || ' ' || md5(string_agg((to_jsonb(c) - 'version' - 'updated_at')::text, ',' order by id)) as sum from contacts c where email_key <> all(${spared})
    union all
    select count(*) || ' ' || md5(string_agg(to_jsonb(k)::text, ',' order by id)) from companies k
      where not exists (select 1 from contacts c where c.company_id = k.id and c.email_key = any(${spared}) and c.job_title = 'Miller')`,
      [changed(rows)],
    );
    return found.map(({ sum }) => sum).sort();
  });
