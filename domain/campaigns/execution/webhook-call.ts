import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { Effect } from './advance.ts';
import { causeId, type Performer } from './performed.ts';

/** The call of a WEBHOOK step. Whoever runs steps makes it, outside of a transaction, and runs the step again. */
export interface WebhookCall {
  tenantId: string;
  /** The same at every attempt, and in every run of the execution. */
  id: string;
  url: string;
  onError: 'fail' | 'continue';
  /** JSON. */
  body: string;
}

/** The call of the step at which an execution is, with the current data of its contact. */
export async function webhookCall(
  tx: EntityManager,
  { url, onError }: Extract<Effect, { effect: 'webhook' }>,
  by: Performer,
  { campaignVersion, enteredAt }: { campaignVersion: number; enteredAt: string },
): Promise<WebhookCall> {
  const { tenantId, executionId, campaignId, contactId, stepId, visit } = by;
  const [contact] = await rows<Record<string, unknown>>(
    tx,
    sql`
    select c.id, c.email, c.first_name as "firstName", c.last_name as "lastName", c.phone, c.status, c.tags, c.custom_fields as "customFields",
      case when o.id is not null then jsonb_build_object('id', o.id, 'name', o.name) end as company
    from contacts c left join companies o on o.tenant_id = c.tenant_id and o.id = c.company_id
    where c.tenant_id = ${tenantId} and c.id = ${contactId}`,
  );
  const data = {
    campaignId,
    campaignVersion,
    executionId,
    stepId,
    visit,
    contactId,
    tenantId,
    contact: contact ?? null,
  };
  const body = JSON.stringify({ type: 'campaign.step', timestamp: enteredAt, data });
  return { tenantId, id: causeId(by), url, onError, body };
}
