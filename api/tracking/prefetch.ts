import type { IncomingHttpHeaders } from 'node:http';

/** The headers of Chromium, old Chromium, old Safari and old Firefox. */
const HEADERS = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const;

/** Whether a request is made in advance, for what may never be seen. */
export const isPrefetch = (headers: IncomingHttpHeaders): boolean =>
  HEADERS.some((name) => headers[name] !== undefined && /prefetch|prerender|preview/i.test(String(headers[name])));
