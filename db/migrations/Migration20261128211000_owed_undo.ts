import { Migration } from '@mikro-orm/migrations';

/** What is left to undo of contacts that were kept, and when an undo deleted a company. */
export class Migration20261128211000_owed_undo extends Migration {
  override name = 'Migration20261128211000_owed_undo';

  override up(): void {
    this.addSql(
      `alter table "undone_companies" alter column "name" drop not null, alter column "name_key" drop not null, add column "deleted_at" timestamptz(3) null;`,
    );
    // A database that was migrated between releases has the column already.
    this.addSql(`alter table "contact_import_kept" add column if not exists "owed" jsonb null;`);
  }

  override down(): void {
    this.addSql(`delete from "undone_companies";`);
    this.addSql(
      `alter table "undone_companies" drop column "deleted_at", alter column "name" set not null, alter column "name_key" set not null;`,
    );
    this.addSql(`alter table "contact_import_kept" drop column "owed";`);
  }
}
