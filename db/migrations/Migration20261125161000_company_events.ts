import { Migration } from '@mikro-orm/migrations';

/** An index to look up which company has the points of an event. Scores go on while it is built. */
export class Migration20261125161000_company_events extends Migration {
  override name = 'Migration20261125161000_company_events';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // A build that was interrupted leaves an invalid index.
    this.addSql(`drop index concurrently if exists "score_history_company_event_idx";`);
    this.addSql(
      `create index concurrently "score_history_company_event_idx" on "score_history" ("tenant_id", "rule_id", "event_id") where subject = 'company';`,
    );
  }

  override down(): void {
    this.addSql(`drop index concurrently if exists "score_history_company_event_idx";`);
  }
}
