import { readdir, readFile } from 'node:fs/promises';
import type { Started } from './started.ts';

/** Clock ticks per second in /proc (proc_pid_stat(5)); the same on every Linux. */
const TICKS = 100;

/** What the processes have used and written since they started. */
interface Usage {
  /** CPU seconds by process name, with all child processes. */
  cpu: Map<string, number>;
  walBytes: number;
  transactions: number;
  /** Row versions written: inserts and updates. */
  rowVersions: number;
  /** Messages stored in JetStream. */
  messages: number;
  /** Messages delivered to consumers. */
  deliveries: number;
}

/** The CPU seconds of a process and all its children, dead ones included. */
async function treeSeconds(root: number): Promise<number> {
  const parents = new Map<number, number>();
  const used = new Map<number, number>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => null);
    if (stat === null) continue;
    // The process name may contain anything; it ends with the last parenthesis.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    parents.set(Number(name), Number(fields[1]));
    used.set(Number(name), fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS);
  }
  const belongs = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === root || belongs(parents.get(pid)));
  return [...used].reduce((sum, [pid, seconds]) => sum + (belongs(pid) ? seconds : 0), 0);
}

export async function readUsage({ processes, database, nats: { jsm } }: Started): Promise<Usage> {
  const cpu = new Map<string, number>();
  for (const { name, pid } of processes) cpu.set(name, (cpu.get(name) ?? 0) + (await treeSeconds(pid)));
  const { rows } = await database.query<{ wal: string; transactions: string; versions: string }>(`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text as wal,
      (select xact_commit::text from pg_stat_database where datname = current_database()) as transactions,
      (select sum(n_tup_ins + n_tup_upd)::text from pg_stat_user_tables) as versions`);
  let [messages, deliveries] = [0, 0];
  for (const { config, state } of await jsm.streams.list().next()) {
    messages += state.last_seq;
    for (const consumer of await jsm.consumers.list(config.name).next()) deliveries += consumer.delivered.consumer_seq;
  }
  return {
    cpu,
    walBytes: Number(rows[0]!.wal),
    transactions: Number(rows[0]!.transactions),
    rowVersions: Number(rows[0]!.versions),
    messages,
    deliveries,
  };
}

/** Prints what one unit of `count` has cost between two readings. */
export function printCosts(unit: string, count: number, before: Usage, after: Usage): void {
  const per = (key: Exclude<keyof Usage, 'cpu'>): number => (after[key] - before[key]) / count;
  const cpu = [...after.cpu]
    .map(([name, seconds]): [string, number] => [name, ((seconds - (before.cpu.get(name) ?? 0)) * 1000) / count])
    .filter(([, ms]) => ms >= 0.005);
  const total = cpu.reduce((sum, [, ms]) => sum + ms, 0);
  console.log(
    `  a ${unit} costs ${total.toFixed(2)} ms of CPU time (${cpu.map(([name, ms]) => `${name} ${ms.toFixed(2)}`).join(', ')}), ` +
      `${per('walBytes').toFixed(0)} bytes of WAL, ${per('rowVersions').toFixed(2)} row versions, ${per('transactions').toFixed(3)} transactions, ` +
      `${per('messages').toFixed(2)} messages, ${per('deliveries').toFixed(2)} deliveries`,
  );
}
