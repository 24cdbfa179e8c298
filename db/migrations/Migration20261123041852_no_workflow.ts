import { Migration } from '@mikro-orm/migrations';

/** An execution that was over as soon as it began had no workflow, so it names none. */
export class Migration20261123041852_no_workflow extends Migration {
  override name = 'Migration20261123041852_no_workflow';

  override up(): void {
    this.addSql(`alter table "campaign_executions" alter column "workflow_id" drop not null;`);
    // Only those have no state of the interpreter.
    this.addSql(`update campaign_executions set workflow_id = null where state = '{}';`);
  }
}
