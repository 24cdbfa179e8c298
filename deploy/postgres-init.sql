-- Logins and databases, made once in an empty Postgres. A login's password comes from the secret that its user reads.
do $$
declare
  migration_url text := pg_read_file('/run/secrets/DATABASE_MIGRATION_URL');
  temporal_password text := rtrim(pg_read_file('/run/secrets/TEMPORAL_PASSWORD'), E'\n');
begin
  -- No superuser: it makes the roles of the service, and its functions look up who calls in the tables of all tenants.
  execute format('create role perennial_owner login createrole bypassrls password %L',
    substring(migration_url from '://[^:]+:([^@]+)@'));
  execute format('create role temporal login password %L', temporal_password);
end $$;
create database perennial owner perennial_owner;
create database temporal owner temporal;
create database temporal_visibility owner temporal;
revoke connect on database temporal, temporal_visibility from public;
