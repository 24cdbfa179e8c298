import { Migration } from '@mikro-orm/migrations';

/** Tells what waits for open hours from what waits for another attempt. */
export class Migration20261128144525_held_until extends Migration {
  override name = 'Migration20261128144525_held_until';

  override up(): void {
    this.addSql(`alter table "emails" add column "held_until" timestamptz(3) null;`);
    this.addSql(`alter table "message_sends" add column "held_until" timestamptz(3) null;`);
    // What waits and was never tried is held. Of the rest nobody knows.
    this.addSql(`
      update "emails" set "held_until" = "next_attempt_at"
      where "stage" = 'open' and "status" = 'QUEUED' and "attempt" = 0 and "next_attempt_at" > now();`);
    this.addSql(`
      update "message_sends" set "held_until" = "next_attempt_at"
      where "is_open" and "status" = 'QUEUED' and "attempt" = 0 and "next_attempt_at" > now();`);
  }

  override down(): void {
    this.addSql(`alter table "message_sends" drop column "held_until";`);
    this.addSql(`alter table "emails" drop column "held_until";`);
  }
}
