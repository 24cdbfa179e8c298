import { Migration } from '@mikro-orm/migrations';

/** How the provider was asked that a send is bound to. */
export class Migration20261128091500_bound_to extends Migration {
  override name = 'Migration20261128091500_bound_to';

  override up(): void {
    this.addSql(`alter table "message_sends" add column "bound_to" text null;`);
  }

  override down(): void {
    this.addSql(`alter table "message_sends" drop column "bound_to";`);
  }
}
