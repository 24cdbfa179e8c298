import { Migration } from '@mikro-orm/migrations';

/** The index of the migration before becomes the primary key. */
export class Migration20261125203103_members_key extends Migration {
  override name = 'Migration20261125203103_members_key';

  override up(): void {
    this.addSql(`
      alter table "segment_members" drop constraint "segment_members_pkey",
        add constraint "segment_members_pkey" primary key using index "segment_members_timed_pkey";`);
  }

  override down(): void {
    this.addSql(`
      alter table "segment_members" drop constraint "segment_members_pkey",
        add constraint "segment_members_pkey" primary key ("tenant_id", "segment_id", "contact_id");`);
  }
}
