import { Migration } from '@mikro-orm/migrations';

/** Enrolments by a schedule, each firing once, and how far a DATE trigger is. */
export class Migration20261124235310_scheduled_triggers extends Migration {
  override name = 'Migration20261124235310_scheduled_triggers';

  override up(): void {
    this.addSql(`alter table "campaigns" add "dated_until" timestamptz(3) null;`);

    this.addSql(
      `alter table "campaign_enrolments" add "trigger" text not null default 'MANUAL', add "scheduled_at" timestamptz(3) null, add "due_after" timestamptz(3) null, add "due_until" timestamptz(3) null;`,
    );
    this.addSql(
      `alter table "campaign_enrolments" add constraint "campaign_enrolments_scheduled_key" unique ("tenant_id", "campaign_id", "scheduled_at");`,
    );
    this.addSql(
      `alter table "campaign_enrolments" add constraint "campaign_enrolments_trigger_check" check ("trigger" in ('MANUAL', 'SCHEDULE', 'DATE'));`,
    );
  }

  override down(): void {
    this.addSql(`alter table "campaign_enrolments" drop constraint "campaign_enrolments_scheduled_key";`);
    this.addSql(`alter table "campaign_enrolments" drop constraint "campaign_enrolments_trigger_check";`);
    this.addSql(
      `alter table "campaign_enrolments" drop column "trigger", drop column "scheduled_at", drop column "due_after", drop column "due_until";`,
    );

    this.addSql(`alter table "campaigns" drop column "dated_until";`);
  }
}
