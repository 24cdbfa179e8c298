import { Migration } from '@mikro-orm/migrations';

/** Finds the messages of a tenant that were not sent or not delivered. */
export class Migration20261128012000_message_reasons extends Migration {
  override name = 'Migration20261128012000_message_reasons';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // A build that was interrupted leaves an invalid index.
    this.addSql(`drop index concurrently if exists "messages_reason_idx";`);
    this.addSql(
      `create index concurrently "messages_reason_idx" on "messages" ("tenant_id", "id") where reason is not null;`,
    );
  }

  override down(): void {
    this.addSql(`drop index concurrently if exists "messages_reason_idx";`);
  }
}
