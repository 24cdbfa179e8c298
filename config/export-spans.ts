import { setTimeout as delay } from 'node:timers/promises';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { Tracing } from './tracing.ts';

const STOP_MS = 3_000;

const propagator = new W3CTraceContextPropagator();
const getter = {
  keys: (headers: object) => Object.keys(headers),
  get: (headers: Record<string, string | string[] | undefined>, name: string) => headers[name],
};

/**
 * Exports spans with OTLP over HTTP (JSON) to `endpoint`. The SDK itself reads the sampler's and the exporter's other
 * standard OTEL_ variables. If the collector is unreachable, only spans are lost.
 */
export function exportSpans(endpoint: string, service: string): Tracing {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': `perennial-${service}`, 'service.namespace': 'perennial' }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('perennial');
  return {
    async span(name, { kind, attributes, headers }, work) {
      const parent = headers ? propagator.extract(ROOT_CONTEXT, headers, getter) : ROOT_CONTEXT;
      const span = tracer.startSpan(name, { kind: SpanKind[kind], ...(attributes ? { attributes } : {}) }, parent);
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
