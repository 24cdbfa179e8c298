import { Migration } from '@mikro-orm/migrations';

/** Who was in a segment, until when; and when segments were built. */
export class Migration20261125203101_past_members extends Migration {
  override name = 'Migration20261125203101_past_members';

  override up(): void {
    this.addSql(
      `create table "segment_builds" ("tenant_id" varchar(50) not null, "segment_id" bigint not null, "ended_at" timestamptz(3) not null, "began_at" timestamptz(3) not null, primary key ("tenant_id", "segment_id", "ended_at"));`,
    );
    this.addSql(
      `create table "segment_past_members" ("id" bigserial primary key, "tenant_id" varchar(50) not null, "segment_id" bigint not null, "contact_id" bigint null, "added_at" timestamptz(3) not null, "left_at" timestamptz(3) not null);`,
    );
    this.addSql(
      `create index "segment_past_members_left_idx" on "segment_past_members" ("tenant_id", "segment_id", "left_at", "added_at", "contact_id");`,
    );
    this.addSql(
      `create index "segment_past_members_contact_idx" on "segment_past_members" ("tenant_id", "contact_id", "segment_id");`,
    );
    for (const table of ['segment_builds', 'segment_past_members']) {
      this.addSql(
        `alter table "${table}" add constraint "${table}_segment_id_fkey" foreign key (tenant_id, segment_id) references segments (tenant_id, id) on delete cascade;`,
      );
      this.addSql(`alter table "${table}" enable row level security;`);
      this.addSql(`alter table "${table}" force row level security;`);
      this.addSql(
        `create policy "tenant" on "${table}" using (tenant_id = current_setting('app.tenant_id', true)) with check (tenant_id = current_setting('app.tenant_id', true));`,
      );
      this.addSql(`create policy "engine" on "${table}" to "perennial_engine" using (true) with check (true);`);
      this.addSql(`grant select, insert, update, delete on "${table}" to perennial_app, perennial_engine;`);
    }
    this.addSql(`grant usage on sequence "segment_past_members_id_seq" to perennial_app, perennial_engine;`);
    // Segments that exist have the default, and those to come, which keep their past members from the start, have none.
    this.addSql(
      `alter table "segments" add "building_since" timestamptz(3) null, add "history_since" timestamptz(3) null default now();`,
    );
    this.addSql(`alter table "segments" alter column "history_since" drop default;`);
    this.addSql(`update "segments" set building_since = now() where status = 'BUILDING';`);
  }

  override down(): void {
    this.addSql(`drop table "segment_builds";`);
    this.addSql(`drop table "segment_past_members";`);
    this.addSql(`alter table "segments" drop column "building_since", drop column "history_since";`);
  }
}
