import { Migration } from '@mikro-orm/migrations';

/** The emails that need the file of a run. */
export class Migration20261125163000_report_emails extends Migration {
  override name = 'Migration20261125163000_report_emails';

  override up(): void {
    this.addSql(`alter table "analytics_report_runs" add "email_ids" bigint[] null;`);
  }

  override down(): void {
    this.addSql(`alter table "analytics_report_runs" drop column "email_ids";`);
  }
}
