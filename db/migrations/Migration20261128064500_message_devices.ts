import { Migration } from '@mikro-orm/migrations';

/** Finds the pushes to a device that has no contact. */
export class Migration20261128064500_message_devices extends Migration {
  override name = 'Migration20261128064500_message_devices';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // A build that was interrupted leaves an invalid index.
    this.addSql(`drop index concurrently if exists "messages_device_idx";`);
    this.addSql(
      `create index concurrently "messages_device_idx" on "messages" ("tenant_id", "subscription_id") where contact_id is null and subscription_id is not null;`,
    );
  }

  override down(): void {
    this.addSql(`drop index concurrently if exists "messages_device_idx";`);
  }
}
