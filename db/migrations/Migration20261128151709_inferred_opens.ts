import { Migration } from '@mikro-orm/migrations';

export class Migration20261128151709_inferred_opens extends Migration {
  override name = 'Migration20261128151709_inferred_opens';

  override up(): void | Promise<void> {
    this.addSql(`alter table "email_events" add "inferred" boolean not null default false;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "email_events" drop column "inferred";`);
  }
}
