import { Migration } from '@mikro-orm/migrations';

/** Templates say whether their emails may be rendered on an event loop. Null: nobody has judged it. */
export class Migration20261129131644_judged_templates extends Migration {
  override name = 'Migration20261129131644_judged_templates';

  override up(): void {
    this.addSql(`alter table "email_template_versions" add "judged" jsonb null;`);
  }

  override down(): void {
    this.addSql(`alter table "email_template_versions" drop column "judged";`);
  }
}
