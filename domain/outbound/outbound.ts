import http from 'node:http';
import https from 'node:https';
import { LRUCache } from 'lru-cache';
import { RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { checkUrl, literalHost, type CheckUrl } from './check-url.ts';
import { exchange, type OutboundAnswer } from './exchange.ts';
import { createResolver, guardedLookup } from './guarded-lookup.ts';
import { boundIdleConnections } from './idle-connections.ts';
import { OutboundError } from './outbound-error.ts';
import { Places } from '../../lib/async/places.ts';
import { judgeAddress, type Range } from '../../lib/addresses/ranges.ts';

export type { OutboundAnswer };

export interface OutboundRequest {
  /** Requests of one owner (a tenant) share a limit, so that it cannot take the places of all. */
  owner: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /**
   * With it, the last byte of the body is held back: a server that has not seen it sees a request that was cut off, and
   * can act on nothing. When all else is written on an established connection, `release` is called once. True sends the
   * last byte; false or an error cuts the request off (`not_released`). What the server does meanwhile ends the request
   * at once, so whether the byte has left is told by `released` of the answer or the error alone.
   */
  release?: () => boolean | Promise<boolean>;
  limits?: Partial<Pick<OutboundLimits, 'connectMs' | 'totalMs' | 'answerBytes' | 'waitMs'>>;
  /** `none`: takes no place; the caller limits how many it sends at once. */
  places?: 'none';
}

/** The guard through which every request to a URL of a user goes. */
export interface Outbound {
  /** What is wrong with a URL, as far as that is known without DNS: for the check when it is saved. */
  checkUrl: CheckUrl;
  /** Sends a request and reads its answer. Throws OutboundError. Repeats nothing by itself. */
  send: (request: OutboundRequest) => Promise<OutboundAnswer>;
  /** Closes the idle connections. */
  close: () => void;
}

export interface OutboundLimits {
  /** From the end of the lookup to the end of the TLS handshake. */
  connectMs: number;
  /**
   * From the start of the lookup to the end of the answer. With `release`: from the start of the lookup to the call of
   * `release`, and anew from the release to the end of the answer; the time in `release` does not count.
   */
  totalMs: number;
  answerBytes: number;
  /** Requests on their way at once, in this process: of one owner to one host, of all to it, and of one owner. */
  perOwnerAndHost: number;
  perHost: number;
  perOwner: number;
  /** How long a request waits for each of these places. */
  waitMs: number;
  /** Connections that are kept although nothing uses them, to all hosts. */
  idle: number;
}

export const OUTBOUND_LIMITS: OutboundLimits = {
  connectMs: 5_000,
  totalMs: 10_000,
  answerBytes: 16_384,
  perOwnerAndHost: 10,
  perHost: 100,
  perOwner: 50,
  waitMs: 3_000,
  idle: 500,
};

/** Idle connections to one host, as many as a busy sender uses at once; the last ones used are used first. */
const MAX_IDLE_OF_HOST = 100;
const IDLE_MS = 15_000;
const MAX_LET_THROUGH = 1_000;
/** How many URLs are known to be valid. */
const MAX_CHECKED = 1_000;

/**
 * Headers that are the guard's own, because they say where the request ends and what becomes of its connection.
 */
const OWN_HEADERS = new Set([
  ...['connection', 'content-length', 'expect', 'host', 'keep-alive', 'proxy-authorization', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

/** `allow`: the ranges that may be reached although they are not public, and without TLS too. */
export function createOutbound(
  allow: readonly Range[],
  given: Partial<OutboundLimits> = {},
  resolver = createResolver(),
): Outbound {
  const all = { ...OUTBOUND_LIMITS, ...given };
  const { perOwnerAndHost, perHost, perOwner, waitMs } = all;
  // The filtering agent compares addresses with single ones: a range of the other family makes it write to the console.
  const letThrough: string[] = [];
  const judge = (address: string): ReturnType<typeof judgeAddress> => {
    const judged = judgeAddress(address, allow);
    if (judged === 'allowed' && !letThrough.includes(address)) {
      if (letThrough.length >= MAX_LET_THROUGH) letThrough.shift();
      letThrough.push(address);
    }
    return judged;
  };
  const shared = { keepAlive: true, maxFreeSockets: MAX_IDLE_OF_HOST, timeout: IDLE_MS, scheduling: 'lifo' as const };
  const secure = new RequestFilteringHttpsAgent({
    ...shared,
    lookup: guardedLookup(resolver, judge, ['public', 'allowed']),
    allowIPAddressList: letThrough,
  });
  const plain = new http.Agent({ ...shared, lookup: guardedLookup(resolver, judge, ['allowed']) });
  boundIdleConnections([secure, plain], all.idle);
  const owners = new Places({ most: perOwner, mostWaiting: perOwner, waitMs });
  // Of each owner, so that a host that hangs for one is not refused to the others.
  const ownHosts = new Places({ most: perOwnerAndHost, mostWaiting: perOwnerAndHost * 2, waitMs });
  const hosts = new Places({ most: perHost, mostWaiting: perHost * 2, waitMs });
  const check: CheckUrl = (url) => checkUrl(url, allow);
  // Providers and endpoints are called at the same URLs again and again.
  const checked = new LRUCache<string, { url: URL; literal: string | null }>({ max: MAX_CHECKED });
  const checkedUrl = (text: string) => {
    const known = checked.get(text);
    if (known) return known;
    const problem = check(text);
    if (problem) throw new OutboundError('outbound_refused', problem.message);
    const url = new URL(text);
    const one = { url, literal: literalHost(url) };
    checked.set(text, one);
    return one;
  };

  const exchangeWith = (url: URL, literal: string | null, request: OutboundRequest): Promise<OutboundAnswer> => {
    const isSecure = url.protocol === 'https:';
    const body = Buffer.from(request.body ?? '');
    const options = { method: request.method, headers: headersOf(request, body) };
    return exchange(startRequest(url, options, isSecure ? secure : plain), {
      body,
      release: request.release,
      connected: isSecure ? 'secureConnect' : 'connect',
      isLookedUp: literal === null,
      limits: { ...all, ...request.limits },
    });
  };

  return {
    checkUrl: check,
    send: async (request) => {
      if (request.release && !request.body?.length) throw new TypeError('without a body, there is nothing to release');
      const { url, literal } = checkedUrl(request.url);
      if (literal !== null) judge(literal);
      const send = () => exchangeWith(url, literal, request);
      if (request.places === 'none') return send();
      const wait = request.limits?.waitMs;
      const { owner } = request;
      const { hostname } = url;
      const atHost = () => hosts.hold(hostname, busy, send, wait);
      const atOwnHost = () => ownHosts.hold(JSON.stringify([owner, hostname]), busy, atHost, wait);
      return owners.hold(owner, busy, atOwnHost, wait);
    },
    close: () => {
      secure.destroy();
      plain.destroy();
    },
  };
}

const busy = (): OutboundError => new OutboundError('busy', 'too many requests are on their way');

function headersOf({ method, headers = {} }: OutboundRequest, body: Buffer): Record<string, string | number> {
  const own = Object.keys(headers).find((name) => OWN_HEADERS.has(name.toLowerCase()));
  if (own !== undefined) throw new OutboundError('outbound_refused', `the header ${own} cannot be set`);
  const hasLength = body.length > 0 || method === 'POST' || method === 'PUT';
  return hasLength ? { ...headers, 'content-length': body.length } : headers;
}

/** Throws OutboundError for headers that HTTP does not allow. */
function startRequest(url: URL, options: http.RequestOptions, agent: http.Agent): http.ClientRequest {
  try {
    return (url.protocol === 'https:' ? https : http).request(url, { ...options, agent });
  } catch (error) {
    throw new OutboundError('outbound_refused', 'a header is not valid', { cause: error });
  }
}
