import { Migration } from '@mikro-orm/migrations';

/** Jobs of a tenant take turns: they wait in the outbox, and stay there until they have ended. */
export class Migration20261128150904_job_turns extends Migration {
  override name = 'Migration20261128150904_job_turns';

  override up(): void | Promise<void> {
    this.addSql(
      `alter table "outbox_workflows" add "is_job" boolean not null default false, add "started_at" timestamptz(3) null;`,
    );
    this.addSql(
      `create index "outbox_workflows_jobs_idx" on "outbox_workflows" ("tenant_id", "workflow_type", "id") where is_job;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "outbox_workflows_jobs_idx";`);
    this.addSql(`alter table "outbox_workflows" drop column "is_job", drop column "started_at";`);
  }
}
