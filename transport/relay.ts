import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { ENGINE_ROLE } from '../db/entities/base.ts';
import { session } from '../db/orm.ts';
import { eventsOf, eventSubject, type EventBatch, type OwnSendRequest } from '../events/contracts.ts';
import { tryLock } from './locks.ts';
import { encode, publishAll, type Message, type Nats } from './nats.ts';
import { batchSubject, OUTBOX_PING, SEND_REQUEST_SUBJECT } from './streams.ts';
import { JobTurns } from './job-turns.ts';
import { OutboxTurns, type OutboxRow } from './outbox-turns.ts';
import type { OutboxTable, SendRequest } from '../events/outbox.ts';
import { Wake } from '../lib/async/wake.ts';
import type { WorkflowStart, WorkflowWake } from '../registry/workflows.ts';
import type { Logger } from '../config/logger.ts';
import { sayOnce, type SayOnce } from '../config/say-once.ts';
import type { Metrics } from '../config/metrics.ts';

const POLL_MS = 250;
/** How often a process that does not relay a table tries to take over. */
const STANDBY_MS = 2_000;
/** The pause between batches under load, so that rows written in between go together. */
const PACE_MS = 50;
const ROWS_PER_BATCH = 200;
const WORKFLOWS_PER_BATCH = 50;
export interface RelayDeps {
  databaseUrl: string;
  nats: Nats;
  log: Logger;
  metrics: Metrics;
  /** Called with each new connection before it is used. */
  checkConnection?: (client: pg.Client) => Promise<void>;
  /** Starts a workflow with its id, or wakes one; succeeds if it was already started, or has ended. */
  startWorkflow: (start: WorkflowStart | WorkflowWake) => Promise<void>;
  /** The same for a job; waits until its workflow has ended. */
  runJob: (start: WorkflowStart) => Promise<void>;
}

interface SendRequestRow {
  id: number;
  tenant_id: string;
  requests: SendRequest[];
}

interface Relayed {
  messages: number;
  /** Whether there may be more rows. */
  more: boolean;
  /** What follows the commit. */
  committed?: () => void;
}

interface Loop {
  /** Of the loop and its lock. */
  name: OutboxTable | 'jobs';
  /** Relays one batch in the open transaction. */
  batch: (client: pg.Client) => Promise<Relayed>;
}

/**
 * Publishes the rows of the outbox tables: those of events in the order of each tenant, others in order. Events become
 * batches for the service's own consumers, and go one by one to other programs. Rows are deleted in a transaction that commits only after they are published, so a crash may
 * publish again (with the same message ids) but never skips a row. Jobs start when it is their tenant's turn (`JobTurns`).
 */
