import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { isNoYounger } from '../../addresses/row-age.ts';
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
 * Takes in bounces as events told of them: of emails that the copy has, as reports; of others, a hard bounce suppresses
 * the address that its contact has in the copy. Emails and contacts that were given the ids later are not concerned.
 * Engine `tx`.
 */
export async function recordToldBounces(tx: EntityManager, told: readonly ToldBounce[]): Promise<void> {
  if (told.length === 0) return;
  const known = await knownEmails(tx, told);
  await recordReports(
    tx,
    told
      .filter(({ id }) => known.has(id))
      .map(({ emailId, id, at, hard }): DeliveryReport => ({
        ...{ emailId, source: 'stream', eventKey: id, at: new Date(at) },
        outcomes: [
          { verdict: hard ? 'address' : 'unclear', recipients: [], statusCode: null, diagnostic: 'told by an event' },
        ],
      })),
  );
  const payload = JSON.stringify(
    told
      .filter(({ id, hard, contactId }) => hard && contactId !== null && !known.has(id))
      .map(({ tenantId, contactId, at }) => ({ tenant_id: tenantId, contact_id: contactId, at })),
  );
  const others = await rows<{ tenantId: string; emailKey: string }>(
    tx,
    sql`
    select c.tenant_id as "tenantId", c.email_key as "emailKey"
    from jsonb_to_recordset(${payload}::jsonb) as r(tenant_id text, contact_id bigint, at timestamptz)
    join contacts c on c.tenant_id = r.tenant_id and c.id = r.contact_id and ${isNoYounger(sql`c.created_at`, sql`r.at`)}`,
  );
  for (const [tenantId, group] of Map.groupBy(others, (one) => one.tenantId))
    await suppressAddresses(
      tx,
      { tenantId, requestId: null },
      'bounced',
      group.map(({ emailKey }) => ({ emailKey, contactId: null, emailId: null })),
    );
}

/** The ids of the events whose emails the copy has. */
async function knownEmails(tx: EntityManager, told: readonly ToldBounce[]): Promise<ReadonlySet<string>> {
  const payload = JSON.stringify(
    told.map(({ tenantId, emailId, id, at }) => ({ tenant_id: tenantId, email_id: emailId, id, at })),
  );
  const known = await rows<{ id: string }>(
    tx,
    sql`
    select r.id from jsonb_to_recordset(${payload}::jsonb) as r(tenant_id text, email_id bigint, id text, at timestamptz)
    join emails m on m.tenant_id = r.tenant_id and m.id = r.email_id and ${isNoYounger(sql`m.created_at`, sql`r.at`)}`,
  );
  return new Set(known.map(({ id }) => id));
}
