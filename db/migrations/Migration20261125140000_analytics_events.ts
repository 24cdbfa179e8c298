import { Migration } from '@mikro-orm/migrations';

/**
 * Counts of hours and days beside those of 5 minutes, the events themselves, and sets of contacts made from them, so that
 * distinct contacts are exact for any period.
 */
export class Migration20261125140000_analytics_events extends Migration {
  override name = 'Migration20261125140000_analytics_events';

  override up(): void {
    this.#windows();
    this.#sets();
    this.#events();
    this.#partitions();
    this.#convert();
  }

  #windows(): void {
    // Nobody was shown them; score_history has them.
    this.addSql(`delete from "analytics_windows" where metric = 'score_changes';`);
    this.addSql(`alter table "analytics_windows" drop constraint "analytics_windows_pkey";`);
    this.addSql(`alter table "analytics_windows" add "minutes" smallint not null default 5;`);
    this.addSql(`alter table "analytics_windows" alter column "minutes" drop default;`);
    // What belongs to no template was the total minus all templates.
    this.addSql(`
      insert into "analytics_windows" (tenant_id, metric, dimension, dimension_id, at, minutes, count)
      select tenant_id, metric, 'template', 0, at, 5, sum(case dimension when '' then count else -count end)
      from "analytics_windows" where dimension in ('', 'template')
        and metric in ('emails_sent', 'emails_failed', 'opens', 'unique_opens', 'clicks', 'unique_clicks', 'bounces', 'unsubscribes')
      group by tenant_id, metric, at having sum(case dimension when '' then count else -count end) <> 0;`);
    this.addSql(`
      insert into "analytics_windows" (tenant_id, metric, dimension, dimension_id, at, minutes, count)
      select w.tenant_id, w.metric, w.dimension, w.dimension_id, date_bin(make_interval(mins => longer), w.at, 'epoch'), longer, sum(w.count)
      from "analytics_windows" w cross join unnest(array[60, 1440]) longer group by 1, 2, 3, 4, 5, 6;`);
    // In the order in which they are read: a period of all ids of a dimension.
    this.addSql(
      `alter table "analytics_windows" add primary key ("tenant_id", "dimension", "minutes", "at", "dimension_id", "metric");`,
    );
  }

  #sets(): void {
    this.addSql(
      `create table "analytics_contact_sets" ("tenant_id" varchar(50) not null, "dimension" varchar(20) not null, "minutes" smallint not null, "at" timestamptz(3) not null, "dimension_id" bigint not null, "metric" varchar(20) not null, "chunk" int not null, "bits" bit(4096) not null, primary key ("tenant_id", "dimension", "minutes", "at", "dimension_id", "metric", "chunk"));`,
    );
    this.addSql(`create index "analytics_contact_sets_chunk_idx" on "analytics_contact_sets" ("tenant_id", "chunk");`);
    this.addSql(
      `create table "analytics_rollups" ("tenant_id" varchar(50) not null, "minutes" smallint not null, "at" timestamptz(3) not null, "changes" bigint not null, "rolled_changes" bigint not null default 0, "changed_at" timestamptz(3) not null default now(), primary key ("tenant_id", "minutes", "at"));`,
    );
    this.addSql(
      `create index "analytics_rollups_due_idx" on "analytics_rollups" ("tenant_id", "minutes", "at") where rolled_changes <> changes;`,
    );
    this.addSql(
      `create table "analytics_links" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "url" text not null, "url_hash" varchar(64) not null);`,
    );
    this.addSql(
      `alter table "analytics_links" add constraint "analytics_links_tenant_id_url_hash_key" unique ("tenant_id", "url_hash");`,
    );
    this.addSql(
      `create table "analytics_horizons" ("at" timestamptz(3) not null, "announced_at" timestamptz(3) not null default now(), primary key ("at"));`,
    );
    for (const table of ['analytics_contact_sets', 'analytics_rollups', 'analytics_links']) this.#tenantTable(table);
    this.addSql(`grant usage on sequence "analytics_links_id_seq" to perennial_app, perennial_engine;`);
    this.addSql(`alter table "analytics_horizons" enable row level security;`);
    this.addSql(`alter table "analytics_horizons" force row level security;`);
    this.addSql(`create policy "engine" on "analytics_horizons" to "perennial_engine" using (true) with check (true);`);
    this.addSql(`grant select, insert, update, delete on "analytics_horizons" to perennial_engine;`);
  }

  /** By hand: the ORM cannot compare partitions that come and go. */
  #events(): void {
    this.addSql(`
      create table analytics_events (
        event_id uuid not null,
        tenant_id varchar(50) not null,
        metric varchar(50) not null,
        at timestamptz(3) not null,
        contact_id bigint,
        campaign_id bigint,
        template_id bigint,
        form_id bigint,
        link_id bigint,
        email_id bigint
      ) partition by range (at);`);
    this.addSql(`create table analytics_events_default partition of analytics_events default;`);
    // Events that come late widen a range of pages by a point, not by all that lies between.
    this.addSql(`
      create index analytics_events_at_idx on analytics_events using brin (at timestamptz_minmax_multi_ops)
      with (pages_per_range = 32, autosummarize = on);`);
    // Finds the events of a contact that is erased or merged.
    this.addSql(`
      create index analytics_events_contact_idx on analytics_events using brin (contact_id int8_bloom_ops)
      with (pages_per_range = 32, autosummarize = on);`);
    this.#tenantTable('analytics_events');
  }

  #partitions(): void {
    const definer = `security definer set search_path = pg_catalog, public, pg_temp`;
    // What came before its month had a partition is in the default one, and moves.
    this.addSql(`
      create function ensure_analytics_partition(month date) returns void language plpgsql ${definer} as $$
      declare
        first text := to_char(date_trunc('month', month::timestamp), 'YYYY-MM-DD 00:00:00+00');
        next text := to_char(date_trunc('month', month::timestamp) + interval '1 month', 'YYYY-MM-DD 00:00:00+00');
        name text := 'analytics_events_' || to_char(month, 'YYYYMM');
      begin
        if to_regclass('public.' || name) is null then
          perform pg_advisory_xact_lock(hashtext('analytics-partitions'));
          if to_regclass('public.' || name) is null then
            lock table public.analytics_events_default in access exclusive mode;
            execute format('create table public.%I (like public.analytics_events)', name);
            execute format('with moved as (delete from public.analytics_events_default where at >= %L and at < %L returning *)
              insert into public.%I select * from moved', first, next, name);
            execute format('alter table public.analytics_events attach partition public.%I for values from (%L) to (%L)', name, first, next);
          end if;
        end if;
      end $$;`);
    // Announces the horizon some time before it drops anything, for a reader whose snapshot is older than the horizon
    // relies on the events. Not while sets of contacts have yet to be made from what would be dropped.
    this.addSql(`
      create function drop_analytics_partitions(before date) returns int language plpgsql ${definer} as $$
      declare
        horizon timestamptz := date_trunc('month', before::timestamp) at time zone 'UTC';
        old regclass[] := array(
          select c.oid from pg_inherits i join pg_class c on c.oid = i.inhrelid
          where i.inhparent = 'public.analytics_events'::regclass and c.relname ~ '^analytics_events_[0-9]{6}$'
            and to_date(right(c.relname, 6), 'YYYYMM') < date_trunc('month', before::timestamp));
        part regclass;
      begin
        if cardinality(old) = 0 and not exists (select 1 from public.analytics_events_default where at < horizon) then
          return 0;
        end if;
        insert into public.analytics_horizons (at) values (horizon) on conflict do nothing;
        if not exists (select 1 from public.analytics_horizons where at = horizon and announced_at < now() - interval '10 minutes') then
          return 0;
        end if;
        lock table public.analytics_events in access exclusive mode;
        if exists (select 1 from public.analytics_rollups where rolled_changes <> changes and at < horizon) then
          return 0;
        end if;
        foreach part in array old loop
          execute format('drop table %s', part);
        end loop;
        delete from public.analytics_events_default where at < horizon;
        return cardinality(old);
      end $$;`);
    this.addSql(`
      create function analytics_horizon() returns timestamptz language plpgsql stable ${definer} as $$
      begin
        return (select max(at) from public.analytics_horizons);
      end $$;`);
    this.addSql(
      `revoke execute on function ensure_analytics_partition(date), drop_analytics_partitions(date), analytics_horizon() from public;`,
    );
    this.addSql(
      `grant execute on function ensure_analytics_partition(date), drop_analytics_partitions(date) to perennial_engine;`,
    );
    this.addSql(`grant execute on function analytics_horizon() to perennial_app;`);
  }

  /** Events from before are made of what there is: who did what and when. Counts have them already. */
  #convert(): void {
    this.addSql(`
      select ensure_analytics_partition(month::date) from generate_series(
        date_trunc('month', greatest(now() - interval '10 years', least(now(),
          (select min(at) from analytics_contact_windows), (select min(sent_at) from emails),
          (select min(submitted_at) from form_submissions), (select min(occurred_at) from contact_activities)))),
        now() + interval '2 months', interval '1 month') month;`);
    this.addSql(`
      insert into analytics_events (event_id, tenant_id, metric, at, contact_id, campaign_id, template_id, form_id, email_id)
      select gen_random_uuid(), tenant_id, 'emails_sent', coalesce(activity_at, sent_at), contact_id, campaign_id, template_id, null, id
      from emails where sent_at is not null and contact_id is not null
      union all
      select gen_random_uuid(), tenant_id, 'submissions', submitted_at, contact_id, null, null, form_id, null
      from form_submissions where contact_id is not null
      union all
      select event_id, tenant_id, case type when 'EMAIL_OPENED' then 'opens' when 'EMAIL_CLICKED' then 'clicks' else 'goals_met' end,
        occurred_at, contact_id, (data ->> 'campaignId')::bigint, (data ->> 'templateId')::bigint, null, (data ->> 'emailId')::bigint
      from contact_activities where type in ('EMAIL_OPENED', 'EMAIL_CLICKED', 'GOAL_MET') and not automated;`);
    // Of contacts that were deleted since, for example.
    this.addSql(`
      insert into analytics_events (event_id, tenant_id, metric, at, contact_id)
      select gen_random_uuid(), w.tenant_id, case w.metric when 'mailed' then 'emails_sent' else 'submissions' end, w.at, w.contact_id
      from analytics_contact_windows w where not exists (
        select 1 from analytics_events e where e.tenant_id = w.tenant_id and e.contact_id = w.contact_id
          and date_bin('5 minutes', e.at, 'epoch') = w.at
          and case w.metric when 'mailed' then e.metric = 'emails_sent' else e.metric in ('submissions', 'goals_met') end);`);
    this.addSql(`drop table "analytics_contact_windows";`);
    this.addSql(`
      insert into analytics_rollups (tenant_id, minutes, at, changes)
      select e.tenant_id, w.minutes, date_bin(make_interval(mins => w.minutes), e.at, 'epoch'), count(*)
      from analytics_events e cross join unnest(array[60, 1440]) w(minutes) group by 1, 2, 3;`);
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
}
