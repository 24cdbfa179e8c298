import { Migration } from '@mikro-orm/migrations';

/** Pages through the running executions of all tenants. */
export class Migration20261128150507_running_executions extends Migration {
  override name = 'Migration20261128150507_running_executions';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // What a build that was interrupted left behind.
    this.addSql(`drop index concurrently if exists "campaign_executions_running_idx";`);
    this.addSql(
      `create index concurrently "campaign_executions_running_idx" on "campaign_executions" ("id") where status = 'RUNNING';`,
    );
  }

  override down(): void {
    this.addSql(`drop index concurrently if exists "campaign_executions_running_idx";`);
  }
}
