import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The maximum number of requests waiting on one connection: more than any known client pipelines. */
const MAX_PIPELINED = 64;

const QUEUE = Symbol('last');
interface Queue {
  response: ServerResponse;
  waiting: number;
}
type QueuedSocket = Socket & { [QUEUE]?: Queue };

/**
 * Handles the pipelined requests (RFC 9112, 9.3.2) of a connection one after the other. Node would start all of them at
 * once, before any request of another client. A connection with more than MAX_PIPELINED waiting requests is closed; the
 * client may send its unanswered requests again.
 */
export function serializePerConnection(work: RequestListener): RequestListener {
  return (request: IncomingMessage, response: ServerResponse) => {
    const socket = request.socket as QueuedSocket;
    const queue = socket[QUEUE];
    if (!queue || (queue.waiting === 0 && queue.response.closed)) {
      socket[QUEUE] = { response, waiting: 0 };
      return work(request, response);
    }
    if (socket.destroyed) return;
    if (queue.waiting >= MAX_PIPELINED) return void socket.destroy();
    const { response: previous } = queue;
    queue.response = response;
    queue.waiting += 1;
    // Let requests of other connections run first, even if the previous response is already finished.
    const next = (): void =>
      void setImmediate(() => {
        queue.waiting -= 1;
        if (!socket.destroyed) work(request, response);
      });
    if (previous.closed) next();
    else previous.once('close', next);
  };
}
