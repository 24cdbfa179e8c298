import { Migration } from '@mikro-orm/migrations';

/** Lets a tenant find the received texts of contacts by their index. */
export class Migration20261127220100_received_texts_of extends Migration {
  override name = 'Migration20261127220100_received_texts_of';

  override up(): void {
    // Under row-level security && may use no index, because it is not leakproof: so the tenant is in the function.
    this.addSql(`
      create function received_texts_of(contacts bigint[]) returns setof bigint
      language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
      begin
        return query execute
          'select t.id from public.inbound_texts t where t.tenant_id = $1 and t.contact_ids && $2'
          using current_setting('app.tenant_id', true), contacts;
      end $$;`);
    this.addSql(`grant execute on function received_texts_of(bigint[]) to perennial_app;`);
  }

  override down(): void {
    this.addSql(`drop function if exists received_texts_of(bigint[]);`);
  }
}
