import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { suppressAddresses } from '../consent/suppress-addresses.ts';
import { recordReports } from './record-reports.ts';
import type { DeliveryReport } from './report.ts';

/** What EMAIL_BOUNCED said, after the copy was taken to which Postgres was put back. */
export interface ToldBounce {
  tenantId: string;
  emailId: number;
  contactId: number | null;
  hard: boolean;
  /** The event's. */
  id: string;
  /** RFC 3339. */
  at: string;
}

/**
 * Takes in bounces as events told of them: of emails that the copy has, as reports; of later ones, a hard bounce
 * suppresses the address that its contact has in the copy. Engine `tx`.
 */
export async function recordToldBounces(tx: EntityManager, told: readonly ToldBounce[]): Promise<void> {
  if (told.length === 0) return;
  await recordReports(
    tx,
    told.map(({ emailId, id, at, hard }): DeliveryReport => ({
      ...{ emailId, source: 'stream', eventKey: id, at: new Date(at) },
      outcomes: [
        { verdict: hard ? 'address' : 'unclear', recipients: [], statusCode: null, diagnostic: 'told by an event' },
      ],
    })),
  );
  const payload = JSON.stringify(
    told
      .filter(({ hard, contactId }) => hard && contactId !== null)
      .map(({ tenantId, emailId, contactId }) => ({ tenant_id: tenantId, email_id: emailId, contact_id: contactId })),
  );
  const later = await rows<{ tenantId: string; emailKey: string }>(
    tx,
    sql`
    select c.tenant_id as "tenantId", c.email_key as "emailKey"
    from jsonb_to_recordset(${payload}::jsonb) as r(tenant_id text, email_id bigint, contact_id bigint)
    join contacts c on c.tenant_id = r.tenant_id and c.id = r.contact_id
    where not exists (select 1 from emails m where m.tenant_id = r.tenant_id and m.id = r.email_id)`,
  );
  for (const [tenantId, group] of Map.groupBy(later, (one) => one.tenantId))
    await suppressAddresses(
      tx,
      { tenantId, requestId: null },
      'bounced',
      group.map(({ emailKey }) => ({ emailKey, contactId: null, emailId: null })),
    );
}
