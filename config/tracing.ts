import type { Attributes, Span, SpanKind } from '@opentelemetry/api';

interface SpanOptions {
  kind: keyof typeof SpanKind;
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
