import { Migration } from '@mikro-orm/migrations';

/**
 * The timeline reads EMAIL_SENT from the emails and CONTACT_CREATED from the contacts. Rows from before have no
 * activity id: their entries are rows of contact_activities.
 */
export class Migration20261123235448_timeline extends Migration {
  override name = 'Migration20261123235448_timeline';

  override up(): void {
    this.addSql(`
      alter table "contacts" add "created_activity_id" bigint null, add "created_run_triggers" boolean null,
        add "created_email" varchar(255) null;`);
    // Set separately, or it would also apply to the rows that are there.
    this.addSql(
      `alter table "contacts" alter column "created_activity_id" set default nextval('contact_activities_id_seq');`,
    );
    this.addSql(`alter table "emails" add "activity_id" bigint null, add "activity_at" timestamptz(3) null;`);
    // For the sweep of segments. A BRIN index costs nothing per email, and emails are settled in the order of their rows.
    this.addSql(
      `create index emails_activity_at_idx on emails using brin (activity_at) with (pages_per_range = 32, autosummarize = on);`,
    );
    // For the sweep too. Nothing else reads the activities of all contacts.
    this.addSql(`drop index contact_activities_type_idx;`);
    this.addSql(
      `create index contact_activities_occurred_at_idx on contact_activities using brin (occurred_at) with (pages_per_range = 32, autosummarize = on);`,
    );
  }
}
