import { Migration } from '@mikro-orm/migrations';

const TENANT_TABLES = ['webhook_endpoints', 'webhook_health', 'webhook_lanes', 'webhook_replays', 'webhook_tenants'];

/** Endpoints that other systems are told of events at, what they are told, and the attempts. */
export class Migration20261125210614_webhooks extends Migration {
  override name = 'Migration20261125210614_webhooks';

  override up(): void {
    this.addSql(
      `create table "webhook_endpoints" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "name" varchar(255) not null, "url" text not null, "types" text[] not null, "filter" jsonb null, "format" text not null default 'standard', "signature" text not null default 'v1', "ordering" text not null default 'none', "include" text[] not null default '{}', "headers" jsonb not null default '{}', "max_in_flight" int not null default 5, "timeout_ms" int not null default 15000, "active" boolean not null default true, "disabled_reason" text null, "disabled_at" timestamptz(3) null, "key" text not null, "previous_key" text null, "previous_expires_at" timestamptz(3) null, "public_key" text null, "version" int not null default 1, "created_at" timestamptz(3) not null default now(), "updated_at" timestamptz(3) not null default now());`,
    );
    this.addSql(
      `alter table "webhook_endpoints" add constraint "webhook_endpoints_tenant_id_id_key" unique ("tenant_id", "id");`,
    );

    this.addSql(
      `create table "webhook_health" ("tenant_id" varchar(50) not null, "endpoint_id" bigint not null, "last_success_at" timestamptz(3) null, "failures" int not null default 0, "failing_since" timestamptz(3) null, "slow" boolean not null default false, primary key ("tenant_id", "endpoint_id"));`,
    );

    this.addSql(
      `create table "webhook_lanes" ("tenant_id" varchar(50) not null, "endpoint_id" bigint not null, "last_sequence" bigint not null default '0', "last_at" timestamptz(3) null, "cursor" bigint not null default '0', "cursor_day" date null, "active" boolean not null default true, "due_at" timestamptz(3) null, "holder" varchar(50) null, "nudges" int not null default 0, "hurried_at" timestamptz(3) null, "deleted_at" timestamptz(3) null, primary key ("tenant_id", "endpoint_id"));`,
    );
    this.addSql(
      `create index "webhook_lanes_due_idx" on "webhook_lanes" ("tenant_id", "due_at") where due_at is not null;`,
    );
    this.addSql(
      `create index "webhook_lanes_deleted_idx" on "webhook_lanes" ("endpoint_id") where deleted_at is not null;`,
    );

    this.addSql(
      `create table "webhook_replays" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "endpoint_id" bigint not null, "from_at" timestamptz(3) not null, "to_at" timestamptz(3) not null, "types" text[] null, "only" text not null, "status" text not null default 'RUNNING', "cursor" bigint not null default '0', "up_to" bigint not null, "examined" int not null default 0, "replayed" int not null default 0, "workflow_id" text not null, "created_at" timestamptz(3) not null default now(), "finished_at" timestamptz(3) null);`,
    );
    this.addSql(
      `alter table "webhook_replays" add constraint "webhook_replays_tenant_id_id_key" unique ("tenant_id", "id");`,
    );
    this.addSql(
      `create unique index "webhook_replays_running_key" on "webhook_replays" ("tenant_id", "endpoint_id") where status = 'RUNNING';`,
    );

    this.addSql(
      `create table "webhook_tenants" ("tenant_id" varchar(50) not null, "version" bigint not null default '1', primary key ("tenant_id"));`,
    );

    this.addSql(
      `alter table "webhook_endpoints" add constraint "webhook_endpoints_format_check" check ("format" in ('standard', 'cloudevents'));`,
    );
    this.addSql(
      `alter table "webhook_endpoints" add constraint "webhook_endpoints_signature_check" check ("signature" in ('v1', 'v1a'));`,
    );
    this.addSql(
      `alter table "webhook_endpoints" add constraint "webhook_endpoints_ordering_check" check ("ordering" in ('none', 'contact'));`,
    );
    this.addSql(
      `alter table "webhook_endpoints" add constraint "webhook_endpoints_disabled_reason_check" check ("disabled_reason" in ('manual', 'gone', 'failing'));`,
    );

    this.addSql(
      `alter table "webhook_replays" add constraint "webhook_replays_only_check" check ("only" in ('failed', 'held', 'all'));`,
    );
    this.addSql(
      `alter table "webhook_replays" add constraint "webhook_replays_status_check" check ("status" in ('RUNNING', 'COMPLETED'));`,
    );
    for (const table of ['webhook_health', 'webhook_replays']) {
      this.addSql(
        `alter table "${table}" add constraint "${table}_endpoint_id_fkey" foreign key (tenant_id, endpoint_id) references webhook_endpoints (tenant_id, id) on delete cascade;`,
      );
    }
    for (const table of TENANT_TABLES) this.#tenantTable(table);
    for (const table of ['webhook_endpoints', 'webhook_replays'])
      this.addSql(`grant usage on sequence "${table}_id_seq" to perennial_app, perennial_engine;`);
    // Few rows with many updates: room on the page, so that those that move no due time touch no index.
    for (const table of ['webhook_lanes', 'webhook_health']) {
      this.addSql(
        `alter table ${table} set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);`,
      );
    }
    this.#deliveries();
    this.#partitions();
  }

