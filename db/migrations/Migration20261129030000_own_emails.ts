import { Migration } from '@mikro-orm/migrations';

/** A row of emails that is of the service itself (a password reset, a notification to a user, …): in nobody's figures. */
const isOwn = `exists (
  select 1 from email_templates t where t.tenant_id = e.tenant_id and t.id = e.template_id and t.system_key is not null)`;

const messagesIn = (rows: string, sign: 1 | -1, which: string): string => `
  select tenant_id, 'email' as channel, created_at as at, case status when 'SENDING' then 'QUEUED' else status end as metric,
    case when status = 'SUPPRESSED' then left(coalesce(reason, ''), 100) else '' end as reason, ${sign} as n
  from ${rows} e where ${which}`;

const counted = (event: 'insert' | 'update', which: string): string =>
  event === 'insert'
    ? messagesIn('new_rows', 1, which)
    : `${messagesIn('new_rows', 1, which)} union all ${messagesIn('old_rows', -1, which)}`;

const sums = (of: string): string => `
  select tenant_id, channel, date_bin('5 minutes', at, 'epoch'), metric, reason, sum(n) from (${of}) counted
  group by 1, 2, 3, 4, 5 having sum(n) <> 0`;

const COUNTERS = [
  ['count_new_emails', 'insert'],
  ['count_changed_emails', 'update'],
] as const;

/** Emails of the service itself leave the figures of emails and channels, also those that were counted. */
export class Migration20261129030000_own_emails extends Migration {
  override name = 'Migration20261129030000_own_emails';

  override up(): void {
    // So that no email changes between what is counted in the old way and in the new one.
    this.addSql(`lock table emails in share row exclusive mode;`);
    this.#count(`not ${isOwn}`);
    this.addSql(
      `insert into message_changes (tenant_id, channel, at, metric, reason, count) ${sums(messagesIn('emails', -1, isOwn))};`,
    );
    this.addSql(`
      with own as materialized (
        select w.tenant_id, w.metric, w.minutes, w.at, sum(w.count) as n
        from analytics_windows w join email_templates t on t.tenant_id = w.tenant_id and t.id = w.dimension_id and t.system_key is not null
        where w.dimension = 'template' group by 1, 2, 3, 4)
      update analytics_windows w set count = w.count - own.n from own
      where w.tenant_id = own.tenant_id and w.metric = own.metric and w.minutes = own.minutes and w.at = own.at
        and w.dimension = '' and w.dimension_id = 0;`);
    this.addSql(`
      delete from analytics_windows w using email_templates t
      where w.dimension = 'template' and t.tenant_id = w.tenant_id and t.id = w.dimension_id and t.system_key is not null;`);
  }

  override down(): void {
    this.addSql(`lock table emails in share row exclusive mode;`);
    this.#count('true');
    this.addSql(
      `insert into message_changes (tenant_id, channel, at, metric, reason, count) ${sums(messagesIn('emails', 1, isOwn))};`,
    );
  }

  #count(which: string): void {
    for (const [name, event] of COUNTERS)
      this.addSql(`
        create or replace function ${name}() returns trigger language plpgsql as $$
        begin
          insert into message_changes (tenant_id, channel, at, metric, reason, count) ${sums(counted(event, which))};
          return null;
        end $$;`);
  }
}
