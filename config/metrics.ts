import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The metrics of one process, in their own registry. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
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
    workflowsDisagreeing: new Gauge({
      name: 'perennial_workflows_disagreeing',
      help: 'What the last comparison of rows with workflows found in this process',
      registers,
    }),
    relaying: new Gauge({
      name: 'perennial_outbox_relaying',
      help: 'Whether this process relays the outbox table: 1, or 0 on standby',
      labelNames: ['table'],
      registers,
    }),
    analyticsLag: new Gauge({
      name: 'perennial_analytics_lag_seconds',
      help: 'How far the figures of analytics are behind the events',
      registers,
    }),
    formFilesFull: new Gauge({
      name: 'perennial_form_files_full_ratio',
      help: 'Share of the storage for files of forms that is used',
      registers,
    }),
  };
}
export type Metrics = ReturnType<typeof createMetrics>;
