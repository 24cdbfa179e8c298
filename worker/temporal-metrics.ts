import { MetricsBuffer, type BufferedMetricUpdate } from '@temporalio/worker';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

const DRAIN_MS = 1_000;
const SECONDS = [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 600];
const COUNTS = [1, 2, 5, 10, 50, 100, 500, 1_000, 10_000];
/** The attributes that become labels. */
const LABELS = [
  ...['namespace', 'task_queue', 'operation', 'status_code', 'workflow_type', 'activity_type'],
  ...['worker_type', 'poller_type', 'failure_reason'],
];

interface Options {
  name: string;
  help: string;
  labelNames: string[];
  registers: [Registry];
}
type Added = (labels: Record<string, string>, value: number) => void;

/** The metrics of Temporal's SDK, under the names that its documentation has for Prometheus. */
export class TemporalMetrics {
  readonly buffer = new MetricsBuffer({ maxBufferSize: 100_000, useSecondsForDurations: true });
  readonly #metrics = new Map<string, Added>();

  /** Adds them to a registry, now and from then on. Call it once the runtime has been installed with the buffer. */
  addTo(registry: Registry): void {
    setInterval(() => {
      for (const { metric, value, attributes } of this.buffer.retrieveUpdates()) {
        const labels = LABELS.flatMap((label) => (label in attributes ? [[label, String(attributes[label])]] : []));
        this.#metric(registry, metric)(Object.fromEntries(labels) as Record<string, string>, value);
      }
    }, DRAIN_MS).unref();
  }

  #metric(registry: Registry, metric: BufferedMetricUpdate['metric']): Added {
    const name = nameOf(metric);
    const known = this.#metrics.get(name);
    if (known) return known;
    const help = metric.description || `${metric.name} of Temporal's SDK`;
    const add = adder(metric, { name, help, labelNames: LABELS, registers: [registry] });
    this.#metrics.set(name, add);
    return add;
  }
}

function adder({ kind }: BufferedMetricUpdate['metric'], options: Options): Added {
  if (kind === 'counter') {
    const counter = new Counter(options);
    return (labels, value) => counter.inc(labels, value);
  }
  if (kind === 'histogram') {
    const histogram = new Histogram({ ...options, buckets: options.name.endsWith('_seconds') ? SECONDS : COUNTS });
    return (labels, value) => histogram.observe(labels, value);
  }
  const gauge = new Gauge(options);
  return (labels, value) => (kind === 'gauge' ? gauge.set(labels, value) : gauge.inc(labels, value));
}

/** With the prefix, unit and ending that Prometheus expects. */
function nameOf({ name, kind, unit }: BufferedMetricUpdate['metric']): string {
  const prefixed = name.startsWith('temporal_') ? name : `temporal_${name}`;
  if (kind === 'counter') return prefixed.endsWith('_total') ? prefixed : `${prefixed}_total`;
  const isDuration = kind === 'histogram' && (unit === 's' || unit === 'ms' || unit === 'duration');
  return isDuration && !prefixed.endsWith('_seconds') ? `${prefixed}_seconds` : prefixed;
}
