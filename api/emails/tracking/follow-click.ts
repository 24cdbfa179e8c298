import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Deps } from '../../../runtime/deps.ts';
import { addressOf } from '../../middleware/address.ts';
import { requestIdOf, type LogAnswer } from '../../middleware/access-log.ts';
import { refuseWith } from '../../connections/refuse.ts';
import { hitPublisher } from './hit-publisher.ts';
import { clickNotStored, hitOf, noStore } from './hits.ts';

const CLICK = /^\/api\/v1\/emails\/tracking\/click\/([\w-]+)\?url=([^&+]+)$/;

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

interface Tools {
  deps: Deps;
  /** The rate limit per address, shared with the application. */
  mayPass: (address: string) => boolean;
  /** The headers of every response. */
  headers: Readonly<Record<string, string>>;
  logAnswer: LogAnswer;
}

/**
 * The fast path for ordinary clicks, which bypasses the application: a person waits for each, and they come all at once
 * after a campaign. Returns whether it handled the request. Anything unusual (another method, other parameters, a url
 * that the id does not cover, an address over its limit) is left to the application, whose response to a click is the
 * same.
 */
export function createFollowClick({
  deps,
  mayPass,
  headers,
  logAnswer,
}: Tools): (request: IncomingMessage, response: ServerResponse) => boolean {
  const publisher = hitPublisher(deps.nats, deps.log);
  const body = 'Found';
  const bare = Object.entries({ Vary: 'Origin', ...headers, ...noStore }).flat();
  const whole = [...bare, 'Content-Type', 'text/plain; charset=utf-8', 'Content-Length', String(body.length)];
  const notStored = refuseWith(clickNotStored());

  const follow = async (
    request: IncomingMessage,
    response: ServerResponse,
    emailId: number,
    url: string,
    address: string,
  ): Promise<void> => {
    const requestId = requestIdOf(request);
    logAnswer(request, response, () => ({
      requestId,
      path: '/api/v1/emails/tracking/click/{trackingId}',
      operation: 'trackClick',
    }));
    const hit = hitOf({
      type: 'CLICK',
      emailId,
      url,
      address,
      userAgent: request.headers['user-agent'] ?? '',
      method: request.method!,
    });
    if (!(await publisher.publish(hit))) return notStored(request, response, requestId);
    response
      .writeHead(302, ['X-Request-Id', requestId, 'Location', url, ...(request.method === 'HEAD' ? bare : whole)])
      .end(body, 'latin1');
  };

  return (request, response) => {
    const { method } = request;
    // Tracing and CORS are handled by the application.
    if (deps.tracing || (method !== 'GET' && method !== 'HEAD') || request.headers.origin !== undefined) return false;
    const asked = CLICK.exec(request.url ?? '');
    if (!asked) return false;
    const url = decoded(asked[2]!);
    const emailId = url === null ? null : deps.links.verifyClick(asked[1]!, url);
    if (url === null || emailId === null) return false;
    const address = addressOf(request, deps.env.TRUST_PROXY);
    if (deps.env.ENABLE_RATE_LIMITING && !mayPass(address)) return false;
    follow(request, response, emailId, url, address).catch((error: unknown) => {
      deps.log.error({ err: error, emailId }, 'could not respond to a click');
      response.destroy();
    });
    return true;
  };
}
