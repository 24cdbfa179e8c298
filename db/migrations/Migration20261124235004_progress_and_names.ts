import { Migration } from '@mikro-orm/migrations';

/** How many workflows a stop had to close, and the names of what a published definition refers to. */
export class Migration20261124235004_progress_and_names extends Migration {
  override name = 'Migration20261124235004_progress_and_names';

  override up(): void {
    this.addSql(`alter table "campaigns" add "closing_total" int null;`);
    this.addSql(`alter table "campaign_versions" add "names" jsonb null;`);
  }

  override down(): void {
    this.addSql(`alter table "campaign_versions" drop column "names";`);
    this.addSql(`alter table "campaigns" drop column "closing_total";`);
  }
}
