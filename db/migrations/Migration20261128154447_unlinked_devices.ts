import { Migration } from '@mikro-orm/migrations';

/** The index by which the oldest browsers of nobody are found. Subscribing goes on while it is built. */
export class Migration20261128154447_unlinked_devices extends Migration {
  override name = 'Migration20261128154447_unlinked_devices';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // A build that was interrupted leaves an invalid index.
    this.addSql(`drop index concurrently if exists "push_subscriptions_unlinked_idx";`);
    this.addSql(
      `create index concurrently "push_subscriptions_unlinked_idx" on "push_subscriptions" ("tenant_id", "site_id", "updated_at", "id") where contact_id is null and site_id is not null;`,
    );
  }

  override down(): void {
    this.addSql(`drop index concurrently if exists "push_subscriptions_unlinked_idx";`);
  }
}
