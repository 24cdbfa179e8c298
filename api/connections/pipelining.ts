import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** No client is known to send more without waiting for an answer. */
const MOST_WAITING = 64;

const LAST = Symbol('last');
interface Queue {
  response: ServerResponse;
  waiting: number;
}
type QueuedSocket = Socket & { [LAST]?: Queue };

/**
 * Works at the requests of one connection one after the other. Node begins all that come together (RFC 9112, section 9.3.2)
 * at once, and nothing of any other client until it has begun them all. A connection over which more wait than any client
 * sends is ended; what was not answered the client may send again.
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
    // Others come first, however soon the answer was there.
    const next = (): void => void setImmediate(() => {
      before.waiting -= 1;
      if (!socket.destroyed) work(request, response);
    });
    if (previous.closed) next();
    else previous.once('close', next);
  };
}
