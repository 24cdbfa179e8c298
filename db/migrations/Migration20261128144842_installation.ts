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
    // As the owner: others may not set a sequence, and this one only raises.
    this.addSql(`
      create function raise_sequences(beyond jsonb, margin bigint) returns int
      language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      declare
        one record;
        raised int := 0;
      begin
        for one in select c.oid, coalesce((beyond ->> c.relname)::bigint, 0) + margin as target from pg_class c
          where c.relnamespace = 'public'::regnamespace and c.relkind = 'S' and c.relname <> 'mikro_orm_migrations_id_seq'
        loop
          if coalesce(pg_sequence_last_value(one.oid), 0) < one.target then
            perform setval(one.oid, one.target);
            raised := raised + 1;
          end if;
        end loop;
        return raised;
      end $$;`);
    this.addSql(`grant execute on function raise_sequences(jsonb, bigint) to perennial_engine;`);
    this.addSql(`alter table "email_campaigns" add "restored_run" int null;`);
  }

  override down(): void {
    this.addSql(`alter table "email_campaigns" drop column "restored_run";`);
    this.addSql(`drop function raise_sequences(jsonb, bigint);`);
    this.addSql(`drop table if exists "installation" cascade;`);
  }
}
