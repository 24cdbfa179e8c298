import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The most requests that may wait on one connection: more than any known client pipelines. */
const MOST_WAITING = 64;

const LAST = Symbol('last');
interface Queue {
  response: ServerResponse;
  waiting: number;
}
type QueuedSocket = Socket & { [LAST]?: Queue };

/**
 * Handles the pipelined requests (RFC 9112, 9.3.2) of one connection one after the other. Node would start all of them
 * at once, before any request of another client. A connection with more than MOST_WAITING waiting requests is closed; the
 * client may send its unanswered requests again.
 */
export function oneAtATime(work: RequestListener): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    const socket = request.socket as QueuedSocket;
    const before = socket[LAST];
    if (!before || (before.waiting === 0 && before.response.closed)) {
      socket[LAST] = { response, waiting: 0 };
      return work(request, response);
    }
    if (socket.destroyed) return;
    if (before.waiting >= MOST_WAITING) return void socket.destroy();
    const { response: previous } = before;
    before.response = response;
    before.waiting += 1;
    // Let requests of other connections run first, even if the previous response is finished already.
    const next = (): void => void setImmediate(() => {
      before.waiting -= 1;
      if (!socket.destroyed) work(request, response);
    });
    if (previous.closed) next();
    else previous.once('close', next);
  };
}
