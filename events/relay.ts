import pg from 'pg';
import { ENGINE_ROLE } from '../db/entities/base.ts';
import { eventSubject, type EventType } from './contracts.ts';
import { encode, publishAll, type Message, type Nats } from './nats.ts';
import { OUTBOX_PING, SEND_REQUEST_SUBJECT } from './streams.ts';
import { SHARDS, type SendRequest } from './outbox.ts';
import type { Logger } from '../config/logger.ts';
import type { Metrics } from '../config/metrics.ts';

const POLL_MS = 250;
const ROWS_PER_BATCH = 200;
/** Advisory lock classes: one relay per shard, one for each of the two other tables. */
const LOCK_CLASS = 0x7065_7265;
const SEND_REQUESTS_LOCK = 1000;
const WORKFLOWS_LOCK = 1001;

export interface RelayDeps {
  databaseUrl: string;
  nats: Nats;
  log: Logger;
  metrics: Metrics;
  /** Starts a workflow under its id; one that was already started is a success. */
  startWorkflow(type: string, id: string, input: Record<string, unknown>): Promise<void>;
}

interface OutboxRow {
  id: number;
  tenant_id: string;
  type: EventType;
  occurred_at: Date;
  request_id: string | null;
  events: { id: string; data: Record<string, unknown> }[];
}

interface SendRequestRow {
  id: number;
  tenant_id: string;
  requests: SendRequest[];
}

interface Loop {
  name: string;
  /** Relays one batch in the open transaction; answers how many messages. */
  batch(client: pg.Client): Promise<number>;
}

/**
 * Publishes what the outbox tables hold, in order per entity: rows are deleted in a transaction that is held open
 * over the publications, so a crash publishes again (same message ids), never skips.
 */
export function startRelay(deps: RelayDeps): { stop(): Promise<void> } {
  const { nats, log } = deps;
  let stopping = false;
  let wake: () => void = () => {};
  const ping = nats.connection.subscribe(OUTBOX_PING, { callback: () => wake() });

  const events = (shards: number[]): Loop => ({
    name: 'outbox_events',
    batch: async (client) => {
      const { rows } = await client.query<OutboxRow>(
        `delete from outbox_events where id in (select id from outbox_events where shard = any($1) order by id limit $2)
         returning id, tenant_id, type, occurred_at, request_id, events`, [shards, ROWS_PER_BATCH]);
      return publishAll(nats, cloudEvents(rows.sort((a, b) => a.id - b.id)));
    },
  });

  const sendRequests: Loop = {
    name: 'outbox_send_requests',
    batch: async (client) => {
      const { rows } = await client.query<SendRequestRow>(
        `delete from outbox_send_requests where id in (select id from outbox_send_requests order by id limit $1)
         returning id, tenant_id, requests`, [ROWS_PER_BATCH]);
      return publishAll(nats, sendRequestMessages(rows));
    },
  };

  const workflows: Loop = {
    name: 'outbox_workflows',
    batch: async (client) => {
      const { rows } = await client.query<{ id: number; workflow_type: string; workflow_id: string; input: Record<string, unknown> }>(
        `delete from outbox_workflows where id in (select id from outbox_workflows order by id limit $1)
         returning id, workflow_type, workflow_id, input`, [50]);
      await Promise.all(rows.map((row) => deps.startWorkflow(row.workflow_type, row.workflow_id, row.input)));
      return rows.length;
    },
  };

  const transaction = async (client: pg.Client, loop: Loop): Promise<number> => {
    await client.query('begin');
    try {
      await client.query(`set local role ${ENGINE_ROLE}`);
      const count = await loop.batch(client);
      await client.query('commit');
      if (count > 0) deps.metrics.relayed.inc({ table: loop.name }, count);
      return count;
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    }
  };

  /** Takes what locks are free; they are the session's, so they are freed when this process or its connection dies. */
  const tryLocks = async (client: pg.Client, keys: number[]): Promise<number[]> => {
    const { rows } = await client.query<{ key: number }>(
      'select key from unnest($2::int[]) as key where pg_try_advisory_lock($1, key)', [LOCK_CLASS, keys]);
    return rows.map((row) => row.key);
  };

  const run = async (name: string, keys: number[], loopFor: (owned: number[]) => Loop): Promise<void> => {
    while (!stopping) {
      const client = new pg.Client({ connectionString: deps.databaseUrl, application_name: `perennial-relay-${name}` });
      client.on('error', (error) => log.warn({ err: error, loop: name }, 'relay lost its connection'));
      try {
        await client.connect();
        await relayUntilStopped(client, keys, loopFor);
      } catch (error) {
        if (!stopping) log.warn({ err: error, loop: name }, 'relay interrupted, trying again');
        await new Promise((resolve) => setTimeout(resolve, 500));
      } finally {
        await client.end().catch(() => undefined);
      }
    }
  };

  const relayUntilStopped = async (client: pg.Client, keys: number[], loopFor: (owned: number[]) => Loop): Promise<void> => {
    let owned: number[] = [];
    let triedAt = 0;
    while (!stopping) {
      if (owned.length < keys.length && Date.now() - triedAt > 2000) {
        triedAt = Date.now();
        owned = [...owned, ...(await tryLocks(client, keys.filter((key) => !owned.includes(key))))];
        if (keys.length > 1) deps.metrics.shardsOwned.set(owned.length);
      }
      const woken = new Promise<void>((resolve) => waiting.add(resolve));
      const count = owned.length > 0 ? await transaction(client, loopFor(owned)) : 0;
      if (count === 0 && !stopping) await Promise.race([woken, new Promise((resolve) => setTimeout(resolve, POLL_MS))]);
    }
  };

  const waiting = new Set<() => void>();
  wake = () => {
    for (const resolve of waiting) resolve();
    waiting.clear();
  };

  const loops = [
    run('events', Array.from({ length: SHARDS }, (_, shard) => shard), events),
    run('send-requests', [SEND_REQUESTS_LOCK], () => sendRequests),
    run('workflows', [WORKFLOWS_LOCK], () => workflows),
  ];

  return {
    async stop() {
      stopping = true;
      ping.unsubscribe();
      wake();
      await Promise.all(loops);
    },
  };
}

function* cloudEvents(rows: readonly OutboxRow[]): Generator<Message> {
  for (const { tenant_id, type, occurred_at, request_id, events } of rows) {
    const time = occurred_at.toISOString();
    for (const { id, data } of events) {
      yield {
        subject: eventSubject(tenant_id, type), id, contentType: 'application/cloudevents+json',
        data: encode({
          specversion: '1.0', id, source: 'perennial', type, time, datacontenttype: 'application/json', tenantid: tenant_id,
          ...(request_id ? { requestid: request_id } : {}), data: { ...data, tenantId: tenant_id, timestamp: time },
        }),
      };
    }
  }
}

function* sendRequestMessages(rows: readonly SendRequestRow[]): Generator<Message> {
  for (const { id, tenant_id, requests } of rows) {
    for (const request of requests) yield { subject: SEND_REQUEST_SUBJECT, id: `send-${request.emailId}-${id}`, data: encode({ ...request, tenantId: tenant_id }) };
  }
}
