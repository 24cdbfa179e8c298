import type { MessageChannel } from '../../db/entities/channels.ts';
import { rows, sql, type EntityManager, type RawBuilder } from '../../db/orm.ts';
import { appendEventsOfTenants } from '../../events/outbox.ts';
import { keptUrl } from '../addresses/kept-url.ts';
import { settleByClicks } from '../channels/ledger/settle-by-clicks.ts';
import type { MessageHit } from './hit.ts';
import type { HitLedger, PendingHit } from './hit-ledger.ts';

/** A click with the message's data for its event. */
interface MessageHitRow extends PendingHit {
  send_id: number;
  url: string;
  channel: MessageChannel;
  contact_id: number | null;
  template_id: number | null;
  campaign_id: number | null;
}

const ofMessage = sql`m.channel, m.contact_id, m.template_id, m.campaign_id`;

/** Clicks on links of text messages and pushes. */
export const messageHits: HitLedger<MessageHitRow> = {
  lock: 0x7065_7267,
  table: sql`message_clicks`,
  subject: sql`v.message_id`,
  type: sql`'CLICK'`,
  readPending: (tx, afterSeconds, limit) =>
    rows<MessageHitRow>(
      tx,
      sql`
      with pending as (
        select v.id, v.tenant_id, v.message_id as subject, v.send_id, 'CLICK' as type, v.at, v.url, ${ofMessage}
        from message_clicks v join messages m on m.tenant_id = v.tenant_id and m.id = v.message_id
        where v.automated is null and v.received_at <= now() - make_interval(secs => ${afterSeconds})
        -- Its URL must not change any more. What is being changed is judged next time.
        order by v.received_at, v.id limit ${limit} for no key update of v skip locked
      ), links as (
        -- Once for each message. One that was rendered again has several codes for the same URL. Links to opt out are not
        -- tracked.
        select o.tenant_id, o.subject, count(distinct l.url)::int as n
        from (select distinct tenant_id, subject from pending) o
        join message_links l on l.tenant_id = o.tenant_id and l.message_id = o.subject
        where l.url !~ '^[^?#]*/api/v1/emails/(unsubscribe|preferences)/'
        group by o.tenant_id, o.subject
      )
      select p.*, coalesce(k.n, 0) as link_count from pending p left join links k on k.tenant_id = p.tenant_id and k.subject = p.subject`,
    ),
  settle: (tx, hits) =>
    settleByClicks(
      tx,
      hits.map((hit) => ({ tenantId: hit.tenant_id, id: hit.send_id, messageId: hit.subject })),
    ),
  tell: appendClickEvents,
};

/**
 * The id of a person's click on a push, by its send `s`. A notification is clicked once: its device reports that, and
 * follows a link of it too, and both are one click.
 */
const pushClickId: RawBuilder<unknown> = sql`md5('push-click/' || s.id)::uuid`;

/** The same as `recordEmailHits`, of text messages and pushes. */
export async function recordMessageHits(tx: EntityManager, hits: readonly MessageHit[]): Promise<void> {
  if (hits.length === 0) return;
  const payload = JSON.stringify(hits.map((hit) => ({ ...hit, send_id: hit.sendId, user_agent: hit.userAgent })));
  const recorded = await rows<MessageHitRow>(
    tx,
    sql`
    with come as (
      insert into message_clicks (tenant_id, message_id, send_id, event_id, at, url, ip, user_agent, automated)
      select distinct on (k.id) s.tenant_id, s.message_id, s.id, k.id,
        h.at, h.url, h.ip, h.user_agent, case when h.automated then true end
      from jsonb_to_recordset(${payload}::jsonb) as h(id uuid, send_id bigint, at timestamptz, url text, ip text, user_agent text, automated boolean)
      join message_sends s on s.id = h.send_id
      join messages m on m.tenant_id = s.tenant_id and m.id = s.message_id and m.reason is distinct from 'erased'
      cross join lateral (select case when s.type <> 'sms' and not h.automated then ${pushClickId} else h.id end as id) k
      -- Each once, because a statement cannot change a row twice.
      order by k.id, h.at
      -- The device may have reported the click before. Only the link tells what was clicked: the push or one of its actions.
      on conflict (event_id) do update set url = excluded.url
        where message_clicks.automated is null and message_clicks.url <> excluded.url
      returning id, tenant_id, message_id, send_id, at, url, automated, first
    )
    select v.*, v.message_id as subject, 'CLICK' as type, ${ofMessage}
    from come v join messages m on m.tenant_id = v.tenant_id and m.id = v.message_id
    where v.automated`,
  );
  await appendClickEvents(tx, recorded);
}

/**
 * Records that a device reported a click on a push that it got, once: a click on the push's URL, unless a link of it is
 * followed too. It waits to be classified, as other clicks do. A push that was not sent by us, or is erased, has no
 * click. Engine `tx`.
 */
export async function recordPushClick(
  tx: EntityManager,
  {
    tenantId,
    sendId,
    ip,
    userAgent,
  }: { tenantId: string; sendId: number; ip: string | null; userAgent: string | null },
): Promise<void> {
  const sent = sql`message_sends s join messages m on m.tenant_id = s.tenant_id and m.id = s.message_id
      and s.tenant_id = ${tenantId} and s.id = ${sendId} and s.type <> 'sms' and s.attempt > 0 and m.reason is distinct from 'erased'`;
  const [clicked] = await rows<{ url: string }>(
    tx,
    sql`
    select coalesce((
      select l.url from message_links l where l.tenant_id = s.tenant_id and l.message_id = s.message_id and l.send_id = s.id
        and l.position = 1 limit 1), p.default_url, '') as url
    from ${sent}
    left join push_subscriptions d on d.tenant_id = s.tenant_id and d.id = s.subscription_id
    left join push_sites p on p.tenant_id = d.tenant_id and p.id = d.site_id`,
  );
  if (!clicked) return;
  await rows(
    tx,
    sql`
    insert into message_clicks (tenant_id, message_id, send_id, event_id, at, url, ip, user_agent)
    select s.tenant_id, s.message_id, s.id, ${pushClickId}, now(), ${keptUrl(clicked.url)}, ${ip}, ${userAgent}
    from ${sent}
    on conflict (event_id) do nothing`,
  );
}

/** Writes MESSAGE_CLICKED for classified clicks, with the time of the click. */
async function appendClickEvents(tx: EntityManager, clicks: readonly MessageHitRow[]): Promise<void> {
  await appendEventsOfTenants(
    tx,
    clicks.map((click) => ({
      tenantId: click.tenant_id,
      event: {
        type: 'MESSAGE_CLICKED' as const,
        at: click.at,
        data: {
          messageId: click.subject,
          channel: click.channel,
          contactId: click.contact_id,
          ...(click.template_id === null ? {} : { templateId: click.template_id }),
          ...(click.campaign_id === null ? {} : { campaignId: click.campaign_id }),
          url: click.url,
          automated: click.automated,
          first: click.first,
        },
      },
    })),
  );
}
