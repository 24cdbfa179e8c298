import { Migration } from '@mikro-orm/migrations';

/** The addresses that contacts had before, from now on. */
export class Migration20261128090000_former_addresses extends Migration {
  override name = 'Migration20261128090000_former_addresses';

  override up(): void {
    this.addSql(
      `create table "former_addresses" ("tenant_id" varchar(50) not null, "contact_id" bigint not null, "address" varchar(255) not null, "left_at" timestamptz(3) not null default now(), primary key ("tenant_id", "contact_id", "address"));`,
    );
    this.addSql(
      `alter table "former_addresses" add constraint "former_addresses_contact_fkey" foreign key (tenant_id, contact_id) references contacts (tenant_id, id) on delete cascade;`,
    );
    this.addSql(`alter table "former_addresses" enable row level security;`);
    this.addSql(`alter table "former_addresses" force row level security;`);
    this.addSql(
      `create policy "tenant" on "former_addresses" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "former_addresses" to "perennial_engine" using (true) with check (true);`);
    this.addSql(`grant select, insert, update, delete on "former_addresses" to perennial_app, perennial_engine;`);
    // A trigger, because requests, imports, undone imports and steps change addresses, each by a statement of its own.
    this.addSql(`
      create function keep_former_addresses() returns trigger language plpgsql as $$
      begin
        insert into former_addresses (tenant_id, contact_id, address)
        select old.tenant_id, old.id, a.address
        from (values (old.email, old.email_key <> new.email_key), (old.phone_e164, old.phone_e164 is distinct from new.phone_e164)) a(address, is_former)
        where a.is_former and a.address is not null
        on conflict (tenant_id, contact_id, address) do update set left_at = excluded.left_at;
        return null;
      end $$;`);
    // The condition is here, so that nothing is called for contacts that keep their addresses.
    this.addSql(`
      create trigger keep_former_addresses after update of email_key, phone_e164 on contacts for each row
      when (old.email_key <> new.email_key or old.phone_e164 is not null and old.phone_e164 is distinct from new.phone_e164)
      execute function keep_former_addresses();`);
  }

  override down(): void {
    this.addSql(`drop trigger keep_former_addresses on contacts;`);
    this.addSql(`drop function keep_former_addresses();`);
    this.addSql(`drop table "former_addresses";`);
  }
}
