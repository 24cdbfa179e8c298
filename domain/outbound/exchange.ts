import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { OutboundError, outboundError } from './outbound-error.ts';

export interface OutboundAnswer {
  /** A redirect is an answer like any other. */
  status: number;
  headers: IncomingHttpHeaders;
  /** The first bytes of the body, up to the limit; what follows is not read. */
  body: Buffer;
  /** Whether the last byte of the request has left. If not, the server answered without having seen all of it. */
  released: boolean;
}

interface ExchangeOptions {
  body: Buffer;
  /** See OutboundRequest. The request must have a Content-Length. */
  release: (() => boolean | Promise<boolean>) | undefined;
  /** The event of a socket after which it carries requests. */
  connected: 'connect' | 'secureConnect';
  /** Whether connecting begins with a lookup. */
  isLookedUp: boolean;
  limits: { connectMs: number; totalMs: number; answerBytes: number };
}

/** A server that sends more interim answers (1xx) than this is not waited for. */
const MOST_INTERIM = 20;
/** How long the rest of a request that was answered may take to leave. */
const FLUSH_MS = 1_000;
/** Answers that end with their headers, whatever follows (RFC 9112, section 6.3). */
const WITHOUT_BODY = new Set([204, 304]);

/** Sends the body of a request and reads its answer, within the limits. An answer that does not end in time is none. */
export function exchange(request: ClientRequest, options: ExchangeOptions): Promise<OutboundAnswer> {
  const { body, release, limits } = options;
  return new Promise((resolve, reject) => {
    let released = false;
    let isAnswering = false;
    let isOver = false;
    let total: NodeJS.Timeout | undefined;

    const over = (): void => {
      isOver = true;
      clearTimeout(total);
    };
    const fail = (error: unknown): void => {
      if (isOver) return;
      over();
      reject(outboundError(error, released));
    };
    /** Every connection and answer closes in the end; an error is made only if that came too early. */
    const failClosed = (): void => {
      if (!isOver) fail(new OutboundError('no_answer', 'the connection was closed', { released }));
    };
    const giveUp = (code: OutboundError['code'], message: string, cause?: unknown): void => {
      // First, because destroying the request has an error of its own.
      fail(new OutboundError(code, message, { cause, released }));
      request.destroy();
    };
    const giveUpAfter = (ms: number, what: string): NodeJS.Timeout =>
      setTimeout(giveUp, ms, 'no_answer', `${what} within ${ms / 1000} s`);
    const startTotal = (): void => {
      clearTimeout(total);
      total = giveUpAfter(limits.totalMs, 'no answer');
    };

    const askForRelease = async (): Promise<void> => {
      // What the server did until now, such as closing a kept connection, is noticed before the release.
      await turnOfTheLoop();
      if (isOver || isAnswering) return;
      clearTimeout(total);
      let mayGo = false;
      let cause: unknown;
      try {
        mayGo = await release!();
      } catch (error) {
        cause = error;
      }
      // From here to the write, nothing may be awaited.
      if (isOver || isAnswering) return;
      if (!mayGo) return giveUp('not_released', 'the request was not released', cause);
      released = true;
      startTotal();
      request.end(body.subarray(-1));
    };

    const read = (response: IncomingMessage): void => {
      const { statusCode, headers } = response;
      isAnswering = true;
      // The clock may stand, because the release is being waited for.
      if (!released) startTotal();
      const parts: Buffer[] = [];
      let size = 0;
      const answer = (isWhole: boolean): void => {
        over();
        const start = Buffer.concat(parts).subarray(0, limits.answerBytes);
        const told = { status: statusCode!, headers, body: start, released };
        if (isWhole && released) return void whenFlushed(request).then(() => resolve(told));
        resolve(told);
        request.destroy();
      };
      response.on('data', (part: Buffer) => {
        parts.push(part);
        size += part.length;
        if (size > limits.answerBytes) answer(false);
      });
      response.on('end', () => answer(true));
      response.on('error', fail);
      response.on('close', failClosed);
      // A body that must not be there would be an error of the connection.
      if (WITHOUT_BODY.has(statusCode!)) answer(true);
    };

    let interim = 0;
    request.on('information', () => {
      interim += 1;
      if (interim > MOST_INTERIM) giveUp('no_answer', `more than ${MOST_INTERIM} interim answers`);
    });
    request.on('response', read);
    request.on('error', fail);
    request.on('close', () => {
      if (!isAnswering) failClosed();
    });
    startTotal();

    const isConnected = whenConnected(request, options, () => giveUpAfter(limits.connectMs, 'no connection'));
    if (release) {
      const isWritten = new Promise((done) => request.write(body.subarray(0, -1), done));
      void Promise.all([isConnected, isWritten]).then(askForRelease);
    } else {
      void isConnected.then(() => (released = true));
      request.end(body);
    }
  });
}

/**
 * Resolves when a request has a connection, for https after the handshake; never if it gets none. `startLimit` is
 * called when connecting begins, after the lookup.
 */
function whenConnected(
  request: ClientRequest,
  { connected, isLookedUp }: Pick<ExchangeOptions, 'connected' | 'isLookedUp'>,
  startLimit: () => NodeJS.Timeout,
): Promise<void> {
  return new Promise((resolve) => {
    request.on('socket', (socket) => {
      if (!socket.connecting) return resolve();
      const bound = (): void => {
        const limit = startLimit();
        socket.once(connected, () => clearTimeout(limit));
        socket.once('close', () => clearTimeout(limit));
      };
      socket.once(connected, () => resolve());
      if (isLookedUp) socket.once('lookup', bound);
      else bound();
    });
  });
}

/**
 * Waits until a request that was answered is flushed, because its connection is free for the next one only then. A
 * server may answer and read no more of it: then it is cut off.
 */
function whenFlushed(request: ClientRequest): Promise<void> {
  if (request.writableFinished || request.closed) return Promise.resolve();
  return new Promise((resolve) => {
    const limit = setTimeout(() => request.destroy(), FLUSH_MS);
    const flushed = (): void => {
      clearTimeout(limit);
      resolve();
    };
    request.once('finish', flushed).once('close', flushed);
  });
}

/** Waits until the event loop has looked at all sockets once more. */
const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