  /** By hand: the ORM cannot compare partitions that come and go. */
  #deliveries(): void {
    this.addSql(`create sequence webhook_events_id_seq;`);
    this.addSql(`grant usage on sequence webhook_events_id_seq to perennial_app, perennial_engine;`);
    // As it was consumed. No data: it was about a person who was erased.
    this.addSql(`
      create table webhook_events (
        id bigint not null default nextval('webhook_events_id_seq'),
        day date not null,
        tenant_id varchar(50) not null,
        event_id uuid not null,
        type varchar(50) not null,
        time timestamptz(3) not null,
        request_id text,
        contact_id bigint,
        data json,
        primary key (id, day)
      ) partition by range (day);`);
    // The number of a delivery is one of its endpoint. "day" is the day of "at".
    this.addSql(`
      create table webhook_deliveries (
        endpoint_id bigint not null,
        sequence bigint not null,
        day date not null,
        tenant_id varchar(50) not null,
        event bigint not null,
        type varchar(50) not null,
        subject varchar(50),
        at timestamptz(3) not null,
        status varchar(10) not null,
        attempts smallint not null default 0,
        most_attempts smallint not null,
        next_attempt_at timestamptz(3),
        last_at timestamptz(3),
        last_status smallint,
        last_ms int,
        reason varchar(50),
        response text,
        primary key (endpoint_id, sequence, day)
      ) partition by range (day);`);
    // Only those that were tried in vain, or wait for such a one: others never get into these indexes, so that settling
    // them changes none.
    this.addSql(
      `create index webhook_deliveries_retry_idx on webhook_deliveries (endpoint_id, next_attempt_at, sequence) where next_attempt_at is not null;`,
    );
    this.addSql(
      `create index webhook_deliveries_waiting_idx on webhook_deliveries (endpoint_id, subject, sequence) where next_attempt_at is not null;`,
    );
    this.addSql(`
      create table webhook_attempts (
        endpoint_id bigint not null,
        sequence bigint not null,
        day date not null,
        attempt smallint not null,
        tenant_id varchar(50) not null,
        at timestamptz(3) not null,
        status smallint,
        ms int not null,
        error text,
        response text,
        primary key (endpoint_id, sequence, attempt, day)
      ) partition by range (day);`);
    // Find what is about a contact.
    for (const [table, column, operators] of [
      ['webhook_events', 'contact_id', 'int8_bloom_ops'],
      ['webhook_deliveries', 'subject', 'text_bloom_ops'],
    ]) {
      this.addSql(
        `create index ${table}_${column}_idx on ${table} using brin (${column} ${operators}) with (pages_per_range = 32, autosummarize = on);`,
      );
    }
    for (const table of ['webhook_events', 'webhook_deliveries', 'webhook_attempts']) {
      this.addSql(`create table ${table}_default partition of ${table} default;`);
      this.#tenantTable(table);
    }
  }

  #partitions(): void {
    const definer = `security definer set search_path = pg_catalog, public, pg_temp`;
    // What came before its day had partitions is in the default ones, and moves.
    this.addSql(`
      create function ensure_webhook_partitions(wanted date) returns void language plpgsql ${definer} as $$
      declare
        parent text;
        name text;
      begin
        if to_regclass('public.webhook_attempts_' || to_char(wanted, 'YYYYMMDD')) is not null then
          return;
        end if;
        perform pg_advisory_xact_lock(hashtext('webhook-partitions'));
        foreach parent in array array['webhook_events', 'webhook_deliveries', 'webhook_attempts'] loop
          name := parent || '_' || to_char(wanted, 'YYYYMMDD');
          continue when to_regclass('public.' || name) is not null;
          execute format('lock table public.%I in access exclusive mode', parent || '_default');
          execute format('create table public.%I (like public.%I including defaults) with (fillfactor = 80)', name, parent);
          execute format('with moved as (delete from public.%I where day = %L returning *)
            insert into public.%I select * from moved', parent || '_default', wanted, name);
          execute format('alter table public.%I attach partition public.%I for values from (%L) to (%L)', parent, name, wanted, wanted + 1);
        end loop;
      end $$;`);
    this.addSql(`
      create function drop_webhook_partitions(before date) returns int language plpgsql ${definer} as $$
      declare
        part regclass;
        parent text;
        dropped int := 0;
      begin
        foreach parent in array array['webhook_events', 'webhook_deliveries', 'webhook_attempts'] loop
          for part in select c.oid from pg_inherits i join pg_class c on c.oid = i.inhrelid
            where i.inhparent = ('public.' || parent)::regclass and c.relname ~ (parent || '_[0-9]{8}$')
              and to_date(right(c.relname, 8), 'YYYYMMDD') < before
          loop
            execute format('drop table %s', part);
            dropped := dropped + 1;
          end loop;
          execute format('delete from public.%I where day < %L', parent || '_default', before);
        end loop;
        return dropped;
      end $$;`);
    this.addSql(
      `revoke execute on function ensure_webhook_partitions(date), drop_webhook_partitions(date) from public;`,
    );
    this.addSql(
      `grant execute on function ensure_webhook_partitions(date), drop_webhook_partitions(date) to perennial_engine;`,
    );
  }

  #tenantTable(table: string): void {
    this.addSql(`alter table "${table}" enable row level security;`);
    this.addSql(`alter table "${table}" force row level security;`);
    this.addSql(
      `create policy "tenant" on "${table}" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy "engine" on "${table}" to "perennial_engine" using (true) with check (true);`);
    this.addSql(`grant select, insert, update, delete on "${table}" to perennial_app, perennial_engine;`);
  }

  override down(): void {
    this.addSql(`drop function ensure_webhook_partitions(date), drop_webhook_partitions(date);`);
    this.addSql(`drop table "webhook_attempts", "webhook_deliveries", "webhook_events";`);
    this.addSql(`drop sequence webhook_events_id_seq;`);
    this.addSql(
      `drop table "webhook_replays", "webhook_health", "webhook_lanes", "webhook_tenants", "webhook_endpoints";`,
    );
  }
}
