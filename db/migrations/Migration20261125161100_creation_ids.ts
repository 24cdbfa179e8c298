import { Migration } from '@mikro-orm/migrations';

/**
 * Points for the creation of a contact get the id that CONTACT_CREATED has from now on, so that a replay finds them. Not
 * those of merged contacts, which have points for several creations, nor of contacts whose creation is a row of
 * contact_activities, which has the id of that time.
 */
export class Migration20261125161100_creation_ids extends Migration {
  override name = 'Migration20261125161100_creation_ids';

  override up(): void {
    this.addSql(`
      update score_history h
      set event_id = left(encode(sha256(convert_to('CONTACT_CREATED/' || h.tenant_id || '/' || h.subject_id, 'UTF8')), 'hex'), 32)::uuid
      from contacts c
      where h.subject = 'contact' and h.event_type = 'CONTACT_CREATED' and c.tenant_id = h.tenant_id and c.id = h.subject_id
        and c.created_activity_id is not null and not exists (
          select 1 from score_history o where o.tenant_id = h.tenant_id and o.subject = h.subject and o.subject_id = h.subject_id
            and o.rule_id = h.rule_id and o.event_type = h.event_type and o.id <> h.id);`);
  }

  override down(): void {
    // The ids of before are not kept, and nothing depends on them.
  }
}
