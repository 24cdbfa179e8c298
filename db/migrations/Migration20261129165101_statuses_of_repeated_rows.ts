import { Migration } from '@mikro-orm/migrations';

/** An import remembers that an earlier row of a repeated address opted it out. */
export class Migration20261129165101_statuses_of_repeated_rows extends Migration {
  override name = 'Migration20261129165101_statuses_of_repeated_rows';

  override up(): void {
    this.addSql(`alter table "contact_import_keys" add "status" text null;`);
  }

  override down(): void {
    this.addSql(`alter table "contact_import_keys" drop column "status";`);
  }
}
