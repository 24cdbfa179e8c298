import { Migration } from '@mikro-orm/migrations';

/** The primary key of members, with the time, so that their number over time is read from the index alone. */
export class Migration20261125203102_members_index extends Migration {
  override name = 'Migration20261125203102_members_index';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // A build that was interrupted leaves an invalid index.
    this.addSql(`drop index concurrently if exists "segment_members_timed_pkey";`);
    this.addSql(
      `create unique index concurrently "segment_members_timed_pkey" on "segment_members" ("tenant_id", "segment_id", "contact_id") include ("added_at");`,
    );
  }

  override down(): void {
    this.addSql(`drop index concurrently if exists "segment_members_timed_pkey";`);
  }
}
