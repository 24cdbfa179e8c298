import { Migration } from '@mikro-orm/migrations';

/** Submissions go on while the index is built. */
export class Migration20261125070010_submission_keys_index extends Migration {
  override name = 'Migration20261125070010_submission_keys_index';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // A build that was interrupted leaves an invalid index.
    this.addSql(`drop index concurrently if exists "form_submissions_request_key";`);
    this.addSql(
      `create unique index concurrently "form_submissions_request_key" on "form_submissions" ("tenant_id", "request_key") where request_key is not null;`,
    );
    // Of a database that was migrated between releases.
    this.addSql(
      `alter table "form_submissions" drop constraint if exists "form_submissions_tenant_id_request_key_key";`,
    );
  }

  override down(): void {
    this.addSql(`drop index concurrently if exists "form_submissions_request_key";`);
  }
}
