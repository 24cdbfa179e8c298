import { Migration } from '@mikro-orm/migrations';

/** Who writes many contacts at once tells the planner, before autovacuum comes by. */
export class Migration20261122000100_statistics extends Migration {
  override name = 'Migration20261122000100_statistics';

  override up(): void {
    // As the owner: the right to analyze a table is also the right to lock it against everybody.
    this.addSql(`
      create function analyze_people() returns void
      language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      begin
        analyze (skip_locked) public.contacts, public.companies, public.segment_members;
      end $$;`);
    this.addSql(`revoke execute on function analyze_people() from public;`);
    this.addSql(`grant execute on function analyze_people() to perennial_app, perennial_engine;`);
  }
}
