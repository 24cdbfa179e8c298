import { Migration } from '@mikro-orm/migrations';

/** The relay takes the events of each tenant in turn. The outbox is short, so this does not take long. */
export class Migration20261127215514_outbox_by_tenant extends Migration {
  override name = 'Migration20261127215514_outbox_by_tenant';

  override up(): void {
    this.addSql(
      `alter table "outbox_events" drop constraint "outbox_events_pkey", add primary key ("tenant_id", "id");`,
    );
  }

  override down(): void {
    this.addSql(`alter table "outbox_events" drop constraint "outbox_events_pkey", add primary key ("id");`);
  }
}
