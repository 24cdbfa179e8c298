import { appendEventsOfTenants } from '../../../events/outbox.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { emailReferences } from '../ledger/delivery-events.ts';

/** A classified hit with the email's data for its event. */
export interface HitRow {
  tenant_id: string;
  email_id: number;
  type: 'OPEN' | 'CLICK';
  at: Date;
  url: string | null;
  automated: boolean;
  first: boolean;
  contact_id: number | null;
  template_id: number;
  campaign_id: number | null;
  external_id: string | null;
}

/** Writes EMAIL_OPENED and EMAIL_CLICKED for classified hits, with the time of the hit. */
export async function appendHitEvents(tx: EntityManager, hits: readonly HitRow[]): Promise<void> {
  await appendEventsOfTenants(
    tx,
    hits.map((hit) => {
      const { email_id: emailId, contact_id: contactId, automated, first } = hit;
      const common = { emailId, contactId, automated, first, ...emailReferences(hit) };
      const about = { at: hit.at };
      return {
        tenantId: hit.tenant_id,
        event:
          hit.type === 'OPEN'
            ? { type: 'EMAIL_OPENED' as const, ...about, data: common }
            : { type: 'EMAIL_CLICKED' as const, ...about, data: { ...common, url: hit.url ?? '' } },
      };
    }),
  );
}
