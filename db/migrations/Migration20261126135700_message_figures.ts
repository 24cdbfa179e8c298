import { Migration } from '@mikro-orm/migrations';

/** What a row of a ledger counts as; `rows` is a transition table. */
const messagesIn = (rows: string, channel: string, sign: 1 | -1, segments: boolean): string => `
  select tenant_id, ${channel} as channel, created_at as at, case status when 'SENDING' then 'QUEUED' else status end as metric,
    case when status = 'SUPPRESSED' then left(coalesce(reason, ''), 100) else '' end as reason, ${sign} as n
  from ${rows}${
    segments
      ? `
  union all select tenant_id, channel, created_at, 'segments', '', ${sign} * segments from ${rows} where segments is not null`
      : ''
  }`;
const clicksIn = (rows: string, sign: 1 | -1): string => `
  select k.tenant_id, m.channel, k.at, metric, '' as reason, ${sign} as n
  from ${rows} k join messages m on m.tenant_id = k.tenant_id and m.id = k.message_id
  cross join lateral (values ('clicks', true), ('unique_clicks', k.first)) c(metric, counts)
  where k.automated is false and counts`;

/** Each function counts one statement. Rows that stay as they are cancel out, so that most statements add nothing. */
const COUNTERS: [name: string, table: string, event: 'insert' | 'update', counted: string][] = [
  ['count_new_emails', 'emails', 'insert', messagesIn('new_rows', `'email'`, 1, false)],
  [
    'count_changed_emails',
    'emails',
    'update',
    `${messagesIn('new_rows', `'email'`, 1, false)} union all ${messagesIn('old_rows', `'email'`, -1, false)}`,
  ],
  ['count_new_messages', 'messages', 'insert', messagesIn('new_rows', 'channel', 1, true)],
  [
    'count_changed_messages',
    'messages',
    'update',
    `${messagesIn('new_rows', 'channel', 1, true)} union all ${messagesIn('old_rows', 'channel', -1, true)}`,
  ],
  ['count_new_clicks', 'message_clicks', 'insert', clicksIn('new_rows', 1)],
  [
    'count_changed_clicks',
    'message_clicks',
    'update',
    `${clicksIn('new_rows', 1)} union all ${clicksIn('old_rows', -1)}`,
  ],
  // Who has opted out and says it again decides nothing new, and a merge repeats what a person said before.
  [
    'count_text_opt_outs',
    'text_consents',
    'insert',
    `select tenant_id, 'sms' as channel, at, 'opt_outs' as metric, '' as reason, 1 as n from new_rows c
     where status = 'unsubscribed' and source <> 'merge' and coalesce((
       select b.status from text_consents b where b.tenant_id = c.tenant_id and b.address = c.address and b.id < c.id order by b.id desc limit 1), '') <> 'unsubscribed'`,
  ],
  [
    'count_push_opt_outs',
    'channel_suppressions',
    'insert',
    `select tenant_id, channel, created_at as at, 'opt_outs' as metric, '' as reason, 1 as n from new_rows
     where channel = 'push' and reason = 'unsubscribed' and source <> 'merge'`,
  ],
];

/** Figures of messages of all channels by the time at which they were queued, made by triggers on the ledgers. */
export class Migration20261126135700_message_figures extends Migration {
  override name = 'Migration20261126135700_message_figures';

  override up(): void {
    this.addSql(
      `create table "message_changes" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "channel" text not null, "at" timestamptz(3) not null, "metric" varchar(20) not null, "reason" text not null, "count" bigint not null);`,
    );
    this.addSql(
      `create table "message_windows" ("tenant_id" varchar(50) not null, "channel" text not null, "minutes" smallint not null, "at" timestamptz(3) not null, "metric" varchar(20) not null, "reason" text not null, "count" bigint not null, primary key ("tenant_id", "channel", "minutes", "at", "metric", "reason"));`,
    );
    for (const table of ['message_changes', 'message_windows']) {
      this.addSql(
        `alter table "${table}" add constraint "${table}_channel_check" check ("channel" in ('email', 'sms', 'push'));`,
      );
      this.addSql(`alter table "${table}" enable row level security;`);
      this.addSql(`alter table "${table}" force row level security;`);
      this.addSql(
        `create policy "tenant" on "${table}" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
      );
      this.addSql(`create policy "engine" on "${table}" to "perennial_engine" using (true) with check (true);`);
      this.addSql(`grant select, insert, update, delete on "${table}" to perennial_app, perennial_engine;`);
    }
    this.addSql(`grant usage on sequence "message_changes_id_seq" to perennial_app, perennial_engine;`);
    // A queue: rows live for seconds.
    this.addSql(
      `alter table "message_changes" set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_cost_delay = 0);`,
    );
    for (const [name, table, event, counted] of COUNTERS) {
      this.addSql(`
        create function ${name}() returns trigger language plpgsql as $$
        begin
          insert into message_changes (tenant_id, channel, at, metric, reason, count)
          select tenant_id, channel, date_bin('5 minutes', at, 'epoch'), metric, reason, sum(n) from (${counted}) counted
          group by 1, 2, 3, 4, 5 having sum(n) <> 0;
          return null;
        end $$;`);
      const tables = event === 'insert' ? 'new table as new_rows' : 'old table as old_rows new table as new_rows';
      this.addSql(
        `create trigger ${name} after ${event} on ${table} referencing ${tables} for each statement execute function ${name}();`,
      );
    }
    // The emails that there are already.
    this.addSql(`
      insert into message_windows (tenant_id, channel, minutes, at, metric, reason, count)
      select tenant_id, channel, w.minutes, date_bin(w.length, at, 'epoch'), metric, reason, sum(n)
      from (
        select tenant_id, channel, date_bin('5 minutes', at, 'epoch') as at, metric, reason, sum(n) as n
        from (${messagesIn('emails', `'email'`, 1, false)}) e group by 1, 2, 3, 4, 5) counted
      cross join (values (5::smallint, '5 minutes'::interval), (60, '1 hour'), (1440, '1 day')) w(minutes, length)
      group by 1, 2, 3, 4, 5, 6;`);
  }

  override down(): void {
    for (const [name, table] of COUNTERS) {
      this.addSql(`drop trigger ${name} on ${table};`);
      this.addSql(`drop function ${name}();`);
    }
    this.addSql(`drop table "message_changes";`);
    this.addSql(`drop table "message_windows";`);
  }
}
