import { Migration } from '@mikro-orm/migrations';

/** Templates say whether their emails may be rendered on an event loop; those that are stored are rendered in threads. */
export class Migration20261129131644_judged_templates extends Migration {
  override name = 'Migration20261129131644_judged_templates';

  override up(): void {
    this.addSql(`alter table "email_template_versions"
      add "is_plain" boolean not null default false, add "parse_ms" double precision not null default 1000000;`);
    this.addSql(`alter table "email_template_versions" alter "is_plain" drop default, alter "parse_ms" drop default;`);
  }

  override down(): void {
    this.addSql(`alter table "email_template_versions" drop column "is_plain", drop column "parse_ms";`);
  }
}
