import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { EmailLane, EmailStatus } from '../../../db/entities/emails.ts';
import { appendSendRequests } from '../../../events/outbox.ts';
import { addressKey } from '../../addresses/address-key.ts';
import { gateJoins, refusal } from './gates.ts';

const REQUESTS_PER_ROW = 500;

export interface EmailRequest {
  /** Identifies the email within the tenant: a repeated request with the same key is the same email. */
  sendKey: string;
  templateId: number;
  /** Null for an email to an address without a contact (`toAddress`). */
  contactId: number | null;
  toAddress?: string | null;
  campaignId?: number | null;
  executionId?: number | null;
  stepId?: string | null;
  /** 1 to 9; null: that of the email campaign, else 5. */
  priority?: number | null;
  lane: EmailLane;
  data?: Record<string, unknown> | null;
  requestId: string | null;
  externalId?: string | null;
  /** Senders may take it as soon as this commits; no send request is written. */
  accepted?: boolean;
  /** A reason to suppress the email in addition to the gates. */
  refusal?: string | null;
}

export interface QueuedEmail {
  sendKey: string;
  emailId: number;
  status: EmailStatus;
  reason: string | null;
  isNew: boolean;
}

interface LedgerRow {
  id: number;
  send_key: string;
  status: EmailStatus;
  reason: string | null;
}

/**
 * Writes ledger rows in the transaction `tx` (of the tenant or the engine): one email per send key, even if requested
 * twice. Emails that a gate refuses are SUPPRESSED with its reason; the others are QUEUED and, unless `accepted`, get a
 * send request in the outbox. Returns one entry per request, in order; for a known send key, its current state.
 */
export async function queueEmails(
  tx: EntityManager,
  tenantId: string,
  requests: EmailRequest[],
): Promise<QueuedEmail[]> {
  if (requests.length === 0) return [];
  const made = await insertRows(tx, tenantId, requests);
  const isNew = new Set(made.map((row) => row.send_key));
  const known = [...new Set(requests.map((request) => request.sendKey))].filter((key) => !isNew.has(key));
  const found =
    known.length === 0
      ? []
      : await rows<LedgerRow>(
          tx,
          sql`
    select id, send_key, status, reason from emails where tenant_id = ${tenantId} and send_key = any(${known})`,
        );
  const byKey = new Map([...made, ...found].map((row) => [row.send_key, row]));

  const toRequest = new Map(
    requests.filter((request) => !request.accepted).map((request) => [request.sendKey, request]),
  );
  const wanted = made.flatMap((row) => {
    const request = toRequest.get(row.send_key);
    if (!request || row.status !== 'QUEUED') return [];
    return [
      {
        templateId: request.templateId,
        recipientId: request.contactId,
        emailId: row.id,
        campaignId: request.campaignId ?? null,
      },
    ];
  });
  for (let at = 0; at < wanted.length; at += REQUESTS_PER_ROW) {
    await appendSendRequests(tx, tenantId, wanted.slice(at, at + REQUESTS_PER_ROW));
  }
  return requests.map(({ sendKey }) => {
    const row = byKey.get(sendKey)!;
    return { sendKey, emailId: row.id, status: row.status, reason: row.reason, isNew: isNew.has(sendKey) };
  });
}

/**
 * Inserts the missing rows and returns them. Waits for concurrent inserts of the same send key, whose row exists then.
 */
async function insertRows(tx: EntityManager, tenantId: string, requests: EmailRequest[]): Promise<LedgerRow[]> {
  const payload = JSON.stringify(
    requests.map((request, ord) => ({
      ord,
      tenant_id: tenantId,
      send_key: request.sendKey,
      external_id: request.externalId,
      template_id: request.templateId,
      contact_id: request.contactId,
      to_address: request.toAddress,
      to_key: request.toAddress ? addressKey(request.toAddress) : undefined,
      campaign_id: request.campaignId,
      execution_id: request.executionId,
      step_id: request.stepId,
      priority: request.priority ?? undefined,
      lane: request.lane,
      // Undefined, not null: null would be stored as a JSON null.
      data: request.data ?? undefined,
      request_id: request.requestId,
      accepted: request.accepted ?? false,
      refusal: request.refusal ?? undefined,
    })),
  );
  return rows<LedgerRow>(
    tx,
    sql`
    with asked as (
      select distinct on (r.send_key) r.* from jsonb_to_recordset(${payload}::jsonb) as r(
        ord int, tenant_id text, send_key text, external_id text, template_id bigint, contact_id bigint, to_address text, to_key text,
        campaign_id bigint, execution_id bigint, step_id text, priority smallint, lane text, data jsonb, request_id text, accepted boolean, refusal text)
      order by r.send_key, r.ord
    ), judged as (
      select e.*, coalesce(${refusal}, e.refusal) as reason from asked e ${gateJoins}
    )
    insert into emails (tenant_id, send_key, external_id, template_id, contact_id, to_address, campaign_id, execution_id, step_id,
                        priority, lane, data, request_id, accepted_at, status, reason)
    select tenant_id, send_key, external_id, template_id, contact_id, to_address, campaign_id, execution_id, step_id,
           priority, lane, data, request_id, case when accepted then now() end, case when reason is null then 'QUEUED' else 'SUPPRESSED' end, reason
    from judged order by ord
    on conflict (tenant_id, send_key) do nothing
    returning id, send_key, status, reason`,
  );
}
