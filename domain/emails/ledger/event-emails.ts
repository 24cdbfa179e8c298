import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { AnyEvent } from '../../../events/contracts.ts';

export interface EmailReferences {
  templateId?: number;
  campaignId?: number;
}

/**
 * Looks up template and campaign for events that contain only an email id, in the engine transaction `tx`. Returns a
 * function from an event to the references of its email; empty if the event has no email.
 */
export async function referencesOfEvents(
  tx: EntityManager,
  events: readonly AnyEvent[],
): Promise<(event: AnyEvent) => EmailReferences> {
  const bare = events.flatMap(({ tenantid, data }) => {
    const { emailId, templateId } = data as { emailId?: number; templateId?: number };
    return emailId && !templateId ? [{ t: tenantid, id: emailId }] : [];
  });
  if (bare.length === 0) return () => ({});
  const found = await rows<{ tenant_id: string; id: number; template_id: number | null; campaign_id: number | null }>(
    tx,
    sql`
    select distinct e.tenant_id, e.id, e.template_id, e.campaign_id
    from jsonb_to_recordset(${JSON.stringify(bare)}::jsonb) as r(t text, id bigint) join emails e on e.tenant_id = r.t and e.id = r.id`,
  );
  const references = new Map(
    found.map((row): [string, EmailReferences] => [
      `${row.tenant_id}/${row.id}`,
      { templateId: row.template_id ?? undefined, campaignId: row.campaign_id ?? undefined },
    ]),
  );
  return ({ tenantid, data }) => references.get(`${tenantid}/${(data as { emailId?: number }).emailId}`) ?? {};
}

/** Those of these templates that are of the service itself: their emails are no part of anybody's figures. */
export async function systemTemplatesAmong(tx: EntityManager, templateIds: readonly number[]): Promise<Set<number>> {
  if (templateIds.length === 0) return new Set();
  const found = await rows<{ id: number }>(
    tx,
    sql`select id from email_templates where id = any(${[...new Set(templateIds)]}::bigint[]) and system_key is not null`,
  );
  return new Set(found.map(({ id }) => id));
}
