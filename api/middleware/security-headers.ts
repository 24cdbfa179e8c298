import helmet from 'helmet';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** The headers of every response of the application. They do not depend on the request, so they are computed once. */
export function securityHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => {
      headers[name] = value;
    },
    removeHeader: () => {},
  };
  helmet({
    contentSecurityPolicy: { directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  })({} as IncomingMessage, response as unknown as ServerResponse, () => {});
  return headers;
}
