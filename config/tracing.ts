import { setTimeout as delay } from 'node:timers/promises';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, type Attributes, type Span } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

export { SpanKind };

interface SpanOptions {
  kind: SpanKind;
  attributes?: Attributes;
  /** The caller's `traceparent` and `tracestate` (W3C Trace Context). */
  headers?: Record<string, string | string[] | undefined>;
}

/** OpenTelemetry spans of a process. */
export interface Tracing {
  /** Runs work in a span, which is marked as failed if the work throws. */
  span: <T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>) => Promise<T>;
  /** Exports the collected spans. */
  stop: () => Promise<void>;
}

const STOP_MS = 3_000;

const propagator = new W3CTraceContextPropagator();
const getter = {
  keys: (headers: object) => Object.keys(headers),
  get: (headers: Record<string, string | string[] | undefined>, name: string) => headers[name],
};

/**
 * Exports spans with OTLP over HTTP (JSON) to `endpoint`; null if it is empty. The SDK itself reads the sampler's and
 * the exporter's other standard OTEL_ variables. If the collector is unreachable, only spans are lost.
 */
export function startTracing(endpoint: string, service: string): Tracing | null {
  if (endpoint === '') return null;
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': `perennial-${service}`, 'service.namespace': 'perennial' }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('perennial');
  return {
    async span(name, { kind, attributes, headers }, work) {
      const parent = headers ? propagator.extract(ROOT_CONTEXT, headers, getter) : ROOT_CONTEXT;
      const span = tracer.startSpan(name, { kind, ...(attributes ? { attributes } : {}) }, parent);
      try {
        return await work(span);
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR });
        // Only its name, because a message may contain personal data.
        span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
        throw error;
      } finally {
        span.end();
      }
    },
    // A collector that does not respond must not delay the end of the process.
    stop: () => Promise.race([provider.shutdown(), delay(STOP_MS, undefined, { ref: false })]),
  };
}
