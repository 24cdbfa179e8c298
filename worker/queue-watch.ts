import { EMAIL_LANES } from '../db/entities/emails.ts';
import { engineEm, rows, sql } from '../db/orm.ts';
import { EMAIL_SEND_REQUESTS, EVENT_BATCHES, LISTENER_REQUESTS, TRACKING_HITS } from '../transport/streams.ts';
import type { Deps } from '../runtime/deps.ts';

/** The streams from which a message is deleted as soon as it is handled. */
const QUEUES = [EVENT_BATCHES, EMAIL_SEND_REQUESTS, LISTENER_REQUESTS, TRACKING_HITS];

interface Waiting {
  events: number | null;
  request: number | null;
  workflows: number | null;
  endpoints: number;
  webhooks: number | null;
}

/**
 * Returns a function that measures what waits, for the metrics: in the outbox, in NATS, emails that are due, and
 * webhooks. Every process that does this finds the same.
 */
export function createQueueWatch(deps: Pick<Deps, 'orm' | 'nats' | 'metrics'>): () => Promise<void> {
  const { orm, nats, metrics } = deps;
  /** The first send request, which has no time, and since when it is the first. */
  let first = { id: null as number | null, since: 0 };

  async function watchTables(): Promise<void> {
    const [found] = await engineEm(orm).transactional((tx) =>
      rows<Waiting>(
        tx,
        // The first event of each tenant, by the primary key: when the outbox is long, it must not be scanned each time.
        sql`
        with recursive tenants(id) as (
          (select tenant_id from outbox_events order by tenant_id limit 1)
          union all
          select (select tenant_id from outbox_events where tenant_id > t.id order by tenant_id limit 1)
          from tenants t where t.id is not null
        )
        select (
            select extract(epoch from now() - min(first.occurred_at))::float8 from tenants t
            cross join lateral (select occurred_at from outbox_events where tenant_id = t.id order by id limit 1) first
          ) as events,
          (select min(id) from outbox_send_requests) as request,
          (select extract(epoch from now() - min(created_at))::float8 from outbox_workflows where not is_job) as workflows,
          (select count(*)::int from webhook_lanes where active and due_at <= now()) as endpoints,
          (select extract(epoch from now() - min(due_at))::float8 from webhook_lanes where active and due_at <= now()) as webhooks`,
      ),
    );
    const { events, request, workflows, endpoints, webhooks } = found!;
    if (request !== first.id) first = { id: request, since: Date.now() };
    const requests = request === null ? 0 : (Date.now() - first.since) / 1000;
    metrics.outboxAge.set({ table: 'outbox_events' }, Math.max(0, events ?? 0));
    metrics.outboxAge.set({ table: 'outbox_send_requests' }, requests);
    metrics.outboxAge.set({ table: 'outbox_workflows' }, Math.max(0, workflows ?? 0));
    metrics.webhooksDue.set(endpoints);
    metrics.webhooksAge.set(webhooks ?? 0);
  }

  async function watchEmails(): Promise<void> {
    const found = await engineEm(orm).transactional((tx) =>
      rows<{ lane: string; seconds: number | null }>(
        tx,
        sql`
        with recursive tenants(lane, id) as (
          select lanes.lane, (select tenant_id from emails where stage = 'open' and lane = lanes.lane order by tenant_id limit 1)
          from unnest(${[...EMAIL_LANES]}::text[]) lanes(lane)
          union all
          select t.lane, (select tenant_id from emails where stage = 'open' and lane = t.lane and tenant_id > t.id order by tenant_id limit 1)
          from tenants t where t.id is not null
        )
        select t.lane, extract(epoch from now() - min(e.next_attempt_at))::float8 as seconds
        from tenants t left join lateral (
          select next_attempt_at from emails where stage = 'open' and status = 'QUEUED' and lane = t.lane and tenant_id = t.id
            and next_attempt_at <= now() order by next_attempt_at limit 1) e on true
        group by t.lane`,
      ),
    );
    for (const { lane, seconds } of found) metrics.emailsDue.set({ lane }, seconds ?? 0);
  }

  async function watchStreams(): Promise<void> {
    for (const stream of QUEUES) {
      const { state } = await nats.jsm.streams.info(stream);
      const age = state.messages > 0 ? (Date.now() - Date.parse(state.first_ts)) / 1000 : 0;
      metrics.queueAge.set({ stream }, Math.max(0, age));
      for await (const { name, num_pending, num_ack_pending } of nats.jsm.consumers.list(stream))
        metrics.consumerPending.set({ stream, consumer: name }, num_pending + num_ack_pending);
    }
  }

  return async () => {
    const results = await Promise.allSettled([watchTables(), watchEmails(), watchStreams()]);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  };
}
