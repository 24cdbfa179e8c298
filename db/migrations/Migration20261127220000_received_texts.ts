import { Migration } from '@mikro-orm/migrations';

/** Finds the received texts of a contact. Texts are many, and are received while this runs. */
export class Migration20261127220000_received_texts extends Migration {
  override name = 'Migration20261127220000_received_texts';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // What a build that was interrupted left behind.
    this.addSql(`drop index concurrently if exists "inbound_texts_contacts_idx";`);
    this.addSql(`create index concurrently "inbound_texts_contacts_idx" on "inbound_texts" using gin ("contact_ids");`);
  }

  override down(): void {
    this.addSql(`drop index concurrently if exists "inbound_texts_contacts_idx";`);
  }
}
