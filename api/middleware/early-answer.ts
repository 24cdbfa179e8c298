import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, Next } from 'koa';

/** A body of up to this is read to its end after an early answer, and the connection goes on. */
const DRAINED_BYTES = 256 * 1024;
/** What is still read of a longer one, so that the client gets to read its answer. */
const LINGER_BYTES = 16 * 1024 * 1024;
const LINGER_MS = 5_000;

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * To be called before an answer is written. If its request's body has not come to its end (it was refused, is too large, or is
 * not asked for), nothing would read what still comes, and the next request of the connection would wait behind it for ever;
 * to close at once would make the system reset the connection, and the client could lose its answer (RFC 9112, 9.6). So what
 * comes is read and thrown away, within bounds. Of a long body, or one of unknown length, the answer says that the connection
 * ends with it; our side is closed after it, and the rest when the client has closed its own.
 */
export function endUnread(request: IncomingMessage, response: ServerResponse): void {
  // A request without a body is complete only after its listeners were called.
  if (!hasBody(request) || request.complete || request.destroyed || response.headersSent) return;
  const { socket } = request;
  let left = LINGER_BYTES;
  let isEnding = false;
  let waiting: NodeJS.Timeout | undefined;
  if (!(Number(request.headers['content-length']) <= DRAINED_BYTES)) response.setHeader('Connection', 'close');
  // What the server calls after the last answer.
  socket.destroySoon = () => {
    isEnding = true;
    socket.end();
  };
  socket.once('close', stop);
  response.once('finish', () => {
    if (isEnding || !request.complete) waiting = setTimeout(() => socket.destroy(), LINGER_MS);
  });
  request.once('close', () => {
    if (isEnding) return;
    // The next request goes on as if nothing had been.
    stop();
    socket.off('close', stop);
    delete (socket as { destroySoon?: unknown }).destroySoon;
  });
  request.on('error', () => {});
  request.on('data', (piece: Buffer) => {
    left -= piece.length;
    if (left < 0) socket.destroy();
  });
  request.resume();

  function stop(): void {
    clearTimeout(waiting);
  }
}

/** Sees to it that an answer which is given before the whole request has come reaches its client. */
export async function earlyAnswers(ctx: Context, next: Next): Promise<void> {
  await next();
  endUnread(ctx.req, ctx.res);
}
