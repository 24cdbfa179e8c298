import { Migration } from '@mikro-orm/migrations';

/** Warnings of imports. Rows without names can create contacts, so the last row with names need not be known. */
export class Migration20261128230000_import_warnings extends Migration {
  override name = 'Migration20261128230000_import_warnings';

  override up(): void {
    this.addSql(`alter table "contact_imports" add column "warnings" jsonb not null default '[]';`);
    this.addSql(`alter table "contact_import_keys" drop column "complete_row";`);
  }

  override down(): void {
    this.addSql(`alter table "contact_import_keys" add column "complete_row" int null;`);
    this.addSql(`alter table "contact_imports" drop column "warnings";`);
  }
}
