import { Migration } from '@mikro-orm/migrations';

/** What the last comparison of rows with workflows found. */
export class Migration20261128150506_workflow_comparison extends Migration {
  override name = 'Migration20261128150506_workflow_comparison';

  override up(): void {
    this.addSql(
      `create table "workflow_comparison" ("id" smallint not null default 1, "started" int not null default 0, "ended" int not null default 0, "woken" int not null default 0, "finished_at" timestamptz(3) null, "due_at" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`alter table "workflow_comparison" add constraint "workflow_comparison_one" check (id = 1);`);
    this.addSql(`alter table "workflow_comparison" enable row level security;`);
    this.addSql(`alter table "workflow_comparison" force row level security;`);
    this.addSql(
      `create policy "engine" on "workflow_comparison" to "perennial_engine" using (true) with check (true);`,
    );
    this.addSql(`grant select, insert, update, delete on "workflow_comparison" to perennial_engine;`);
    // The workers of this release, which compare, are started within the hour.
    this.addSql(`insert into "workflow_comparison" ("due_at") values (now() + interval '1 hour');`);
  }

  override down(): void {
    this.addSql(`drop table "workflow_comparison";`);
  }
}