export function startRelay(deps: RelayDeps): { stop: () => Promise<void> } {
  const { nats, log } = deps;
  let stopping = false;
  const wakes = new Map<Loop['name'], Wake>();
  const standby = new Set<Wake>();
  const ping = nats.connection.subscribe(OUTBOX_PING, {
    callback: (error, message) => {
      if (error) return;
      const table = message.string() as OutboxTable;
      wakes.get(table)?.now();
      if (table === 'outbox_workflows') wakes.get('jobs')?.now();
    },
  });

  const turns = new OutboxTurns();
  const events: Loop = {
    name: 'outbox_events',
    batch: async (client) => {
      const { rows, oldest, more } = await turns.take(client);
      const batches = rows.map((row) => batchOf(row, oldest)).filter(({ events: left }) => left.length > 0);
      // The service's own consumers go first; they need not wait until the single events are stored.
      await publishAll(nats, batchMessages(batches));
      return { messages: await publishAll(nats, eventMessages(batches)), more };
    },
  };

  const sendRequests: Loop = {
    name: 'outbox_send_requests',
    batch: async (client) => {
      const { rows } = await client.query<SendRequestRow>(
        `delete from outbox_send_requests where id in (select id from outbox_send_requests order by id limit $1)
         returning id, tenant_id, requests`,
        [ROWS_PER_BATCH],
      );
      return { messages: await publishAll(nats, sendRequestMessages(rows)), more: rows.length === ROWS_PER_BATCH };
    },
  };

  const workflows: Loop = {
    name: 'outbox_workflows',
    batch: async (client) => {
      const { rows } = await client.query<WorkflowStart | WorkflowWake>(
        `delete from outbox_workflows where id in (select id from outbox_workflows where not is_job order by id limit $1)
         returning workflow_type as type, workflow_id as id, input`,
        [WORKFLOWS_PER_BATCH],
      );
      await Promise.all(rows.map((start) => deps.startWorkflow(start)));
      return { messages: rows.length, more: rows.length === WORKFLOWS_PER_BATCH };
    },
  };

  const jobTurns = new JobTurns({ run: deps.runJob, log, wake: () => wakes.get('jobs')?.now() });
  const jobs: Loop = {
    name: 'jobs',
    batch: async (client) => {
      const taken = await jobTurns.take(client);
      return { messages: taken.jobs, more: false, committed: taken.committed };
    },
  };

  const transaction = async (client: pg.Client, loop: Loop): Promise<Relayed> => {
    await client.query(`begin; set local role ${ENGINE_ROLE}`);
    try {
      const relayed = await loop.batch(client);
      await client.query('commit');
      relayed.committed?.();
      if (relayed.messages > 0) deps.metrics.relayed.inc({ table: loop.name }, relayed.messages);
      return relayed;
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      throw error;
    }
  };

  const run = async (loop: Loop): Promise<void> => {
    const { name } = loop;
    const wake = new Wake(POLL_MS);
    wakes.set(name, wake);
    const told = sayOnce(log, { loop: name }, 'relay failed, will retry', 'relay works again');
    deps.metrics.relaying.set({ table: name }, 0);
    deps.metrics.relayed.inc({ table: name }, 0);
    while (!stopping) {
      const client = new pg.Client({
        connectionString: deps.databaseUrl,
        ...session,
        application_name: `perennial-relay-${name}`,
      });
      client.on('error', (error) => log.warn({ err: error, loop: name }, 'relay lost its database connection'));
      try {
        await client.connect();
        await deps.checkConnection?.(client);
        await relayUntilStopped(client, wake, loop, told);
      } catch (error) {
        if (!stopping) told.failed(error);
        await delay(500);
      } finally {
        // The lock was released with the session.
        deps.metrics.relaying.set({ table: name }, 0);
        await client.end().catch(() => undefined);
      }
    }
  };

  const relayUntilStopped = async (client: pg.Client, wake: Wake, loop: Loop, told: SayOnce): Promise<void> => {
    const turn = new Wake(STANDBY_MS);
    standby.add(turn);
    try {
      // Else events would lose their order.
      while (!stopping && !(await tryLock(client, loop.name))) await turn.wait();
    } finally {
      standby.delete(turn);
    }
    while (!stopping) {
      deps.metrics.relaying.set({ table: loop.name }, 1);
      const begun = performance.now();
      const { messages, more } = await transaction(client, loop);
      told.succeeded();
      if (more) continue;
      if (messages > 0) await delay(Math.max(0, begun + PACE_MS - performance.now()));
      await wake.wait();
    }
  };

  const loops = [events, sendRequests, workflows, jobs].map(run);

  return {
    async stop() {
      stopping = true;
      jobTurns.stop();
      ping.unsubscribe();
      for (const wake of [...wakes.values(), ...standby]) wake.now();
      await Promise.all(loops);
    },
  };
}

const batchOf = (
  { batch_id, tenant_id, type, occurred_at, request_id, events }: OutboxRow,
  oldest: Date | null,
): EventBatch => ({
  id: batch_id,
  tenantid: tenant_id,
  type,
  time: occurred_at.toISOString(),
  ...(oldest && oldest < occurred_at ? { oldest: oldest.toISOString() } : {}),
  ...(request_id ? { requestid: request_id } : {}),
  events,
});

function* batchMessages(batches: readonly EventBatch[]): Generator<Message> {
  for (const batch of batches) yield { subject: batchSubject(batch.type), id: batch.id, data: encode(batch) };
}

function* eventMessages(batches: readonly EventBatch[]): Generator<Message> {
  for (const batch of batches)
    for (const event of eventsOf(batch))
      yield {
        subject: eventSubject(event.tenantid, event.type),
        id: event.id,
        contentType: 'application/cloudevents+json',
        data: encode(event),
      };
}

function* sendRequestMessages(rows: readonly SendRequestRow[]): Generator<Message> {
  for (const { id, tenant_id, requests } of rows) {
    for (const request of requests)
      yield {
        subject: SEND_REQUEST_SUBJECT,
        id: `send-${request.emailId}-${id}`,
        data: encode({ ...request, tenantId: tenant_id } satisfies OwnSendRequest),
      };
  }
}
