import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendHitEvents, type HitRow } from './hit-events.ts';

/** A fetched pixel or a followed link, as published on `tracking.hits`. */
export interface Hit {
  /** A UUID, so that a hit counts once even if it arrives repeatedly. */
  id: string;
  type: 'OPEN' | 'CLICK';
  emailId: number;
  /** RFC 3339. */
  at: string;
  url: string | null;
  ip: string | null;
  userAgent: string | null;
  /** Certainly automated: a HEAD request or a known agent. */
  automated: boolean;
}

/**
 * Stores hits of existing emails, each once, in the engine transaction `tx`. Writes events at once for hits that are
 * certainly automated; the others wait to be classified.
 */
export async function recordHits(tx: EntityManager, hits: readonly Hit[]): Promise<void> {
  const payload = JSON.stringify(hits.map((hit) => ({ ...hit, email_id: hit.emailId, user_agent: hit.userAgent })));
  const recorded = await rows<HitRow>(
    tx,
    sql`
    with come as (
      insert into email_events (tenant_id, email_id, campaign_id, event_id, type, at, url, ip, user_agent, automated)
      select e.tenant_id, e.id, e.campaign_id, h.id, h.type, h.at, h.url, h.ip, h.user_agent, case when h.automated then true end
      from jsonb_to_recordset(${payload}::jsonb) as h(id uuid, type text, email_id bigint, at timestamptz, url text, ip text, user_agent text, automated boolean)
      join emails e on e.id = h.email_id and e.reason is distinct from 'erased'
      on conflict (event_id) do nothing
      returning tenant_id, email_id, type, at, url, automated, first
    )
    select v.*, e.contact_id, e.template_id, e.campaign_id, e.external_id
    from come v join emails e on e.tenant_id = v.tenant_id and e.id = v.email_id
    where v.automated`,
  );
  await appendHitEvents(tx, recorded);
}
