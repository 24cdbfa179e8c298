import { Migration } from '@mikro-orm/migrations';

/** Finds the contacts of a number. Contacts are many, and are written while this runs. */
export class Migration20261126153200_contact_numbers extends Migration {
  override name = 'Migration20261126153200_contact_numbers';

  override isTransactional(): boolean {
    return false;
  }

  override up(): void {
    // What a build that was interrupted left behind.
    this.addSql(`drop index concurrently if exists "contacts_phone_idx";`);
    this.addSql(
      `create index concurrently "contacts_phone_idx" on "contacts" ("tenant_id", "phone_e164") where phone_e164 is not null;`,
    );
  }

  override down(): void {
    this.addSql(`drop index concurrently if exists "contacts_phone_idx";`);
  }
}
