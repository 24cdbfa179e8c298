import { Migration } from '@mikro-orm/migrations';

/** Search over contacts by trigrams, and what an import keeps of addresses that its file has more than once. */
export class Migration20261121180558_contacts extends Migration {
  override name = 'Migration20261121180558_contacts';

  override up(): void {
    this.addSql(`alter table "contact_import_keys" add "complete_row" int null;`);
    // It holds repeated addresses only: few rows, which are cheaper to log than to find again.
    this.addSql(`alter table contact_import_keys set logged;`);

    this.addSql(`create extension if not exists pg_trgm;`);
    // Names and address in one text: the trigrams that they share are indexed once.
    this.addSql(
      `create index contacts_search_idx on contacts using gin (lower(first_name || ' ' || last_name || chr(10) || email) gin_trgm_ops);`,
    );
    this.addSql(`create index companies_search_idx on companies using gin (lower(name) gin_trgm_ops);`);
    // Under row-level security LIKE may use no index, because it is not leakproof: so the tenant is in the function, and
    // what it finds is judged again by the query that asks. At most so many of each kind, for a pattern that fits nearly all.
    this.addSql(`
      create function search_contacts(pattern text, most int) returns setof bigint
      language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp as $$
      begin
        return query execute $q$
          (select c.id from contacts c
            where c.tenant_id = $1 and lower(c.first_name || ' ' || c.last_name || chr(10) || c.email) like lower($2) limit $3)
          union
          (select c.id from companies k join contacts c on c.tenant_id = k.tenant_id and c.company_id = k.id
            where k.tenant_id = $1 and lower(k.name) like lower($2) limit $3)$q$
          using current_setting('app.tenant_id', true), pattern, most;
      end $$;`);
    this.addSql(`revoke execute on function search_contacts(text, int) from public;`);
    this.addSql(`grant execute on function search_contacts(text, int) to perennial_app, perennial_engine;`);
  }
}
