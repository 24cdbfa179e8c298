import { appendEventsOfTenants } from '../../events/outbox.ts';
import type { EntityManager } from '../../db/orm.ts';

/** Columns of a ledger row that its events carry. */
export interface LedgerRow {
  id: number;
  tenant_id: string;
  status: string;
  contact_id: number | null;
  template_id: number;
  campaign_id: number | null;
  external_id: string | null;
  request_id: string | null;
}

/** What events about an email say of it beside its id and contact. */
export function emailReferences(row: Pick<LedgerRow, 'template_id' | 'campaign_id' | 'external_id'>) {
  return {
    templateId: row.template_id,
    ...(row.campaign_id === null ? {} : { campaignId: row.campaign_id }),
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
  };
}

/**
 * EMAIL_SENT for emails whose delivery ended, SENT or FAILED: of one moment and one shard, so that a batch is one outbox row.
 * Who follows an email does not go by the order of its events.
 */
export async function appendDeliveryEvents(tx: EntityManager, ended: readonly LedgerRow[]): Promise<void> {
  const at = new Date();
  const entity = `email/${ended[0]?.id}`;
  await appendEventsOfTenants(tx, ended.map((row) => ({
    origin: { tenantId: row.tenant_id, requestId: row.request_id },
    event: {
      type: 'EMAIL_SENT' as const, entity, at,
      data: { emailId: row.id, recipientId: row.contact_id, status: row.status, ...emailReferences(row) },
    },
  })));
}
