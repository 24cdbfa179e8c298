import { Migration } from '@mikro-orm/migrations';

/** An email grows by half from its insert to its settlement. */
export class Migration20261122202500_more_room_for_sending extends Migration {
  override name = 'Migration20261122202500_more_room_for_sending';

  override up(): void {
    // With 50, a third of the leases found no room on their page and wrote to every index; a tenth more pages in the end.
    this.addSql(`alter table emails set (fillfactor = 35);`);
  }
}
