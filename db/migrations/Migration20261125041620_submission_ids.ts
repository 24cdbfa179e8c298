import { Migration } from '@mikro-orm/migrations';

/** The index of the key by which files refer to their submission. Submissions go on while it is built. */
export class Migration20261125041620_submission_ids extends Migration {
  override name = 'Migration20261125041620_submission_ids';

  override isTransactional(): boolean {
    return false;
  }

  override async up(): Promise<void> {
    // A database that was migrated between releases has the constraint already.
    const made = await this.execute(`select 1 from pg_constraint where conname = 'form_submissions_tenant_id_id_key'`);
    if (made.length > 0) return;
    // A build that was interrupted leaves an invalid index.
    this.addSql(`drop index concurrently if exists "form_submissions_tenant_id_id_key";`);
    this.addSql(
      `create unique index concurrently "form_submissions_tenant_id_id_key" on "form_submissions" ("tenant_id", "id");`,
    );
  }

  override down(): void {
    this.addSql(`drop index concurrently if exists "form_submissions_tenant_id_id_key";`);
  }
}
