import type { IncomingMessage, ServerResponse } from 'node:http';
import { linkReader } from '../../domain/tracking/read-links.ts';
import type { Hit } from '../../domain/tracking/hit.ts';
import type { Deps } from '../../runtime/deps.ts';
import { addressOf } from '../middleware/address.ts';
import { requestIdOf, type LogAnswer } from '../middleware/access-log.ts';
import { refuseWith } from '../connections/refuse.ts';
import { hitPublisher } from './hit-publisher.ts';
import { clickNotStored, emailHit, messageHit, noStore, type Visit } from './hits.ts';

const OF_EMAIL = /^\/api\/v1\/emails\/tracking\/click\/([\w-]+)\?url=([^&+]+)$/;
const SHORT = /^\/r\/([A-Za-z0-9]{10})$/;

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Where a link leads, and the hit of a visit. */
interface Target {
  url: string;
  /** Null if it is not tracked. */
  hitOf: (visit: Visit) => Hit | null;
}

/** A link of ours, as the log has it. */
interface Link {
  path: string;
  operation: string;
  /** Null if it leads nowhere. */
  target: () => Target | Promise<Target | null>;
}

/** The link of an email or message that is asked for; null if it is none that can be followed in the ordinary way. */
function linkIn(deps: Deps, asked: string): Link | null {
  const ofEmail = OF_EMAIL.exec(asked);
  if (ofEmail) {
    const url = decoded(ofEmail[2]!);
    const named = url === null ? null : deps.links.verifyClick(ofEmail[1]!, url);
    if (url === null || !named) return null;
    const target = { url, hitOf: (visit: Visit) => emailHit({ type: 'CLICK', url }, named, visit) };
    return {
      path: '/api/v1/emails/tracking/click/{trackingId}',
      operation: 'trackClick',
      target: () => target,
    };
  }
  const code = SHORT.exec(asked)?.[1];
  if (code === undefined) return null;
  return {
    path: '/r/{code}',
    operation: 'followShortLink',
    target: async () => {
      const link = await linkReader(deps.orm).find(code);
      return link && { url: link.url, hitOf: (visit) => messageHit(link, visit, deps.env.PUBLIC_URL) };
    },
  };
}

interface Tools {
  deps: Deps;
  /** The rate limit per address, shared with the application. */
  mayPass: (address: string) => boolean;
  /** The headers of every response. */
  headers: Readonly<Record<string, string>>;
  logAnswer: LogAnswer;
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * The fast path for ordinary clicks, which bypasses the application: a person waits for each, and they come all at once
 * after a campaign. Anything unusual (another method, other parameters, a url that the id does not cover, an unknown
 * code, an address over its limit) is left to `application`, whose response to a click is the same.
 */
export function createFollowClick({ deps, mayPass, headers, logAnswer }: Tools, application: Handle): Handle {
  const publisher = hitPublisher(deps.nats, deps.log);
  const body = 'Found';
  const bare = Object.entries({ Vary: 'Origin', ...headers, ...noStore }).flat();
  const whole = [...bare, 'Content-Type', 'text/plain; charset=utf-8', 'Content-Length', String(body.length)];
  const notStored = refuseWith(clickNotStored());

  const follow = async (
    request: IncomingMessage,
    response: ServerResponse,
    { path, operation, target: read }: Link,
    address: string,
  ): Promise<void> => {
    // If the database cannot be asked, the application says so.
    const target = await Promise.resolve(read()).catch(() => null);
    if (!target) return application(request, response);
    const requestId = requestIdOf(request);
    logAnswer(request, response, () => ({ requestId, path, operation }));
    const hit = target.hitOf({ address, method: request.method!, headers: request.headers });
    if (hit && !(await publisher.publish(hit))) return notStored(request, response, requestId);
    response
      .writeHead(302, [
        'X-Request-Id',
        requestId,
        'Location',
        target.url,
        ...(request.method === 'HEAD' ? bare : whole),
      ])
      .end(body, 'latin1');
  };

  return (request, response) => {
    const { method } = request;
    // Tracing and CORS are handled by the application.
    const isOrdinary = !deps.tracing && (method === 'GET' || method === 'HEAD') && request.headers.origin === undefined;
    const link = isOrdinary ? linkIn(deps, request.url ?? '') : null;
    if (!link) return application(request, response);
    const address = addressOf(request, deps.env.TRUST_PROXY);
    if (deps.env.ENABLE_RATE_LIMITING && !mayPass(address)) return application(request, response);
    follow(request, response, link, address).catch((error: unknown) => {
      deps.log.error({ err: error, operation: link.operation }, 'could not respond to a click');
      response.destroy();
    });
  };
}
