import { Migration } from '@mikro-orm/migrations';

/** An index to look up which company has the points of an event. */
export class Migration20261125161000_company_events extends Migration {
  override name = 'Migration20261125161000_company_events';

  override up(): void {
    this.addSql(
      `create index "score_history_company_event_idx" on "score_history" ("tenant_id", "rule_id", "event_id") where subject = 'company';`,
    );
  }

  override down(): void {
    this.addSql(`drop index "score_history_company_event_idx";`);
  }
}
