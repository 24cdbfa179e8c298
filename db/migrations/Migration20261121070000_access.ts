import { Migration } from '@mikro-orm/migrations';

/** [table, columns, referenced table, what happens on delete]: tenant_id is part of every one, so no row points into another tenant. */
const foreignKeys: [string, string, string, string][] = [
  ['sessions', 'user_id', 'users', 'cascade'],
  ['contacts', 'company_id', 'companies', 'set null (company_id)'],
  ['contact_activities', 'contact_id', 'contacts', 'cascade'],
  ['segment_members', 'segment_id', 'segments', 'cascade'],
  ['segment_members', 'contact_id', 'contacts', 'cascade'],
  ['contact_import_chunks', 'import_id', 'contact_imports', 'cascade'],
  ['contact_import_rejects', 'import_id', 'contact_imports', 'cascade'],
  ['email_attempts', 'email_id', 'emails', 'cascade'],
  ['email_events', 'email_id', 'emails', 'cascade'],
  ['campaign_versions', 'campaign_id', 'campaigns', 'cascade'],
  ['campaign_executions', 'campaign_id', 'campaigns', 'cascade'],
  ['campaign_step_executions', 'execution_id', 'campaign_executions', 'cascade'],
  ['campaign_enrolments', 'campaign_id', 'campaigns', 'cascade'],
  ['form_submissions', 'form_id', 'forms', 'cascade'],
  ['form_submissions', 'contact_id', 'contacts', 'set null (contact_id)'],
  ['form_views', 'form_id', 'forms', 'cascade'],
  ['scores_by_rule', 'rule_id', 'scoring_rules', 'cascade'],
  ['score_threshold_hits', 'threshold_id', 'score_thresholds', 'cascade'],
];

/** Keys, grants and storage settings that entity metadata can not say. */
export class Migration20261121070000_access extends Migration {
  override name = 'Migration20261121070000_access';

  override up(): void {
    // UNLOGGED: it is rebuilt from the file whenever its count is not as expected.
    this.addSql(`alter table contact_import_keys set unlogged;`);
    for (const [table, column, referenced, onDelete] of foreignKeys) {
      this.addSql(
        `alter table ${table} add constraint ${table}_${column}_fkey ` +
          `foreign key (tenant_id, ${column}) references ${referenced} (tenant_id, id) on delete ${onDelete};`,
      );
    }
    // A queue's rows live for a moment: vacuum them before the index grows past what is live.
    for (const table of ['outbox_events', 'outbox_send_requests', 'outbox_workflows', 'emails']) {
      this.addSql(
        `alter table ${table} set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);`,
      );
    }
    // Room on the page, so that the many updates of these rows touch no index.
    for (const table of ['emails', 'campaign_executions']) this.addSql(`alter table ${table} set (fillfactor = 80);`);
    // What a consumer has taken in, inserted in the transaction of the effect; partitioned by the event's day, so that
    // old days are dropped whole. (By hand: the ORM can not compare partitions that come and go.)
    this.addSql(`
      create table inbox (
        tenant_id varchar(50) not null,
        consumer varchar(30) not null,
        event_id uuid not null,
        day date not null,
        primary key (consumer, event_id, day)
      ) partition by range (day);`);
    this.addSql(`create table inbox_default partition of inbox default;`);
    this.addSql(`alter table inbox enable row level security;`);
    this.addSql(`alter table inbox force row level security;`);
    this.addSql(
      `create policy tenant on inbox using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
    );
    this.addSql(`create policy engine on inbox to perennial_engine using (true) with check (true);`);
    this.addSql(`
      create function ensure_inbox_partition(wanted date) returns void
      language plpgsql security definer set search_path = public as $$
      declare name text := 'inbox_' || to_char(wanted, 'YYYYMMDD');
      begin
        if to_regclass(name) is null then
          perform pg_advisory_xact_lock(hashtext('inbox-partitions'));
          if to_regclass(name) is null then
            execute format('create table %I partition of inbox for values from (%L) to (%L)', name, wanted, wanted + 1);
          end if;
        end if;
      end $$;`);
    this.addSql(`
      create function drop_inbox_partitions(before date) returns int
      language plpgsql security definer set search_path = public as $$
      declare part text; dropped int := 0;
      begin
        for part in select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
          where i.inhparent = 'inbox'::regclass and c.relname ~ '^inbox_[0-9]{8}$' and to_date(right(c.relname, 8), 'YYYYMMDD') < before
        loop
          execute format('drop table %I', part);
          dropped := dropped + 1;
        end loop;
        return dropped;
      end $$;`);
    // Partitions are reached through their parent only: they have no row security of their own.
    this.addSql(`
      do $$
      declare t text;
      begin
        for t in select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
          where n.nspname = 'public' and c.relkind in ('r', 'p') and c.relrowsecurity
        loop
          execute format('grant select, insert, update, delete on %I to perennial_app, perennial_engine', t);
        end loop;
      end $$;`);
    this.addSql(`grant usage on schema public to perennial_app, perennial_engine;`);
    this.addSql(`grant usage on all sequences in schema public to perennial_app, perennial_engine;`);
    this.addSql(`revoke execute on function ensure_inbox_partition(date), drop_inbox_partitions(date) from public;`);
    this.addSql(
      `grant execute on function ensure_inbox_partition(date), drop_inbox_partitions(date) to perennial_engine;`,
    );
  }
}
