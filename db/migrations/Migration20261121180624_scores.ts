import { Migration } from '@mikro-orm/migrations';

/** Scores beyond 2^31, and views of forms among the figures of analytics, where they outlive the form as its submissions do. */
export class Migration20261121180624_scores extends Migration {
  override name = 'Migration20261121180624_scores';

  override up(): void {
    this.addSql(`alter table "score_totals" alter column "total" type bigint;`);
    this.addSql(`alter table "scores_by_rule" alter column "score" type bigint;`);
    this.addSql(`alter table "score_history" alter column "total" type bigint;`);

    this.addSql(`
      insert into analytics_windows (tenant_id, metric, dimension, dimension_id, at, count)
      select tenant_id, 'form_views', 'form', form_id, hour, views from form_views
      union all select tenant_id, 'form_views', '', 0, hour, sum(views) from form_views group by tenant_id, hour;`);
    this.addSql(`drop table "form_views";`);
  }
}
