import { Migration } from '@mikro-orm/migrations';

/**
 * Points that lose worth: scores by rule and half-life, and when totals change next. Rules that are deleted stay, so
 * that scores by rule add up to the total; so do the points that no rule has given, under the rule id 0. The
 * leaderboard's index has its order.
 */
export class Migration20261125120000_decay extends Migration {
  override name = 'Migration20261125120000_decay';

  override up(): void {
    this.addSql(`alter table "scoring_rules" add column "deleted_at" timestamptz(3) null;`);
    this.addSql(`alter table "scoring_rules" add column "replayed_until" timestamptz(3) null;`);
    this.addSql(`alter table "scores_by_rule" drop constraint "scores_by_rule_rule_id_fkey";`);
    this.addSql(`alter table "scores_by_rule" add column "half_life_days" double precision not null default 0;`);
    this.addSql(`alter table "scores_by_rule" add column "worth" double precision not null default 0;`);
    this.addSql(`alter table "scores_by_rule" add column "worth_at" timestamptz(3) not null default now();`);
    this.addSql(`alter table "scores_by_rule" drop constraint "scores_by_rule_pkey";`);
    this.addSql(
      `alter table "scores_by_rule" add primary key ("tenant_id", "subject", "subject_id", "rule_id", "half_life_days");`,
    );
    this.addSql(`alter table "score_history" add column "half_life_days" double precision not null default 0;`);
    this.addSql(`update scores_by_rule set worth = score;`);
    this.addSql(`
      insert into scores_by_rule (tenant_id, subject, subject_id, rule_id, score, worth, events)
      select tenant_id, subject, subject_id, rule_id, sum(points), sum(points), count(*) from score_history
      group by 1, 2, 3, 4 on conflict do nothing;`);
    this.addSql(`alter table "score_totals" add column "changes_at" timestamptz(3) null;`);
    this.addSql(
      `create index "score_totals_changes_at_idx" on "score_totals" ("changes_at") where changes_at is not null;`,
    );
    this.addSql(`drop index "score_totals_leaderboard_idx";`);
    this.addSql(
      `create index "score_totals_leaderboard_idx" on "score_totals" ("tenant_id", "subject", "total" desc, "subject_id");`,
    );
  }

  override down(): void {
    this.addSql(
      `delete from scores_by_rule where half_life_days <> 0 or rule_id not in (select id from scoring_rules);`,
    );
    this.addSql(`delete from scoring_rules where deleted_at is not null;`);
    this.addSql(`drop index "score_totals_leaderboard_idx";`);
    this.addSql(
      `create index "score_totals_leaderboard_idx" on "score_totals" ("tenant_id", "subject", "total", "subject_id");`,
    );
    this.addSql(`alter table "score_totals" drop column "changes_at";`);
    this.addSql(`alter table "score_history" drop column "half_life_days";`);
    this.addSql(`alter table "scores_by_rule" drop constraint "scores_by_rule_pkey";`);
    this.addSql(
      `alter table "scores_by_rule" drop column "half_life_days", drop column "worth", drop column "worth_at";`,
    );
    this.addSql(`alter table "scores_by_rule" add primary key ("tenant_id", "subject", "subject_id", "rule_id");`);
    this.addSql(
      `alter table "scores_by_rule" add constraint "scores_by_rule_rule_id_fkey" foreign key (tenant_id, rule_id) references scoring_rules (tenant_id, id) on delete cascade;`,
    );
    this.addSql(`alter table "scoring_rules" drop column "deleted_at", drop column "replayed_until";`);
  }
}
