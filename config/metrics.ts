import { readFileSync } from 'node:fs';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry, type GaugeConfiguration } from 'prom-client';

/** Gauges that are named like counters; those with the label `type` have the same figures. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** The classes of the statuses of responses. */
export const STATUS_CLASSES = ['2xx', '3xx', '4xx', '5xx'];

/**
 * The metrics of one process, in their own registry. A gauge has no value before something has been measured; who counts
 * begins by adding 0 for every label value, because Prometheus sees no increase in a series that begins with 1.
 */
export function createMetrics(name = 'test') {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const registers = [registry];
  const gauge = <T extends string = never>(configuration: GaugeConfiguration<T>): Gauge<T> => {
    const made = new Gauge<T>({ ...configuration, registers });
    // One without labels begins with 0.
    if (!configuration.labelNames) made.remove();
    return made;
  };
  gauge({
    name: 'perennial_build_info',
    help: 'The version of the service and of Node; always 1',
    labelNames: ['version', 'node', 'process'],
  }).set({ version, node: process.version, process: name }, 1);
  return {
    registry,
    httpResponses: new Counter({
      name: 'perennial_http_responses_total',
      help: 'Responses, by the class of their status',
      labelNames: ['class'],
      registers,
    }),
    httpDuration: new Histogram({
      name: 'perennial_http_request_duration_seconds',
      help: 'Request duration in seconds',
      labelNames: ['operation', 'status'],
      registers,
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1, 2.5, 10],
    }),
    shed: new Counter({
      name: 'perennial_http_requests_shed_total',
      help: 'Requests rejected under load',
      registers,
    }),
    relayed: new Counter({
      name: 'perennial_outbox_relayed_total',
      help: 'Messages published from the outbox',
      labelNames: ['table'],
      registers,
    }),
    consumed: new Counter({
      name: 'perennial_events_consumed_total',
      help: 'Messages consumed, by outcome',
      labelNames: ['consumer', 'outcome'],
      registers,
    }),
    dropped: new Counter({
      name: 'perennial_events_dropped_total',
      help: 'Events without a tenant that a consumer has dropped; each consumer of a type drops them',
      labelNames: ['consumer'],
      registers,
    }),
    emails: new Counter({
      name: 'perennial_emails_total',
      help: 'Outcomes of send attempts',
      labelNames: ['outcome'],
      registers,
    }),
    messages: new Counter({
      name: 'perennial_messages_total',
      help: 'Outcomes of attempts to send text messages and pushes',
      labelNames: ['outcome'],
      registers,
    }),
    webhooks: new Counter({
      name: 'perennial_webhooks_total',
      help: 'Outcomes of attempts to deliver webhooks',
      labelNames: ['outcome'],
      registers,
    }),
    stepDuration: new Histogram({
      name: 'perennial_campaign_step_duration_seconds',
      help: 'Campaign step duration in seconds',
      labelNames: ['type'],
      registers,
      buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    }),
    workflowFindings: new Counter({
      name: 'perennial_workflow_findings_total',
      help: 'Rows and workflows that did not agree, by what was done about it',
      labelNames: ['type', 'done'],
      registers,
    }),
    workflowsDisagreeing: gauge({
      name: 'perennial_workflows_disagreeing',
      help: 'What the last comparison of rows with workflows found in this process',
    }),
    relaying: gauge({
      name: 'perennial_outbox_relaying',
      help: 'Whether this process relays the outbox table: 1, or 0 on standby',
      labelNames: ['table'],
    }),
    outboxAge: gauge({
      name: 'perennial_outbox_oldest_seconds',
      help: 'Age of the oldest row that waits in an outbox table; 0 if none does',
      labelNames: ['table'],
    }),
    queueAge: gauge({
      name: 'perennial_queue_oldest_seconds',
      help: 'Age of the oldest message in a stream of NATS that is not handled; 0 if there is none',
      labelNames: ['stream'],
    }),
    consumerPending: gauge({
      name: 'perennial_consumer_pending_messages',
      help: 'Messages that a consumer has not acknowledged',
      labelNames: ['stream', 'consumer'],
    }),
    emailsDue: gauge({
      name: 'perennial_emails_due_seconds',
      help: 'For how long the first email of a lane has been due; 0 if none is',
      labelNames: ['lane'],
    }),
    providerState: gauge({
      name: 'perennial_mail_provider_state',
      help: 'How this process uses a mail provider: 1 for the state that it is in',
      labelNames: ['provider', 'state'],
    }),
    webhooksDue: gauge({
      name: 'perennial_webhook_endpoints_due',
      help: 'Endpoints of webhooks that something is due for',
    }),
    webhooksAge: gauge({
      name: 'perennial_webhook_oldest_due_seconds',
      help: 'For how long something has been due for the endpoint that waits longest; 0 if nothing is',
    }),
    poolConnections: gauge({
      name: 'perennial_postgres_pool_connections',
      help: 'Connections of the pool, by whether they are used',
      labelNames: ['state'],
    }),
    poolWaiting: gauge({
      name: 'perennial_postgres_pool_waiting',
      help: 'Transactions that wait for a connection of the pool right now; also those of a tenant that has its share of them',
    }),
    poolWait: new Histogram({
      name: 'perennial_postgres_pool_wait_seconds',
      help: 'Time that transactions waited for their turn at the connections of the pool',
      registers,
      buckets: [0.001, 0.01, 0.1, 0.5, 1, 4],
    }),
    analyticsLag: gauge({
      name: 'perennial_analytics_lag_seconds',
      help: 'How far the figures of analytics are behind the events',
    }),
    formFilesFull: gauge({
      name: 'perennial_form_files_full_ratio',
      help: 'Share of the storage for files of forms that is used',
    }),
  };
}
export type Metrics = ReturnType<typeof createMetrics>;

/** Adds a series with 0 for each value of a label. */
export function beginAtZero<Label extends string>(
  counter: Counter<Label>,
  label: NoInfer<Label>,
  values: readonly string[],
  rest: Partial<Record<NoInfer<Label>, string>> = {},
): void {
  for (const value of values) counter.inc({ ...rest, [label]: value } as unknown as Record<Label, string>, 0);
}
