import { Migration } from '@mikro-orm/migrations';

/** The generation of this installation, of which JetStream and Temporal keep copies. */
export class Migration20261128144842_installation extends Migration {
  override name = 'Migration20261128144842_installation';

  override up(): void {
    this.addSql(
      `create table "installation" ("one" boolean not null default true, "id" uuid not null default gen_random_uuid(), "counter" bigint not null default '1', "moved_at" timestamptz(3) not null default now(), "highest" jsonb not null default '{}', "made_at" timestamptz(3) not null default now(), "restored_at" timestamptz(3) null, primary key ("one"));`,
    );
    this.addSql(`alter table "installation" add constraint "installation_one_row" check (one);`);
    this.addSql(`alter table "installation" enable row level security;`);
    this.addSql(`alter table "installation" force row level security;`);
    this.addSql(`create policy "engine" on "installation" to "perennial_engine" using (true) with check (true);`);
    this.addSql(`grant select, insert, update, delete on "installation" to perennial_engine;`);
    this.addSql(`insert into "installation" default values;`);
  }

  override down(): void {
    this.addSql(`drop table if exists "installation" cascade;`);
  }
}
