import { Migration } from '@mikro-orm/migrations';

/** How many rows and workflows the last comparison could not make agree. */
export class Migration20261128195800_comparison_failures extends Migration {
  override name = 'Migration20261128195800_comparison_failures';

  override up(): void {
    this.addSql(`alter table "workflow_comparison" add column "failed" int not null default 0;`);
  }

  override down(): void {
    this.addSql(`alter table "workflow_comparison" drop column "failed";`);
  }
}
