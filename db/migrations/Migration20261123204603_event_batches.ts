import { Migration } from '@mikro-orm/migrations';

/** A row of the outbox is a batch with an id of its own; rows that are already there get one. */
export class Migration20261123204603_event_batches extends Migration {
  override name = 'Migration20261123204603_event_batches';

  override up(): void {
    this.addSql(`alter table "outbox_events" add "batch_id" uuid not null default gen_random_uuid();`);
  }

  override down(): void {
    this.addSql(`alter table "outbox_events" drop column "batch_id";`);
  }
}
