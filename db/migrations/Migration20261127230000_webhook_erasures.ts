import { Migration } from '@mikro-orm/migrations';

/** An erasure waits until who delivers webhooks has dropped what was read ahead of the person. */
export class Migration20261127230000_webhook_erasures extends Migration {
  override name = 'Migration20261127230000_webhook_erasures';

  override up(): void {
    this.addSql(
      `alter table "webhook_lanes" add column "erasures" int not null default 0, add column "forgotten" int not null default 0;`,
    );
  }

  override down(): void {
    this.addSql(`alter table "webhook_lanes" drop column "erasures", drop column "forgotten";`);
  }
}
