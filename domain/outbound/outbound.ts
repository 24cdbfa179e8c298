import http, { type ClientRequest, type IncomingHttpHeaders } from 'node:http';
import https from 'node:https';
import { checkUrl, literalHost, type CheckUrl } from './check-url.ts';
import { createResolver, guardedLookup } from './guarded-lookup.ts';
import { OutboundError, outboundError } from './outbound-error.ts';
import { Places } from '../common/places.ts';
import { judgeAddress, type Range } from './ranges.ts';

export interface OutboundRequest {
  /** Requests of one owner (a tenant) share a limit, so that it cannot take the places of all. */
  owner: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

export interface OutboundAnswer {
  /** A redirect is an answer like any other. */
  status: number;
  headers: IncomingHttpHeaders;
  /** The first bytes of the body, up to the limit; what follows is not read. */
  body: Buffer;
}

/** The guard through which every request to a URL of a user goes. */
export interface Outbound {
  /** What is wrong with a URL, as far as that is known without DNS: for the check when it is saved. */
  checkUrl: CheckUrl;
  /** Sends a request and reads its answer. Throws OutboundError. */
  send: (request: OutboundRequest) => Promise<OutboundAnswer>;
  /** Closes the idle connections. */
  close: () => void;
}

export interface OutboundLimits {
  /** From the end of the lookup to the end of the TLS handshake. */
  connectMs: number;
  /** From the start of the lookup to the end of the answer. */
  totalMs: number;
  answerBytes: number;
  /** Requests on their way at once, in this process. */
  perHost: number;
  perOwner: number;
  /** How long a request waits for that. */
  waitMs: number;
}

export const OUTBOUND_LIMITS: OutboundLimits = {
  connectMs: 5_000,
  totalMs: 10_000,
  answerBytes: 16_384,
  perHost: 10,
  perOwner: 50,
  waitMs: 3_000,
};

/** `allow`: the ranges that may be reached although they are not public, and without TLS too. */
export function createOutbound(
  allow: readonly Range[],
  given: Partial<OutboundLimits> = {},
  resolver = createResolver(),
): Outbound {
  const limits = { ...OUTBOUND_LIMITS, ...given };
  const { perHost, perOwner, waitMs } = limits;
  const judge = (address: string) => judgeAddress(address, allow);
  const shared = { keepAlive: true, maxFreeSockets: 2, timeout: 30_000 };
  const secure = new https.Agent({ ...shared, lookup: guardedLookup(resolver, judge, ['public', 'allowed']) });
  const plain = new http.Agent({ ...shared, lookup: guardedLookup(resolver, judge, ['allowed']) });
  const owners = new Places({ most: perOwner, mostWaiting: perOwner, waitMs });
  const hosts = new Places({ most: perHost, mostWaiting: perHost * 2, waitMs });
  const check: CheckUrl = (url) => checkUrl(url, allow);

  return {
    checkUrl: check,
    send: async (request) => {
      const problem = check(request.url);
      if (problem) throw new OutboundError('outbound_refused', problem.message);
      const url = new URL(request.url);
      const { method, headers, body } = request;
      return owners.hold(request.owner, busy, () =>
        hosts.hold(url.hostname, busy, () => {
          const options = { method, headers };
          const started =
            url.protocol === 'https:'
              ? https.request(url, { ...options, agent: secure })
              : http.request(url, { ...options, agent: plain });
          const connected = url.protocol === 'https:' ? 'secureConnect' : 'connect';
          const answered = answerOf(started, { connected, isLookedUp: literalHost(url) === null }, limits);
          started.end(body);
          return answered;
        }),
      );
    },
    close: () => {
      secure.destroy();
      plain.destroy();
    },
  };
}

const busy = (): OutboundError => new OutboundError('busy', 'too many requests are on their way');

/** The answer to a request, within the limits. An answer that does not end in time is none. */
function answerOf(
  request: ClientRequest,
  { connected, isLookedUp }: { connected: 'connect' | 'secureConnect'; isLookedUp: boolean },
  { connectMs, totalMs, answerBytes }: OutboundLimits,
): Promise<OutboundAnswer> {
  return new Promise((resolve, reject) => {
    const giveUp = (what: string, ms: number) =>
      setTimeout(() => {
        // First, because destroying the request has an error of its own.
        reject(new OutboundError('no_answer', `${what} within ${ms / 1000} s`));
        request.destroy();
      }, ms);
    const total = giveUp('no answer', totalMs);
    request.on('socket', (socket) => {
      if (!socket.connecting) return;
      const bound = (): void => {
        const connecting = giveUp('no connection', connectMs);
        socket.once(connected, () => clearTimeout(connecting));
        socket.once('close', () => clearTimeout(connecting));
      };
      if (isLookedUp) socket.once('lookup', bound);
      else bound();
    });
    request.on('response', (response) => {
      const parts: Buffer[] = [];
      let size = 0;
      const end = (): void => {
        const body = Buffer.concat(parts).subarray(0, answerBytes);
        resolve({ status: response.statusCode!, headers: response.headers, body });
      };
      response.on('data', (part: Buffer) => {
        parts.push(part);
        size += part.length;
        if (size <= answerBytes) return;
        end();
        request.destroy();
      });
      response.on('end', end);
      response.on('error', (error) => reject(outboundError(error)));
    });
    request.on('error', (error) => reject(outboundError(error)));
    request.on('close', () => {
      clearTimeout(total);
      // After an answer, this changes nothing.
      reject(new OutboundError('no_answer', 'the connection was closed'));
    });
  });
}
