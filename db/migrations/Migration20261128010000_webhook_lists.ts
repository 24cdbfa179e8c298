import { setTimeout as delay } from 'node:timers/promises';
import { Migration } from '@mikro-orm/migrations';
import { pgError } from '../errors.ts';

const LOCK_TIMEOUT = '2s';
const LOCK_NOT_AVAILABLE = '55P03';
const PAUSE_MS = 3_000;
const MOST_TRIES = 100;

/** By table: what an index is about. No success changes one: it has no reason, and its event stays what it is. */
const INDEXES = {
  webhook_events_tenant_idx: ['webhook_events', '(tenant_id)'],
  webhook_deliveries_failed_idx: ['webhook_deliveries', '(endpoint_id, sequence) where reason is not null'],
  // Deliveries are written in the order of their events.
  webhook_deliveries_event_idx: [
    'webhook_deliveries',
    'using brin (event) with (pages_per_range = 32, autosummarize = on)',
  ],
} as const;

/** Finds the events of a tenant for an erasure, their deliveries, and the deliveries that failed. */
export class Migration20261128010000_webhook_lists extends Migration {
  override name = 'Migration20261128010000_webhook_lists';

  override isTransactional(): boolean {
    return false;
  }

  override async up(): Promise<void> {
    for (const [index, [table, definition]] of Object.entries(INDEXES)) {
      // Partitions that are made from now on have it; the others get it one by one, while they are written to.
      await this.#patiently(`create index if not exists "${index}" on only "${table}" ${definition};`);
      const without = await this.execute(`
        select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'public.${table}'::regclass and not exists (
          select 1 from pg_inherits a join pg_index x on x.indexrelid = a.inhrelid
          where a.inhparent = 'public.${index}'::regclass and x.indrelid = c.oid)
        order by c.relname`);
      for (const { name } of without as { name: string }[]) {
        const its = name + index.slice(table.length);
        // A build that was interrupted leaves an invalid index.
        await this.execute(`drop index concurrently if exists "${its}";`);
        await this.execute(`create index concurrently "${its}" on "${name}" ${definition};`);
        await this.#patiently(`alter index "${index}" attach partition "${its}";`);
      }
    }
  }

  /**
   * Runs a statement that locks a table or index for a moment. It waits for all who write, for example an erasure, and
   * all others wait behind it: so it gives up soon, lets them pass, and tries again.
   */
  async #patiently(statement: string): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        // One statement, because each may have another connection.
        await this.execute(
          `do $do$ begin perform set_config('lock_timeout', '${LOCK_TIMEOUT}', true); ${statement} end $do$;`,
        );
        return;
      } catch (error) {
        if (tries === MOST_TRIES || pgError(error)?.code !== LOCK_NOT_AVAILABLE) throw error;
        await delay(PAUSE_MS);
      }
    }
  }

  override down(): void {
    for (const index of Object.keys(INDEXES)) this.addSql(`drop index if exists "${index}";`);
  }
}
