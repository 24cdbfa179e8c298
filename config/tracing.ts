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

/** Spans of what a process does, for OpenTelemetry. */
export interface Tracing {
  /** Runs work in a span that ends with it, and that has failed when it throws. */
  span: <T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>) => Promise<T>;
  /** Sends what is gathered. */
  stop: () => Promise<void>;
}

const STOP_MS = 3_000;

const propagator = new W3CTraceContextPropagator();
const getter = {
  keys: (headers: object) => Object.keys(headers),
  get: (headers: Record<string, string | string[] | undefined>, name: string) => headers[name],
};

/**
 * Sends spans by OTLP over HTTP (JSON) to `endpoint`; null without one. The SDK itself reads the sampler's and the
 * exporter's other standard OTEL_ variables. A collector that can not be reached costs spans and nothing else.
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
        // Its name only: a message may hold what a person has written.
        span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
        throw error;
      } finally {
        span.end();
      }
    },
    // A collector that does not answer does not hold up the end of a process.
    stop: () => Promise.race([provider.shutdown(), delay(STOP_MS, undefined, { ref: false })]),
  };
}
