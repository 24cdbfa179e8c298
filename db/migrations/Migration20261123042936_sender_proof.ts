import { Migration } from '@mikro-orm/migrations';

/** Senders are their tenant's by proof: what a sender had before proves it only where it can not be another tenant's. */
export class Migration20261123042936_sender_proof extends Migration {
  override name = 'Migration20261123042936_sender_proof';

  override up(): void {
    this.addSql(
      `create table "sender_confirmations" ("id" uuid not null, "tenant_id" varchar(50) not null, "sender_id" bigint not null, "address_digest" varchar(64) not null, "token_hash" text not null, "expires_at" timestamptz(3) not null, "used_at" timestamptz(3) null, "created_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(
      `create index "sender_confirmations_tenant_idx" on "sender_confirmations" ("tenant_id", "created_at");`,
    );

    this.addSql(
      `alter table "email_senders" add "dkim_brought" boolean not null default false, add "verified_domain" varchar(255) null, add "confirmed_at" timestamptz(3) null;`,
    );

    this.addSql(`alter table "sender_confirmations" enable row level security;`);
    this.addSql(`alter table "sender_confirmations" force row level security;`);
    this.addSql(
      `create policy "tenant" on "sender_confirmations" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(
      `create policy "engine" on "sender_confirmations" to "perennial_engine" using (true) with check (true);`,
    );
    this.addSql(`grant select, insert, update, delete on sender_confirmations to perennial_app, perennial_engine;`);

    // A record proves the domain, unless another tenant has the very key: then it says nothing of whose it is.
    this.addSql(`
      update email_senders s set dkim_brought = true, dkim_verified_at = null
      where exists (select 1 from email_senders o where o.dkim_public_key = s.dkim_public_key and o.tenant_id <> s.tenant_id);`);
    this.addSql(`update email_senders set verified_domain = dkim_domain where dkim_verified_at is not null;`);
    // Where there is one tenant there is nobody to take an address from: what it mails from goes on, and the log says why.
    this.addSql(`
      insert into email_senders (tenant_id, email, email_key)
      select distinct on (tenant_id, lower(from_email)) tenant_id, from_email, lower(from_email) from email_templates t
      where system_key is null and from_email ~ '^[!-~]+@[A-Za-z0-9.-]+$' and tenant_id in (select tenant_id from users) and (select count(distinct tenant_id) from users) = 1
      order by tenant_id, lower(from_email), id
      on conflict (tenant_id, email_key) do nothing;`);
    this.addSql(`
      with confirmed as (
        update email_senders set confirmed_at = now()
        where tenant_id in (select tenant_id from users) and (select count(distinct tenant_id) from users) = 1
        returning tenant_id, id
      )
      insert into audit_log (tenant_id, actor_type, action, resource_type, resource_id, after)
      select tenant_id, 'system', 'email_sender.confirmed', 'email_sender', id, '{"by": "upgrade"}' from confirmed;`);
  }
}
