import { Migration } from '@mikro-orm/migrations';

/** Whose fault a bounce was, and why the service paused a campaign. */
export class Migration20261128150859_bounce_verdicts extends Migration {
  override name = 'Migration20261128150859_bounce_verdicts';

  override up(): void {
    this.addSql(`alter table "campaigns" add column "pause_reason" text null;`);
    this.addSql(`alter table "email_bounces" add column "verdict" varchar(20) null;`);
    this.addSql(`alter table "email_campaigns" add column "pause_reason" text null;`);
  }

  override down(): void {
    this.addSql(`alter table "campaigns" drop column "pause_reason";`);
    this.addSql(`alter table "email_bounces" drop column "verdict";`);
    this.addSql(`alter table "email_campaigns" drop column "pause_reason";`);
  }
}
