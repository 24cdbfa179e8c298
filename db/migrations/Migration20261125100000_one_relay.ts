import { Migration } from '@mikro-orm/migrations';

/** One process relays all events, in the order of their ids: rows have no shard any more. */
export class Migration20261125100000_one_relay extends Migration {
  override name = 'Migration20261125100000_one_relay';

  override up(): void {
    this.addSql(`alter table "outbox_events" alter column "shard" set default 0;`);
    this.addSql(`drop index "outbox_events_shard_idx";`);
  }

  override down(): void {
    this.addSql(`create index "outbox_events_shard_idx" on "outbox_events" ("shard", "id");`);
    this.addSql(`alter table "outbox_events" alter column "shard" drop default;`);
  }
}
