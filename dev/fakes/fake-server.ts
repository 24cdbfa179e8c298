import { appendFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What goes wrong with one request. `before`: nothing of the body is read; `between`: all but its last byte; `after`: the
 * whole body is read, and accepted, and no answer comes. With `first`, that happens before the answer.
 */
export type Fault =
  | {
      kind: 'answer';
      status: number;
      retryAfter?: number;
      body?: string;
      accepts?: boolean;
      first?: () => Promise<unknown>;
    }
  | { kind: 'hang' | 'close'; when: 'before' | 'between' | 'after' };

export interface FakeRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** What a fake answers; with `accepts`, that is what it has accepted. */
export interface FakeAnswer<Entry> {
  status: number;
  headers?: Record<string, string>;
  body?: object;
  accepts?: Entry;
}

export interface FakeOptions {
  /** A free one by default. */
  port?: number;
  /** Gets a line of JSON for each thing accepted, before that is answered. */
  logFile?: string;
  /** Asked about each request that could be accepted, if nothing was injected. */
  faultOf?: () => Fault | null;
  /** False: `accepted` stays empty, for measurements. */
  remembers?: boolean;
  /** It takes up to so many milliseconds before it accepts, and as long again before it answers. */
  slowMs?: number;
}

/** Somebody else's server. */
export interface Fake<Entry> {
  url: string;
  /** What it has accepted, in order: it has read the whole body, up to the last byte. */
  accepted: Entry[];
  /** How many requests have come that could be accepted. */
  asked: () => number;
  /** What goes wrong with the next requests, one each; null: nothing. */
  inject: (...faults: (Fault | null)[]) => void;
  close: () => Promise<void>;
}

/** An answer of success that says nothing. */
export const GARBAGE: Fault = { kind: 'answer', status: 200, body: '<html>\0', accepts: true };

/**
 * Starts a server on 127.0.0.1. `handle` gets each whole request; only those for which `canAccept` holds suffer faults.
 */
export async function startFake<Entry extends object>(
  { port = 0, logFile, faultOf, remembers = true, slowMs = 0 }: FakeOptions,
  canAccept: (path: string) => boolean,
  handle: (request: FakeRequest) => FakeAnswer<Entry>,
): Promise<Fake<Entry>> {
  const accepted: Entry[] = [];
  const injected: (Fault | null)[] = [];
  let asked = 0;
  if (logFile !== undefined) appendFileSync(logFile, '');
  const accept = (entry: Entry): void => {
    if (logFile !== undefined) appendFileSync(logFile, `${JSON.stringify(entry)}\n`);
    if (remembers) accepted.push(entry);
  };
  const nextFault = (): Fault | null => {
    asked += 1;
    return injected.length > 0 ? injected.shift()! : (faultOf?.() ?? null);
  };
  const later = (work: () => void): void => {
    if (slowMs === 0) work();
    else setTimeout(work, Math.random() * slowMs);
  };
  const server = createServer((request, response) => {
    const path = request.url!;
    const fault = canAccept(path) ? nextFault() : null;
    readBody(request, fault, (body) => {
      const { method, headers } = request;
      const answer = handle({ method: method!, path, headers, body });
      later(() => {
        if (answer.accepts && (fault?.kind !== 'answer' || fault.accepts)) accept(answer.accepts);
        later(() => respond(request, response, fault, answer));
      });
    });
  });
  // Those who call it decide how long a connection is kept.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accepted,
    asked: () => asked,
    inject: (...faults) => void injected.push(...faults),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Reads a body, as far as the fault lets it; `whole` gets it after its last byte. */
function readBody(request: IncomingMessage, fault: Fault | null, whole: (body: Buffer) => void): void {
  const breaks = fault && fault.kind !== 'answer' && fault.when !== 'after' ? fault : null;
  const stop = (): void => void (breaks?.kind === 'close' ? request.socket.destroy() : request.pause());
  if (breaks?.when === 'before') return stop();
  const length = Number(request.headers['content-length'] ?? 0);
  const parts: Buffer[] = [];
  let read = 0;
  request.on('error', () => {});
  request.on('data', (part: Buffer) => {
    parts.push(part);
    read += part.length;
    if (breaks && read >= length - 1) stop();
  });
  request.on('end', () => {
    if (!breaks && request.complete) whole(Buffer.concat(parts));
  });
}

function respond<Entry>(
  request: IncomingMessage,
  response: ServerResponse,
  fault: Fault | null,
  { status, headers = {}, body }: FakeAnswer<Entry>,
): void {
  if (fault && fault.kind !== 'answer') return void (fault.kind === 'close' && request.socket.destroy());
  if (fault) {
    const wait = fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) };
    const answer = () => void response.writeHead(fault.status, wait).end(fault.body ?? '');
    return fault.first ? void fault.first().then(answer) : answer();
  }
  response
    .writeHead(status, body ? { 'content-type': 'application/json', ...headers } : headers)
    .end(body ? JSON.stringify(body) : undefined);
}
