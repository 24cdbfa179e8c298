import { Migration } from '@mikro-orm/migrations';

/** Mails of the service itself to an address are few, whichever tenants ask for them. */
export class Migration20261123083900_mails_to_an_address extends Migration {
  override name = 'Migration20261123083900_mails_to_an_address';

  override up(): void {
    // As the owner: the tenants' sessions share a bucket that none of them sees. Answers how many seconds to wait, 0 where a mail was taken.
    this.addSql(`
      create function take_mail(what text, per_hour int) returns int
      language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      declare there float8;
      begin
        insert into public.rate_buckets as b (bucket, tenant_id, tokens, at, taken) values ('mail/' || what, 'default', per_hour, now(), 0)
        on conflict (bucket) do update set at = greatest(b.at, now()), taken = 0,
          tokens = least(per_hour, b.tokens + greatest(0, extract(epoch from now() - b.at)) * per_hour / 3600)
        returning b.tokens into there;
        if there < 1 then
          return ceil((1 - there) * 3600 / per_hour);
        end if;
        update public.rate_buckets set tokens = there - 1, taken = 1 where bucket = 'mail/' || what;
        return 0;
      end $$;`);
    this.addSql(`revoke execute on function take_mail(text, int) from public;`);
    this.addSql(`grant execute on function take_mail(text, int) to perennial_app;`);
  }
}
