import { Migration } from '@mikro-orm/migrations';

/** Finds what is left to undo of a contact. */
export class Migration20261128211010_owed_undo_index extends Migration {
  override name = 'Migration20261128211010_owed_undo_index';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // What a build that was interrupted left behind.
    this.addSql(`drop index concurrently if exists "contact_import_kept_owed_idx";`);
    this.addSql(
      `create index concurrently "contact_import_kept_owed_idx" on "contact_import_kept" ("tenant_id", "contact_id") where owed is not null;`,
    );
  }

  override down(): void {
    this.addSql(`drop index concurrently if exists "contact_import_kept_owed_idx";`);
  }
}
