import { Migration } from '@mikro-orm/migrations';

/** Whether a submission made its contact: a visitor who sends it again gets the contact's token again. */
export class Migration20261125101000_made_contacts extends Migration {
  override name = 'Migration20261125101000_made_contacts';

  override up(): void {
    this.addSql(`alter table "form_submissions" add column "made_contact" boolean not null default false;`);
  }

  override down(): void {
    this.addSql(`alter table "form_submissions" drop column "made_contact";`);
  }
}
