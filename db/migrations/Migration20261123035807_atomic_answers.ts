import { Migration } from '@mikro-orm/migrations';

/** An answer is kept in the transaction of what it answers, so a row without an answer is a request that was not done. */
export class Migration20261123035807_atomic_answers extends Migration {
  override name = 'Migration20261123035807_atomic_answers';

  override up(): void {
    this.addSql(`delete from "idempotent_answers" where "status" is null;`);
    this.addSql(`alter table "idempotent_answers" drop column "locked_until", drop column "runner";`);
    this.addSql(`alter table "idempotent_answers" alter column "headers" set not null;`);
    this.addSql(`alter table "idempotent_answers" alter column "status" set not null;`);
  }
}
