import { Migration } from '@mikro-orm/migrations';

/** A submission that a browser sends again is the same submission. */
export class Migration20261125070000_submission_keys extends Migration {
  override name = 'Migration20261125070000_submission_keys';

  override up(): void {
    this.addSql(`alter table "form_submissions" add column "request_key" uuid null;`);
  }

  override down(): void {
    this.addSql(`alter table "form_submissions" drop column "request_key";`);
  }
}
