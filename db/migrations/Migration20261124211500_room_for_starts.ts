import { Migration } from '@mikro-orm/migrations';

/**
 * A started email is longer than a new one: its page has room for that, so a start does not write to the indexes.
 * Events in the outbox are read once and deleted, so compressing them costs more than it saves; those of a turn of the
 * sender stay in their row.
 */
export class Migration20261124211500_room_for_starts extends Migration {
  override name = 'Migration20261124211500_room_for_starts';

  override up(): void {
    this.addSql(`alter table "emails" set (fillfactor = 33);`);
    this.addSql(`alter table "outbox_events" alter column "events" set storage external;`);
    this.addSql(`alter table "outbox_events" set (toast_tuple_target = 8160);`);
  }

  override down(): void {
    this.addSql(`alter table "outbox_events" reset (toast_tuple_target);`);
    this.addSql(`alter table "outbox_events" alter column "events" set storage extended;`);
    this.addSql(`alter table "emails" set (fillfactor = 45);`);
  }
}
