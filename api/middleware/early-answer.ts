import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, Next } from 'koa';

/** After an early response, the rest of a body of up to this size is read, and the connection stays open. */
const DRAINED_BYTES = 256 * 1024;
/** How much of a longer body is still read, so that the client can read its response. */
const LINGER_BYTES = 16 * 1024 * 1024;
const LINGER_MS = 5_000;

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Must be called before a response is written. If the request's body was not read completely (the request was refused,
 * the body is too large or not needed), nothing would read the rest, and the next request of the connection would wait
 * behind it forever; closing immediately would make the system reset the connection, and the client could lose its
 * response (RFC 9112, 9.6). So the rest is read and discarded, within limits. For a long body, or one of unknown
 * length, the response says `Connection: close`; our side is closed after it, and the other when the client has closed
 * its own.
 */
export function endUnread(request: IncomingMessage, response: ServerResponse): void {
  // A request without a body only becomes complete after its listeners were called.
  if (!hasBody(request) || request.complete || request.destroyed || response.headersSent) return;
  const { socket } = request;
  let left = LINGER_BYTES;
  let isEnding = false;
  let waiting: NodeJS.Timeout | undefined;
  if (!(Number(request.headers['content-length']) <= DRAINED_BYTES)) response.setHeader('Connection', 'close');
  // Called by the server after the last response.
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
    // The body was read completely: the connection continues normally.
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

/** Ensures that a response which is sent before the whole request was received reaches its client. */
export async function earlyAnswers(ctx: Context, next: Next): Promise<void> {
  await next();
  endUnread(ctx.req, ctx.res);
}
