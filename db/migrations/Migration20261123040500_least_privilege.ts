import { Migration } from '@mikro-orm/migrations';

/** Whoever calls a function that runs as the owner has no say in what its names mean, and nobody has more than is needed. */
export class Migration20261123040500_least_privilege extends Migration {
  override name = 'Migration20261123040500_least_privilege';

  override up(): void {
    // Where pg_temp is not named, it is searched first: a caller's own type `text`, with a check on it, ran as the owner.
    this.addSql(`
      create or replace function ensure_inbox_partition(wanted date) returns void
      language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      declare name text := 'inbox_' || to_char(wanted, 'YYYYMMDD');
      begin
        if to_regclass('public.' || name) is null then
          perform pg_advisory_xact_lock(hashtext('inbox-partitions'));
          if to_regclass('public.' || name) is null then
            execute format('create table public.%I partition of public.inbox for values from (%L) to (%L)', name, wanted, wanted + 1);
          end if;
        end if;
      end $$;`);
    this.addSql(`
      create or replace function drop_inbox_partitions(before date) returns int
      language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      declare part regclass; dropped int := 0;
      begin
        for part in select c.oid from pg_inherits i join pg_class c on c.oid = i.inhrelid
          where i.inhparent = 'public.inbox'::regclass and c.relname ~ '^inbox_[0-9]{8}$' and to_date(right(c.relname, 8), 'YYYYMMDD') < before
        loop
          execute format('drop table %s', part);
          dropped := dropped + 1;
        end loop;
        return dropped;
      end $$;`);
    // Both are called in sessions of a tenant alone.
    this.addSql(`revoke execute on function search_contacts(text, int), analyze_people() from perennial_engine;`);
    // A function that a later migration makes is nobody's until it is granted. (For a schema alone this can not be said.)
    this.addSql(`alter default privileges revoke execute on functions from public;`);
    // So it is of itself since Postgres 15, but not in a database that is older.
    this.addSql(`revoke create on schema public from public;`);
    // Row security hides them from a tenant's session anyway.
    this.addSql(`revoke all on bounce_mailboxes, email_providers, email_provider_rates from perennial_app;`);
    this.addSql(`revoke all on sequence mikro_orm_migrations_id_seq from perennial_app, perennial_engine;`);
  }
}
